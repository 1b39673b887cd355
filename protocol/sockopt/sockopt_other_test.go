//go:build !linux

package sockopt

import "syscall"

func sentFlowLabel(syscall.RawConn) (uint32, error) { return 0, unsupported("a flow label") }
