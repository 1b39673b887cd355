package main

import (
	"strings"
	"testing"
)

// TestHelp checks that every command explains itself.
func TestHelp(t *testing.T) {
	for _, c := range subcommands() {
		got := call(t, "linkperf", c.name, "--help")
		if got.status != 0 || got.stderr != "" || !strings.HasPrefix(got.stdout, "Usage: linkperf "+c.name) {
			t.Errorf("%s: %+v", c.name, got)
		}
		for line := range strings.Lines(got.stdout) {
			if len(line) > 120 {
				t.Errorf("%s: a line of %d bytes: %s", c.name, len(line), line)
			}
		}
	}
}

// TestHelpAsWord checks that the word does what the option does, but for iperf3,
// which has no words.
func TestHelpAsWord(t *testing.T) {
	if got := call(t, "linkperf", "help"); got != call(t, "linkperf", "--help") || got.status != 0 {
		t.Errorf("%+v", got)
	}
	if got := call(t, "iperf3", "help"); got.status != 1 {
		t.Errorf("%+v", got)
	}
}

// TestUnknownCommand checks that a mistyped command is called one, and that the
// name iperf3 has none.
func TestUnknownCommand(t *testing.T) {
	if got := call(t, "linkperf", "reprot", "dir"); got.status != 1 || got.stderr != "linkperf: there is no command \"reprot\"; there are matrix, report, compare, sysinfo, version, and iperf3's -s and -c\n" {
		t.Errorf("%+v", got)
	}
	for _, args := range [][]string{{"iperf3", "matrix"}, {"linkperf"}} {
		if got := call(t, args...); got.status != 1 || !strings.HasPrefix(got.stderr, "iperf3: parameter error - must either be a client (-c) or server (-s)") {
			t.Errorf("%q: %+v", args, got)
		}
	}
}
