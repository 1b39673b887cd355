package stream

import "linkperf/protocol"

const (
	// windowBits is how many counters back a duplicate is still recognised: an
	// eighth of a second at two million datagrams a second.
	windowBits = 1 << 18
	// maxJump is how far a 64-bit counter may run ahead of the last one seen;
	// more is not a datagram of this test.
	maxJump = 1 << 40
)

// datagramCounter turns headers into the figures of a UDP receiver. It tells
// loss, reordering and duplication apart, which a receiver that only keeps the
// highest counter cannot.
type datagramCounter struct {
	wide bool

	bytes      int64 // of distinct datagrams
	highest    int64 // highest counter so far; they start at 1
	unique     int64 // distinct datagrams
	late       int64 // first arrivals below the highest counter
	duplicates int64

	seen []uint64 // bit n modulo windowBits: counter n arrived

	jitter  float64 // seconds
	transit int64   // of the previous datagram, nanoseconds
	started bool    // transit is valid
}

func newDatagramCounter(wide bool) datagramCounter {
	return datagramCounter{wide: wide, seen: make([]uint64, windowBits/64)}
}

// restart makes the next datagram the first one for the jitter.
func (c *datagramCounter) restart() { c.jitter, c.started = 0, false }

// message takes the datagrams that arrived together at the given time, in
// nanoseconds since 1970: segment bytes each, the last may be shorter.
func (c *datagramCounter) message(m []byte, segment int, at int64) {
	// Datagrams that continue the sequence are only counted on here; most do.
	first := c.highest + 1
	next := first
	length := protocol.HeaderLen(c.wide)
	for len(m) > 0 {
		d := m[:min(segment, len(m))]
		m = m[len(d):]
		if len(d) >= length {
			h, _ := protocol.ParseHeader(d, c.wide)
			if h.Counter == uint64(next) || !c.wide && uint32(h.Counter) == uint32(next) {
				next++
				c.bytes += int64(len(d))
				c.interarrival(at - int64(h.Sec)*1e9 - int64(h.Usec)*1e3)
				continue
			}
		}
		c.inOrder(first, next-1)
		c.count(d, at)
		first = c.highest + 1
		next = first
	}
	c.inOrder(first, next-1)
}

// inOrder settles the datagrams from first, the one after the highest, to last.
func (c *datagramCounter) inOrder(first, last int64) {
	if last < first {
		return
	}
	c.setRange(first, last)
	c.highest = last
	c.unique += last - first + 1
}

// count takes one datagram. What is too short for a header is not of this test.
func (c *datagramCounter) count(b []byte, at int64) {
	h, ok := protocol.ParseHeader(b, c.wide)
	if !ok {
		return
	}
	n, ok := c.unwrap(h.Counter)
	if !ok {
		return
	}
	switch {
	case n > c.highest:
		c.clearRange(c.highest+1, n-1)
		c.setRange(n, n)
		c.highest = n
		c.first(b)
	case c.highest-n >= windowBits || n < 1:
		// Too old to tell, or not a counter that a sender uses: never a loss
		// undone.
		c.duplicates++
	case c.isSet(n):
		c.duplicates++
	default:
		c.setRange(n, n)
		c.first(b)
		c.late++
	}
	c.interarrival(at - int64(h.Sec)*1e9 - int64(h.Usec)*1e3)
}

// first counts a datagram that had not arrived before. The bytes of duplicates
// are not counted, since nobody sent them.
func (c *datagramCounter) first(b []byte) {
	c.unique++
	c.bytes += int64(len(b))
}

// unwrap makes a 64-bit number of a counter: the one nearest to the highest.
func (c *datagramCounter) unwrap(counter uint64) (int64, bool) {
	if !c.wide {
		return c.highest + int64(int32(uint32(counter)-uint32(c.highest))), true
	}
	n := int64(counter)
	return n, n >= 0 && n-c.highest < maxJump
}

// interarrival updates the jitter as RFC 3550 appendix A.8 has it. The clocks
// of the two hosts cancel out; the first datagram only gives the starting point.
func (c *datagramCounter) interarrival(transit int64) {
	if c.started {
		d := transit - c.transit
		if d < 0 {
			d = -d
		}
		c.jitter += (float64(d)*1e-9 - c.jitter) * (1.0 / 16)
	}
	c.transit, c.started = transit, true
}

func (c *datagramCounter) isSet(n int64) bool {
	i := uint64(n) % windowBits
	return c.seen[i/64]&(1<<(i%64)) != 0
}

// setRange marks the counters from first to last as arrived.
func (c *datagramCounter) setRange(first, last int64) {
	for first <= last {
		word, mask, n := c.bits(first, last)
		*word |= mask
		first += n
	}
}

// clearRange forgets the counters from first to last, whose bits belonged to
// others a window ago.
func (c *datagramCounter) clearRange(first, last int64) {
	if last-first >= windowBits {
		clear(c.seen)
		return
	}
	for first <= last {
		word, mask, n := c.bits(first, last)
		*word &^= mask
		first += n
	}
}

// bits returns the bits of the first n counters of a range, which lie in one
// word.
func (c *datagramCounter) bits(first, last int64) (word *uint64, mask uint64, n int64) {
	i := uint64(first) % windowBits
	n = min(last-first+1, int64(64-i%64))
	return &c.seen[i/64], (1<<uint(n) - 1) << (i % 64), n
}
