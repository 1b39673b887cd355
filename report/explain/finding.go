package explain

import (
	"cmp"
	"fmt"
	"slices"
	"strings"

	"linkperf/protocol/measure"
	"linkperf/sysinfo"
)

// Severity is how much a finding matters.
type Severity string

// The severities, the gravest first.
const (
	Warning Severity = "warning" // explains a loss, or makes the result doubtful
	Note    Severity = "note"    // matters when results are compared
	Info    Severity = "info"    // good to know
)

func (s Severity) rank() int { return slices.Index([]Severity{Warning, Note, Info}, s) }

// What a finding is about, beside the two sides "client" and "server".
const (
	sideBoth = "both"
	sidePath = "path" // what lies between them
)

// Finding is one conclusion.
type Finding struct {
	ID       string   `json:"id"` // stable; docs/findings.md has them all
	Severity Severity `json:"severity"`
	Side     string   `json:"side"` // "client", "server", "both", "path"
	Sentence string   `json:"sentence"`
	// Numbers are the facts that the sentence rests on. Keys are paths in the
	// record of an end ("client.link.mtu_bytes") or figures of the test
	// ("result.to_server.bits_per_second"); units stand in the names.
	Numbers map[string]any `json:"numbers"`
	Advice  string         `json:"advice,omitempty"` // what to try; empty if there is nothing to do
}

// Input is what is known about one test. Every part may be missing.
type Input struct {
	Result         *measure.Result // nil: no test, facts alone
	Client, Server *sysinfo.Record // nil: none, as from a stock iperf3
	Err            error           // how the test failed, nil if it did not
}

// FromResult makes an input of what a test has gathered, reading the records
// of both ends. A record that cannot be read is left out and told by the
// error; the input is usable all the same.
func FromResult(r *measure.Result, testErr error) (Input, error) {
	in := Input{Result: r, Err: testErr}
	if r.Start == nil {
		return in, nil
	}
	own, other := &in.Client, &in.Server
	if r.Start.Side == measure.Server {
		own, other = other, own
	}
	var firstErr error
	for _, one := range []struct {
		raw  []byte
		into **sysinfo.Record
		of   string
	}{{r.LocalRecord, own, "this end"}, {r.PeerRecord, other, "the other end"}} {
		if one.raw == nil {
			continue
		}
		record, err := sysinfo.ParseRecord(one.raw)
		if err != nil {
			firstErr = cmp.Or(firstErr, fmt.Errorf("record of %s: %w", one.of, err))
			continue
		}
		*one.into = record
	}
	return in, firstErr
}

// Explain draws the conclusions, the gravest first and, among equally grave
// ones, the likeliest cause of a low figure first. There is at most one of
// each id for each side. The result is never nil, and holds no address that
// the records do not: redact them first if needed.
func Explain(in Input) []Finding {
	v := newView(in)
	found := []Finding{}
	add := func(r *rule, list []Finding) {
		for _, f := range list {
			f.ID, f.Severity = r.id, r.severity
			f.Sentence, f.Advice = sysinfo.Printable(f.Sentence), sysinfo.Printable(f.Advice)
			found = append(found, f)
		}
	}
	for i := range rules {
		if r := &rules[i]; r.find != nil {
			add(r, r.find(v))
		}
	}
	causes := causesIn(found)
	for i := range rules {
		if r := &rules[i]; r.conclude != nil {
			add(r, r.conclude(v, causes))
		}
	}
	slices.SortStableFunc(found, func(a, b Finding) int {
		return cmp.Or(cmp.Compare(a.Severity.rank(), b.Severity.rank()), cmp.Compare(place(a.ID), place(b.ID)))
	})
	return found
}

// place is where the rule stands in the table.
func place(id string) int {
	return slices.IndexFunc(rules, func(r rule) bool { return r.id == id })
}

// causesIn are the ids of findings that can lower a throughput, in the order
// of the table, each once.
func causesIn(found []Finding) []string {
	var ids []string
	for i := range rules {
		if !rules[i].cause {
			continue
		}
		if slices.ContainsFunc(found, func(f Finding) bool { return f.ID == rules[i].id }) {
			ids = append(ids, rules[i].id)
		}
	}
	return ids
}

// Text is the block that stands below a table, empty without findings. It is
// fit for a terminal, whoever made the findings.
func Text(findings []Finding) string {
	if len(findings) == 0 {
		return ""
	}
	var b strings.Builder
	b.WriteString("Findings:\n")
	for _, f := range findings {
		fmt.Fprintf(&b, "  %-7s  %s [%s]\n", sysinfo.Printable(string(f.Severity)), sysinfo.Printable(f.Sentence), sysinfo.Printable(f.ID))
		if f.Advice != "" {
			fmt.Fprintf(&b, "           Try: %s\n", sysinfo.Printable(f.Advice))
		}
	}
	return b.String()
}
