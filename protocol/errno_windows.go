package protocol

import (
	"fmt"
	"syscall"
)

// winsockErrors maps Winsock's numbers to those that package syscall invents
// for the names of other systems.
var winsockErrors = map[syscall.Errno]syscall.Errno{
	10004: syscall.EINTR,
	10009: syscall.EBADF,
	10013: syscall.EACCES,
	10014: syscall.EFAULT,
	10022: syscall.EINVAL,
	10024: syscall.EMFILE,
	10035: syscall.EAGAIN,
	10036: syscall.EINPROGRESS,
	10037: syscall.EALREADY,
	10038: syscall.ENOTSOCK,
	10039: syscall.EDESTADDRREQ,
	10040: syscall.EMSGSIZE,
	10041: syscall.EPROTOTYPE,
	10042: syscall.ENOPROTOOPT,
	10043: syscall.EPROTONOSUPPORT,
	10045: syscall.EOPNOTSUPP,
	10047: syscall.EAFNOSUPPORT,
	10048: syscall.EADDRINUSE,
	10049: syscall.EADDRNOTAVAIL,
	10050: syscall.ENETDOWN,
	10051: syscall.ENETUNREACH,
	10052: syscall.ENETRESET,
	10053: syscall.ECONNABORTED,
	10054: syscall.ECONNRESET,
	10055: syscall.ENOBUFS,
	10056: syscall.EISCONN,
	10057: syscall.ENOTCONN,
	10060: syscall.ETIMEDOUT,
	10061: syscall.ECONNREFUSED,
	10064: syscall.EHOSTDOWN,
	10065: syscall.EHOSTUNREACH,
}

// portableErrno translates Winsock's numbers and the common ones of the file
// system. Numbers below 1<<29 that are not listed are Windows' own, which no
// name of other systems equals.
func portableErrno(number syscall.Errno) syscall.Errno {
	if portable, ok := winsockErrors[number]; ok {
		return portable
	}
	switch number {
	case syscall.ERROR_FILE_NOT_FOUND, syscall.ERROR_PATH_NOT_FOUND:
		return syscall.ENOENT
	case syscall.ERROR_ACCESS_DENIED:
		return syscall.EACCES
	}
	return number
}

// unlistedText cannot ask the system, which counts differently.
func unlistedText(number int32) string { return fmt.Sprintf("Unknown error %d", number) }
