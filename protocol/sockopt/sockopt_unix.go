//go:build unix

package sockopt

import (
	"golang.org/x/sys/unix"
)

func setInt(fd uintptr, level, name, value int) error {
	return unix.SetsockoptInt(int(fd), level, name, value)
}

func getInt(fd uintptr, level, name int) (int, error) {
	return unix.GetsockoptInt(int(fd), level, name)
}

// isIPv6 asks the socket itself: an accepted connection on a dual-stack
// listener has an IPv4 address and is an IPv6 socket.
func isIPv6(fd uintptr, _ string) bool {
	sa, err := unix.Getsockname(int(fd))
	if err != nil {
		return false
	}
	_, ok := sa.(*unix.SockaddrInet6)
	return ok
}

func setSendBuffer(fd uintptr, n int) error {
	return setInt(fd, unix.SOL_SOCKET, unix.SO_SNDBUF, n)
}

func setReceiveBuffer(fd uintptr, n int) error {
	return setInt(fd, unix.SOL_SOCKET, unix.SO_RCVBUF, n)
}

func buffers(fd uintptr) (send, receive int, err error) {
	if send, err = getInt(fd, unix.SOL_SOCKET, unix.SO_SNDBUF); err != nil {
		return 0, 0, err
	}
	receive, err = getInt(fd, unix.SOL_SOCKET, unix.SO_RCVBUF)
	return send, receive, err
}

func setNoDelay(fd uintptr) error    { return setInt(fd, unix.IPPROTO_TCP, unix.TCP_NODELAY, 1) }
func setMSS(fd uintptr, n int) error { return setInt(fd, unix.IPPROTO_TCP, unix.TCP_MAXSEG, n) }
func getMSS(fd uintptr) (int, error) { return getInt(fd, unix.IPPROTO_TCP, unix.TCP_MAXSEG) }
func setTOS(fd uintptr, n int) error { return setInt(fd, unix.IPPROTO_IP, unix.IP_TOS, n) }

func setTrafficClass(fd uintptr, n int) error {
	return setInt(fd, unix.IPPROTO_IPV6, unix.IPV6_TCLASS, n)
}

func setKeepAlive(fd uintptr) error { return setInt(fd, unix.SOL_SOCKET, unix.SO_KEEPALIVE, 1) }
