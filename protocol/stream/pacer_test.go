package stream

import (
	"testing"
	"time"
)

// simulate lets a stream run for a while under a pacer on a host whose clock
// reads and sends take no time and whose sleeps end late by the given time. It
// calls each after every block and wake after every sleep.
func simulate(p Pacer, block int64, run, late time.Duration, each func(now time.Duration, sent int64), wake func(now, asked time.Duration)) {
	var now time.Duration
	var sent, allowed int64
	for {
		for allowed <= 0 {
			var wait time.Duration
			if allowed, wait = p.Next(now, sent); wait > 0 {
				now += wait + late
				if wake != nil {
					wake(now, wait)
				}
			}
		}
		if now >= run {
			return
		}
		n := min(allowed, block)
		sent += n
		allowed -= n
		each(now, sent)
	}
}

func TestPacerBounds(t *testing.T) {
	for _, test := range []struct {
		name   string
		rate   uint64
		length int
		burst  int
		whole  bool
		late   time.Duration
	}{
		{"UDP 64K", 64e3, 1460, 0, true, 0},
		{"UDP 1M", 1 << 20, 1448, 0, true, 60 * time.Microsecond},
		{"UDP 10M", 10e6, 1460, 0, true, 60 * time.Microsecond},
		{"UDP 39M, gap just above 300 µs", 38.9e6, 1460, 0, true, 0},
		{"UDP 100M", 100e6, 1460, 0, true, 0},
		{"UDP 1G", 1e9, 1460, 0, true, 0},
		{"UDP 20G", 20e9, 1460, 0, true, 0},
		{"UDP large", 10e6, 65507, 0, true, 0},
		{"TCP 100K", 100e3, 128 << 10, 0, false, 0},
		{"TCP 64K tiny", 64e3, 1, 0, false, 0},
		{"TCP 10M", 10e6, 128 << 10, 0, false, 200 * time.Microsecond},
		{"TCP 1G", 1e9, 128 << 10, 0, false, 0},
		{"TCP 20G", 20e9, 128 << 10, 0, false, 0},
		{"burst 50", 10e6, 1460, 50, true, 0},
		{"TCP burst 10", 100e6, 128 << 10, 10, false, 0},
	} {
		t.Run(test.name, func(t *testing.T) {
			p := NewPacer(test.rate, test.length, test.burst, test.whole)
			bound := float64(max(int64(test.length), p.train))
			byteRate := float64(test.rate) / 8
			first := true
			var seconds []int64 // bytes within each second
			var before int64
			simulate(p, int64(test.length), 5*time.Second, test.late, func(now time.Duration, sent int64) {
				if first && now != 0 {
					t.Fatalf("first block at %v", now)
				}
				first = false
				// A late wake-up is behind by what was due meanwhile.
				slack := byteRate*test.late.Seconds() + 1
				if d := float64(sent) - byteRate*now.Seconds(); d > bound+1 || d < -bound-slack {
					t.Fatalf("at %v sent %d bytes, %.0f off; bound %.0f", now, sent, d, bound)
				}
				for len(seconds) <= int(now/time.Second) {
					seconds = append(seconds, 0)
				}
				seconds[now/time.Second] += sent - before
				before = sent
			}, nil)
			tolerance := max(bound, byteRate*0.01)
			if !test.whole && test.burst == 0 {
				tolerance = min(tolerance, byteRate*0.2)
			}
			for i, n := range seconds[:5] {
				if d := float64(n) - byteRate; d > tolerance || d < -tolerance {
					t.Errorf("second %d has %d bytes, want %.0f ± %.0f", i, n, byteRate, tolerance)
				}
			}
		})
	}
}

// Blocks 300 µs or more apart go one by one; others in trains that last no
// longer than 250 µs at the nominal rate.
func TestPacerTrains(t *testing.T) {
	for _, test := range []struct {
		rate  uint64
		train int64 // blocks
	}{
		{1e6, 1}, {38.9e6, 1}, {46e6, 1}, {47e6, 1}, {94e6, 2}, {1e9, 21}, {10e9, 214},
	} {
		p := NewPacer(test.rate, 1460, 0, true)
		if p.train != test.train*1460 {
			t.Errorf("%d bit/s: trains of %d blocks, want %d", test.rate, p.train/1460, test.train)
		}
		simulate(p, 1460, 20*time.Millisecond, 0, func(time.Duration, int64) {}, func(_, asked time.Duration) {
			if gap := time.Duration(1460 * p.perByte); test.train > 1 && asked > trainLength || test.train == 1 && asked > gap+time.Microsecond {
				t.Fatalf("%d bit/s: sleeps for %v", test.rate, asked)
			}
		})
	}
}

// Bursts are sent at once, to the end, and the mean rate is kept.
func TestPacerBurst(t *testing.T) {
	p := NewPacer(10e6, 1000, 50, true)
	at := map[time.Duration]int{}
	simulate(p, 1000, time.Second, 0, func(now time.Duration, _ int64) { at[now]++ }, nil)
	if len(at) != 25 {
		t.Errorf("%d trains in a second, want 25", len(at))
	}
	for now, n := range at {
		if n != 50 {
			t.Errorf("train of %d blocks at %v", n, now)
		}
	}
}

// A stream that was held up for a second catches up.
func TestPacerCatchesUp(t *testing.T) {
	p := NewPacer(1e6, 1250, 0, true)
	allow, wait := p.Next(time.Second, 0)
	if allow != 1250*101 || wait != 0 {
		t.Errorf("after a second's stall %d bytes and %v of wait, want 126250 and none", allow, wait)
	}
}

func BenchmarkPacer(b *testing.B) {
	p := NewPacer(1e9, 1460, 0, true)
	b.ReportAllocs()
	var sent int64
	for i := range b.N {
		n, _ := p.Next(time.Duration(i)*12*time.Microsecond, sent)
		sent += n
	}
}
