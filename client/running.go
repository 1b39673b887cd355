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
	over     bool            // all data has moved, maybe within the omit period
	sentAll  bool            // the server has said so
	full     time.Time       // when the amount had been received, after an omit period
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
	sendersDone, receiversDone, received := t.group.SendersDone(), t.group.ReceiversDone(), t.budgets.received()
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
			switch {
			case err != nil:
				return err
			case s != protocol.TestEnd || t.cfg.sends(): // which only linkperf says, of datagrams
				return unexpected(s, protocol.ExchangeResults)
			}
			r.sentAll = true
		case <-counting:
			counting, r.counting = nil, time.Now()
			if r.over {
				return nil
			}
			if t.cfg.Time > 0 {
				end.Reset(t.cfg.Time)
			}
		case <-end.C:
			if !r.failing() {
				return nil
			}
		case <-received:
			if t.cfg.sends() || t.cfg.Omit == 0 {
				return nil
			}
			received, r.full = nil, time.Now() // the server may be in its omit period still
		case <-receiversDone:
			if receiversDone = nil; !r.failing() && r.atEnd() {
				return nil
			}
		case <-sendersDone:
			if sendersDone = nil; !r.failing() && r.atEnd() { // of the amount or of the file
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

// atEnd reports whether the end of all data is that of the test: not within the
// omit period, which the other side may have left already, and with it have
// measured what has come.
func (r *running) atEnd() bool {
	r.over = true
	return !r.counting.IsZero() || r.t.cfg.Omit == 0
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
		if !t.cfg.sends() && t.budgets.receive != nil && !r.counting.IsZero() && (total > 0 || r.sentAll) && r.gotAll(now, quiet) {
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

// How long a receiver waits for the rest of an amount: datagrams that are under
// way when the server has said that all are sent; and what a server that does
// not say so may have sent in full, since datagrams can be lost, and with an
// omit period the two sides count from slightly different bytes. A pause of the
// path must not look like the end.
const (
	underWay        = 200 * time.Millisecond
	restOfDatagrams = 2 * time.Second
	restOfBytes     = 5 * time.Second
)

// gotAll reports whether the server must have sent the amount that was asked
// for although less has arrived.
func (r *running) gotAll(now time.Time, quiet time.Duration) bool {
	t := r.t
	p := &t.params
	if !r.full.IsZero() {
		return quiet >= underWay || now.Sub(r.full) >= restOfDatagrams
	}
	if p.Transport != protocol.UDP {
		return t.cfg.Omit > 0 && quiet >= session.Patience(p, restOfBytes)
	}
	_, datagrams := t.group.Moved(false)
	length := int64(p.Length)
	switch {
	case p.Bytes > 0 && datagrams >= (p.Bytes+length-1)/length || p.Blocks > 0 && datagrams >= p.Blocks:
		return true
	case r.sentAll:
		return quiet >= underWay
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
