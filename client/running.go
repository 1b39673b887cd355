package client

import (
	"context"
	"math"
	"time"

	"linkperf/protocol"
	"linkperf/protocol/measure"
	"linkperf/protocol/session"
)

// How often the client looks at what nothing wakes it for. An amount of
// datagrams that the server has sent, not all of which arrived, ends a test at
// once; the other things may take a moment.
const (
	checkOften  = 10 * time.Millisecond
	checkSeldom = 250 * time.Millisecond
)

// running is the state of measure.
type running struct {
	t        *test
	received session.Silence // of the receivers
	moved    session.Silence // of all streams that can show it
	counting time.Time       // when the omit period was over, or zero
	// lost is set when a stream fails: the server may be about to say why.
	lost  <-chan time.Time
	cause error
}

// measure lets the streams run until something ends the test.
func (t *test) measure() error {
	t.phase = "measuring"
	if t.staged() && t.stuck != nil {
		t.stuck.Stop()
	}
	t.group.Start(context.WithoutCancel(t.ctx))
	r := &running{t: t}
	end := time.NewTimer(t.cfg.Time)
	end.Stop()
	defer end.Stop()
	counting := t.group.Counting()
	every := checkSeldom
	if t.budgets.receive != nil {
		every = checkOften
	}
	check := time.NewTicker(every)
	defer check.Stop()
	sendersDone, receiversDone := t.group.SendersDone(), t.group.ReceiversDone()
	if !t.cfg.sends() {
		sendersDone = nil
	} else {
		receiversDone = nil // when both send, what the client sends decides
	}
	for {
		select {
		case <-t.ctx.Done():
			return context.Cause(t.ctx)
		case m := <-t.ctl.Listen():
			s, err := t.receive(m)
			if err == nil {
				err = unexpected(s, protocol.ExchangeResults)
			}
			return err
		case <-counting:
			counting, r.counting = nil, time.Now()
			if t.cfg.Time > 0 {
				end.Reset(t.cfg.Time)
			}
		case <-end.C:
			if !r.failing() {
				return nil
			}
		case <-t.budgets.received():
			return nil
		case <-receiversDone:
			if receiversDone = nil; !r.failing() {
				return nil
			}
		case <-sendersDone:
			if sendersDone = nil; !r.failing() { // the end of the amount or of the file
				return nil
			}
		case err := <-t.group.Failed():
			r.lose(err)
		case <-r.lost:
			return r.cause
		case now := <-check.C:
			if over, err := r.check(now); over {
				return err
			}
		}
	}
}

// lose remembers why a stream failed and gives the server a moment to explain.
func (r *running) lose(err error) {
	if r.cause == nil {
		r.cause, r.lost = err, time.After(session.Goodbye)
	}
}

// failing reports whether a stream has failed, which also ends its direction:
// that is not the end that was asked for.
func (r *running) failing() bool {
	select {
	case err := <-r.t.group.Failed():
		r.lose(err)
	default:
	}
	return r.cause != nil
}

// check looks for an end that no event tells.
func (r *running) check(now time.Time) (over bool, err error) {
	t := r.t
	p := &t.params
	if t.cfg.receives() {
		total := t.group.Total(func(s *measure.StreamInfo) bool { return !s.Sender })
		quiet := r.received.Lasts(total, now)
		if quiet >= session.Patience(p, t.cfg.ReceiveTimeout) {
			return true, protocol.NewError(protocol.CodeNoMsg, nil)
		}
		if t.budgets.receive != nil && !r.counting.IsZero() && total > 0 && r.gotAll(now, quiet) {
			return true, nil
		}
	}
	if t.staged() {
		total := t.group.Total(func(s *measure.StreamInfo) bool { return !s.Sender || p.Transport != protocol.UDP })
		if p.Transport == protocol.UDP && !t.cfg.receives() {
			total = t.group.Total(func(*measure.StreamInfo) bool { return true })
		}
		if r.moved.Lasts(total, now) >= session.Patience(p, phaseDeadline) {
			return true, ErrDeadline
		}
	}
	return false, nil
}

// How long a receiver waits for the rest of an amount that the server may have
// sent in full: datagrams can be lost, and with an omit period the two sides
// count from slightly different bytes.
const (
	restOfDatagrams = 500 * time.Millisecond
	restOfBytes     = 2 * time.Second
)

// gotAll reports whether the server must have sent the amount that was asked
// for although less has arrived.
func (r *running) gotAll(now time.Time, quiet time.Duration) bool {
	t := r.t
	p := &t.params
	if p.Transport != protocol.UDP {
		return t.cfg.Omit > 0 && quiet >= session.Patience(p, restOfBytes)
	}
	_, datagrams := t.group.Moved(false)
	length := int64(p.Length)
	if p.Bytes > 0 && datagrams >= (p.Bytes+length-1)/length || p.Blocks > 0 && datagrams >= p.Blocks {
		return true
	}
	// A path that is cut does not keep the server from sending the rest.
	return quiet >= session.Patience(p, restOfDatagrams) && now.Sub(r.counting) >= paced(p)
}

// paced returns how long sending the amount of a test takes at its rate, 0 if it
// has none.
func paced(p *protocol.Params) time.Duration {
	if p.Rate == 0 {
		return 0
	}
	bytes := float64(p.Bytes)
	if p.Blocks > 0 {
		bytes = float64(p.Blocks) * float64(p.Length)
	}
	seconds := 8 * bytes / (float64(p.Rate) * float64(max(p.Parallel, 1)))
	return time.Duration(min(seconds*float64(time.Second), math.MaxInt64/2))
}
