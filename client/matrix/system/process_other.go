//go:build !unix && !windows

package system

import (
	"os"
	"os/exec"
)

func ownGroup(*exec.Cmd) {}

func inherit(*exec.Cmd, *os.File) {}

func privileged() bool { return false }

func systemDirectory() string { return "/Windows/System32" }
