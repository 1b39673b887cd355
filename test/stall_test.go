package test

import (
	"testing"
	"time"
)

// stallMeter watches how long this process waits for a processor. On a machine
// that is busy with other things, or that its host takes the processors from,
// a test of two seconds takes three, whoever runs it.
type stallMeter struct {
	stop, stopped chan struct{}
	began         time.Time
	stalled       time.Duration
}

// startStallMeter begins to watch.
func startStallMeter() *stallMeter {
	m := &stallMeter{stop: make(chan struct{}), stopped: make(chan struct{}), began: time.Now()}
	go func() {
		defer close(m.stopped)
		const nap, usual = 2 * time.Millisecond, 3 * time.Millisecond
		for {
			asleep := time.Now()
			select {
			case <-m.stop:
				return
			case <-time.After(nap):
			}
			if late := time.Since(asleep) - nap; late > usual {
				m.stalled += late
			}
		}
	}()
	return m
}

// share ends the watch and returns the part of its time in which the process
// waited.
func (m *stallMeter) share() float64 {
	close(m.stop)
	<-m.stopped
	return m.stalled.Seconds() / time.Since(m.began).Seconds()
}

func TestStallMeter(t *testing.T) {
	m := startStallMeter()
	<-time.After(50 * time.Millisecond)
	if share := m.share(); share < 0 || share > 1 {
		t.Errorf("stalled for %v of the time", share)
	}
}
