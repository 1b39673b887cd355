package protocol

import (
	"fmt"
	"strings"
	"syscall"
)

// portableErrno returns the number itself: this system uses it as it is.
func portableErrno(number syscall.Errno) syscall.Errno { return number }

// unlistedText lets the system name a number that is its own.
func unlistedText(number int32) string {
	text := syscall.Errno(number).Error()
	if strings.HasPrefix(text, "errno ") {
		return fmt.Sprintf("Unknown error %d", number)
	}
	return capitalised(text)
}
