//go:build unix

package system

import (
	"os"
	"os/exec"
	"syscall"
)

// ownGroup keeps the signals of a terminal away from a command: a Ctrl-C must
// not stop a firewall half way.
func ownGroup(c *exec.Cmd) { c.SysProcAttr = &syscall.SysProcAttr{Setpgid: true} }

// inherit hands an open file to a command.
func inherit(c *exec.Cmd, f *os.File) { c.ExtraFiles = append(c.ExtraFiles, f) }

// privileged reports whether this process may change the system.
func privileged() bool { return os.Geteuid() == 0 }

// systemDirectory is where Windows' programs are, for tests that play Windows.
func systemDirectory() string { return "/Windows/System32" }
