package main

import (
	"context"
	"encoding/json"
	"os"
	"runtime"
	"sync"

	"linkperf/protocol/measure"
	"linkperf/protocol/stream"
)

// streamCount counts the streams that this process runs.
type streamCount struct {
	mu sync.Mutex
	n  int
}

// running is the one thing that all tests of this process share: Go's scheduler.
var running streamCount

// add counts streams in or out, and sees to it that the scheduler has as many
// processors as those that run now need; it keeps what it has got. A number that
// the user chose stays.
func (c *streamCount) add(streams int) {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.n += streams
	if os.Getenv("GOMAXPROCS") != "" {
		return
	}
	if procs := stream.Procs(c.n); procs > runtime.GOMAXPROCS(0) {
		runtime.GOMAXPROCS(procs)
	}
}

// makingRoom counts a test's streams while they run, and passes what it
// observes on to the observer that observe makes, if any.
func makingRoom(observe measure.Observe) measure.Observe {
	return func(ctx context.Context, side measure.Side, peer measure.Endpoint, trusted bool) measure.Observer {
		r := &room{}
		if observe != nil {
			r.next = observe(ctx, side, peer, trusted)
		}
		return r
	}
}

type room struct {
	next    measure.Observer // may be nil
	streams int
}

func (r *room) Prepare(ctx context.Context) {
	if r.next != nil {
		r.next.Prepare(ctx)
	}
}

func (r *room) Start(conns []measure.Connection) {
	r.streams = len(conns)
	running.add(r.streams)
	if r.next != nil {
		r.next.Start(conns)
	}
}

func (r *room) Interval() {
	if r.next != nil {
		r.next.Interval()
	}
}

func (r *room) End() json.RawMessage {
	running.add(-r.streams)
	if r.next == nil {
		return nil
	}
	return r.next.End()
}
