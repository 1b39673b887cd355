package protocol

import "syscall"

// portableErrno returns the number itself: this system uses it as it is.
func portableErrno(number syscall.Errno) syscall.Errno { return number }

// unlistedText lets the system name a number that is its own.
func unlistedText(number int32) string { return capitalised(syscall.Errno(number).Error()) }
