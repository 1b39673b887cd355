package stream

import (
	"context"
	"runtime"
	"testing"
	"time"

	"linkperf/protocol/measure"
	"linkperf/protocol/sockopt"
)

// benchmark moves b.N blocks or datagrams; it is about allocations, which must
// be none, and about cost, not about the rate of a link.
func benchmark(b *testing.B, pair func(testing.TB, sockopt.Options) (Socket, Socket), c Config) {
	from, to := pair(b, sockopt.Options{})
	tx := c
	tx.Budget = NewBlocks(int64(b.N), c.Length)
	s, err := New(from, tx, measure.StreamInfo{Sender: true})
	if err != nil {
		b.Fatal(err)
	}
	defer s.Close()
	r, err := New(to, c, measure.StreamInfo{})
	if err != nil {
		b.Fatal(err)
	}
	defer r.Close()
	base := time.Now()
	s.Begin(base)
	r.Begin(base)
	ch := make(chan error, 1)
	b.SetBytes(int64(c.Length))
	b.ReportAllocs()
	b.ResetTimer()
	go func() { ch <- r.Run(context.Background()) }()
	if err := s.Run(context.Background()); err != nil {
		b.Error(err)
	}
	b.StopTimer()
	r.Stop()
	if err := <-ch; err != nil {
		b.Error(err)
	}
	if n := r.Sample(); n.Packets > 0 {
		b.ReportMetric(float64(n.Packets)/float64(b.N)*100, "%received")
	}
}

// unpaced is a rate that no machine reaches: the pacer is asked and never waits.
const unpaced = 1e15

func BenchmarkTCP(b *testing.B) {
	for name, c := range tcpPaths() {
		b.Run(name, func(b *testing.B) {
			c.Length = 128 << 10
			benchmark(b, tcpPair, c)
		})
		b.Run(name+" paced", func(b *testing.B) {
			c.Length, c.Rate = 128<<10, unpaced
			benchmark(b, tcpPair, c)
		})
	}
}

func BenchmarkUDP(b *testing.B) {
	for name, c := range udpPaths() {
		b.Run(name, func(b *testing.B) {
			c.Length = 1460
			benchmark(b, udpPair, c)
		})
		b.Run(name+" paced", func(b *testing.B) {
			c.Length, c.Rate = 1460, unpaced
			benchmark(b, udpPair, c)
		})
	}
}

// No path allocates anything for a block or a datagram: ten times as many cost
// no more than what else goes on in the process.
func TestNoAllocations(t *testing.T) {
	allocated := func(t *testing.T, pair func(testing.TB, sockopt.Options) (Socket, Socket), c Config, blocks int64) uint64 {
		a, b := pair(t, sockopt.Options{})
		tx := c
		tx.Budget = NewBlocks(blocks, c.Length)
		var before, after runtime.MemStats
		runtime.ReadMemStats(&before)
		f := start(t, a, b, tx, c)
		if err := <-f.txErr; err != nil {
			t.Fatal(err)
		}
		f.rx.Stop()
		if err := <-f.rxErr; err != nil {
			t.Fatal(err)
		}
		runtime.ReadMemStats(&after)
		return after.Mallocs - before.Mallocs
	}
	check := func(name string, pair func(testing.TB, sockopt.Options) (Socket, Socket), c Config) {
		t.Run(name, func(t *testing.T) {
			const blocks = 300
			few, many := allocated(t, pair, c, blocks), allocated(t, pair, c, 10*blocks)
			if many > few+blocks {
				t.Errorf("%d allocations for %d blocks, %d for %d", few, blocks, many, 10*blocks)
			}
		})
	}
	for name, c := range tcpPaths() {
		if c.Portable && c.ZeroCopy {
			continue // package net allocates for every file that it sends
		}
		c.Length, c.LengthSet = 8<<10, true
		check("tcp "+name, tcpPair, c)
		c.Rate = unpaced
		check("tcp "+name+" paced", tcpPair, c)
	}
	for name, c := range udpPaths() {
		c.Length = 1460
		check("udp "+name, udpPair, c)
		c.Rate = unpaced
		check("udp "+name+" paced", udpPair, c)
	}
}
