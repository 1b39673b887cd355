package server

import (
	"testing"
	"time"
)

func TestRateLimit(t *testing.T) {
	at := func(tenths int) time.Time { return time.Unix(0, int64(tenths)*int64(100*time.Millisecond)) }
	s := &Server{BitrateLimit: 8000, BitrateAverage: time.Second} // 1000 bytes a second
	for _, c := range []struct {
		name  string
		bytes []int64 // totals, one each tenth of a second
		want  int     // tenth at which it is exceeded, -1 never
	}{
		{"steady", []int64{0, 100, 200, 300, 400, 500, 600, 700, 800, 900, 1000, 1100, 1200}, -1},
		{"above, but not for long enough", []int64{0, 500, 600}, -1},
		{"above from the start", []int64{0, 200, 400, 600, 800, 1000, 1200, 1400, 1600, 1800, 2000}, 10},
		{"later", []int64{0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 600, 1200}, 13},
	} {
		l := s.rateLimit()
		got := -1
		for i, b := range c.bytes {
			if l.exceeded(b, at(i)) {
				got = i
				break
			}
		}
		if got != c.want {
			t.Errorf("%s: exceeded at %d, want %d", c.name, got, c.want)
		}
	}
	none := (&Server{}).rateLimit()
	if none.exceeded(0, at(0)) || none.exceeded(1<<60, at(1000)) {
		t.Error("no limit was exceeded")
	}
}
