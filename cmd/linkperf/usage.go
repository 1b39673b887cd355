package main

import (
	"fmt"
	"io"
	"strings"
)

// shortUsage follows the report of a bad command line. The words are iperf3's,
// with its back quote and apostrophe; the name is what the program was called by.
func shortUsage(program string) string {
	return fmt.Sprintf("Usage: %[1]s [-s|-c host] [options]\nTry `%[1]s --help' for more information.\n", program)
}

// helpColumn is where the descriptions of the long usage begin.
const helpColumn = 34

// writeUsage writes the long usage of the program, which was called by that
// name. commands tells whether it has subcommands.
func writeUsage(w io.Writer, program string, commands bool) {
	line := func(start, synopsis, help string) {
		fmt.Fprintln(w, strings.TrimRight(fmt.Sprintf("%-6s %s %-27s %s", start, program, synopsis, help), " "))
	}
	line("Usage:", "-s [options]", "be a server")
	line("", "-c HOST [options]", "measure to or from that server")
	line("", "-h | -v", "")
	if commands {
		fmt.Fprintln(w, "The options are iperf3's. Commands that iperf3 does not have:")
		for _, c := range subcommands() {
			line("", c.synopsis, c.help)
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
