//go:build !unix

package stream

import (
	"errors"
	"net"
	"os"
	"time"
)

// drain throws away the datagrams that wait on a socket.
func drain(c *net.UDPConn) error {
	if err := c.SetReadDeadline(time.Now().Add(time.Millisecond)); err != nil {
		return err
	}
	b := make([]byte, 64)
	for {
		if _, err := c.Read(b); errors.Is(err, os.ErrDeadlineExceeded) {
			return c.SetReadDeadline(time.Time{})
		} else if err != nil && !transient(err) {
			return err
		}
	}
}
