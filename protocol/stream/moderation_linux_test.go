package stream

import (
	"context"
	"testing"
	"time"

	"golang.org/x/sys/unix"

	"linkperf/protocol/measure"
	"linkperf/protocol/sockopt"
)

func TestLowWater(t *testing.T) {
	for _, c := range []struct {
		rate   float64
		buffer int
		want   int
	}{
		{0, 6 << 20, 1},
		{125e6, 6 << 20, 1}, // 1 Gbit/s
		{1e9 - 1, 6 << 20, 1},
		{1e9, 6 << 20, 500_000},
		{8e9, 6 << 20, 6 << 17},
		{8e9, 8192, 1024},
		{8e9, 4, 1},
	} {
		if got := lowWater(c.rate, c.buffer); got != c.want {
			t.Errorf("%g bytes/s, buffer of %d: %d, want %d", c.rate, c.buffer, got, c.want)
		}
	}
}

// A receiver that sleeps until much has come also gets the few bytes at the end,
// and goes back to sleeping until any come.
func TestModerationEnds(t *testing.T) {
	a, b := tcpPair(t, sockopt.Options{})
	defer a.Close()
	s, err := New(b, Config{}, measure.StreamInfo{})
	if err != nil {
		t.Fatal(err)
	}
	defer s.Close()
	p := s.path.(*fdPath)
	p.moderation = moderation{bytes: 1 << 40, since: time.Now().Add(-time.Second)}
	p.moderate()
	mark := func() int {
		n, err := unix.GetsockoptInt(p.fd, unix.SOL_SOCKET, unix.SO_RCVLOWAT)
		if err != nil {
			t.Fatal(err)
		}
		return n
	}
	if p.moderation.mark <= 1 || mark() != p.moderation.mark {
		t.Fatalf("low-water mark %d, in the kernel %d", p.moderation.mark, mark())
	}
	ch := make(chan error, 1)
	go func() { ch <- s.Run(context.Background()) }()
	raw, err := a.RawConn()
	if err != nil {
		t.Fatal(err)
	}
	for i := range int64(3) {
		if err := raw.Control(func(fd uintptr) { _, err = unix.Write(int(fd), []byte("12345")) }); err != nil {
			t.Fatal(err)
		}
		eventually(t, "the bytes are counted", func() bool { return s.Sample().Bytes == 5*(i+1) })
	}
	eventually(t, "the mark is the system's again", func() bool { return mark() == 1 })
	s.Stop()
	if err := <-ch; err != nil {
		t.Error(err)
	}
}

// After a long wait, too, a receiver with a low-water mark waits.
func TestModeratedWait(t *testing.T) {
	a, b := tcpPair(t, sockopt.Options{})
	defer a.Close()
	s, err := New(b, Config{}, measure.StreamInfo{})
	if err != nil {
		t.Fatal(err)
	}
	defer s.Close()
	p := s.path.(*fdPath)
	p.slow, p.moderation.mark = true, 4096
	begin := time.Now()
	if err := p.wait(unix.POLLIN); err != nil || time.Since(begin) < shortWait {
		t.Errorf("waited %v: %v", time.Since(begin), err)
	}
}
