//go:build !linux && !windows

package protocol

import (
	"fmt"
	"syscall"
)

// portableErrno returns the number itself: this system uses it as it is.
func portableErrno(number syscall.Errno) syscall.Errno { return number }

// unlistedText cannot ask the system, which counts differently.
func unlistedText(number int32) string { return fmt.Sprintf("Unknown error %d", number) }
