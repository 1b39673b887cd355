package explain

import (
	"bytes"
	"flag"
	"fmt"
	"maps"
	"os"
	"slices"
	"testing"
)

var update = flag.Bool("update", false, "write docs/findings.md")

const findingsDoc = "../../docs/findings.md"

// TestDocs: docs/findings.md says what the table and the examples say.
func TestDocs(t *testing.T) {
	want := documentation()
	if *update {
		if err := os.WriteFile(findingsDoc, want, 0o644); err != nil {
			t.Fatal(err)
		}
	}
	got, err := os.ReadFile(findingsDoc)
	if err != nil {
		t.Fatal(err)
	}
	// A checkout may have changed the ends of lines.
	if !bytes.Equal(bytes.ReplaceAll(got, []byte("\r\n"), []byte("\n")), want) {
		t.Error("docs/findings.md is not what the code says; write it with: go test ./report/explain -run TestDocs -update")
	}
}

func documentation() []byte {
	var b bytes.Buffer
	b.WriteString(`# Findings

What linkperf concludes from a result and from what both ends recorded beside it. Findings stand in the JSON document under
` + "`linkperf.findings`" + `, and below the table with ` + "`--sysinfo`" + `. Each has

| key | meaning |
|---|---|
| ` + "`id`" + ` | stable name, as below |
| ` + "`severity`" + ` | ` + "`warning`" + ` explains a loss or makes the result doubtful, ` + "`note`" + ` matters when results are compared, ` + "`info`" + ` is good to know |
| ` + "`side`" + ` | ` + "`client`, `server`, `both`" + `, or ` + "`path`" + ` for what lies between |
| ` + "`sentence`" + ` | the conclusion |
| ` + "`numbers`" + ` | the facts it rests on: paths in an end's record, and figures of the test under ` + "`result`" + ` |
| ` + "`advice`" + ` | what to try; absent if there is nothing to do |

A finding needs its facts to be known: what a record does not tell leads to no conclusion, except in the findings about what is
missing. The gravest come first, and among equally grave ones the likeliest cause of a low figure. What something costs is said
only where it was measured or published; otherwise a matrix can measure it. With a stock iperf3 at the other end its record is
missing, and what remains are the conclusions from this side.

The examples below are made by the code from made-up tests; this page is checked against it.

| finding | severity | |
|---|---|---|
`)
	for _, r := range rules {
		fmt.Fprintf(&b, "| [%s](#%s) | %s | %s |\n", r.id, r.id, r.severity, r.when)
	}
	for _, r := range rules {
		in := healthy()
		examples[r.id].fires(in)
		f, _ := with(Explain(*in), r.id)
		fmt.Fprintf(&b, "\n## %s\n\n%s. Fires when %s.\n\n> %s\n", r.id, capital(string(r.severity)), r.when, f.Sentence)
		if f.Advice != "" {
			fmt.Fprintf(&b, "\nTry: %s\n", f.Advice)
		}
	}
	b.WriteString("\n## Left out\n\nConclusions that were considered and are not drawn.\n\n| | why |\n|---|---|\n")
	for _, id := range slices.Sorted(maps.Keys(omitted)) {
		fmt.Fprintf(&b, "| %s | %s |\n", id, omitted[id])
	}
	b.WriteString(`
## The goodput ceiling

The most payload that a link can carry:

    TCP      payload = MTU - IP header (20 or 40) - 20 - 12 with timestamps
    UDP      payload = datagram, at most MTU - IP header - 8; a larger one is counted in its fragments
    Ethernet wire    = IP packet + 14 + 4 for each VLAN tag + 4 (FCS), at least 64, + 8 (preamble) + 12 (gap)
    ceiling          = speed x payload / wire

The speed is the lower of the sender's transmitting and the receiver's receiving speed, the MTU the least that any fact proves. If
only one end's speed is known, or it is not known whether TCP's timestamps are on, the ceiling is an estimate and says so.

| of 1 Gbit/s | MTU 1500 | MTU 9000 |
|---|---|---|
`)
	for _, row := range []struct {
		name string
		f    Framing
	}{
		{"TCP, IPv4, timestamps", Framing{Family: 4, Timestamps: true}},
		{"TCP, IPv4", Framing{Family: 4}},
		{"TCP, IPv6, timestamps", Framing{Family: 6, Timestamps: true}},
		{"TCP, IPv6", Framing{Family: 6}},
		{"UDP, IPv4, full datagrams", Framing{Transport: "UDP", Family: 4}},
		{"UDP, IPv6, full datagrams", Framing{Transport: "UDP", Family: 6}},
	} {
		fmt.Fprintf(&b, "| %s |", row.name)
		for _, mtu := range []int64{mtuPlain, mtuJumbo} {
			row.f.MTU = mtu
			fmt.Fprintf(&b, " %.2f Mbit/s |", row.f.Ceiling(1e9)/1e6)
		}
		b.WriteString("\n")
	}
	b.WriteString(`
Thunderbolt and USB4 frame otherwise: ceiling = speed x payload / (IP packet + 14) x f, with f = 0.985 up to Thunderbolt 3 and 0.955
for USB4 and Thunderbolt 4 and later, fitted to few published results; it is always an estimate. Wi-Fi, loopback, tunnels, virtual
interfaces, SCTP and multipath TCP have no ceiling: what a radio's rate carries depends on the radio, the others have no link speed or
no fixed framing.
`)
	return b.Bytes()
}

func capital(s string) string { return string(s[0]-'a'+'A') + s[1:] }
