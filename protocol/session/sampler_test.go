package session

import (
	"testing"
	"time"

	"linkperf/protocol"
)

func TestNextTick(t *testing.T) {
	const ms = time.Millisecond
	for _, c := range []struct {
		name                       string
		elapsed, interval, planned time.Duration
		want                       time.Duration // 0: none
	}{
		{"no reports", 0, 0, 2000 * ms, 0},
		{"first", 0, 300 * ms, 2000 * ms, 300 * ms},
		{"exactly at a tick", 300 * ms, 300 * ms, 2000 * ms, 600 * ms},
		{"two ticks late", 700 * ms, 300 * ms, 0, 900 * ms},
		{"the last full one", 1700 * ms, 300 * ms, 2000 * ms, 1800 * ms},
		{"none after the end", 1800 * ms, 300 * ms, 2000 * ms, 2400 * ms},
		{"none at the end", 1000 * ms, 1000 * ms, 2000 * ms, 3000 * ms},
		{"interval longer than the test", 0, 60000 * ms, 2000 * ms, 60000 * ms},
		{"a test that does not end", 3200 * ms, 1000 * ms, 2000 * ms, 4000 * ms},
	} {
		got, ok := nextTick(c.elapsed, c.interval, c.planned)
		if got != c.want || ok != (c.want > 0) {
			t.Errorf("%s: %v, %v, want %v", c.name, got, ok, c.want)
		}
	}
}

func TestPatience(t *testing.T) {
	for _, c := range []struct {
		name string
		p    protocol.Params
		want time.Duration
	}{
		{"no rate", protocol.Params{Length: 1 << 20}, time.Second},
		{"fast", protocol.Params{Length: 1000, Rate: 1e9}, time.Second},
		{"one block in four seconds", protocol.Params{Length: 1000, Rate: 2000}, 12 * time.Second},
		{"by the kernel", protocol.Params{Length: 1000, Rate: 1e9, FQRate: 2000}, 12 * time.Second},
		{"in trains", protocol.Params{Length: 1000, Rate: 2000, Burst: 10}, 120 * time.Second},
		{"beyond all measure", protocol.Params{Length: 1 << 20, Rate: 1, Burst: 1000}, 1 << 62}, // rounded
	} {
		if got := Patience(&c.p, time.Second); got != c.want {
			t.Errorf("%s: %v, want %v", c.name, got, c.want)
		}
	}
}

func TestSilence(t *testing.T) {
	var s Silence
	at := func(seconds int) time.Time { return time.Unix(int64(seconds), 0) }
	for _, c := range []struct {
		total int64
		at    int
		want  time.Duration
	}{{0, 10, 0}, {0, 12, 2 * time.Second}, {5, 13, 0}, {5, 20, 7 * time.Second}} {
		if got := s.Lasts(c.total, at(c.at)); got != c.want {
			t.Errorf("at %d: %v, want %v", c.at, got, c.want)
		}
	}
}
