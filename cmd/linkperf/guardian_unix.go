//go:build unix

package main

import (
	"os/exec"
	"syscall"
)

// ownSession keeps a child apart from the terminal and from whoever ends this
// program's process group.
func ownSession(c *exec.Cmd) { c.SysProcAttr = &syscall.SysProcAttr{Setsid: true} }
