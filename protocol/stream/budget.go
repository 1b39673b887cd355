package stream

import (
	"math"
	"sync"
	"sync/atomic"
)

// Budget is the amount after which a test ends (-n, -k), shared by the streams
// of one direction. A sender charges before it sends and stops when nothing is
// left; a receiver charges what has arrived and goes on.
type Budget struct {
	total int64

	held     atomic.Bool
	reserved atomic.Int64 // charged, including what is about to be sent
	used     atomic.Int64
	once     sync.Once
	done     chan struct{}
}

// NewBytes returns a budget of n bytes.
func NewBytes(n int64) *Budget {
	return &Budget{total: n, done: make(chan struct{})}
}

// NewBlocks returns a budget of n blocks or datagrams of length bytes.
func NewBlocks(n int64, length int) *Budget {
	if l := int64(length); l > 0 && n > math.MaxInt64/l {
		return NewBytes(math.MaxInt64)
	}
	return NewBytes(n * int64(length))
}

// Hold makes the budget unlimited until Reset: nothing is charged while a test
// omits.
func (b *Budget) Hold() { b.held.Store(true) }

// Reset starts charging, from nothing.
func (b *Budget) Reset() {
	b.reserved.Store(0)
	b.used.Store(0)
	b.held.Store(false)
}

// Used returns the bytes charged and sent, or received.
func (b *Budget) Used() int64 { return b.used.Load() }

// Done is closed when the budget is used up.
func (b *Budget) Done() <-chan struct{} { return b.done }

// atOnce is the part of what is left that one stream may reserve: a sixteenth,
// so that all of them have their share of a small amount.
const atOnce = 16

// take reserves n bytes or less and returns 0 when nothing is left. Both the
// bytes and the total count rounded up to whole blocks. held tells that nothing
// is charged; it goes back into give.
func (b *Budget) take(n, block int64) (granted int64, held bool) {
	n = (n + block - 1) / block * block
	if b.held.Load() {
		return n, true
	}
	total := b.total
	if over := total % block; over != 0 && total < math.MaxInt64-block {
		total += block - over
	}
	for {
		r := b.reserved.Load()
		left := total - r
		granted = min(n, left, max(left/atOnce/block, 1)*block)
		if granted <= 0 {
			return 0, false
		}
		if b.reserved.CompareAndSwap(r, r+granted) {
			return granted, false
		}
	}
}

// give settles a reservation: some of it is returned, sent bytes were used.
func (b *Budget) give(returned, sent int64, held bool) {
	if held {
		return
	}
	b.reserved.Add(-returned)
	b.charge(sent)
}

// charge adds n bytes that were sent or received. It returns false while
// nothing is charged.
func (b *Budget) charge(n int64) bool {
	if b.held.Load() {
		return false
	}
	if b.used.Add(n) >= b.total {
		b.once.Do(func() { close(b.done) })
	}
	return true
}
