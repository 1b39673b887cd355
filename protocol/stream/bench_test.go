package stream

import (
	"context"
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

func BenchmarkTCP(b *testing.B) {
	for name, c := range tcpPaths() {
		b.Run(name, func(b *testing.B) {
			c.Length = 128 << 10
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
	}
}
