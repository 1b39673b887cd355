package stream

import (
	"errors"
	"runtime"
	"testing"
	"time"

	"linkperf/protocol"
	"linkperf/protocol/measure"
	"linkperf/protocol/sockopt"
)

// A slow sender sleeps by an alarm, exactly as long as asked for, and wakes up
// when it is interrupted: before, while and after it sets the alarm.
func TestAlarm(t *testing.T) {
	for _, c := range []struct {
		rate  uint64
		procs int
		slow  bool
	}{{500e3, 1, true}, {2e6, 1, true}, {100e6, 1, false}, {500e3, Procs(1), true}, {2e6, Procs(1), false}} {
		before := runtime.GOMAXPROCS(c.procs)
		defer runtime.GOMAXPROCS(before)
		a, b := udpPair(t, sockopt.Options{})
		defer b.Close()
		s, err := New(a, Config{Transport: protocol.UDP, Length: 1000, Rate: c.rate}, measure.StreamInfo{Sender: true})
		if err != nil {
			t.Fatal(err)
		}
		defer s.Close()
		p := s.path.(*fdPath)
		p.enter()
		defer p.leave()
		if (p.alarm != nil) != c.slow {
			t.Fatalf("%d bit/s, %d processors: alarm: %v", c.rate, c.procs, p.alarm != nil)
		}
		begin := time.Now()
		if err := p.sleep(20 * time.Millisecond); err != nil || time.Since(begin) < 20*time.Millisecond {
			t.Errorf("slept %v: %v", time.Since(begin), err)
		}
		slept := make(chan error)
		go func() { slept <- p.sleep(time.Hour) }()
		time.Sleep(time.Millisecond) // it may or may not be asleep
		p.interrupt()
		if err := <-slept; !errors.Is(err, ErrInterrupted) {
			t.Errorf("interrupted: %v", err)
		}
		if err := p.sleep(time.Hour); !errors.Is(err, ErrInterrupted) {
			t.Errorf("after the interruption: %v", err)
		}
	}
}
