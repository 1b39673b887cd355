package client_test

import (
	"context"
	"errors"
	"io"
	"net"
	"net/netip"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"linkperf/client"
	"linkperf/protocol"
	"linkperf/protocol/measure"
	"linkperf/server"
)

// relay stands between client and server, on a port of its own for TCP and UDP.
type relay struct {
	to   *net.TCPAddr
	port int
	// accept decides about the n-th TCP connection, from 0, and up and down about
	// the n-th datagram of a UDP stream in either direction; nil lets all pass.
	accept   func(n int) bool
	up, down func(n int) bool

	tcp     net.Listener
	udp     net.PacketConn
	wg      sync.WaitGroup
	mu      sync.Mutex
	closers []io.Closer
	closed  bool
}

func startRelay(t *testing.T, to *net.TCPAddr, r *relay) *relay {
	t.Helper()
	r.to = to
	var err error
	for range 20 { // until the port is free for both
		if r.tcp, err = net.Listen("tcp4", "127.0.0.1:0"); err != nil {
			t.Fatal(err)
		}
		if r.udp, err = net.ListenPacket("udp4", r.tcp.Addr().String()); err == nil {
			break
		}
		_ = r.tcp.Close()
	}
	if err != nil {
		t.Fatal(err)
	}
	r.port = r.tcp.Addr().(*net.TCPAddr).Port
	r.wg.Go(r.serveTCP)
	r.wg.Go(r.serveUDP)
	t.Cleanup(func() {
		_ = r.tcp.Close()
		_ = r.udp.Close()
		r.mu.Lock()
		r.closed = true
		for _, c := range r.closers {
			_ = c.Close()
		}
		r.mu.Unlock()
		r.wg.Wait()
	})
	return r
}

func (r *relay) keep(c io.Closer) {
	r.mu.Lock()
	defer r.mu.Unlock()
	r.closers = append(r.closers, c)
	if r.closed {
		_ = c.Close()
	}
}

func (r *relay) serveTCP() {
	for n := 0; ; n++ {
		c, err := r.tcp.Accept()
		if err != nil {
			return
		}
		if r.accept != nil && !r.accept(n) {
			_ = c.(*net.TCPConn).SetLinger(0) // a reset, as from a closed listener
			_ = c.Close()
			continue
		}
		s, err := net.DialTCP("tcp", nil, r.to)
		if err != nil {
			_ = c.Close()
			continue
		}
		r.keep(c)
		r.keep(s)
		copyHalf := func(to, from *net.TCPConn) {
			_, _ = io.Copy(to, from)
			_ = to.CloseWrite()
		}
		r.wg.Go(func() { copyHalf(s, c.(*net.TCPConn)) })
		r.wg.Go(func() { copyHalf(c.(*net.TCPConn), s) })
	}
}

// reset breaks the n-th TCP connection on both sides.
func (r *relay) reset(n int) {
	r.mu.Lock()
	defer r.mu.Unlock()
	for _, c := range r.closers[2*n : 2*n+2] {
		_ = c.(*net.TCPConn).SetLinger(0)
		_ = c.Close()
	}
}

func (r *relay) serveUDP() {
	type flow struct {
		conn net.Conn
		n    int
	}
	flows := map[string]*flow{}
	b := make([]byte, 65536)
	for {
		n, from, err := r.udp.ReadFrom(b)
		if err != nil {
			return
		}
		f := flows[from.String()]
		if f == nil {
			c, err := net.Dial("udp4", r.to.String())
			if err != nil {
				return
			}
			r.keep(c)
			f = &flow{conn: c}
			flows[from.String()] = f
			r.wg.Go(func() {
				b := make([]byte, 65536)
				for i := 0; ; i++ {
					n, err := c.Read(b)
					if errors.Is(err, net.ErrClosed) {
						return
					}
					if err == nil && (r.down == nil || r.down(i)) {
						_, _ = r.udp.WriteTo(b[:n], from)
					}
				}
			})
		}
		if r.up == nil || r.up(f.n) {
			_, _ = f.conn.Write(b[:n])
		}
		f.n++
	}
}

// serveOne runs a server whose results arrive on the channel.
func serveOne(t *testing.T, s *server.Server) (*net.TCPAddr, <-chan *measure.Result) {
	t.Helper()
	results := make(chan *measure.Result, 100)
	s.AnyPort, s.Bind = true, "127.0.0.1"
	s.NewSink = func(server.TestInfo) measure.Sink { return &resultSink{results: results} }
	ln, err := s.Listen(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	ctx, cancel := context.WithCancel(context.Background())
	done := make(chan struct{})
	go func() {
		defer close(done)
		_ = s.Serve(ctx, ln)
	}()
	t.Cleanup(func() { cancel(); <-done })
	return ln.Addr().(*net.TCPAddr), results
}

type resultSink struct {
	measure.Recorder
	results chan<- *measure.Result
}

func (s *resultSink) End(r *measure.Result, err error) error {
	_ = s.Recorder.End(r, err)
	s.results <- r
	return nil
}

// TestReset tries again when the server closes the control connection at once.
func TestReset(t *testing.T) {
	addr, _ := serveOne(t, &server.Server{})
	r := startRelay(t, addr, &relay{accept: func(n int) bool { return n >= 2 }})
	if _, err := client.Run(t.Context(), client.Config{Host: "127.0.0.1", Port: r.port, Blocks: 1}, nil); err != nil {
		t.Error(err)
	}
	never := startRelay(t, addr, &relay{accept: func(int) bool { return false }})
	if _, err := client.Run(t.Context(), client.Config{Host: "127.0.0.1", Port: never.port, Blocks: 1}, nil); err == nil {
		t.Error("a test succeeded without a connection")
	}
}

// hookSink does something at the first interval.
type hookSink struct {
	measure.Recorder
	once sync.Once
	hook func()
}

func (s *hookSink) Interval(iv *measure.Interval) error {
	s.once.Do(s.hook)
	return s.Recorder.Interval(iv)
}

// TestOneConnectionBreaks checks that a test does not succeed that has lost one
// of its streams, at neither end, and that what was measured is kept.
func TestOneConnectionBreaks(t *testing.T) {
	for name, c := range map[string]client.Config{
		"sender": {}, "receiver": {Reverse: true}, "both": {Bidirectional: true},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel() // it waits for the other side's reason
			addr, ended := serveOne(t, &server.Server{})
			r := startRelay(t, addr, &relay{})
			c.Host, c.Port, c.Parallel, c.Rate = "127.0.0.1", r.port, 3, 10e6
			c.Time, c.Interval = time.Minute, 200*time.Millisecond
			res, err := client.Run(t.Context(), c, &hookSink{hook: func() { r.reset(2) }}) // the first is the control connection
			pe, ok := errors.AsType[*protocol.Error](err)
			if !ok || pe.Code != protocol.CodeStreamWrite && pe.Code != protocol.CodeStreamRead {
				t.Errorf("client: %v", err)
			}
			if res == nil || res.Duration <= 0 || res.Duration > 30*time.Second || res.Exchanged {
				t.Errorf("the client's result: %+v", res)
			}
			if s := <-ended; s.Exchanged || s.Duration <= 0 {
				t.Errorf("the server's result: %+v", s)
			}
		})
	}
}

// TestLostHandshake starts over when the hello or the reply of a UDP stream is
// lost, and what was counted is right all the same.
func TestLostHandshake(t *testing.T) {
	t.Parallel() // it waits
	addr, ended := serveOne(t, &server.Server{})
	for _, lost := range []string{"hello", "reply"} {
		t.Run(lost, func(t *testing.T) {
			var dropped atomic.Bool
			once := func(n int) bool { return n > 0 || dropped.Swap(true) }
			r := &relay{}
			if lost == "hello" {
				r.up = once
			} else {
				r.down = once
			}
			startRelay(t, addr, r)
			res, err := client.Run(t.Context(), client.Config{
				Host: "127.0.0.1", Port: r.port, Transport: protocol.UDP, Length: 1000, Blocks: 50, Rate: 50e6,
			}, nil)
			if err != nil {
				t.Fatal(err)
			}
			if u := res.Streams[0].Received.UDP; u.Packets != 50 || u.Lost != 0 {
				t.Errorf("received %+v", u)
			}
			if first := <-ended; first.Exchanged {
				t.Error("the attempt that was given up counts as a test")
			}
			<-ended
		})
	}
}

// TestNoUDP says that UDP is blocked.
func TestNoUDP(t *testing.T) {
	t.Parallel() // it waits
	addr, _ := serveOne(t, &server.Server{})
	r := startRelay(t, addr, &relay{up: func(int) bool { return false }})
	begin := time.Now()
	_, err := client.Run(t.Context(), client.Config{Host: "127.0.0.1", Port: r.port, Transport: protocol.UDP}, nil)
	if err == nil || !strings.Contains(err.Error(), "firewall") {
		t.Errorf("got %v", err)
	}
	if d := time.Since(begin); d > 12*time.Second {
		t.Errorf("said so after %v", d)
	}
}

// TestLostTail cuts the path after a third of the datagrams, which are sent for
// longer than a receiver waits for the rest.
func TestLostTail(t *testing.T) {
	t.Parallel() // it waits
	addr, ended := serveOne(t, &server.Server{})
	for _, reverse := range []bool{false, true} {
		cut := func(n int) bool { return n <= 100 } // one handshake, then data
		r := startRelay(t, addr, &relay{up: cut, down: cut})
		res, err := client.Run(t.Context(), client.Config{
			Host: "127.0.0.1", Port: r.port, Transport: protocol.UDP, Length: 1000, Blocks: 300, Rate: 2e6, Reverse: reverse,
		}, nil)
		if err != nil {
			t.Fatal(err)
		}
		for side, x := range map[string]*measure.Result{"client": res, "server": <-ended} {
			s := x.Streams[0]
			// A server on a busy machine may not have sent all when its client,
			// which hears nothing any more, ends the test.
			sent := s.Sent.UDP.Packets
			if sent > 300 || !reverse && sent < 300 || sent <= 100 || s.Received.UDP.Lost != sent-100 || s.Received.UDP.Packets != sent {
				t.Errorf("reverse %v, %s: sent %+v, received %+v", reverse, side, s.Sent.UDP, s.Received.UDP)
			}
		}
	}
}

// TestPorts tries one port after the other.
func TestPorts(t *testing.T) {
	var busy *relay
	addr, _ := serveOne(t, &server.Server{})
	var free net.Listener
	for range 50 {
		// Three ports in a row: nobody listens on the first, the second answers
		// that it is busy, the third leads to the server.
		ln, err := net.Listen("tcp4", "127.0.0.1:0")
		if err != nil {
			t.Fatal(err)
		}
		port := netip.MustParseAddrPort(ln.Addr().String()).Port()
		_ = ln.Close()
		second, err2 := net.Listen("tcp4", netip.AddrPortFrom(netip.AddrFrom4([4]byte{127, 0, 0, 1}), port+1).String())
		third, err3 := net.Listen("tcp4", netip.AddrPortFrom(netip.AddrFrom4([4]byte{127, 0, 0, 1}), port+2).String())
		if err2 == nil && err3 == nil {
			free = second
			busy = &relay{to: addr, tcp: third, port: int(port)}
			break
		}
		for _, l := range []net.Listener{second, third} {
			if l != nil {
				_ = l.Close()
			}
		}
	}
	if busy == nil {
		t.Skip("no three free ports in a row")
	}
	defer busy.wg.Wait()
	defer func() { _ = busy.tcp.Close(); _ = free.Close() }()
	busy.wg.Go(busy.serveTCP)
	busy.wg.Go(func() {
		for {
			c, err := free.Accept()
			if err != nil {
				return
			}
			_, _ = io.ReadFull(c, make([]byte, protocol.CookieLength))
			_, _ = c.Write([]byte{0xff})
			_ = c.Close()
		}
	})
	res, err := client.Run(t.Context(), client.Config{Host: "127.0.0.1", Port: busy.port, LastPort: busy.port + 2, Blocks: 1}, nil)
	if err != nil || res.Start.Peer.Port != busy.port+2 {
		t.Errorf("got %v, %+v", err, res.Start)
	}
	_, err = client.Run(t.Context(), client.Config{Host: "127.0.0.1", Port: busy.port, LastPort: busy.port + 1, Blocks: 1}, nil)
	if !errors.Is(err, protocol.ErrServerBusy) {
		t.Errorf("two ports: %v", err)
	}
}
