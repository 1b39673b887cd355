package stream

import (
	"errors"
	"testing"
	"time"

	"linkperf/protocol"
	"linkperf/protocol/measure"
	"linkperf/protocol/sockopt"
)

// A slow sender sleeps by an alarm, exactly as long as asked for, and wakes up
// when it is interrupted: before, while and after it sets the alarm.
func TestAlarm(t *testing.T) {
	for rate, slow := range map[uint64]bool{1e6: true, 100e6: false} {
		a, b := udpPair(t, sockopt.Options{})
		defer b.Close()
		s, err := New(a, Config{Transport: protocol.UDP, Length: 1000, Rate: rate}, measure.StreamInfo{Sender: true})
		if err != nil {
			t.Fatal(err)
		}
		defer s.Close()
		p := s.path.(*fdPath)
		if (p.alarm != nil) != slow {
			t.Fatalf("%d bit/s: alarm: %v", rate, p.alarm != nil)
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
