//go:build !linux

package test

import (
	"fmt"
	"os/exec"
)

// listening asks lsof whether some socket listens on the TCP port.
func listening(_, port int) (bool, error) {
	if _, err := exec.LookPath("lsof"); err != nil {
		return false, err
	}
	return exec.Command("lsof", "-nP", fmt.Sprintf("-iTCP:%d", port), "-sTCP:LISTEN").Run() == nil, nil
}
