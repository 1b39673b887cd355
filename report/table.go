package report

import (
	"encoding/json"
	"fmt"
	"io"
	"maps"
	"math"
	"slices"
	"strings"

	"github.com/olekukonko/tablewriter"
	"github.com/olekukonko/tablewriter/renderer"
	"github.com/olekukonko/tablewriter/tw"

	"linkperf/report/compare"
)

// secondary metrics are left to the HTML page, CSV and JSON: the text table
// stays readable on a terminal.
var secondary = map[string]bool{"retransmit_percent": true, "rtt_ms": true,
	"client_cpu_seconds_per_gigabyte": true, "server_cpu_seconds_per_gigabyte": true}

// WriteText prints the table of cases, the verdicts, the findings and the
// warnings for a terminal.
func (a *Analysis) WriteText(w io.Writer) error { return a.write(w, false) }

// WriteMarkdown prints the same as Markdown.
func (a *Analysis) WriteMarkdown(w io.Writer) error { return a.write(w, true) }

func (a *Analysis) write(w io.Writer, markdown bool) error {
	p := printer{w: w, markdown: markdown}
	rows := [][]string{}
	for _, c := range a.Cases {
		if !secondary[c.Metric.Name] {
			rows = append(rows, append([]string{orDash(c.Case), c.Metric.Title}, summaryCells(&c)...))
		}
	}
	if len(rows) > 0 {
		p.heading("Cases")
		p.table([]string{"case", "metric", "median", "interval", "n", "CV", "min – max"}, rows)
	}
	p.list("Verdicts", a.sentences())
	p.list("Findings", a.findingLines())
	p.list("What else differed", a.axisLines(12))
	p.list("Warnings", slices.Concat(atMost(a.Warnings, 20), atMost(a.caseWarnings(), 12)))
	return p.err
}

// caseWarnings are the warnings about the rows of the table. That a row has too
// few runs stands in it.
func (a *Analysis) caseWarnings() []string {
	var lines []string
	few := ""
	for i := range a.Cases {
		c := &a.Cases[i]
		if secondary[c.Metric.Name] {
			continue
		}
		about := c.Summary.Warnings
		if c.Summary.Confidence == 0 && len(about) > 0 {
			few, about = fmt.Sprintf("too few runs for an interval; %d of each case are enough", c.Summary.Needed), about[1:]
		}
		for _, w := range about {
			lines = append(lines, orDash(c.Case)+": "+c.Metric.Title+": "+w)
		}
	}
	if few != "" {
		lines = append(lines, few)
	}
	return lines
}

// runs is a number of runs in words.
func runs(n int) string {
	if n == 1 {
		return "1 run"
	}
	return fmt.Sprintf("%d runs", n)
}

func orDash(s string) string {
	if s == "" {
		return "–"
	}
	return oneLine(s)
}

// summaryCells are median, interval, n, CV, range of a case.
func summaryCells(c *CaseSummary) []string {
	s := &c.Summary
	interval, cv := "too few runs", "–"
	if s.Confidence > 0 {
		interval = fmt.Sprintf("%s – %s (%.1f%%)", amount(s.Lo, c.Metric), amount(s.Hi, c.Metric), s.Confidence*100)
	}
	if !math.IsNaN(s.CV) {
		cv = fmt.Sprintf("%.1f%%", s.CV*100)
	}
	n := fmt.Sprint(s.N)
	if c.Failed > 0 {
		n += fmt.Sprintf(" (%d failed)", c.Failed)
	}
	return []string{amount(s.Median, c.Metric), interval, n, cv, amount(s.Min, c.Metric) + " – " + amount(s.Max, c.Metric)}
}

// amount prints a figure of a metric with its unit; bit rates get a prefix.
func amount(v float64, m compare.Metric) string {
	if math.IsNaN(v) {
		return "–"
	}
	if m.Unit != "bit/s" {
		return compare.Figure(v) + " " + m.Unit
	}
	for _, p := range []struct {
		f float64
		s string
	}{{1e12, "T"}, {1e9, "G"}, {1e6, "M"}, {1e3, "k"}} {
		if v >= p.f {
			return fmt.Sprintf("%.4g %sbit/s", v/p.f, p.s)
		}
	}
	return fmt.Sprintf("%.4g bit/s", v)
}

// sentences are the verdicts that people ask for: those on throughput, loss
// and jitter; the rest stands in the page and the files.
func (a *Analysis) sentences() []string {
	var lines []string
	for i := range a.Verdicts {
		if v := &a.Verdicts[i]; !secondary[v.Metric.Name] {
			lines = append(lines, v.Axis+": "+v.String())
		}
	}
	for _, r := range a.Rates {
		lines = append(lines, fmt.Sprintf("rate from bytes against time over %s of %s: %s", runs(r.Runs), orDash(r.Case), amount(r.BitsPerSecond, compare.Metrics()[0])))
	}
	return lines
}

func (a *Analysis) findingLines() []string {
	var lines []string
	for _, f := range a.Findings {
		l := f.Sentence
		if f.Advice != "" {
			l += " Try: " + f.Advice
		}
		lines = append(lines, fmt.Sprintf("%s [%s, %s]", l, f.ID, f.Where()))
	}
	return lines
}

// Where says in which runs a finding holds.
func (f Finding) Where() string {
	s := fmt.Sprintf("%d of %s", f.Runs, runs(f.Of))
	if f.Varies {
		s += "; the figures are those of the first"
	}
	return s
}

// axisLines tells what else differs between the values of each axis.
func (a *Analysis) axisLines(most int) []string {
	var lines []string
	for _, d := range a.ByAxis {
		lines = append(lines, d.Axis+": "+d.line())
	}
	return atMost(lines, most)
}

func differenceLines(ds []Difference, most int) []string {
	var lines []string
	for i := range ds {
		lines = append(lines, ds[i].line())
	}
	return atMost(lines, most)
}

func atMost(lines []string, most int) []string {
	if len(lines) <= most {
		return lines
	}
	return append(lines[:most:most], fmt.Sprintf("and %d more (see the page or --json)", len(lines)-most))
}

func (d *Difference) line() string {
	var vs []string
	for _, g := range slices.Sorted(maps.Keys(d.Values)) {
		vs = append(vs, fmt.Sprintf("%s with %s", d.Values[g], orDash(g)))
	}
	return strings.TrimSpace(d.Side+" "+d.Fact) + " is " + strings.Join(vs, "; ")
}

type printer struct {
	w        io.Writer
	markdown bool
	err      error
}

func (p *printer) printf(format string, args ...any) {
	if p.err == nil {
		_, p.err = fmt.Fprintf(p.w, format, args...)
	}
}

func (p *printer) heading(s string) {
	if p.markdown {
		p.printf("\n## %s\n\n", plainMarkdown(s))
		return
	}
	p.printf("\n%s\n", oneLine(s))
}

func (p *printer) list(title string, lines []string) {
	if len(lines) == 0 {
		return
	}
	p.heading(title)
	for _, l := range lines {
		if p.markdown {
			p.printf("- %s\n", plainMarkdown(l))
			continue
		}
		p.printf("  %s\n", oneLine(l))
	}
}

// plainMarkdown makes text fit for a line or a cell of Markdown.
func plainMarkdown(s string) string {
	return strings.NewReplacer("|", `\|`, "<", "&lt;", "*", `\*`, "`", "\\`").Replace(oneLine(s))
}

func (p *printer) table(header []string, rows [][]string) {
	if p.err != nil {
		return
	}
	options := []tablewriter.Option{tablewriter.WithHeaderAutoFormat(tw.Off), tablewriter.WithHeaderAlignment(tw.AlignLeft), tablewriter.WithRowAlignment(tw.AlignLeft)}
	if p.markdown {
		options = append(options, tablewriter.WithRenderer(renderer.NewMarkdown()))
	}
	fit := oneLine
	if p.markdown {
		fit = plainMarkdown
	}
	for _, row := range rows {
		for i := range row {
			row[i] = fit(row[i])
		}
	}
	for i := range header {
		header[i] = fit(header[i])
	}
	t := tablewriter.NewTable(p.w, options...)
	t.Header(header)
	if p.err = t.Bulk(rows); p.err == nil {
		p.err = t.Render()
	}
}

// WriteJSON prints the analysis as one JSON object; figures that are not
// known are null.
func (a *Analysis) WriteJSON(w io.Writer) error {
	type caseJSON struct {
		Case       string    `json:"case"`
		Metric     string    `json:"metric"`
		Unit       string    `json:"unit"`
		N          int       `json:"n"`
		Failed     int       `json:"failed"`
		Median     *float64  `json:"median"`
		Lo         *float64  `json:"low"`
		Hi         *float64  `json:"high"`
		Confidence *float64  `json:"confidence"`
		CV         *float64  `json:"cv"`
		Min        *float64  `json:"min"`
		Max        *float64  `json:"max"`
		Values     []float64 `json:"values"`
		Warnings   []string  `json:"warnings,omitempty"`
	}
	out := struct {
		Source      string           `json:"source"`
		Runs        int              `json:"runs"`
		Cases       []caseJSON       `json:"cases"`
		Verdicts    []verdictJSON    `json:"verdicts"`
		Findings    []Finding        `json:"findings"`
		Differences []AxisDifference `json:"differences"`
		Warnings    []string         `json:"warnings"`
	}{Source: a.Set.Name, Runs: len(a.Set.Runs), Cases: []caseJSON{}, Verdicts: verdictsJSON(a.Verdicts), Findings: orEmpty(a.Findings), Differences: orEmpty(a.ByAxis), Warnings: orEmpty(a.Warnings)}
	for _, c := range a.Cases {
		s := c.Summary
		out.Cases = append(out.Cases, caseJSON{Case: c.Case, Metric: c.Metric.Name, Unit: c.Metric.Unit, N: s.N, Failed: c.Failed,
			Median: finite(s.Median), Lo: finite(s.Lo), Hi: finite(s.Hi), Confidence: positiveOrNil(s.Confidence), CV: finite(s.CV),
			Min: finite(s.Min), Max: finite(s.Max), Values: c.Values, Warnings: s.Warnings})
	}
	return writeIndented(w, out)
}

type verdictJSON struct {
	Metric     string   `json:"metric"`
	Unit       string   `json:"unit"`
	Axis       string   `json:"axis"`
	Base       string   `json:"base"`
	Other      string   `json:"other"`
	Verdict    string   `json:"verdict"`
	Sentence   string   `json:"sentence"`
	Shift      *float64 `json:"shift"`
	Lo         *float64 `json:"shift_low"`
	Hi         *float64 `json:"shift_high"`
	Relative   bool     `json:"relative"` // shift is a fraction of the base
	Confidence *float64 `json:"confidence"`
	P          *float64 `json:"p_value"`
	Paired     bool     `json:"paired"`
	Runs       int      `json:"runs"`
	Strata     int      `json:"strata"`
	Needed     int      `json:"runs_needed,omitempty"`
}

func verdictsJSON(vs []compare.Verdict) []verdictJSON {
	out := []verdictJSON{}
	for i := range vs {
		v := &vs[i]
		out = append(out, verdictJSON{Metric: v.Metric.Name, Unit: v.Metric.Unit, Axis: v.Axis, Base: v.Base, Other: v.Other,
			Verdict: string(v.Outcome), Sentence: v.String(), Shift: finite(v.Shift.Estimate), Lo: finite(v.Shift.Lo), Hi: finite(v.Shift.Hi),
			Relative: v.Shift.Relative, Confidence: positiveOrNil(v.Shift.Confidence), P: finite(v.P), Paired: v.Shift.Paired,
			Runs: v.Shift.N, Strata: v.Shift.Strata, Needed: v.Needed})
	}
	return out
}

func finite(f float64) *float64 {
	if math.IsNaN(f) || math.IsInf(f, 0) {
		return nil
	}
	f += 0 // -0 is 0
	return &f
}

// orEmpty makes JSON's empty list of none.
func orEmpty[T any](list []T) []T {
	if list == nil {
		return []T{}
	}
	return list
}

func positiveOrNil(f float64) *float64 {
	if f <= 0 {
		return nil
	}
	return &f
}

func writeIndented(w io.Writer, v any) error {
	b, err := json.MarshalIndent(v, "", "  ")
	if err != nil {
		return err
	}
	_, err = w.Write(append(b, '\n'))
	return err
}
