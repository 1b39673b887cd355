package protocol

import (
	"errors"
	"net"
	"syscall"
)

// ErrAccessDenied says that the server answered AccessDenied. ErrServerBusy is
// the same error under the name of its usual cause: it is running another test.
var (
	ErrAccessDenied = NewError(CodeAccessDenied, nil)
	ErrServerBusy   = ErrAccessDenied
)

// An Error is a failure with iperf3's number and text.
type Error struct {
	// Code is iperf3's number of the failure.
	Code Code
	// Errno is the error number of the server's operating system if Remote, as
	// the server counts them, else one to send in place of the cause's; 0 is
	// none. It informs people and decides nothing.
	Errno int32
	// Arg is the offending value, for texts that show one.
	Arg string
	// Err is the cause on this side, or nil.
	Err error
	// Remote says that the server reported the failure with ServerError.
	Remote bool
}

// NewError returns an Error of this side; cause may be nil.
func NewError(code Code, cause error) *Error {
	return &Error{Code: code, Err: cause}
}

// Error returns iperf3's text and, where iperf3 appends it, ": " and the
// reason; without a reason only ": ".
func (e *Error) Error() string {
	text := e.Code.Text(e.Arg)
	if e.Code.Suffix() {
		text += ": " + e.Reason()
	}
	return text
}

// ServerText returns the line with which iperf3 introduces a failure that the
// server reported: "SERVER ERROR - TEXT", followed by ", errno: REASON" if the
// server named one.
func (e *Error) ServerText() string {
	text := "SERVER ERROR - " + e.Error()
	if e.Errno != 0 {
		text += ", errno: " + ErrnoText(e.Errno)
	}
	return text
}

// Reason returns the cause in the words of the C library, such as "Connection
// refused", whatever the system and however deep it is wrapped; for other
// causes their own text, and "" for none.
func (e *Error) Reason() string {
	if e.Err == nil {
		return ErrnoText(e.Errno)
	}
	return Reason(e.Err)
}

// Unwrap returns the cause.
func (e *Error) Unwrap() error { return e.Err }

// Is reports whether target is an *Error of the same code.
func (e *Error) Is(target error) bool {
	t, ok := target.(*Error)
	return ok && t.Code == e.Code
}

// Reason returns an error in the words of the C library: the text of the
// system's error number or of the resolver's failure inside it, "Connection
// timed out" for an expired deadline, else the error's own text. Nil gives "".
func Reason(err error) string {
	var dns *net.DNSError
	var number syscall.Errno
	var timeout net.Error
	switch {
	case err == nil:
		return ""
	case errors.As(err, &dns):
		switch {
		case dns.IsNotFound:
			return "Name or service not known"
		case dns.IsTimeout, dns.IsTemporary:
			return "Temporary failure in name resolution"
		}
		return "Non-recoverable failure in name resolution"
	case errors.As(err, &number):
		return errnoReason(number)
	case errors.As(err, &timeout) && timeout.Timeout():
		return ErrnoText(errnoTimedOut)
	}
	return err.Error()
}
