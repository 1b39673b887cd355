package client

import (
	"context"
	"errors"
	"fmt"
	"io"
	"net/netip"
	"slices"
	"syscall"
	"time"

	"linkperf/protocol"
	"linkperf/protocol/measure"
	"linkperf/protocol/session"
	"linkperf/protocol/sockopt"
)

// test is one test on one control connection. Its methods run in the order of
// the states that the server sends.
type test struct {
	cfg    *Config
	sink   measure.Sink // never nil
	events *events
	port   int

	ctx    context.Context // ends with the caller's, or when the deadline passes
	cancel context.CancelCauseFunc
	stuck  *time.Timer // the deadline; nil for none

	device string     // interface of all connections, "" for any
	local  netip.Addr // of all connections, invalid for any
	remote netip.AddrPort
	ctl    *session.Control

	cookie      protocol.Cookie
	params      protocol.Params
	observation *session.Observation // nil if nobody observes
	group       *session.Group
	budgets     budgets
	result      measure.Result
	heard       bool // the server has sent a state
	phase       string
}

// events remembers what the sink has been told, over all attempts at a test,
// and what it answered.
type events struct {
	connected, started bool
	errs               []error
}

// failed keeps an error of the sink, which may be nil, unless it is known.
func (e *events) failed(err error) {
	if err != nil && !slices.ContainsFunc(e.errs, func(known error) bool { return known.Error() == err.Error() }) {
		e.errs = append(e.errs, err)
	}
}

// run makes the test. What was measured is in t.result, also after an error.
func (t *test) run() error {
	defer t.close()
	if err := t.setUp(); err != nil {
		t.leave(err) // the streams have not run: there is nothing to finish
		return err
	}
	err := t.measure()
	if err == nil {
		if err = t.exchange(); err == nil {
			return t.group.FileError()
		}
	} else if t.canEndOrderly(err) {
		// The server may be alive and well: end in the usual way, so that both
		// sides' figures are known, but do not insist.
		phase := t.phase
		t.insist(orderlyEnd)
		if t.exchange() != nil {
			t.giveUp(err)
		}
		t.phase = phase // in which the deadline passed
		return err
	}
	if err != nil {
		t.giveUp(err)
	}
	return err
}

// orderlyEnd is how long an interrupted client tries to exchange results.
const orderlyEnd = 2 * time.Second

// canEndOrderly reports whether an error of measure came from this side.
func (t *test) canEndOrderly(err error) bool {
	return t.ctx.Err() != nil && err == context.Cause(t.ctx)
}

// insist replaces a context that has ended by one with a time of its own.
func (t *test) insist(d time.Duration) {
	t.cancel(nil)
	ctx, cancel := context.WithTimeoutCause(context.WithoutCancel(t.ctx), d, ErrDeadline)
	t.ctx, t.cancel = ctx, func(error) { cancel() }
	if t.stuck != nil {
		t.stuck.Stop()
	}
}

// setUp goes from nothing to streams that are ready to run.
func (t *test) setUp() error {
	for _, step := range []func() error{
		t.openControl, t.sendCookie, t.exchangeParams, t.createStreams, t.startTest,
	} {
		if err := step(); err != nil {
			return err
		}
	}
	return nil
}

func (t *test) openControl() error {
	t.phase = "connecting"
	t.armDeadline()
	return t.early(t.connect(t.ctx))
}

// armDeadline starts the time in which the whole test has to end, or, in a test
// without a length, its set-up.
func (t *test) armDeadline() {
	d := t.cfg.Deadline
	if d < 0 {
		return
	}
	if d == 0 {
		d = t.cfg.Omit + t.cfg.Time + phaseDeadline
	}
	cancel := t.cancel
	t.stuck = time.AfterFunc(d, func() { cancel(ErrDeadline) })
}

// phaseDeadline is for what takes no time by itself.
const phaseDeadline = 30 * time.Second

// staged reports whether every phase has a deadline of its own, because the
// test has no length.
func (t *test) staged() bool { return t.cfg.Deadline == 0 && t.cfg.Time == 0 }

// sendCookie introduces the client and waits for the server's invitation.
func (t *test) sendCookie() (err error) {
	if t.cookie, err = protocol.NewCookie(); err != nil {
		return err
	}
	if err := t.writing(func() error { return t.ctl.WriteCookie(t.cookie) }); err != nil {
		return t.early(err)
	}
	return t.early(t.expect(protocol.ParamExchange))
}

// errEarlyReset marks a control connection that broke before the server said
// anything, as happens while iperf3 opens its listener anew between two tests.
var errEarlyReset = errors.New("connection ended before the server said anything")

func (t *test) early(err error) error {
	if err == nil || t.heard || t.ctx.Err() != nil {
		return err
	}
	if errors.Is(err, io.EOF) || errors.Is(err, syscall.EPIPE) || errors.Is(err, syscall.ECONNRESET) {
		return &earlyError{err}
	}
	return err
}

// earlyError is an errEarlyReset that reads like its cause.
type earlyError struct{ error }

func (e *earlyError) Unwrap() []error { return []error{e.error, errEarlyReset} }

// exchangeParams sends the parameters and waits until the server accepts them.
func (t *test) exchangeParams() error {
	raw := t.rawControl()
	mss := 0
	if raw != nil {
		if n, err := sockopt.MSS(raw); err == nil {
			mss = n
		}
	}
	var err error
	if t.params, err = t.cfg.params(mss); err != nil {
		return err
	}
	t.budgets = t.cfg.budgets(&t.params)
	if err := t.writing(func() error { return t.ctl.WriteParams(&t.params) }); err != nil {
		return err
	}
	if t.params.Transport == protocol.UDP && mss > 0 && t.params.Length > mss {
		t.result.Warnings = append(t.result.Warnings, fmt.Sprintf(
			"UDP block size %d exceeds TCP MSS %d, may result in fragmentation / drops", t.params.Length, mss))
	}
	t.params.AuthToken = ""
	start := &measure.Start{
		Side:          measure.Client,
		Params:        t.params,
		Cookie:        t.cookie.String(),
		Time:          time.Now(),
		Peer:          measure.Endpoint{Host: t.cfg.Host, Port: t.port},
		Interval:      t.cfg.Interval,
		ControlMSS:    mss,
		DefaultLength: t.cfg.Length == 0,
	}
	if t.cfg.ControlKeepalive != nil && raw != nil {
		if start.ControlKeepalive, err = checkKeepalive(raw); err != nil {
			return err
		}
	}
	t.result.Start = start
	if !t.events.connected {
		t.events.connected = true
		t.events.failed(t.sink.Connect(start))
	}
	t.observation = session.Observe(t.ctx, t.cfg.Observe, measure.Client, start.Peer, true)
	return t.expect(protocol.CreateStreams)
}

// checkKeepalive reads back what the system made of the settings asked for.
func checkKeepalive(raw syscall.RawConn) (*measure.Keepalive, error) {
	k, err := sockopt.KeepAlive(raw)
	if err != nil {
		return nil, protocol.NewError(protocol.CodeSetCntlKA, err)
	}
	if k.Idle <= k.Interval*k.Count {
		return nil, protocol.NewError(protocol.CodeCntlKA, fmt.Errorf(
			"idle time %d s, %d retries every %d s", k.Idle, k.Count, k.Interval))
	}
	return &k, nil
}

// startTest tells everyone about the streams and waits for the server's start.
func (t *test) startTest() error {
	if !t.events.started {
		t.events.started = true
		t.events.failed(t.sink.Start(t.result.Start))
	}
	return t.expect(protocol.TestStart, protocol.TestRunning)
}

// giveUp tells the server, where it would not know, and keeps what was measured.
func (t *test) giveUp(err error) {
	if !t.result.Exchanged {
		t.finish(nil)
	}
	t.leave(err)
}

// leave tells the server that the test ends, where it would not know.
func (t *test) leave(err error) {
	if t.ctl == nil {
		return
	}
	pe, _ := errors.AsType[*protocol.Error](err)
	switch {
	case pe != nil && (pe.Remote || pe.Code == protocol.CodeAccessDenied || pe.Code == protocol.CodeCtrlClose):
	case pe == nil || t.group != nil && pe.Code != protocol.CodeServerTerm:
		// The caller or the deadline wants an end, or the test breaks off.
		t.hangUp(protocol.ClientTerminate)
	default:
		t.hangUp(protocol.IperfDone)
	}
}

func (t *test) hangUp(last protocol.State) {
	t.ctl.HangUp(func(c *protocol.Conn) error { return c.WriteState(last) })
}

func (t *test) close() {
	if t.group != nil {
		t.group.Stop()
	}
	t.observation.End()
	if t.group != nil {
		t.group.Close()
	}
	if t.ctl != nil {
		t.ctl.Close()
	}
	if t.stuck != nil {
		t.stuck.Stop()
	}
	t.cancel(nil)
}

// receive takes what the control connection brought. It fails on everything that
// ends a test.
func (t *test) receive(m session.Message) (protocol.State, error) {
	t.ctl.Taken()
	if m.Err != nil {
		return 0, t.explain(m.Err)
	}
	t.heard = true
	switch m.State {
	case protocol.AccessDenied:
		return 0, protocol.ErrAccessDenied
	case protocol.ServerError:
		ctx, cancel := context.WithTimeout(t.ctx, session.Goodbye)
		defer cancel()
		var e *protocol.Error
		_ = t.ctl.Reading(ctx, func() error { e = t.ctl.ReadServerError(); return nil })
		return 0, t.explain(e)
	case protocol.ServerTerminate:
		return 0, protocol.NewError(protocol.CodeServerTerm, nil)
	}
	return m.State, nil
}

// expect waits for the given states, in that order.
func (t *test) expect(states ...protocol.State) error {
	for len(states) > 0 {
		want := states[0]
		t.phase = "waiting for the server's " + want.String()
		select {
		case <-t.ctx.Done():
			return context.Cause(t.ctx)
		case m := <-t.ctl.Listen():
			got, err := t.receive(m)
			switch {
			case err != nil:
				return err
			case got == want:
				states = states[1:]
			case got == protocol.TestEnd && want == protocol.ExchangeResults && !t.cfg.sends():
				// The server has sent all, which this side has seen by itself.
			default:
				return unexpected(got, want)
			}
		}
	}
	return nil
}

func unexpected(got, want protocol.State) error {
	return protocol.NewError(protocol.CodeMessage, fmt.Errorf("got %v, expected %v", got, want))
}

// writing runs f, which writes. When that fails it prefers the reason that the
// server gave before it closed.
func (t *test) writing(f func() error) error {
	err := t.ctl.Writing(t.ctx, f)
	if err == nil || t.ctx.Err() != nil {
		return err
	}
	select {
	case m := <-t.ctl.Listen():
		if _, said := t.receive(m); said != nil && m.Err == nil {
			return said
		}
	case <-t.ctx.Done():
	case <-time.After(session.Goodbye):
	}
	return err
}
