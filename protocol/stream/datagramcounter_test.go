package stream

import (
	"math"
	"testing"
	"time"

	"linkperf/protocol"
)

// datagram is one arrival: its counter and how long it was under way.
type arrival struct {
	counter uint64
	delay   time.Duration
}

// feed counts datagrams that were sent a millisecond apart by a clock that is
// offset from the receiver's.
func feed(c *datagramCounter, offset time.Duration, as ...arrival) {
	b := make([]byte, 100)
	const epoch = int64(1_700_000_000_000_000_000)
	for _, a := range as {
		sent := epoch + int64(a.counter%1e6)*int64(time.Millisecond)
		stamp := sent + int64(offset)
		protocol.PutHeader(b, protocol.Header{Sec: uint32(stamp / 1e9), Usec: uint32(stamp % 1e9 / 1e3), Counter: a.counter}, c.wide)
		c.count(b, sent+int64(a.delay))
	}
}

func counters32(ns ...uint64) (as []arrival) {
	for _, n := range ns {
		as = append(as, arrival{counter: n})
	}
	return as
}

func TestDatagramCounter(t *testing.T) {
	for _, test := range []struct {
		name                                string
		in                                  []uint64
		highest, unique, lost, late, double int64
	}{
		{"in order", []uint64{1, 2, 3}, 3, 3, 0, 0, 0},
		{"a gap", []uint64{1, 2, 5}, 5, 3, 2, 0, 0},
		{"the first ones missing", []uint64{4}, 4, 1, 3, 0, 0},
		{"reordered", []uint64{1, 3, 2, 4}, 4, 4, 0, 1, 0},
		{"a late one undoes a loss", []uint64{1, 5, 3}, 5, 3, 2, 1, 0},
		{"a duplicate undoes none", []uint64{1, 2, 2, 4}, 4, 3, 1, 0, 1},
		{"a late one twice", []uint64{1, 4, 2, 2}, 4, 3, 1, 1, 1},
		{"all twice", []uint64{1, 1, 2, 2, 3, 3}, 3, 3, 0, 0, 3},
		{"0 is no counter", []uint64{0, 1}, 1, 1, 0, 0, 1},
	} {
		t.Run(test.name, func(t *testing.T) {
			for _, wide := range []bool{false, true} {
				c := newDatagramCounter(wide)
				feed(&c, 0, counters32(test.in...)...)
				if c.highest != test.highest || c.unique != test.unique || c.highest-c.unique != test.lost ||
					c.late != test.late || c.duplicates != test.double || c.bytes != 100*test.unique {
					t.Errorf("wide %v: highest %d, unique %d, late %d, duplicates %d, bytes %d",
						wide, c.highest, c.unique, c.late, c.duplicates, c.bytes)
				}
			}
		})
	}
}

// 32-bit counters wrap after 2³²−1 datagrams; the one in between is 0.
func TestDatagramCounterWraps(t *testing.T) {
	c := newDatagramCounter(false)
	c.highest, c.unique = math.MaxUint32-1, math.MaxUint32-1
	feed(&c, 0, counters32(math.MaxUint32, 0, 2, 1, 3)...)
	if c.highest != math.MaxUint32+4 || c.unique != c.highest || c.late != 1 || c.duplicates != 0 {
		t.Errorf("highest %d, unique %d, late %d, duplicates %d", c.highest, c.unique, c.late, c.duplicates)
	}
}

// The bits of the window are used over and over.
func TestDatagramCounterWindow(t *testing.T) {
	c := newDatagramCounter(true)
	for lap := range int64(3) {
		base := uint64(lap * windowBits)
		feed(&c, 0, counters32(base+1, base+2, base+100, base+windowBits)...)
		if want := (lap + 1) * 4; c.unique != want || c.duplicates != lap*3 {
			t.Fatalf("lap %d: unique %d, want %d; duplicates %d", lap, c.unique, want, c.duplicates)
		}
		// 100 counters back is late, once.
		feed(&c, 0, counters32(base+windowBits-100, base+windowBits-100)...)
		if c.late != lap+1 {
			t.Fatalf("lap %d: late %d", lap, c.late)
		}
		c.unique, c.duplicates = (lap+1)*4, (lap+1)*3
		// Too long ago to tell: no loss is undone.
		feed(&c, 0, counters32(base)...)
		c.duplicates = (lap + 1) * 3
	}
}

func TestDatagramCounterIgnores(t *testing.T) {
	c := newDatagramCounter(true)
	c.count([]byte{0x39, 0x38, 0x37, 0x36}, 0)
	c.count(make([]byte, 15), 0)
	c.count(nil, 0)
	feed(&c, 0, counters32(1<<63, math.MaxUint64, 1<<50)...)
	if c.bytes != 0 || c.unique != 0 || c.highest != 0 || c.duplicates != 0 {
		t.Errorf("counted junk: %+v", c.unique)
	}
}

func TestJitter(t *testing.T) {
	// Constant delay, whatever the clocks say and however long the set-up took.
	for _, offset := range []time.Duration{0, -1e6 * time.Second, 1e8 * time.Second} {
		c := newDatagramCounter(false)
		feed(&c, offset, counters32(1, 2, 3, 4)...)
		if c.jitter != 0 {
			t.Errorf("offset %v: jitter %g", offset, c.jitter)
		}
	}
	// One datagram 16 ms late: 1 ms, then 15/16 + 1.
	c := newDatagramCounter(false)
	feed(&c, 0, arrival{1, 0}, arrival{2, 16 * time.Millisecond})
	if math.Abs(c.jitter-0.001) > 1e-6 {
		t.Errorf("jitter %g, want 0.001", c.jitter)
	}
	feed(&c, 0, arrival{3, 0})
	if want := 0.001 + (0.016-0.001)/16; math.Abs(c.jitter-want) > 1e-6 {
		t.Errorf("jitter %g, want %g", c.jitter, want)
	}
	c.restart()
	feed(&c, 0, arrival{4, time.Second})
	if c.jitter != 0 {
		t.Errorf("jitter %g after the omit period", c.jitter)
	}
}

// FuzzDatagramCounter feeds anything a peer can send.
func FuzzDatagramCounter(f *testing.F) {
	f.Add([]byte{0, 0, 0, 1, 0, 0, 0, 2, 0, 0, 0, 3, 0, 0, 0, 4}, false, 16)
	f.Add([]byte{0, 0, 0, 1, 0, 0, 0, 2, 0xff, 0, 0, 3, 0, 0, 0, 4}, true, 16)
	f.Fuzz(func(t *testing.T, b []byte, wide bool, length int) {
		if length <= 0 {
			return
		}
		c := newDatagramCounter(wide)
		whole := newDatagramCounter(wide)
		whole.message(b, length, 0)
		for at := int64(0); len(b) > 0; at += 1e6 {
			n := min(length, len(b))
			c.count(b[:n], at)
			b = b[n:]
			if c.unique > c.highest || c.unique < 0 || c.late > c.unique || math.IsNaN(c.jitter) || c.jitter < 0 {
				t.Fatalf("unique %d of %d, late %d, jitter %g", c.unique, c.highest, c.late, c.jitter)
			}
		}
		if whole.highest != c.highest || whole.unique != c.unique || whole.late != c.late ||
			whole.duplicates != c.duplicates || whole.bytes != c.bytes {
			t.Fatalf("in one message %d of %d, %d late, %d duplicates, %d bytes; one by one %d of %d, %d, %d, %d",
				whole.unique, whole.highest, whole.late, whole.duplicates, whole.bytes,
				c.unique, c.highest, c.late, c.duplicates, c.bytes)
		}
	})
}

func BenchmarkDatagramCounter(b *testing.B) {
	for name, wide := range map[string]bool{"32 bits": false, "64 bits": true} {
		b.Run(name, func(b *testing.B) {
			const length, segments = 64, 128
			c := newDatagramCounter(wide)
			m := make([]byte, length*segments)
			b.ReportAllocs()
			for i := 0; i < b.N; i += segments {
				for j := range segments {
					protocol.PutHeader(m[j*length:], protocol.Header{Sec: 1, Usec: uint32(i % 1e6), Counter: uint64(i + j + 1)}, wide)
				}
				c.message(m, length, int64(i))
			}
			if c.highest != c.unique || c.unique < int64(b.N) {
				b.Errorf("%d of %d", c.unique, b.N)
			}
		})
	}
}

func BenchmarkPutHeader(b *testing.B) {
	datagram := make([]byte, 64)
	for i := range b.N {
		protocol.PutHeader(datagram, protocol.Header{Sec: 1, Usec: uint32(i % 1e6), Counter: uint64(i + 1)}, false)
	}
}
