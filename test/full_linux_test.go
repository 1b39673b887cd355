package test

import (
	"strings"
	"testing"
)

// An output that cannot be written is told where it can be read.
func TestFullDisk(t *testing.T) {
	ours := linkperf(t)
	for _, form := range []string{"", "-J", "--json-stream"} {
		t.Run(form, func(t *testing.T) {
			s := startServer(t, ours, "-1")
			o := s.client(t, ours, append(strings.Fields(form), "-t", "1", "-b", "1M", "--logfile", "/dev/full")...)
			if o.code != 1 || !strings.Contains(o.stderr, "no space left") {
				t.Errorf("%v", o)
			}
		})
	}
}

// Whoever starts a daemon hears that it could not start, whatever its output.
func TestDaemonOnTakenPort(t *testing.T) {
	ours := linkperf(t)
	s := startServer(t, ours)
	for _, form := range []string{"", "-J", "--json-stream"} {
		if o := run(t, ours, append(strings.Fields(form), "-s", "-D", "-p", s.portArg())...); o.code != 1 || !strings.Contains(o.stderr, "in use") {
			t.Errorf("%s: %v", form, o)
		}
	}
}
