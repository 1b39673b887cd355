//go:build unix

package stream

import (
	"net"

	"golang.org/x/sys/unix"
)

// drain throws away the datagrams that wait on a socket. A deadline would not
// do: package net does not read when one has passed.
func drain(c *net.UDPConn) error {
	raw, err := c.SyscallConn()
	if err != nil {
		return err
	}
	b := make([]byte, 1)
	return raw.Read(func(fd uintptr) bool {
		for {
			if _, _, err := unix.Recvfrom(int(fd), b, unix.MSG_DONTWAIT); err != nil && err != unix.EINTR && !transient(err) {
				return true
			}
		}
	})
}
