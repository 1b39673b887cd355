package server

import (
	"context"
	"errors"
	"time"

	"linkperf/protocol"
	"linkperf/protocol/session"
)

// terminate tells the client of a running test that the server ends, and gives
// it a moment to leave. A client of one thread that meets a closed data
// connection first takes that for the failure.
func (t *test) terminate() {
	t.group.Stop()
	ctx, cancel := context.WithTimeout(context.WithoutCancel(t.ctx), session.Goodbye)
	defer cancel()
	err := t.ctl.Writing(ctx, func() error { return t.ctl.WriteState(protocol.ServerTerminate) })
	t.terminated = true
	if err != nil {
		return
	}
	select {
	case <-t.ctl.Listen():
		t.ctl.Taken()
	case <-ctx.Done():
	}
}

// finish keeps what was measured and closes the data connections.
func (t *test) finish(err error) {
	if t.group == nil {
		t.observation.End()
		return
	}
	t.group.Stop()
	t.result.LocalRecord = t.observation.End()
	if err != nil && !t.result.Exchanged {
		t.group.Finish(&t.result, nil)
	}
	for _, serr := range t.group.SinkErrors() {
		t.note(serr)
	}
	t.group.Close()
}

// goodbye tells the client why its test failed, if it does not know, and closes
// the control connection.
func (t *test) goodbye(err error) {
	pe, _ := errors.AsType[*protocol.Error](err)
	var say func(*protocol.Conn) error
	switch {
	case err == nil || pe != nil && pe.Code == protocol.CodeFile && t.result.Exchanged: // the client says IperfDone or just closes
		ctx, cancel := context.WithTimeout(t.ctx, session.Goodbye)
		defer cancel()
		select {
		case <-t.ctl.Listen():
			t.ctl.Taken()
		case <-ctx.Done():
		}
	case t.terminated:
	case t.ctx.Err() != nil:
		say = func(c *protocol.Conn) error { return c.WriteState(protocol.ServerTerminate) }
	case pe == nil:
		pe = protocol.NewError(protocol.CodeInitTest, err)
		say = func(c *protocol.Conn) error { return c.WriteServerError(pe) }
	case pe.Code == protocol.CodeAccessDenied:
		say = func(c *protocol.Conn) error { return c.WriteState(protocol.AccessDenied) }
	case pe.Code == protocol.CodeClientTerm || pe.Code == protocol.CodeCtrlClose:
	case pe.Code == protocol.CodeAuthTest:
		say = func(c *protocol.Conn) error {
			return c.WriteServerError(protocol.NewError(protocol.CodeAuthTest, nil))
		}
	default:
		say = func(c *protocol.Conn) error { return c.WriteServerError(pe) }
	}
	t.ctl.HangUp(say)
}

// pause waits unless the server stops.
func (t *test) pause(d time.Duration) {
	timer := time.NewTimer(d)
	defer timer.Stop()
	select {
	case <-timer.C:
	case <-t.ctx.Done():
	}
}

// logEnd says in one line why a test failed.
func (t *test) logEnd(err error) {
	args := []any{"test", t.info.Number, "peer", t.info.Peer.Host, "error", err}
	if cause := errors.Unwrap(err); cause != nil {
		args = append(args, "cause", cause)
	}
	t.log.Warn("test failed", args...)
}
