package sockopt

import "golang.org/x/sys/unix"

func unsent(fd uintptr) (int, error) { return unix.IoctlGetInt(int(fd), unix.SIOCOUTQ) }
