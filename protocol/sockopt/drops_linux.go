package sockopt

import (
	"syscall"
	"unsafe"

	"golang.org/x/sys/unix"
)

// drops reads SK_MEMINFO_DROPS, the last of nine numbers (linux/sock_diag.h).
func drops(fd uintptr) (int64, error) {
	var info [9]uint32
	size := uint32(unsafe.Sizeof(info))
	_, _, errno := unix.Syscall6(unix.SYS_GETSOCKOPT, fd, unix.SOL_SOCKET, unix.SO_MEMINFO,
		uintptr(unsafe.Pointer(&info)), uintptr(unsafe.Pointer(&size)), 0)
	if errno != 0 {
		return 0, errno
	}
	if size < uint32(unsafe.Sizeof(info)) {
		return 0, syscall.ENOPROTOOPT
	}
	return int64(info[8]), nil
}
