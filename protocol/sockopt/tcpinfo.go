package sockopt

import (
	"syscall"

	"linkperf/protocol/measure"
)

// TCPInfo returns what the kernel knows about a TCP connection (Linux
// TCP_INFO, macOS TCP_CONNECTION_INFO). On Linux one call costs between
// one and two microseconds; it takes the socket's lock, so calling it often
// slows the stream down.
func TCPInfo(c syscall.RawConn) (info measure.TCPInfo, err error) {
	err = control(c, "read TCP information", func(fd uintptr) (err error) {
		info, err = tcpInfo(fd)
		return err
	})
	return info, err
}
