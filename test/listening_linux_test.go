package test

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
)

// listening tells whether the process listens on the TCP port, in whatever
// network namespace it is. Another process that was faster to take the port
// does not count. A process that is gone listens on nothing.
func listening(pid, port int) (bool, error) {
	for _, table := range []string{"tcp", "tcp6"} {
		text, err := os.ReadFile(fmt.Sprintf("/proc/%d/net/%s", pid, table))
		if errors.Is(err, fs.ErrNotExist) {
			continue
		}
		if err != nil {
			return false, nil // a process on its way out answers with an error
		}
		suffix := fmt.Sprintf(":%04X", port)
		for line := range strings.Lines(string(text)) {
			const localAddress, state, inode, listen = 1, 3, 9, "0A"
			f := strings.Fields(line)
			if len(f) > inode && strings.HasSuffix(f[localAddress], suffix) && f[state] == listen && hasSocket(pid, f[inode]) {
				return true, nil
			}
		}
	}
	return false, nil
}

// hasSocket tells whether the process holds the socket with this inode. Wine
// keeps the sockets of its programs in a process of its own.
func hasSocket(pid int, inode string) bool {
	if program, err := os.Readlink(fmt.Sprintf("/proc/%d/exe", pid)); err == nil && strings.HasPrefix(filepath.Base(program), "wine") {
		return true
	}
	open, err := filepath.Glob(fmt.Sprintf("/proc/%d/fd/*", pid))
	if err != nil {
		return false
	}
	for _, fd := range open {
		if to, err := os.Readlink(fd); err == nil && to == "socket:["+inode+"]" {
			return true
		}
	}
	return false
}
