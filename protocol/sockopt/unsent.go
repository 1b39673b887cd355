package sockopt

import "syscall"

// Unsent returns how many bytes a TCP connection still holds because the peer
// has not acknowledged them (Linux SIOCOUTQ, tcp(7); macOS SO_NWRITE).
func Unsent(c syscall.RawConn) (n int, err error) {
	err = control(c, "read the length of the send queue", func(fd uintptr) (err error) {
		n, err = unsent(fd)
		return err
	})
	return n, err
}
