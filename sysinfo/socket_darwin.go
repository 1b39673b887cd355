package sysinfo

import (
	"fmt"
	"unsafe"

	"golang.org/x/sys/unix"
)

// The structure that x/sys knows is the one that the parser reads.
var _ = [1]struct{}{}[unsafe.Sizeof(unix.TCPConnectionInfo{})-tcpConnectionInfoSize]

// readSocket asks the kernel about one data connection.
func readSocket(c Conn) (socketSample, error) {
	if c.Raw == nil {
		return socketSample{}, because(NotAttempted, "no socket was given")
	}
	var s socketSample
	var asked error
	err := c.Raw.Control(func(fd uintptr) {
		if c.Transport == "tcp" {
			s, asked = readConnection(int(fd))
		}
		for option, into := range map[int]**int64{unix.SO_SNDBUF: &s.SendBuffer, unix.SO_RCVBUF: &s.ReceiveBuffer} {
			if n, err := unix.GetsockoptInt(int(fd), unix.SOL_SOCKET, option); err == nil {
				*into = new(int64(n))
			}
		}
	})
	if err != nil {
		return s, fmt.Errorf("read socket: %w", err)
	}
	return s, asked
}

func readConnection(fd int) (socketSample, error) {
	info, err := unix.GetsockoptTCPConnectionInfo(fd, unix.IPPROTO_TCP, unix.TCP_CONNECTION_INFO)
	if err != nil {
		return socketSample{}, fmt.Errorf("read TCP_CONNECTION_INFO: %w", err)
	}
	return parseTCPConnectionInfo(unsafe.Slice((*byte)(unsafe.Pointer(info)), unsafe.Sizeof(*info)))
}
