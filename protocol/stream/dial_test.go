package stream

import (
	"context"
	"errors"
	"net"
	"net/netip"
	"testing"
	"time"

	"linkperf/protocol"
	"linkperf/protocol/measure"
	"linkperf/protocol/sockopt"
)

func listenUDP(t *testing.T, local string, allow func(netip.Addr) bool) *udpListener {
	t.Helper()
	l, err := ListenUDP(t.Context(), netip.MustParseAddrPort(local), sockopt.Options{}, allow)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { l.Close() })
	return l.(*udpListener)
}

// acceptAll accepts until the test ends and returns the sockets by channel.
func acceptAll(t *testing.T, l Listener) <-chan Socket {
	t.Helper()
	ch := make(chan Socket, 16)
	ctx, cancel := context.WithCancel(context.Background())
	done := make(chan struct{})
	go func() {
		defer close(done)
		for {
			s, err := l.Accept(ctx)
			if err != nil {
				return
			}
			ch <- s
		}
	}()
	t.Cleanup(func() {
		cancel()
		<-done
		close(ch)
		for s := range ch {
			s.Close()
		}
	})
	return ch
}

// client is a UDP socket that a test plays the client with.
func client(t *testing.T, to netip.AddrPort) *net.UDPConn {
	t.Helper()
	c, err := net.DialUDP("udp", nil, net.UDPAddrFromAddrPort(to))
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { c.Close() })
	return c
}

func ask(t *testing.T, c *net.UDPConn, hello []byte) []byte {
	t.Helper()
	if _, err := c.Write(hello); err != nil {
		t.Fatal(err)
	}
	c.SetReadDeadline(time.Now().Add(5 * time.Second))
	b := make([]byte, 100)
	n, err := c.Read(b)
	if err != nil {
		t.Fatalf("no answer to %x: %v", hello, err)
	}
	return b[:n]
}

func TestHello(t *testing.T) {
	l := listenUDP(t, "127.0.0.1:0", nil)
	accepted := acceptAll(t, l)
	for _, test := range []struct{ hello, reply string }{
		{"9876", "6789"}, {"6789", "9876"}, {"\x15\xcd\x5b\x07", "6789"}, {"\x07\x5b\xcd\x15", "\x3a\xde\x68\xb1"},
	} {
		c := client(t, l.local)
		for range 3 { // the second and third as if the reply had been lost
			if got := string(ask(t, c, []byte(test.hello))); got != test.reply {
				t.Errorf("hello %x: reply %x, want %x", test.hello, got, test.reply)
			}
		}
		s := <-accepted
		defer s.Close()
		if want := c.LocalAddr().(*net.UDPAddr).AddrPort(); s.RemoteAddr() != want || s.LocalAddr() != l.local {
			t.Errorf("accepted %v to %v", s.RemoteAddr(), s.LocalAddr())
		}
	}
	if len(accepted) != 0 {
		t.Errorf("%d more streams", len(accepted))
	}
}

func TestJunkOpensNothing(t *testing.T) {
	l := listenUDP(t, "127.0.0.1:0", nil)
	accepted := acceptAll(t, l)
	junk := client(t, l.local)
	for _, b := range []string{"", "9", "9876x", "98765432109876543210", "\x00\x00\x00\x00"} {
		if _, err := junk.Write([]byte(b)); err != nil {
			t.Fatal(err)
		}
	}
	good := client(t, l.local)
	ask(t, good, []byte("9876"))
	s := <-accepted
	defer s.Close()
	if s.RemoteAddr() != good.LocalAddr().(*net.UDPAddr).AddrPort() || len(accepted) != 0 {
		t.Errorf("accepted %v and %d more", s.RemoteAddr(), len(accepted))
	}
}

func TestAllow(t *testing.T) {
	l := listenUDP(t, "127.0.0.1:0", func(a netip.Addr) bool { return a == netip.MustParseAddr("127.0.0.2") })
	accepted := acceptAll(t, l)
	stranger := client(t, l.local)
	if _, err := stranger.Write([]byte("9876")); err != nil {
		t.Fatal(err)
	}
	s, err := Dial(t.Context(), DialConfig{Transport: protocol.UDP, Remote: l.local, Local: netip.MustParseAddr("127.0.0.2")})
	if err != nil {
		t.Skipf("127.0.0.2 is no address of this host: %v", err)
	}
	defer s.Close()
	a := <-accepted
	defer a.Close()
	if a.RemoteAddr() != s.LocalAddr() {
		t.Errorf("accepted %v", a.RemoteAddr())
	}
}

// A reply leaves from the address that the hello went to; a connected client
// would not see it otherwise.
func TestReplyAddress(t *testing.T) {
	for _, test := range []struct{ listen, dial string }{
		{"0.0.0.0:0", "127.0.0.1"}, {"0.0.0.0:0", "127.0.0.2"}, {"[::]:0", "::1"}, {"[::]:0", "127.0.0.1"}, {"[::]:0", "127.0.0.3"}, {"[::1]:0", "::1"},
	} {
		t.Run(test.listen+" "+test.dial, func(t *testing.T) {
			if c, err := net.ListenPacket("udp", net.JoinHostPort(test.dial, "0")); err != nil {
				t.Skipf("no such address here: %v", err)
			} else {
				c.Close()
			}
			l := listenUDP(t, test.listen, nil)
			accepted := acceptAll(t, l)
			to := netip.AddrPortFrom(netip.MustParseAddr(test.dial), l.local.Port())
			s, err := Dial(t.Context(), DialConfig{Transport: protocol.UDP, Remote: to, Timeout: 5 * time.Second})
			if err != nil {
				t.Fatal(err)
			}
			defer s.Close()
			a := <-accepted
			defer a.Close()
			if a.LocalAddr() != to || s.RemoteAddr() != to || a.RemoteAddr() != s.LocalAddr() {
				t.Errorf("client %v to %v; server %v to %v", s.LocalAddr(), s.RemoteAddr(), a.LocalAddr(), a.RemoteAddr())
			}
		})
	}
}

// A server that got the first hello counts every further one as data.
func TestNoReply(t *testing.T) {
	silent, err := net.ListenUDP("udp", net.UDPAddrFromAddrPort(loopback4))
	if err != nil {
		t.Fatal(err)
	}
	defer silent.Close()
	_, err = Dial(t.Context(), DialConfig{Transport: protocol.UDP, Remote: addrPort(silent.LocalAddr()), Timeout: 100 * time.Millisecond})
	pe, ok := errors.AsType[*protocol.Error](err)
	if !errors.Is(err, ErrNoReply) || !ok || pe.Code != protocol.CodeStreamRead {
		t.Errorf("Dial = %v, want ErrNoReply as iperf3's error 206", err)
	}
	silent.SetReadDeadline(time.Now().Add(time.Second))
	b := make([]byte, 10)
	if n, err := silent.Read(b); err != nil || string(b[:n]) != "9876" {
		t.Errorf("hello %q, %v", b[:n], err)
	}
	silent.SetReadDeadline(time.Now())
	if n, err := silent.Read(b); err == nil {
		t.Errorf("a second datagram: %q", b[:n])
	}
}

// In reverse mode data can overtake the reply, or the reply can be lost.
func TestReverseDataProvesStream(t *testing.T) {
	server, err := net.ListenUDP("udp", net.UDPAddrFromAddrPort(loopback4))
	if err != nil {
		t.Fatal(err)
	}
	defer server.Close()
	answer := func(b []byte) <-chan struct{} {
		done := make(chan struct{})
		go func() {
			defer close(done)
			hello := make([]byte, 10)
			_, from, err := server.ReadFromUDP(hello)
			if err == nil {
				_, err = server.WriteToUDP(b, from)
			}
			if err != nil {
				t.Error(err)
			}
		}()
		return done
	}
	c := DialConfig{Transport: protocol.UDP, Remote: addrPort(server.LocalAddr()), Reverse: true, Timeout: 5 * time.Second}
	done := answer(make([]byte, 1200))
	s, err := Dial(t.Context(), c)
	if err != nil {
		t.Fatal(err)
	}
	s.Close()
	<-done

	c.Reverse, c.Timeout = false, 50*time.Millisecond
	done = answer(make([]byte, 1200))
	if _, err = Dial(t.Context(), c); !errors.Is(err, ErrNoReply) {
		t.Errorf("forward Dial = %v", err)
	}
	<-done
}

func TestDialRefused(t *testing.T) {
	ln, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	to := addrPort(ln.Addr())
	ln.Close()
	_, err = Dial(t.Context(), DialConfig{Remote: to})
	if pe, ok := errors.AsType[*protocol.Error](err); !ok || pe.Code != protocol.CodeStreamConnect {
		t.Errorf("Dial = %v, want iperf3's error 203", err)
	}
}

func TestDialEndsWithContext(t *testing.T) {
	silent, err := net.ListenUDP("udp", net.UDPAddrFromAddrPort(loopback4))
	if err != nil {
		t.Fatal(err)
	}
	defer silent.Close()
	cause := errors.New("enough")
	ctx, cancel := context.WithCancelCause(t.Context())
	go func() {
		silent.Read(make([]byte, 10)) // the hello: Dial waits now
		cancel(cause)
	}()
	if _, err := Dial(ctx, DialConfig{Transport: protocol.UDP, Remote: addrPort(silent.LocalAddr())}); !errors.Is(err, cause) {
		t.Errorf("Dial = %v", err)
	}
	l := listenUDP(t, "127.0.0.1:0", nil)
	if _, err := l.Accept(ctx); !errors.Is(err, cause) {
		t.Errorf("Accept = %v", err)
	}
}

func TestLocalAddress(t *testing.T) {
	for _, transport := range []protocol.Transport{protocol.TCP, protocol.UDP} {
		free, err := net.Listen("tcp", "127.0.0.1:0")
		if err != nil {
			t.Fatal(err)
		}
		port := int(addrPort(free.Addr()).Port())
		free.Close()
		c := DialConfig{Transport: transport, Local: netip.MustParseAddr("127.0.0.1"), LocalPort: port}
		if transport == protocol.UDP {
			l := listenUDP(t, "127.0.0.1:0", nil)
			acceptAll(t, l)
			c.Remote = l.local
		} else {
			ln, err := net.Listen("tcp", "127.0.0.1:0")
			if err != nil {
				t.Fatal(err)
			}
			defer ln.Close()
			c.Remote = addrPort(ln.Addr())
		}
		s, err := Dial(t.Context(), c)
		if err != nil {
			t.Fatal(err)
		}
		defer s.Close()
		if got := s.LocalAddr(); int(got.Port()) != port || got.Addr() != c.Local {
			t.Errorf("%s: local address %v, want port %d", transport, got, port)
		}
	}
}

// A hello that comes when the stream runs is answered and counted nowhere, and
// the datagrams after it arrive as they are.
func TestHelloWhileRunning(t *testing.T) {
	eachUDP(t, func(t *testing.T, c Config) {
		l := listenUDP(t, "127.0.0.1:0", nil)
		accepted := acceptAll(t, l)
		peer := client(t, l.local)
		ask(t, peer, []byte("9876"))
		s, err := New(<-accepted, c, measure.StreamInfo{})
		if err != nil {
			t.Fatal(err)
		}
		defer s.Close()
		ch := make(chan error, 1)
		go func() { ch <- s.Run(context.Background()) }()
		if got := ask(t, peer, []byte("9876")); string(got) != "6789" {
			t.Errorf("answer %x", got)
		}
		if n := s.Sample(); n.Bytes != 0 || n.Packets != 0 || n.Duplicates != 0 {
			t.Errorf("counted %+v", n)
		}
		const datagrams = 5
		b := make([]byte, c.Length)
		for i := range int64(datagrams) {
			protocol.PutHeader(b, protocol.Header{Counter: uint64(i) + 1}, c.WideCounters)
			if _, err := peer.Write(b); err != nil {
				t.Fatal(err)
			}
			eventually(t, "the datagram is counted", func() bool { return s.Sample().Packets > i })
		}
		s.Stop()
		if err := <-ch; err != nil {
			t.Error(err)
		}
		if n := s.Sample(); n.Bytes != int64(datagrams*c.Length) || n.Lost != 0 {
			t.Errorf("counted %+v", n)
		}
	})
}

func TestDrain(t *testing.T) {
	c, err := net.ListenUDP("udp", net.UDPAddrFromAddrPort(loopback4))
	if err != nil {
		t.Fatal(err)
	}
	defer c.Close()
	for range 2 { // also when nothing waits
		for _, b := range []string{"one", "two", ""} {
			if _, err := c.WriteTo([]byte(b), c.LocalAddr()); err != nil {
				t.Fatal(err)
			}
		}
		if err := drain(c); err != nil {
			t.Fatal(err)
		}
		if err := drain(c); err != nil {
			t.Fatal(err)
		}
		if _, err := c.WriteTo([]byte("last"), c.LocalAddr()); err != nil {
			t.Fatal(err)
		}
		b := make([]byte, 10)
		if n, _, err := c.ReadFrom(b); err != nil || string(b[:n]) != "last" {
			t.Errorf("after draining: %q, %v", b[:n], err)
		}
	}
}

func TestSCTPUnavailable(t *testing.T) {
	l, err := ListenSCTP(t.Context(), loopback4, sockopt.Options{}, nil, protocol.Cookie{})
	if err == nil {
		l.Close()
		t.Skip("this kernel has SCTP")
	}
	if pe, ok := errors.AsType[*protocol.Error](err); !ok || pe.Code != protocol.CodeStreamListen {
		t.Errorf("ListenSCTP = %v, want iperf3's error 202", err)
	}
	_, err = Dial(t.Context(), DialConfig{Transport: protocol.SCTP, Remote: netip.MustParseAddrPort("127.0.0.1:9")})
	if pe, ok := errors.AsType[*protocol.Error](err); !ok || pe.Code != protocol.CodeStreamConnect {
		t.Errorf("Dial = %v, want iperf3's error 203", err)
	}
}
