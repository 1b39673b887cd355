package stream

import (
	"testing"

	"linkperf/protocol/sockopt"
)

// Streams that share an amount each send whole blocks, however the kernel and
// the pacer cut them: iperf3's receivers do not count a part of one.
func TestSharedBudget(t *testing.T) {
	const streams, blocks = 4, 40
	eachTCP(t, func(t *testing.T, c Config) {
		if c.Length == 0 {
			c.Length = 100_000
		}
		for _, rate := range []uint64{0, 40e6} { // paced blocks of 100000 bytes take 20 ms
			budget := NewBlocks(blocks, c.Length)
			tx := c
			tx.Budget, tx.Rate = budget, rate
			var flows []*flow
			for range streams {
				a, b := tcpPair(t, sockopt.Options{Window: 64 << 10})
				flows = append(flows, start(t, a, b, tx, c))
			}
			var sent int64
			for i, f := range flows {
				if err := <-f.txErr; err != nil {
					t.Fatal(err)
				}
				n := f.tx.Sample().Bytes
				if sent += n; n%int64(c.Length) != 0 {
					t.Errorf("stream %d sent %d bytes, a block has %d", i, n, c.Length)
				}
			}
			if want := int64(blocks * c.Length); sent != want || budget.Used() != want {
				t.Errorf("sent %d bytes, charged %d, want %d", sent, budget.Used(), want)
			}
		}
	})
}

// No stream takes all of a small amount before the others have begun.
func TestBudgetAtOnce(t *testing.T) {
	const block = 10
	b := NewBlocks(160, block)
	for i, want := range []int64{100, 90, 80} { // a sixteenth of what is left, in blocks
		if got, _ := b.take(1000, block); got != want {
			t.Errorf("take %d: %d bytes, want %d", i, got, want)
		}
	}
	if got, _ := b.take(20, block); got != 20 {
		t.Errorf("%d bytes, want the 20 asked for", got)
	}
	b = NewBytes(15)
	if got, _ := b.take(1000, block); got != block {
		t.Errorf("%d bytes at once of 15, want one block", got)
	}
	if got, _ := b.take(1000, block); got != block {
		t.Errorf("%d bytes at last, want a whole block", got)
	}
	if got, _ := b.take(1000, block); got != 0 {
		t.Errorf("%d bytes of nothing", got)
	}
}
