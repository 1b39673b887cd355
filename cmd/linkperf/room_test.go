package main

import (
	"runtime"
	"testing"

	"linkperf/protocol/measure"
)

// TestRoom checks that processors grow with the streams that run at once.
func TestRoom(t *testing.T) {
	t.Setenv("GOMAXPROCS", "")
	defer runtime.GOMAXPROCS(runtime.GOMAXPROCS(0))
	runtime.GOMAXPROCS(1)
	observe := makingRoom(nil)
	var rooms []measure.Observer
	for range 2 {
		r := observe(t.Context(), measure.Client, measure.Endpoint{}, false)
		r.Start(make([]measure.Connection, 20))
		rooms = append(rooms, r)
	}
	if n := runtime.GOMAXPROCS(0); n < 40 {
		t.Errorf("%d processors for 40 streams", n)
	}
	for _, r := range rooms {
		r.Interval()
		if r.End() != nil {
			t.Error("something was observed")
		}
	}
	if running.n != 0 {
		t.Errorf("%d streams left", running.n)
	}
}
