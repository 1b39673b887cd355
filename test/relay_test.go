package test

import (
	"errors"
	"io"
	"net"
	"slices"
	"sync"
	"testing"
	"time"
)

// script decides what becomes of the n-th datagram, from 0, of one direction of
// a flow: it passes on what it likes, now or later. The datagram is its own.
type script func(n int, d arrival, pass func([]byte))

// arrival is a datagram that has come to a relay.
type arrival struct {
	bytes []byte
	at    time.Time // by the kernel's clock
}

// relay stands between client and server on a port of its own, for TCP and
// UDP, and lets scripts decide what becomes of datagrams.
type relay struct {
	port     int
	to       string
	up, down script

	tcp net.Listener
	udp *net.UDPConn
	wg  sync.WaitGroup

	mu     sync.Mutex
	open   []io.Closer
	closed bool
}

// startRelay starts a relay to a server on this host. A nil script lets all
// datagrams pass.
func startRelay(t *testing.T, server int, up, down script) *relay {
	t.Helper()
	r := &relay{port: freePort(t), to: target("127.0.0.1", server), up: up, down: down}
	var err error
	if r.tcp, err = net.Listen("tcp4", target("127.0.0.1", r.port)); err != nil {
		t.Fatal(err)
	}
	udp, err := net.ListenUDP("udp4", &net.UDPAddr{IP: net.IPv4(127, 0, 0, 1), Port: r.port})
	if err != nil {
		r.tcp.Close()
		t.Fatal(err)
	}
	r.udp = udp
	if err := stamped(udp); err != nil {
		t.Fatal(err)
	}
	r.wg.Go(r.connections)
	r.wg.Go(r.datagrams)
	t.Cleanup(r.close)
	return r
}

func (r *relay) close() {
	r.tcp.Close()
	r.udp.Close()
	r.mu.Lock()
	r.closed = true
	for _, c := range r.open {
		c.Close()
	}
	r.mu.Unlock()
	r.wg.Wait()
}

// keep closes c when the relay closes.
func (r *relay) keep(c io.Closer) {
	r.mu.Lock()
	defer r.mu.Unlock()
	r.open = append(r.open, c)
	if r.closed {
		c.Close()
	}
}

func (r *relay) connections() {
	for {
		client, err := r.tcp.Accept()
		if err != nil {
			return
		}
		server, err := net.Dial("tcp4", r.to)
		if err != nil {
			client.Close()
			continue
		}
		r.keep(client)
		r.keep(server)
		pass := func(to, from net.Conn) {
			io.Copy(to, from)
			to.(*net.TCPConn).CloseWrite()
		}
		r.wg.Go(func() { pass(server, client) })
		r.wg.Go(func() { pass(client, server) })
	}
}

// datagrams passes datagrams on. Every client port is a flow of its own, and
// has a port of its own towards the server.
func (r *relay) datagrams() {
	type flow struct {
		server *net.UDPConn
		n      int
	}
	flows := make(map[string]*flow)
	buf, control := make([]byte, 65536), make([]byte, 256)
	for {
		size, n, _, client, err := r.udp.ReadMsgUDP(buf, control)
		if errors.Is(err, net.ErrClosed) {
			return
		}
		if err != nil {
			continue // a port that is not there any more
		}
		f := flows[client.String()]
		if f == nil {
			to, _ := net.ResolveUDPAddr("udp4", r.to)
			server, err := net.DialUDP("udp4", nil, to)
			if err != nil || stamped(server) != nil {
				return
			}
			r.keep(server)
			f = &flow{server: server}
			flows[client.String()] = f
			r.wg.Go(func() { r.answers(server, client) })
		}
		r.up.apply(f.n, arrival{buf[:size], stamp(control[:n])}, func(b []byte) { f.server.Write(b) })
		f.n++
	}
}

func (r *relay) answers(server *net.UDPConn, client *net.UDPAddr) {
	buf, control := make([]byte, 65536), make([]byte, 256)
	for n := 0; ; {
		size, nc, _, _, err := server.ReadMsgUDP(buf, control)
		if errors.Is(err, net.ErrClosed) {
			return
		}
		if err != nil {
			continue
		}
		r.down.apply(n, arrival{buf[:size], stamp(control[:nc])}, func(b []byte) { r.udp.WriteToUDP(b, client) })
		n++
	}
}

func (s script) apply(n int, d arrival, pass func([]byte)) {
	if s == nil {
		pass(d.bytes)
		return
	}
	d.bytes = slices.Clone(d.bytes)
	s(n, d, pass)
}
