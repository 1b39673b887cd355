package sockopt

import "golang.org/x/sys/unix"

func unsent(fd uintptr) (int, error) { return getInt(fd, unix.SOL_SOCKET, unix.SO_NWRITE) }
