package report

import (
	"errors"
	"fmt"
	"time"

	"linkperf/protocol"
	"linkperf/protocol/measure"
)

// SignalError is why a test ended when its user stopped this program. It is
// meant as the cause of a cancelled context.
type SignalError struct {
	Name   string // in the words of iperf3: "Interrupt", "Terminated", "Hangup"
	Number int
}

// Error returns the name and the number, "Interrupt(2)".
func (e *SignalError) Error() string { return fmt.Sprintf("%s(%d)", e.Name, e.Number) }

// ErrorText returns what stands under "error" in the JSON of a side whose test
// ended with err.
func ErrorText(side measure.Side, err error) string {
	var signal *SignalError
	var failure *protocol.Error
	switch {
	case errors.As(err, &signal):
		return fmt.Sprintf("interrupt - the %s has terminated by signal %s", side, signal)
	case side == measure.Client:
		return plainText(err)
	case errors.As(err, &failure):
		switch failure.Code {
		case protocol.CodeClientTerm:
			return "the client has terminated"
		case protocol.CodeCtrlClose:
			return "the client has unexpectedly closed the connection"
		case protocol.CodeServerTestDurationExpired:
			return "error - server test duration expired - test is terminated by the server"
		}
	}
	return "error - " + plainText(err)
}

// firstErrorText is like ErrorText, but keeps iperf3's word that a failure was
// reported by the server. A stream of events has that one.
func firstErrorText(side measure.Side, err error) string {
	var failure *protocol.Error
	if side == measure.Client && errors.As(err, &failure) && failure.Remote {
		return failure.ServerText()
	}
	return ErrorText(side, err)
}

// ErrorLines returns the lines for the standard error of a text test that ended
// with err, with prefix and time stamp, without line feeds.
func ErrorLines(o Options, err error) []string {
	var lines []string
	text := ErrorText(o.Side, err)
	if o.Side == measure.Client {
		if first := firstErrorText(o.Side, err); first != text {
			lines = append(lines, first)
		}
		var signal *SignalError
		if !errors.As(err, &signal) {
			text = "error - " + text
		}
	}
	lines = append(lines, text)
	for i := range lines {
		lines[i] = o.stamp() + "iperf3: " + lines[i]
	}
	return lines
}

// stamp returns the time stamp in front of a line of text.
func (o *Options) stamp() string {
	if o.Timestamps == "" {
		return ""
	}
	now := o.Now
	if now == nil {
		now = time.Now
	}
	return Stamp(o.Timestamps, now())
}

// plainText is iperf3's own text of a failure where it has one, with what
// probably lies behind it where the error tells.
func plainText(err error) string {
	var failure *protocol.Error
	if !errors.As(err, &failure) {
		return err.Error()
	}
	var hinted interface {
		error
		Hint() string
	}
	if errors.As(err, &hinted) {
		return fmt.Sprintf("%s (%s)", failure.Error(), hinted.Hint())
	}
	return failure.Error()
}
