package stream

import "time"

const (
	// trainBelow is the gap between two blocks below which they are sent in
	// trains instead of one by one.
	trainBelow = 300 * time.Microsecond
	// trainLength is how long a train may last at the nominal rate.
	trainLength = 250 * time.Microsecond
	// sliceLength is how long a part of a byte stream's block may last at the
	// nominal rate; longer blocks are cut.
	sliceLength = 20 * time.Millisecond
)

// Pacer says when the next block of a stream is due so that, on average since
// the start, no more than a given rate is sent. It has no clock and keeps no
// state: elapsed time and bytes sent decide. A stream that was held up catches
// up.
type Pacer struct {
	perByte float64 // nanoseconds
	block   int64   // bytes that are due together
	train   int64   // bytes that a wait ends with
	ahead   bool    // a train is sent when its first block is due, not its last
}

// NewPacer returns a pacer for a rate in bit/s, above 0, and a block length in
// bytes. burst, if above 1, is how many blocks are sent at once. whole means
// that blocks must not be cut, because they are datagrams.
func NewPacer(rate uint64, length, burst int, whole bool) Pacer {
	p := Pacer{perByte: 8e9 / float64(rate), block: int64(length)}
	if burst > 1 {
		p.train, p.ahead = p.block*int64(burst), true
		return p
	}
	if slice := int64(float64(sliceLength) / p.perByte); !whole && slice < p.block {
		p.block = max(slice, 1)
	}
	p.train = p.block
	if gap := float64(p.block) * p.perByte; gap < float64(trainBelow) {
		p.train = p.block * max(int64(float64(trainLength)/gap), 1)
	}
	return p
}

// Gap is the time between two waits' ends at the nominal rate.
func (p *Pacer) Gap() time.Duration { return time.Duration(float64(p.train) * p.perByte) }

// Next returns how many bytes may be sent now, a multiple of the block, given
// the bytes sent and the time since the start of the stream. If it is 0, wait
// is how long to sleep before asking again.
func (p *Pacer) Next(elapsed time.Duration, sent int64) (allow int64, wait time.Duration) {
	now := float64(elapsed)
	if p.ahead {
		if due := float64(sent) * p.perByte; due > now {
			return 0, time.Duration(due-now) + 1
		}
		return p.train, 0
	}
	// Block k (from 0) is due at k blocks' time; ahead of time counts blocks
	// whose time has come and which were not sent.
	if due := int64(now/p.perByte) - sent; due >= 0 {
		return (due/p.block + 1) * p.block, 0
	}
	due := float64(sent+p.train-p.block) * p.perByte
	return 0, time.Duration(due-now) + 1
}
