package test

import (
	"net"
	"syscall"
	"time"
	"unsafe"
)

// stamped makes the kernel note when each datagram arrived on the socket, see
// socket(7), and keep many of them for a relay that is held up.
func stamped(conn *net.UDPConn) error {
	raw, err := conn.SyscallConn()
	if err != nil {
		return err
	}
	var serr error
	if err := raw.Control(func(fd uintptr) {
		syscall.SetsockoptInt(int(fd), syscall.SOL_SOCKET, syscall.SO_RCVBUFFORCE, 4<<20) // needs privileges
		serr = syscall.SetsockoptInt(int(fd), syscall.SOL_SOCKET, syscall.SO_TIMESTAMPNS, 1)
	}); err != nil {
		return err
	}
	return serr
}

// stamp returns the time that the kernel noted, now if it did not.
func stamp(control []byte) time.Time {
	messages, err := syscall.ParseSocketControlMessage(control)
	if err != nil {
		return time.Now()
	}
	for _, m := range messages {
		if m.Header.Level == syscall.SOL_SOCKET && m.Header.Type == syscall.SCM_TIMESTAMPNS && len(m.Data) >= int(unsafe.Sizeof(syscall.Timespec{})) {
			at := (*syscall.Timespec)(unsafe.Pointer(unsafe.SliceData(m.Data)))
			return time.Unix(at.Unix())
		}
	}
	return time.Now()
}
