package protocol

import (
	"errors"
	"syscall"
)

// A systemError is one error number: this system's, Linux's, and the text of
// the C library on Linux.
type systemError struct {
	local syscall.Errno
	linux int32
	text  string
}

// errnoTimedOut is ETIMEDOUT on Linux.
const errnoTimedOut = 110

// systemErrors has the numbers that sockets, files and processes really fail
// with. Linux numbers are those of asm-generic/errno.h.
var systemErrors = []systemError{
	{syscall.EPERM, 1, "Operation not permitted"},
	{syscall.ENOENT, 2, "No such file or directory"},
	{syscall.EINTR, 4, "Interrupted system call"},
	{syscall.EIO, 5, "Input/output error"},
	{syscall.EBADF, 9, "Bad file descriptor"},
	{syscall.EAGAIN, 11, "Resource temporarily unavailable"},
	{syscall.ENOMEM, 12, "Cannot allocate memory"},
	{syscall.EACCES, 13, "Permission denied"},
	{syscall.EFAULT, 14, "Bad address"},
	{syscall.EBUSY, 16, "Device or resource busy"},
	{syscall.EEXIST, 17, "File exists"},
	{syscall.ENODEV, 19, "No such device"},
	{syscall.ENOTDIR, 20, "Not a directory"},
	{syscall.EISDIR, 21, "Is a directory"},
	{syscall.EINVAL, 22, "Invalid argument"},
	{syscall.ENFILE, 23, "Too many open files in system"},
	{syscall.EMFILE, 24, "Too many open files"},
	{syscall.EFBIG, 27, "File too large"},
	{syscall.ENOSPC, 28, "No space left on device"},
	{syscall.EROFS, 30, "Read-only file system"},
	{syscall.EPIPE, 32, "Broken pipe"},
	{syscall.ENAMETOOLONG, 36, "File name too long"},
	{syscall.ENOSYS, 38, "Function not implemented"},
	{syscall.EPROTO, 71, "Protocol error"},
	{syscall.ENOTSOCK, 88, "Socket operation on non-socket"},
	{syscall.EDESTADDRREQ, 89, "Destination address required"},
	{syscall.EMSGSIZE, 90, "Message too long"},
	{syscall.EPROTOTYPE, 91, "Protocol wrong type for socket"},
	{syscall.ENOPROTOOPT, 92, "Protocol not available"},
	{syscall.EPROTONOSUPPORT, 93, "Protocol not supported"},
	{syscall.EOPNOTSUPP, 95, "Operation not supported"},
	{syscall.EAFNOSUPPORT, 97, "Address family not supported by protocol"},
	{syscall.EADDRINUSE, 98, "Address already in use"},
	{syscall.EADDRNOTAVAIL, 99, "Cannot assign requested address"},
	{syscall.ENETDOWN, 100, "Network is down"},
	{syscall.ENETUNREACH, 101, "Network is unreachable"},
	{syscall.ENETRESET, 102, "Network dropped connection on reset"},
	{syscall.ECONNABORTED, 103, "Software caused connection abort"},
	{syscall.ECONNRESET, 104, "Connection reset by peer"},
	{syscall.ENOBUFS, 105, "No buffer space available"},
	{syscall.EISCONN, 106, "Transport endpoint is already connected"},
	{syscall.ENOTCONN, 107, "Transport endpoint is not connected"},
	{syscall.ETIMEDOUT, errnoTimedOut, "Connection timed out"},
	{syscall.ECONNREFUSED, 111, "Connection refused"},
	{syscall.EHOSTDOWN, 112, "Host is down"},
	{syscall.EHOSTUNREACH, 113, "No route to host"},
	{syscall.EALREADY, 114, "Operation already in progress"},
	{syscall.EINPROGRESS, 115, "Operation now in progress"},
	{syscall.ECANCELED, 125, "Operation canceled"},
}

// ErrnoText returns the C library's text for an error number as Linux counts
// them, "Unknown error N" for one not listed here, and "" for 0.
func ErrnoText(number int32) string {
	if number == 0 {
		return ""
	}
	for _, e := range systemErrors {
		if e.linux == number {
			return e.text
		}
	}
	return unlistedText(number)
}

// errnoReason returns the C library's text for this system's error number.
func errnoReason(number syscall.Errno) string {
	if e, ok := lookup(number); ok {
		return e.text
	}
	return capitalised(number.Error())
}

// causeNumber returns Linux's number for the system error inside err, 0 if
// there is none.
func causeNumber(err error) int32 {
	var number syscall.Errno
	if errors.As(err, &number) {
		if e, ok := lookup(number); ok {
			return e.linux
		}
	}
	return 0
}

func lookup(number syscall.Errno) (systemError, bool) {
	number = portableErrno(number)
	for _, e := range systemErrors {
		if e.local == number {
			return e, true
		}
	}
	return systemError{}, false
}

func capitalised(text string) string {
	if text != "" && 'a' <= text[0] && text[0] <= 'z' {
		return string(text[0]-'a'+'A') + text[1:]
	}
	return text
}
