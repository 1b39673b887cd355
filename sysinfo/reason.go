package sysinfo

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"os/exec"
	"syscall"
)

// Reason says why a fact is null.
type Reason string

// The reasons of a null.
const (
	NotSupported  Reason = "not_supported"  // this system, kernel or driver has no such fact
	NoPermission  Reason = "no_permission"  // it exists, and reading it was refused
	NotFound      Reason = "not_found"      // the tool or file is missing
	ParseError    Reason = "parse_error"    // the answer was not understood
	Timeout       Reason = "timeout"        // no answer in time
	NotApplicable Reason = "not_applicable" // makes no sense here, as the link speed of loopback
	NotAttempted  Reason = "not_attempted"  // not asked: switched off, or nobody to ask
	Withheld      Reason = "withheld"       // known, and not told to this reader
	Failed        Reason = "failed"         // any other error; the detail is its text
)

// Unknown is the reason of one null.
type Unknown struct {
	Reason Reason `json:"reason"`
	Detail string `json:"detail,omitempty"`
}

// maxDetail bounds the text kept with a reason, in bytes.
const maxDetail = 200

// sourceError carries a reason through an error.
type sourceError struct {
	reason Reason
	detail string
}

func (e *sourceError) Error() string {
	if e.detail == "" {
		return string(e.reason)
	}
	return string(e.reason) + ": " + e.detail
}

// because makes an error with the given reason.
func because(r Reason, format string, args ...any) error {
	return &sourceError{r, fmt.Sprintf(format, args...)}
}

// notUnderstood is the error of parsers: what was expected, and the text that
// stood there instead.
func notUnderstood(what string, text []byte) error {
	return because(ParseError, "%s: %.120q", what, text)
}

// unknownOf finds the reason of an error.
func unknownOf(err error) Unknown {
	var se *sourceError
	if errors.As(err, &se) {
		return Unknown{se.reason, shorten(Printable(se.detail), maxDetail)}
	}
	reason := Failed
	switch {
	case errors.Is(err, context.DeadlineExceeded), errors.Is(err, context.Canceled), errors.Is(err, os.ErrDeadlineExceeded):
		reason = Timeout
	// EPERM and EACCES on the unixes, ERROR_ACCESS_DENIED on Windows.
	case errors.Is(err, fs.ErrPermission):
		reason = NoPermission
	case errors.Is(err, fs.ErrNotExist), errors.Is(err, exec.ErrNotFound):
		reason = NotFound
	// EOPNOTSUPP, ENOSYS and ENOTSUP are errors.ErrUnsupported.
	case errors.Is(err, errors.ErrUnsupported), errors.Is(err, syscall.ENOPROTOOPT):
		reason = NotSupported
	}
	return Unknown{reason, shorten(Printable(err.Error()), maxDetail)}
}
