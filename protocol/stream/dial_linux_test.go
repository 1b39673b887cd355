package stream

import (
	"testing"

	"golang.org/x/sys/unix"

	"linkperf/protocol/sockopt"
)

// Nagle's algorithm is on unless it was switched off, at both ends.
func TestNoDelay(t *testing.T) {
	for _, want := range []bool{false, true} {
		a, b := tcpPair(t, sockopt.Options{NoDelay: want})
		defer a.Close()
		defer b.Close()
		for _, s := range []Socket{a, b} {
			raw, err := s.RawConn()
			if err != nil {
				t.Fatal(err)
			}
			if err := raw.Control(func(fd uintptr) {
				got, err := unix.GetsockoptInt(int(fd), unix.IPPROTO_TCP, unix.TCP_NODELAY)
				if err != nil || (got != 0) != want {
					t.Errorf("TCP_NODELAY %d, %v, want %v", got, err, want)
				}
			}); err != nil {
				t.Fatal(err)
			}
		}
	}
}
