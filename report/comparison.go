package report

import (
	"errors"
	"fmt"
	"io"
	"maps"
	"slices"
	"strings"

	"linkperf/report/compare"
)

// Comparison is what is to be said about two sets, or about the values of one
// axis of a set.
type Comparison struct {
	Base, Other string // names of the sets; empty when one set is split by an axis
	Verdicts    []compare.Verdict
	Differences []Difference
	Warnings    []string
}

// ErrNothingToCompare is returned for sets that have no case in common.
var ErrNothingToCompare = errors.New("nothing to compare")

// axisSet is the axis that tells two sets apart.
const axisSet = "set"

// CompareSets compares two sets case by case. Labels of which each set has one
// value need not agree: they are among the differences. Sets of which one was
// made by a plan and the other not are matched by the parameters of their tests.
func CompareSets(base, other *Set, o compare.Options) (*Comparison, error) {
	sets, differ, ok := matched(base, other)
	var runs []compare.Run
	var all []*StoredRun // with the set as a label
	names := []string{base.Name, other.Name}
	if names[0] == names[1] {
		names = []string{base.Name + " (first)", other.Name + " (second)"}
	}
	c := &Comparison{Base: names[0], Other: names[1]}
	if !ok {
		return c, fmt.Errorf("%w: no case is in both sets: %s has %s, %s has %s", ErrNothingToCompare, base.Name, base.measured(), other.Name, other.measured())
	}
	for i, s := range sets {
		for _, r := range s.CompareRuns() {
			labels := maps.Clone(r.Labels)
			labels[axisSet] = names[i]
			r.Labels, r.Interleaved = labels, false // rounds of different plans are no pairs
			runs = append(runs, r)
		}
		for _, r := range s.Runs {
			r.Labels = maps.Clone(r.Labels)
			r.Labels[axisSet] = names[i]
			all = append(all, &r)
		}
	}
	for _, m := range metricsOf(sets[:]...) {
		c.Verdicts = append(c.Verdicts, compare.Axes(runs, []compare.Axis{{Name: axisSet, Values: names}}, m, o)...)
	}
	c.finish(strata(axisSet, all))
	c.Differences = wholeDifferences(differ, names, c.Differences)
	if len(c.Verdicts) == 0 {
		return c, fmt.Errorf("%w: no figure was measured in both sets: %s has %s, %s has %s", ErrNothingToCompare, base.Name, base.measured(), other.Name, other.measured())
	}
	return c, nil
}

// CompareAxis compares the values of one axis of a set.
func CompareAxis(s *Set, name string, o compare.Options) (*Comparison, error) {
	c := &Comparison{}
	axes := s.Axes()
	at := slices.IndexFunc(axes, func(a compare.Axis) bool { return a.Name == name })
	if at < 0 {
		var names []string
		for _, a := range axes {
			names = append(names, a.Name)
		}
		return c, fmt.Errorf("%w: %s has no axis %q with two values; it has %s", ErrNothingToCompare, s.Name, name, orNone(names))
	}
	for _, m := range metricsOf(s) {
		c.Verdicts = append(c.Verdicts, compare.Axes(s.CompareRuns(), axes[at:at+1], m, o)...)
	}
	c.finish(strata(name, s.pointers()))
	if len(c.Verdicts) == 0 {
		return c, fmt.Errorf("%w: no two cases of %s differ in %s alone; it has %s", ErrNothingToCompare, s.Name, oneLine(name), s.measured())
	}
	return c, nil
}

func orNone(names []string) string {
	if len(names) == 0 {
		return "none"
	}
	return oneLine(strings.Join(names, ", "))
}

// measured lists the cases that have figures.
func (s *Set) measured() string {
	names := s.caseNames((*StoredRun).Counted)
	if len(names) == 0 {
		return "no finished run"
	}
	const most = 4
	if len(names) > most {
		names = append(names[:most:most], fmt.Sprintf("%d more", len(names)-most))
	}
	return oneLine(strings.Join(names, "; "))
}

func (c *Comparison) finish(all []stratum) {
	c.Differences = otherDifferences(all)
	c.Warnings = verdictWarnings(c.Verdicts)
}

// Slower returns the verdicts on throughput in which even the lower bound of
// the slowdown is above the limit (0.05 = 5 %).
func (c *Comparison) Slower(limit float64) []compare.Verdict {
	var slow []compare.Verdict
	for i := range c.Verdicts {
		v := &c.Verdicts[i]
		if lower, ok := v.Slowdown(); ok && v.Metric.Unit == "bit/s" && lower > limit {
			slow = append(slow, *v)
		}
	}
	return slow
}

// WriteText prints the comparison for a terminal.
func (c *Comparison) WriteText(w io.Writer) error { return c.write(w, false) }

// WriteMarkdown prints the same as Markdown.
func (c *Comparison) WriteMarkdown(w io.Writer) error { return c.write(w, true) }

func (c *Comparison) write(w io.Writer, markdown bool) error {
	p := printer{w: w, markdown: markdown}
	var rows [][]string
	for i := range c.Verdicts {
		v := &c.Verdicts[i]
		interval := "too few runs"
		if v.Shift.Confidence > 0 {
			interval = v.Interval() + fmt.Sprintf(" (%.1f%%)", v.Shift.Confidence*100)
		}
		rows = append(rows, []string{v.Metric.Title, v.Other, v.Change(), interval, probability(v.P), string(v.Outcome)})
	}
	if len(rows) > 0 {
		p.heading("Compared with " + c.Verdicts[0].Base)
		p.table([]string{"metric", c.Verdicts[0].Axis, "shift", "interval", "P", "verdict"}, rows)
	}
	var lines []string
	for i := range c.Verdicts {
		if v := &c.Verdicts[i]; !secondary[v.Metric.Name] {
			lines = append(lines, v.String())
		}
	}
	p.list("In words", lines)
	p.list("What else differed", differenceLines(c.Differences, 20))
	p.list("Warnings", c.Warnings)
	return p.err
}

// WriteJSON prints the comparison as one JSON object.
func (c *Comparison) WriteJSON(w io.Writer) error {
	return writeIndented(w, struct {
		Base        string        `json:"base,omitempty"`
		Other       string        `json:"other,omitempty"`
		Verdicts    []verdictJSON `json:"verdicts"`
		Differences []Difference  `json:"differences"`
		Warnings    []string      `json:"warnings"`
	}{c.Base, c.Other, verdictsJSON(c.Verdicts), orEmpty(c.Differences), orEmpty(c.Warnings)})
}
