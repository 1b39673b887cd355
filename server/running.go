package server

import (
	"cmp"
	"context"
	"fmt"
	"time"

	"linkperf/protocol"
	"linkperf/protocol/measure"
	"linkperf/protocol/session"
)

const (
	// watchdog is how much later than asked for a test may end, as in iperf3.
	watchdog = 40 * time.Second
	// watchEvery is how often limits and silence are looked at.
	watchEvery = 250 * time.Millisecond
	// satisfied is how long a client may be silent that has moved what it asked
	// for: iperf3 looks at the amount only once an interval, at most 60 s long.
	satisfied = 120 * time.Second
	// lossiest is how many times the amount may be sent to a client of iperf3 over
	// UDP, which ends the test when it has received the amount.
	lossiest = 10
)

// measure lets the streams run until the client ends the test.
func (t *test) measure() error {
	t.began = time.Now()
	t.group.Start(context.WithoutCancel(t.ctx))
	var expired <-chan time.Time
	if t.params.Time > 0 {
		timer := time.NewTimer(time.Duration(t.params.Time+t.params.Omit)*time.Second + watchdog)
		defer timer.Stop()
		expired = timer.C
	}
	watch := time.NewTicker(watchEvery)
	defer watch.Stop()
	var silence session.Silence
	sendersDone := t.group.SendersDone()
	if !t.params.Reverse {
		sendersDone = nil // the client decides about the end
	}
	var sentAt time.Time // the amount, to a client that shows no sign of life
	rate := t.rateLimit()
	var lost <-chan time.Time
	var cause error
	lose := func(err error) {
		if cause == nil { // the client may be about to say what happened
			cause, lost = err, time.After(session.Goodbye)
		}
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
			case s == protocol.TestEnd:
				return t.group.FileError()
			case s != protocol.TestStart: // which iperf3 ignores
				return unexpected(s)
			}
		case <-expired:
			return protocol.NewError(protocol.CodeServerTestDurationExpired, nil)
		case err := <-t.group.Failed():
			lose(err)
		case <-lost:
			return cause
		case <-sendersDone:
			sendersDone = nil
			select {
			case err := <-t.group.Failed(): // which is no end
				lose(err)
			default:
			}
			if t.sentAll = cause == nil; t.sentAll {
				if err := t.tellEnd(); err != nil {
					return err
				}
			}
		case now := <-watch.C:
			if t.BitrateLimit > 0 && rate.exceeded(t.group.Total(everything), now) {
				return protocol.NewError(protocol.CodeTotalRate, nil)
			}
			if !t.shows() {
				if sentAt.IsZero() && t.sentAmount() {
					sentAt = now
				}
				if !sentAt.IsZero() && now.Sub(sentAt) >= t.grace(sentAt) {
					return protocol.NewError(protocol.CodeServerTestDurationExpired, nil)
				}
				continue
			}
			quiet := silence.Lasts(t.signs(), now)
			if quiet >= t.leastPatience() && quiet >= t.patience() {
				return protocol.NewError(protocol.CodeNoMsg, fmt.Errorf("no sign of the client for %v", quiet.Round(time.Second)))
			}
		}
	}
}

func everything(*measure.StreamInfo) bool { return true }

// tellEnd lets a client that only receives know that all has been sent, where it
// is one that understands: byte streams end, after datagrams there is a word.
func (t *test) tellEnd() error {
	if len(t.params.Linkperf) == 0 {
		return nil
	}
	if t.params.Transport == protocol.UDP {
		return t.write(protocol.TestEnd)
	}
	t.group.CloseWrite()
	return nil
}

// shows reports whether data can show that the client is alive: what it sends,
// or that it acknowledges what has been sent.
func (t *test) shows() bool {
	switch {
	case !t.params.Reverse:
		return true
	case t.params.Transport == protocol.UDP:
		return false
	}
	return !t.sentAll || t.group.Unsent() > 0
}

// signs returns how many bytes have shown so far that the client is alive: those
// that it sent, or, if it only receives, those that it acknowledged. What the
// server has written is no sign, since buffers hold much of a slow test.
func (t *test) signs() int64 {
	if !t.params.Reverse {
		return t.group.Total(func(s *measure.StreamInfo) bool { return !s.Sender })
	}
	return t.group.Total(everything) - int64(t.group.Unsent())
}

// leastPatience returns how long the client may be silent in any case.
func (t *test) leastPatience() time.Duration {
	return cmp.Or(t.ReceiveTimeout, DefaultReceiveTimeout)
}

// patience returns how long the client may be silent in the test's present state.
func (t *test) patience() time.Duration {
	limit := t.leastPatience()
	amount := t.amount()
	received, _ := t.group.Moved(false)
	sent, _ := t.group.Moved(true)
	taken := sent - int64(t.group.Unsent())
	if amount > 0 && float64(max(received, taken)) >= amount {
		limit = max(limit, satisfied)
	}
	return session.Patience(&t.params, limit)
}

// amount returns the bytes that end the test, 0 if none do.
func (t *test) amount() float64 {
	if p := &t.params; p.Blocks > 0 {
		return float64(p.Blocks) * float64(p.Length)
	}
	return float64(max(t.params.Bytes, 0))
}

// sentAmount reports whether all that the client asked for has been sent.
func (t *test) sentAmount() bool {
	sent, _ := t.group.Moved(true)
	return t.amount() > 0 && (t.sentAll || float64(sent) >= t.amount())
}

// grace returns how much later than the amount was sent the test may end. A
// client of iperf3 goes on over UDP until it has received as much.
func (t *test) grace(sentAt time.Time) time.Duration {
	switch {
	case t.params.Transport != protocol.UDP:
		return satisfied
	case len(t.budgets) > 0:
		return watchdog
	}
	return watchdog + (lossiest-1)*sentAt.Sub(t.began)
}
