package stream

import (
	"context"
	"errors"
	"net/netip"
	"testing"
	"time"

	"linkperf/protocol"
	"linkperf/protocol/measure"
	"linkperf/protocol/sockopt"
)

// sctpPair returns both ends of a data connection, or skips the test where the
// kernel has no SCTP. Most do not; User Mode Linux of Debian does.
func sctpPair(t testing.TB, local string, d DialConfig) (client, server Socket) {
	t.Helper()
	cookie, err := protocol.NewCookie()
	if err != nil {
		t.Fatal(err)
	}
	l, err := ListenSCTP(t.Context(), netip.MustParseAddrPort(local), d.Options, nil, cookie)
	if err != nil {
		t.Skipf("no SCTP here: %v", err)
	}
	defer l.Close()
	h, err := sctpAddress(l)
	if err != nil {
		t.Fatal(err)
	}
	type accepted struct {
		s   Socket
		err error
	}
	ch := make(chan accepted, 1)
	go func() {
		s, err := l.Accept(t.Context())
		ch <- accepted{s, err}
	}()
	d.Transport, d.Remote = protocol.SCTP, h
	if h.Addr().IsUnspecified() {
		d.Remote = netip.AddrPortFrom(netip.MustParseAddr("127.0.0.1"), h.Port())
	}
	stranger := d // is turned away
	if s, err := Dial(t.Context(), stranger); err == nil {
		defer s.Close()
	}
	d.Cookie = cookie
	client, err = Dial(t.Context(), d)
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

func TestSCTPBudget(t *testing.T) {
	for _, local := range []string{"127.0.0.1:0", "[::]:0", "[::1]:0"} {
		t.Run(local, func(t *testing.T) {
			a, b := sctpPair(t, local, DialConfig{SCTPStreams: 3, Options: sockopt.Options{NoDelay: true, MSS: 1200}})
			if a.RemoteAddr() != b.LocalAddr() || b.RemoteAddr() != a.LocalAddr() {
				t.Errorf("client %v to %v, server %v to %v", a.LocalAddr(), a.RemoteAddr(), b.LocalAddr(), b.RemoteAddr())
			}
			c := Config{Transport: protocol.SCTP}
			tx := c
			tx.Budget = NewBlocks(40, protocol.DefaultSCTPLength)
			f := start(t, a, b, tx, c)
			f.finish(t)
			if s, r := f.tx.Sample(), f.rx.Sample(); s.Bytes != 40*protocol.DefaultSCTPLength || r.Bytes != s.Bytes || s.TCP != nil {
				t.Errorf("sent %+v received %+v", s, r)
			}
			if f.tx.Info.DataPath != "sctp" {
				t.Errorf("data path %q", f.tx.Info.DataPath)
			}
		})
	}
}

func TestSCTPInterrupt(t *testing.T) {
	for name, sender := range map[string]bool{"blocked send": true, "blocked receive": false} {
		t.Run(name, func(t *testing.T) {
			a, b := sctpPair(t, "127.0.0.1:0", DialConfig{})
			defer b.Close() // which neither reads nor writes
			s, err := New(a, Config{Transport: protocol.SCTP, Length: 200_000, LengthSet: true}, measure.StreamInfo{Sender: sender})
			if err != nil {
				t.Fatal(err)
			}
			defer s.Close()
			ch := make(chan error, 1)
			go func() { ch <- s.Run(context.Background()) }()
			if sender {
				eventually(t, "the buffers fill", func() bool {
					select {
					case err := <-ch:
						t.Fatalf("Run = %v", err)
					default:
					}
					return s.Sample().Bytes > 0
				})
			}
			interrupted(t, s, ch, s.Stop)
		})
	}
}

func TestSCTPAcceptEnds(t *testing.T) {
	l, err := ListenSCTP(t.Context(), loopback4, sockopt.Options{}, []string{"127.0.0.2"}, protocol.Cookie{})
	if err != nil {
		t.Skipf("no SCTP here: %v", err)
	}
	defer l.Close()
	ctx, cancel := context.WithTimeout(t.Context(), 20*time.Millisecond)
	defer cancel()
	if _, err := l.Accept(ctx); !errors.Is(err, context.DeadlineExceeded) {
		t.Errorf("Accept = %v", err)
	}
}
