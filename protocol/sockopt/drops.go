package sockopt

import "syscall"

// Drops returns how many datagrams the system has dropped because the socket's
// receive buffer was full (Linux: the counter that SO_RXQ_OVFL attaches to
// datagrams, read with SO_MEMINFO so that the last drops show as well).
func Drops(c syscall.RawConn) (n int64, err error) {
	err = control(c, "read the socket's drop counter", func(fd uintptr) (err error) {
		n, err = drops(fd)
		return err
	})
	return n, err
}
