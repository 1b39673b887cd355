package main

import (
	"fmt"
	"io"
	"strings"
)

// shortUsage follows the report of a bad command line. Back quote and
// apostrophe are iperf3's.
const shortUsage = "Usage: iperf3 [-s|-c host] [options]\n" +
	"Try `iperf3 --help' for more information.\n"

// helpColumn is where the descriptions of the long usage begin.
const helpColumn = 34

// writeUsage writes the long usage. commands tells whether this program has
// subcommands.
func writeUsage(w io.Writer, commands bool) {
	fmt.Fprint(w, "Usage: iperf3 -s [options]        be a server\n"+
		"       iperf3 -c HOST [options]   measure to or from that server\n"+
		"       iperf3 -h | -v\n")
	if commands {
		fmt.Fprint(w, "linkperf takes the same options, and has commands of its own:\n")
		for _, c := range subcommands() {
			fmt.Fprintf(w, "       linkperf %-27s %s\n", c.synopsis, c.help)
		}
	}
	for _, section := range []struct {
		title string
		is    func(*option) bool
	}{
		{"Server and client", func(o *option) bool { return !o.ours && o.who == everyone }},
		{"Server", func(o *option) bool { return !o.ours && o.who == serverOnly }},
		{"Client", func(o *option) bool { return !o.ours && o.who == clientOnly }},
		{"Not in iperf3 (to be written in full)", func(o *option) bool { return o.ours }},
	} {
		fmt.Fprintf(w, "\n%s:\n", section.title)
		for i := range options {
			if o := &options[i]; o.help != "" && section.is(o) {
				writeOption(w, o)
			}
		}
	}
	fmt.Fprint(w, "\nRATE takes the suffixes K, M, G, T in powers of 1000, SIZE and COUNT in powers of 1024.\n"+
		"Defaults stand in parentheses. Long options may be shortened as long as they are unique.\n")
}

func writeOption(w io.Writer, o *option) {
	left := "      --" + o.long
	if o.short != "" {
		left = "  -" + o.short + ", --" + o.long
	}
	switch o.takes {
	case required:
		left += " " + o.placeholder
	case optional:
		left += "[=" + o.placeholder + "]"
	}
	lines := strings.Split(o.help, "\n")
	if len(left) > helpColumn-2 {
		fmt.Fprintln(w, left)
		left = ""
	}
	for _, line := range lines {
		fmt.Fprintf(w, "%-*s%s\n", helpColumn, left, line)
		left = ""
	}
}
