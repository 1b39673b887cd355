package test

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"strings"
)

// listening tells whether some socket in the process's network namespace
// listens on the TCP port. A process that is gone listens on nothing.
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
			const localAddress, state, listen = 1, 3, "0A"
			f := strings.Fields(line)
			if len(f) > state && strings.HasSuffix(f[localAddress], suffix) && f[state] == listen {
				return true, nil
			}
		}
	}
	return false, nil
}
