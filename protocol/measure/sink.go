package measure

import (
	"context"
	"encoding/json"
	"errors"
	"syscall"
)

// Sink receives the events of one test, one after the other and never from
// two goroutines at once. An error from a sink does not stop the test; it is
// returned with the test's own.
type Sink interface {
	// Connect comes when the parameters are agreed, before any stream exists.
	// A test that fails earlier has no Connect.
	Connect(*Start) error
	// Start comes when every stream is connected, before data flows.
	Start(*Start) error
	// Interval comes at every report. The value may be kept, not changed.
	Interval(*Interval) error
	// End comes exactly once, whatever happened. err is nil for a complete
	// test; result is never nil and holds what was measured so far.
	End(result *Result, err error) error
}

// Tee returns a sink that hands every event to each of the sinks in turn.
// Nil sinks are left out.
func Tee(sinks ...Sink) Sink {
	var t tee
	for _, s := range sinks {
		if s != nil {
			t = append(t, s)
		}
	}
	return t
}

type tee []Sink

func (t tee) each(f func(Sink) error) error {
	var errs []error
	for _, s := range t {
		errs = append(errs, f(s))
	}
	return errors.Join(errs...)
}

func (t tee) Connect(s *Start) error { return t.each(func(k Sink) error { return k.Connect(s) }) }
func (t tee) Start(s *Start) error   { return t.each(func(k Sink) error { return k.Start(s) }) }
func (t tee) Interval(iv *Interval) error {
	return t.each(func(k Sink) error { return k.Interval(iv) })
}
func (t tee) End(r *Result, err error) error {
	return t.each(func(k Sink) error { return k.End(r, err) })
}

// Recorder is a sink that keeps every interval and puts them into the result
// at End.
type Recorder struct {
	intervals []Interval
	result    *Result
	err       error
}

// Connect implements [Sink].
func (*Recorder) Connect(*Start) error { return nil }

// Start implements [Sink].
func (*Recorder) Start(*Start) error { return nil }

// Interval implements [Sink].
func (r *Recorder) Interval(iv *Interval) error {
	r.intervals = append(r.intervals, *iv)
	return nil
}

// End implements [Sink].
func (r *Recorder) End(res *Result, err error) error {
	res.Intervals = r.intervals
	r.result, r.err = res, err
	return nil
}

// Result returns what End brought, or nil before End.
func (r *Recorder) Result() (*Result, error) { return r.result, r.err }

// Connection is a data connection as an [Observer] sees it.
type Connection struct {
	Stream StreamInfo
	Raw    syscall.RawConn // valid until Observer.End has returned; nil where the platform has none
}

// Observer watches one test from outside the data path. Implementations
// must return quickly: Prepare and Start may take up to 500 ms each, Interval a
// millisecond.
type Observer interface {
	// Prepare is called before the data connections are opened, so that what is
	// asked of the host does not take its processors from the data. It returns
	// at once when ctx ends.
	Prepare(ctx context.Context)
	// Start is called when all data connections exist, before data flows.
	Start([]Connection)
	// Interval is called at every report.
	Interval()
	// End is called once, when data has stopped and before results are
	// exchanged, also after a failure, unless Start was not. The value is sent to the peer, unless it
	// is longer than 64 KiB, which the result's warnings tell, and kept as
	// Result.LocalRecord; nil sends nothing.
	End() json.RawMessage
}

// Observe makes an observer for one test. peer is the other end of the
// control connection; trusted is whether it may learn details (on a server:
// the client has authenticated). A nil Observe, or one that returns nil,
// observes nothing. The context ends with the test.
type Observe func(ctx context.Context, side Side, peer Endpoint, trusted bool) Observer
