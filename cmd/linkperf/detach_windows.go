package main

import (
	"os/exec"
	"syscall"
)

// detach puts a child in a process group of its own.
func detach(c *exec.Cmd) {
	c.SysProcAttr = &syscall.SysProcAttr{CreationFlags: syscall.CREATE_NEW_PROCESS_GROUP}
}
