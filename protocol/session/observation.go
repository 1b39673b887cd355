package session

import (
	"context"
	"encoding/json"
	"sync"

	"linkperf/protocol/measure"
)

// Observation is an observer at work on one test. A nil Observation does
// nothing.
type Observation struct {
	observer measure.Observer
	cancel   context.CancelFunc
	started  chan struct{} // nil before Start
	once     sync.Once
	ended    bool
	record   json.RawMessage
}

// Observe makes the observer of a test. It returns nil if observe is nil or
// returns nil. The observer's context keeps the values of ctx and ends with End.
func Observe(ctx context.Context, observe measure.Observe, side measure.Side, peer measure.Endpoint, trusted bool) *Observation {
	if observe == nil {
		return nil
	}
	ctx, cancel := context.WithCancel(context.WithoutCancel(ctx))
	o := &Observation{observer: observe(ctx, side, peer, trusted), cancel: cancel}
	if o.observer == nil {
		cancel()
		return nil
	}
	return o
}

// Prepare lets the observer look at the host before data connections are
// opened.
func (o *Observation) Prepare(ctx context.Context) {
	if o != nil {
		o.observer.Prepare(ctx)
	}
}

// Start shows the observer the connections, in the background.
func (o *Observation) Start(members []Member) {
	if o == nil {
		return
	}
	connections := make([]measure.Connection, len(members))
	for i, m := range members {
		connections[i].Stream = m.Stream.Info
		if raw, err := m.Socket.RawConn(); err == nil {
			connections[i].Raw = raw
		}
	}
	started := make(chan struct{})
	o.started = started
	go func() {
		defer close(started)
		o.observer.Start(connections)
	}()
}

// Started is closed when the observer has seen the connections.
func (o *Observation) Started() <-chan struct{} {
	if o == nil {
		return nil
	}
	return o.started
}

// Interval wakes the observer, unless it has not started yet or has ended. It
// must not be called at the same time as Start or End.
func (o *Observation) Interval() {
	if o == nil || o.ended {
		return
	}
	select {
	case <-o.started:
		o.observer.Interval()
	default:
	}
}

// End ends the observation and returns the observer's record. The group must
// have been stopped, since its reports wake the observer. Further calls return
// the same.
func (o *Observation) End() json.RawMessage {
	if o == nil {
		return nil
	}
	o.once.Do(func() {
		defer o.cancel()
		if o.started == nil { // the test did not get that far
			return
		}
		<-o.started
		o.record, o.ended = o.observer.End(), true
	})
	return o.record
}
