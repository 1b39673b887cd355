package main

import (
	"os/exec"
	"syscall"
)

// createNoWindow is CREATE_NO_WINDOW: a console of its own that nobody sees and
// nobody can close.
const createNoWindow = 0x08000000

// ownSession keeps a child apart from the console, which ends what is attached
// to it when it is closed.
func ownSession(c *exec.Cmd) {
	c.SysProcAttr = &syscall.SysProcAttr{CreationFlags: syscall.CREATE_NEW_PROCESS_GROUP | createNoWindow}
}
