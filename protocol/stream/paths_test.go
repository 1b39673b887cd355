package stream

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"runtime"
	"syscall"
	"testing"
	"time"

	"linkperf/protocol"
	"linkperf/protocol/measure"
	"linkperf/protocol/sockopt"
)

// tcpPaths are the ways to move a byte stream; the first is the reference.
func tcpPaths() map[string]Config {
	m := map[string]Config{
		"net": {Portable: true},
	}
	if sockopt.Supported(sockopt.Sendfile) {
		m["net sendfile"] = Config{Portable: true, ZeroCopy: true}
	}
	if runtime.GOOS == "linux" {
		m["rawfd"] = Config{}
		m["rawfd sendfile"] = Config{ZeroCopy: true}
		m["rawfd trunc"] = Config{SkipRxCopy: true}
		m["rawfd sendfile trunc"] = Config{ZeroCopy: true, SkipRxCopy: true}
	}
	return m
}

func udpPaths() map[string]Config {
	m := map[string]Config{"net": {Portable: true}}
	if runtime.GOOS == "linux" {
		m["mmsg"] = Config{without: without{gso: true, gro: true}}
		m["gso"] = Config{without: without{gro: true}}
		m["gro"] = Config{without: without{gso: true}}
		m["gso gro"] = Config{}
	}
	for name, c := range m {
		c.Transport = protocol.UDP
		m[name] = c
	}
	return m
}

// eachTCP runs a test over every path, with and without a length of its own.
func eachTCP(t *testing.T, f func(t *testing.T, c Config)) {
	for name, c := range tcpPaths() {
		t.Run(name, func(t *testing.T) { f(t, c) })
		t.Run(name+" -l 1000", func(t *testing.T) {
			c.Length, c.LengthSet = 1000, true
			f(t, c)
		})
	}
}

func eachUDP(t *testing.T, f func(t *testing.T, c Config)) {
	for name, c := range udpPaths() {
		for _, length := range []int{16, 1200, 9000} {
			t.Run(name, func(t *testing.T) {
				c.Length = length
				f(t, c)
			})
		}
	}
}

func TestTCPBudget(t *testing.T) {
	eachTCP(t, func(t *testing.T, c Config) {
		a, b := tcpPair(t, sockopt.Options{})
		tx, rx := c, c
		tx.Budget, rx.Budget = NewBytes(5_000_000), NewBytes(5_000_000)
		f := start(t, a, b, tx, rx)
		want := int64(5_000_000)
		if block := int64(f.tx.c.Length); want%block != 0 {
			want += block - want%block // up to a whole block
		}
		if err := <-f.txErr; err != nil {
			t.Fatal(err)
		}
		<-tx.Budget.Done()
		if err := f.tx.Socket().CloseWrite(); err != nil {
			t.Fatal(err)
		}
		if err := <-f.rxErr; err != nil {
			t.Fatal(err)
		}
		<-rx.Budget.Done()
		s, r := f.tx.Sample(), f.rx.Sample()
		if s.Bytes != want || r.Bytes != want || tx.Budget.Used() != want || rx.Budget.Used() != want {
			t.Errorf("sent %d, received %d, budgets %d and %d; want %d", s.Bytes, r.Bytes, tx.Budget.Used(), rx.Budget.Used(), want)
		}
		if runtime.GOOS == "linux" && (s.TCP == nil || s.TCP.MSS <= 0 || s.TCP.SndCwnd <= 0) {
			t.Errorf("sender's TCP information: %+v", s.TCP)
		}
		if r.TCP != nil {
			t.Errorf("receiver reads TCP information")
		}
		if r.Last <= 0 || s.Blocks != want/int64(f.tx.c.Length) {
			t.Errorf("last byte at %v, %d blocks", r.Last, s.Blocks)
		}
	})
}

// Blocks arrive in their order and none is cut, repeated or left out, also where
// the socket takes only a part of what one call brings.
func TestBlocksInOrder(t *testing.T) {
	for _, portable := range []bool{true, false} {
		for _, length := range []int{1, 7, 1000, 16 << 10, 64 << 10, 100_000} {
			t.Run(fmt.Sprintf("portable %v -l %d", portable, length), func(t *testing.T) {
				a, b := tcpPair(t, sockopt.Options{Window: 16 << 10})
				c := Config{Length: length, LengthSet: true, RepeatingPayload: true, Portable: portable}
				tx, rx := c, c
				tx.Budget, rx.File = NewBlocks(max(100_000/int64(length), 3), length), filepath.Join(t.TempDir(), "received")
				f := start(t, a, b, tx, rx)
				f.finish(t)
				got, err := os.ReadFile(rx.File)
				if err != nil {
					t.Fatal(err)
				}
				if sent := f.tx.Sample().Bytes; int64(len(got)) != sent || sent != tx.Budget.Used() {
					t.Errorf("%d bytes sent, %d used, %d received", sent, tx.Budget.Used(), len(got))
				}
				for i, x := range got {
					if want := '0' + byte(i%length%10); x != want {
						t.Fatalf("byte %d is %q, want %q", i, x, want)
					}
				}
			})
		}
	}
}

func TestUDPBudget(t *testing.T) {
	eachUDP(t, func(t *testing.T, c Config) {
		a, b := udpPair(t, sockopt.Options{})
		tx := c
		const n = 20 // which the receive buffer holds if need be
		tx.Budget = NewBlocks(n, c.Length)
		tx.Rate, tx.Burst = uint64(c.Length)*8*2000, 7
		f := start(t, a, b, tx, c)
		if err := <-f.txErr; err != nil {
			t.Fatal(err)
		}
		eventually(t, "all datagrams arrive", func() bool { return f.rx.Sample().Packets == n })
		f.rx.Stop()
		if err := <-f.rxErr; err != nil {
			t.Fatal(err)
		}
		s, r := f.tx.Sample(), f.rx.Sample()
		if s.Packets != n || s.Bytes != int64(n*c.Length) || s.Blocks != n {
			t.Errorf("sent %+v", s)
		}
		if r.Highest != n || r.Lost != 0 || r.Dropped > 0 || r.Bytes != int64(n*c.Length) || r.OutOfOrder != 0 || r.Duplicates != 0 {
			t.Errorf("received %+v", r)
		}
		if r.Jitter < 0 || r.Jitter > 1 {
			t.Errorf("jitter %g s", r.Jitter)
		}
	})
}

// A stream at full speed counts nothing twice and loses nothing unseen.
func TestUDPUnlimited(t *testing.T) {
	eachUDP(t, func(t *testing.T, c Config) {
		a, b := udpPair(t, sockopt.Options{})
		f := start(t, a, b, c, c)
		eventually(t, "5000 datagrams arrive", func() bool { return f.rx.Sample().Packets > 5000 })
		f.tx.Stop()
		if err := <-f.txErr; err != nil {
			t.Fatal(err)
		}
		f.rx.Stop()
		if err := <-f.rxErr; err != nil {
			t.Fatal(err)
		}
		s, r := f.tx.Sample(), f.rx.Sample()
		if r.Highest > s.Packets || r.Packets+r.Lost != r.Highest || r.Bytes != r.Packets*int64(c.Length) ||
			r.OutOfOrder != 0 || r.Duplicates != 0 {
			t.Errorf("sent %+v received %+v", s, r)
		}
	})
}

func TestWideCounters(t *testing.T) {
	a, b := udpPair(t, sockopt.Options{})
	c := Config{Transport: protocol.UDP, Length: 16, WideCounters: true}
	tx := c
	tx.Rate, tx.Budget = 16*8*10_000, NewBlocks(100, 16)
	f := start(t, a, b, tx, c)
	if err := <-f.txErr; err != nil {
		t.Fatal(err)
	}
	eventually(t, "all arrive", func() bool { return f.rx.Sample().Packets == 100 })
}

// interrupted fails the test unless Run returns nil soon after stop.
func interrupted(t *testing.T, s *Stream, err <-chan error, stop func()) {
	t.Helper()
	begin := time.Now()
	stop()
	select {
	case err := <-err:
		if err != nil && !errors.Is(err, context.Canceled) {
			t.Errorf("Run returned %v", err)
		}
	case <-time.After(5 * time.Second):
		t.Fatalf("still blocked %v after Stop", time.Since(begin))
	}
	<-s.Done()
}

func TestInterruptBlockedSend(t *testing.T) {
	eachTCP(t, func(t *testing.T, c Config) {
		a, b := tcpPair(t, sockopt.Options{})
		defer b.Close() // which nobody reads
		s, err := New(a, c, measure.StreamInfo{Sender: true})
		if err != nil {
			t.Fatal(err)
		}
		defer s.Close()
		ch := make(chan error, 1)
		go func() { ch <- s.Run(context.Background()) }()
		before := int64(-1)
		eventually(t, "the buffers are full", func() bool {
			now := s.Sample().Bytes
			full := now > 0 && now == before
			before = now
			time.Sleep(20 * time.Millisecond)
			return full
		})
		interrupted(t, s, ch, s.Stop)
		s.Stop() // again, and after the end
	})
}

func TestInterruptBlockedReceive(t *testing.T) {
	eachTCP(t, func(t *testing.T, c Config) {
		a, b := tcpPair(t, sockopt.Options{})
		defer b.Close() // which sends nothing
		testInterruptReceive(t, a, c)
	})
	eachUDP(t, func(t *testing.T, c Config) {
		a, b := udpPair(t, sockopt.Options{})
		defer b.Close()
		testInterruptReceive(t, a, c)
	})
}

func testInterruptReceive(t *testing.T, sock Socket, c Config) {
	s, err := New(sock, c, measure.StreamInfo{})
	if err != nil {
		t.Fatal(err)
	}
	defer s.Close()
	ctx, cancel := context.WithCancel(context.Background())
	defer cancel()
	ch := make(chan error, 1)
	go func() { ch <- s.Run(ctx) }()
	interrupted(t, s, ch, cancel)
}

// The first block goes at once; then both kinds of stream sleep for minutes.
func TestInterruptPacedSleep(t *testing.T) {
	test := func(t *testing.T, a, b Socket, c Config) {
		c.Rate, c.Burst = 100, 2
		defer b.Close()
		s, err := New(a, c, measure.StreamInfo{Sender: true})
		if err != nil {
			t.Fatal(err)
		}
		defer s.Close()
		ch := make(chan error, 1)
		go func() { ch <- s.Run(context.Background()) }()
		eventually(t, "the first train is sent", func() bool { return s.Sample().Blocks == 2 })
		interrupted(t, s, ch, s.Stop)
	}
	eachTCP(t, func(t *testing.T, c Config) {
		c.Length, c.LengthSet = 1000, true
		a, b := tcpPair(t, sockopt.Options{})
		test(t, a, b, c)
	})
	eachUDP(t, func(t *testing.T, c Config) {
		a, b := udpPair(t, sockopt.Options{})
		test(t, a, b, c)
	})
}

func TestStopBeforeRun(t *testing.T) {
	eachTCP(t, func(t *testing.T, c Config) {
		a, b := tcpPair(t, sockopt.Options{})
		defer b.Close()
		a.Interrupt() // reaches the path that New will choose
		s, err := New(a, c, measure.StreamInfo{Sender: true})
		if err != nil {
			t.Fatal(err)
		}
		if err := s.Run(context.Background()); err != nil {
			t.Error(err)
		}
		if err := s.Close(); err != nil {
			t.Error(err)
		}
		if err := s.Close(); err != nil {
			t.Errorf("second Close: %v", err)
		}
		a.Interrupt()
		if raw, err := a.RawConn(); err == nil {
			if _, _, err := sockopt.Buffers(raw); err == nil {
				t.Error("a closed socket's buffers can be read")
			}
		}
	})
}

// A sender whose peer goes away falls silent, as iperf3's does from 3.16 on.
// A peer that closes before it is told to breaks the sender's connection, which
// iperf3's number tells.
func TestPeerCloses(t *testing.T) {
	eachTCP(t, func(t *testing.T, c Config) {
		a, b := tcpPair(t, sockopt.Options{})
		f := start(t, a, b, c, c)
		eventually(t, "data flows", func() bool { return f.rx.Sample().Bytes > 0 })
		f.rx.Close()
		err := <-f.txErr
		if !errors.Is(err, protocol.NewError(protocol.CodeStreamWrite, nil)) || !errors.Is(err, syscall.EPIPE) && !errors.Is(err, syscall.ECONNRESET) {
			t.Errorf("sender: %v", err)
		}
		if err := <-f.rxErr; err != nil {
			t.Errorf("receiver: %v", err)
		}
	})
}

func TestFile(t *testing.T) {
	eachTCP(t, func(t *testing.T, c Config) {
		dir := t.TempDir()
		from, to := filepath.Join(dir, "from"), filepath.Join(dir, "to")
		content := make([]byte, 3_000_000)
		for i := range content {
			content[i] = byte(i * i >> 8)
		}
		if err := os.WriteFile(from, content, 0o600); err != nil {
			t.Fatal(err)
		}
		a, b := tcpPair(t, sockopt.Options{})
		tx, rx := c, c
		tx.File, rx.File = from, to
		f := start(t, a, b, tx, rx)
		f.finish(t)
		got, err := os.ReadFile(to)
		if err != nil {
			t.Fatal(err)
		}
		if string(got) != string(content) {
			t.Errorf("%d bytes arrived as %d others", len(content), len(got))
		}
		if s, r := f.tx.Sample(), f.rx.Sample(); s.Bytes != 3_000_000 || r.Bytes != 3_000_000 || f.rx.FileSize() != 3_000_000 {
			t.Errorf("sent %d, received %d, file size %d", s.Bytes, r.Bytes, f.rx.FileSize())
		}
	})
}

func TestFileMissing(t *testing.T) {
	a, b := tcpPair(t, sockopt.Options{})
	defer b.Close()
	_, err := New(a, Config{File: filepath.Join(t.TempDir(), "none")}, measure.StreamInfo{Sender: true})
	if pe, ok := errors.AsType[*protocol.Error](err); !ok || pe.Code != protocol.CodeFile {
		t.Errorf("New = %v, want iperf3's error 14", err)
	}
}
