//go:build unix

package stream

import (
	"errors"
	"syscall"
)

// transient reports whether an error of a UDP socket concerns a datagram and
// not the socket: an ICMP message about an earlier one, or a full queue.
func transient(err error) bool {
	return errors.Is(err, syscall.ECONNREFUSED) || errors.Is(err, syscall.ENOBUFS) ||
		errors.Is(err, syscall.EHOSTUNREACH) || errors.Is(err, syscall.ENETUNREACH)
}

// truncated reports whether an error only says that a datagram was longer than
// the buffer, which unix does not call an error.
func truncated(error) bool { return false }
