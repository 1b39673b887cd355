package client

import (
	"context"
	"errors"
	"fmt"
	"syscall"
	"time"

	"linkperf/protocol"
	"linkperf/protocol/measure"
	"linkperf/protocol/sockopt"
	"linkperf/protocol/stream"
)

// ErrDeadline says that a test was stuck and ended with what was measured until
// then.
var ErrDeadline = errors.New("the test did not end in time")

// Run makes one test. The result is never nil and holds what was measured, also
// when the test fails or ctx ends; it is what the sink gets with End. sink may
// be nil.
//
// When ctx ends while data flows, Run still tries for up to 2 s to exchange
// results with the server, and returns the context's cause. Errors of the
// protocol and of sockets are *protocol.Error; [ErrDeadline] and
// [protocol.ErrServerBusy] can be told with errors.Is. What the sink answers
// does not end the test; it is joined to the error, each text once.
func Run(ctx context.Context, cfg Config, sink measure.Sink) (*measure.Result, error) {
	if sink == nil {
		sink = &measure.Recorder{}
	}
	r := runner{ctx: ctx, sink: sink, result: &measure.Result{}}
	err := r.run(cfg)
	r.events.failed(sink.End(r.result, err))
	if len(r.events.errs) > 0 {
		err = errors.Join(append([]error{err}, r.events.errs...)...)
	}
	return r.result, err
}

// runner finds the control connection that a test succeeds on.
type runner struct {
	ctx    context.Context
	cfg    Config
	sink   measure.Sink
	events events
	result *measure.Result
	busy   int // port that has answered busy, 0 for none
}

// busyPause is the first wait for a busy server; each further one is twice as
// long, up to maxBusyPause.
const (
	busyPause    = 100 * time.Millisecond
	maxBusyPause = 5 * time.Second
)

func (r *runner) run(cfg Config) (err error) {
	if r.cfg, err = cfg.settle(); err != nil {
		return err
	}
	if r.cfg.Affinity != nil {
		restore, err := sockopt.SetAffinity(*r.cfg.Affinity)
		if err != nil {
			return err
		}
		defer func() { _ = restore() }()
	}
	begin := time.Now()
	for pause := busyPause; ; pause = min(2*pause, maxBusyPause) {
		err := r.tryPorts()
		left := r.cfg.RetryBusy - time.Since(begin)
		if !errors.Is(err, protocol.ErrServerBusy) || left <= 0 {
			return err
		}
		if !r.wait(min(pause, left)) {
			return context.Cause(r.ctx)
		}
	}
}

// wait reports false when the context ends first.
func (r *runner) wait(d time.Duration) bool {
	timer := time.NewTimer(d)
	defer timer.Stop()
	select {
	case <-timer.C:
		return true
	case <-r.ctx.Done():
		return false
	}
}

// tryPorts returns the outcome of the first port that has a server with time
// for us. If none has, a busy one says more than one that nobody listens on.
func (r *runner) tryPorts() (err error) {
	for port := r.cfg.Port; port <= r.cfg.LastPort; port++ {
		e := r.tryPort(port)
		busy := errors.Is(e, protocol.ErrServerBusy)
		if busy {
			r.busy = port
		}
		if !busy && (r.result.Start != nil || !absent(e)) {
			return e
		}
		if err == nil || busy {
			err = e
		}
	}
	return err
}

// absent reports whether an error says that no server of iperf3's kind is there.
func absent(err error) bool {
	return errors.Is(err, syscall.ECONNREFUSED) || errors.Is(err, errEarlyReset) || errors.Is(err, syscall.ETIMEDOUT)
}

// How long connections are tried again: one that broke before the server said
// anything or was refused although there is a server, which happens between two
// tests of iperf3, and a set-up in which UDP got no reply.
const (
	retryEarly = time.Second
	retryPause = 50 * time.Millisecond
	retryUDP   = 7 * time.Second // no set-up begins later; each takes 3 s
)

// tryPort makes the test on one port.
func (r *runner) tryPort(port int) (err error) {
	begin := time.Now()
	var silent error // of a set-up in which UDP got no reply
	defer func() {
		// A one-off server may be gone after that: the cause is the silence.
		if silent != nil && errors.Is(err, syscall.ECONNREFUSED) {
			err = silent
		}
	}()
	var again time.Time // until when a refused connection is tried again
	for {
		attempt := time.Now()
		err := r.attempt(port)
		switch {
		case r.ctx.Err() != nil:
			return err
		case errors.Is(err, stream.ErrNoReply):
			if time.Since(begin) >= retryUDP {
				return err
			}
			again, silent = time.Now().Add(retryEarly), err
			continue
		case errors.Is(err, errEarlyReset),
			errors.Is(err, syscall.ECONNREFUSED) && r.result.Start == nil && (r.busy == port || !again.IsZero()):
			if again.IsZero() {
				again = attempt.Add(retryEarly)
			}
		default:
			return err
		}
		if time.Now().After(again) || !r.wait(retryPause) {
			return err
		}
	}
}

// attempt makes the test on one control connection.
func (r *runner) attempt(port int) error {
	ctx, cancel := context.WithCancelCause(r.ctx)
	t := &test{cfg: &r.cfg, sink: r.sink, events: &r.events, port: port, ctx: ctx, cancel: cancel}
	r.result = &t.result
	err := t.run()
	if errors.Is(err, ErrDeadline) {
		err = fmt.Errorf("%w: stuck while %s", ErrDeadline, t.phase)
	}
	return err
}
