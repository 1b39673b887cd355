package sysinfo

import (
	"fmt"
	"unsafe"

	"golang.org/x/sys/windows"
)

// Numbers of mstcpip.h and ws2ipdef.h.
const (
	sioTCPInfo = 0xD8000027
	ipMTU      = 73
	ipv6MTU    = 72
)

// readSocket asks the system about one data connection.
func readSocket(c Conn) (socketSample, error) {
	if c.Raw == nil {
		return socketSample{}, because(NotAttempted, "no socket was given")
	}
	var s socketSample
	var asked error
	err := c.Raw.Control(func(fd uintptr) {
		socket := windows.Handle(fd)
		if c.Transport == "tcp" {
			s, asked = readTCPInfo(socket)
		}
		number := func(level, option int) *int64 {
			n, err := windows.GetsockoptInt(socket, level, option)
			if err != nil || n <= 0 {
				return nil
			}
			return new(int64(n))
		}
		s.SendBuffer = number(windows.SOL_SOCKET, windows.SO_SNDBUF)
		s.ReceiveBuffer = number(windows.SOL_SOCKET, windows.SO_RCVBUF)
		if remote := c.Remote.Addr(); remote.Is6() && !remote.Is4In6() {
			s.PathMTU = number(windows.IPPROTO_IPV6, ipv6MTU)
		} else {
			s.PathMTU = number(windows.IPPROTO_IP, ipMTU)
		}
	})
	if err != nil {
		return s, fmt.Errorf("read socket: %w", err)
	}
	return s, asked
}

// readTCPInfo asks for version 1 of the structure, or else for 0.
func readTCPInfo(socket windows.Handle) (socketSample, error) {
	var err error
	for version := uint32(1); ; version-- {
		b := make([]byte, 256)
		var n uint32
		err = windows.WSAIoctl(socket, sioTCPInfo, (*byte)(unsafe.Pointer(&version)), uint32(unsafe.Sizeof(version)), &b[0], uint32(len(b)), &n, nil, 0)
		if err == nil {
			return parseTCPInfo(b[:n])
		}
		if version == 0 {
			return socketSample{}, because(NotSupported, "SIO_TCP_INFO: %v", err)
		}
	}
}
