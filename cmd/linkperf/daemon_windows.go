package main

import (
	"io"
	"os"
)

// becomeDaemon is never called: -D needs a feature that Windows does not have.
func becomeDaemon([]string, io.Writer) int { return 1 }

func isDaemon() (stderr io.Writer, started func(), ok bool) { return nil, nil, false }

// alive reports whether there is a process of that id.
func alive(pid int) bool {
	p, err := os.FindProcess(pid)
	if err != nil {
		return false
	}
	p.Release()
	return true
}
