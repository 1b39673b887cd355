package stream

import (
	"errors"

	"golang.org/x/sys/windows"
)

// transient reports whether an error of a UDP socket concerns a datagram and
// not the socket: an ICMP message about an earlier one, or a full queue.
func transient(err error) bool {
	return errors.Is(err, windows.WSAECONNRESET) || errors.Is(err, windows.WSAENOBUFS) ||
		errors.Is(err, windows.WSAEHOSTUNREACH) || errors.Is(err, windows.WSAENETUNREACH) || truncated(err)
}

// truncated reports whether an error only says that a datagram was longer than
// the buffer.
func truncated(err error) bool { return errors.Is(err, windows.WSAEMSGSIZE) }
