package stream

import (
	"context"
	"errors"
	"net"
	"net/netip"
	"testing"
	"time"

	"go.uber.org/goleak"

	"linkperf/protocol"
	"linkperf/protocol/measure"
	"linkperf/protocol/sockopt"
)

func TestMain(m *testing.M) { goleak.VerifyTestMain(m) }

var loopback4 = netip.MustParseAddrPort("127.0.0.1:0")

// tcpPair returns both ends of a data connection, client first.
func tcpPair(t testing.TB, o sockopt.Options) (client, server Socket) {
	t.Helper()
	ln, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	defer ln.Close()
	cookie, err := protocol.NewCookie()
	if err != nil {
		t.Fatal(err)
	}
	type accepted struct {
		s   Socket
		err error
	}
	ch := make(chan accepted, 1)
	go func() {
		conn, err := ln.Accept()
		if err != nil {
			ch <- accepted{nil, err}
			return
		}
		got, err := protocol.ReadCookie(conn)
		if err == nil && !got.Equal(cookie) {
			err = errors.New("wrong cookie")
		}
		if err != nil {
			conn.Close()
			ch <- accepted{nil, err}
			return
		}
		s, _, err := FromConn(conn, o)
		ch <- accepted{s, err}
	}()
	client, err = Dial(t.Context(), DialConfig{Remote: addrPort(ln.Addr()), Cookie: cookie, Options: o})
	if err != nil {
		t.Fatal(err)
	}
	a := <-ch
	if a.err != nil {
		client.Close()
		t.Fatal(a.err)
	}
	return client, a.s
}

// udpPair returns both ends of a UDP stream, client first.
func udpPair(t testing.TB, o sockopt.Options) (client, server Socket) {
	t.Helper()
	l, err := ListenUDP(t.Context(), loopback4, o, nil)
	if err != nil {
		t.Fatal(err)
	}
	defer l.Close()
	type accepted struct {
		s   Socket
		err error
	}
	ch := make(chan accepted, 1)
	go func() {
		s, err := l.Accept(t.Context())
		ch <- accepted{s, err}
	}()
	client, err = Dial(t.Context(), DialConfig{Transport: protocol.UDP, Remote: l.(*udpListener).local, Options: o})
	if err != nil {
		t.Fatal(err)
	}
	a := <-ch
	if a.err != nil {
		client.Close()
		t.Fatal(a.err)
	}
	return client, a.s
}

// flow is a sender and a receiver at work.
type flow struct {
	tx, rx       *Stream
	txErr, rxErr chan error
}

// start makes streams of the sockets and runs them.
func start(t testing.TB, from, to Socket, tx, rx Config) *flow {
	t.Helper()
	s, err := New(from, tx, measure.StreamInfo{ID: 1, Sender: true})
	if err != nil {
		t.Fatal(err)
	}
	r, err := New(to, rx, measure.StreamInfo{ID: 1})
	if err != nil {
		t.Fatal(err)
	}
	f := &flow{tx: s, rx: r, txErr: make(chan error, 1), rxErr: make(chan error, 1)}
	t.Cleanup(func() {
		s.Close()
		r.Close()
	})
	base := time.Now()
	s.Begin(base)
	r.Begin(base)
	go func() { f.rxErr <- r.Run(context.Background()) }()
	go func() { f.txErr <- s.Run(context.Background()) }()
	return f
}

// finish waits until the sender has sent all, and the receiver has it.
func (f *flow) finish(t testing.TB) {
	t.Helper()
	if err := <-f.txErr; err != nil {
		t.Fatal(err)
	}
	if err := f.tx.Socket().CloseWrite(); err != nil {
		t.Fatal(err)
	}
	if err := <-f.rxErr; err != nil {
		t.Fatal(err)
	}
}

// eventually waits until a condition holds that other goroutines bring about.
func eventually(t testing.TB, what string, cond func() bool) {
	t.Helper()
	end := time.Now().Add(10 * time.Second)
	for !cond() {
		if time.Now().After(end) {
			t.Fatalf("never happened: %s", what)
		}
		time.Sleep(time.Millisecond)
	}
}
