package report

import (
	"encoding/json"
	"fmt"
	"math"
	"slices"
	"sort"
	"strings"
	"unicode"

	"linkperf/report/compare"
)

// Analysis is what a report says about a set: its cases, one verdict per axis
// and metric, what the order of runs shows, what explains the figures.
type Analysis struct {
	Set      *Set
	Metrics  []compare.Metric // measured in at least one counted run
	Cases    []CaseSummary
	Axes     []compare.Axis
	Verdicts []compare.Verdict
	Drifts   []Drift
	Rates    []RateEstimate
	Findings []Finding
	ByAxis   []AxisDifference
	Warnings []string
}

// AxisDifference is a fact that goes with the value of one axis, whatever the
// other labels are.
type AxisDifference struct {
	Axis string `json:"axis"`
	Difference
}

// Drift is a metric's trend over the order of runs that matters.
type Drift struct {
	Metric compare.Metric
	compare.Trend
}

// String tells how much the metric changed.
func (d Drift) String() string {
	way := "rose"
	if d.Slope < 0 {
		way = "fell"
	}
	return fmt.Sprintf("%s %s by %.1f %% of its median from the first run to the last (P %s)", d.Metric.Title, way, math.Abs(d.Change())*100, probability(d.P))
}

// probability prints a P value.
func probability(p float64) string {
	if p < 0.001 {
		return "< 0.001"
	}
	return fmt.Sprintf("%.3f", p)
}

// RateEstimate is a rate estimated from runs of different sizes or durations.
type RateEstimate struct {
	Case          string
	BitsPerSecond float64
	Runs          int
}

// Finding is a sentence that explains figures, and in how many of the runs it
// holds. Where the runs word it differently, the sentence is the first one's.
type Finding struct {
	ID       string `json:"id"`
	Severity string `json:"severity,omitempty"`
	Sentence string `json:"sentence"`
	Advice   string `json:"advice,omitempty"`
	Runs     int    `json:"runs"`
	Of       int    `json:"of"`
	Varies   bool   `json:"varies,omitempty"` // other runs have other figures in it
}

// Analyse computes what there is to say about a set.
func Analyse(s *Set, o compare.Options) *Analysis {
	a := &Analysis{Set: s, Axes: s.Axes()}
	runs := s.CompareRuns()
	a.Metrics = metricsOf(s)
	for _, m := range a.Metrics {
		a.Verdicts = append(a.Verdicts, compare.Axes(runs, a.Axes, m, o)...)
		if t := compare.Drift(runs, m); t.Matters() {
			a.Drifts = append(a.Drifts, Drift{m, t})
		}
	}
	confidence := o.Confidence
	if confidence == 0 {
		confidence = 0.95
	}
	a.Cases = s.Cases(confidence, a.Metrics...)
	a.Rates = s.rates()
	a.Findings = s.findings()
	for _, axis := range a.Axes {
		for _, d := range otherDifferences(strata(axis.Name, s.pointers())) {
			a.ByAxis = append(a.ByAxis, AxisDifference{axis.Name, d})
		}
	}
	if !slices.ContainsFunc(s.Runs, func(r StoredRun) bool { return r.Counted() }) {
		a.Warnings = append(a.Warnings, "no run counts: all failed, were skipped or were warm-ups")
	}
	for i := range s.Runs {
		switch r := &s.Runs[i]; r.Status {
		case "failed":
			a.Warnings = append(a.Warnings, fmt.Sprintf("failed: %s: %s", orFile(r), r.Reason))
		case "skipped":
			a.Warnings = append(a.Warnings, fmt.Sprintf("skipped: %s: %s", orFile(r), r.Reason))
		}
	}
	for _, d := range a.Drifts {
		if d.Metric.Name == "bits_per_second" {
			a.Warnings = append(a.Warnings, fmt.Sprintf("%s: heat, battery or other load?", d))
		}
	}
	for i := range s.Runs {
		if r := &s.Runs[i]; r.Counted() {
			for _, w := range r.Result.Warnings {
				a.Warnings = append(a.Warnings, "warned: "+w)
			}
		}
	}
	a.Warnings = append(distinct(a.Warnings, "runs"), verdictWarnings(a.Verdicts)...)
	for _, axis := range a.Axes {
		if len(a.Metrics) > 0 && !slices.ContainsFunc(a.Verdicts, func(v compare.Verdict) bool { return v.Axis == axis.Name }) {
			a.Warnings = append(a.Warnings, fmt.Sprintf("%s: no verdict, as no two cases with results differ in %s alone", axis.Name, axis.Name))
		}
	}
	return a
}

// verdictWarnings are the warnings of verdicts, each once.
func verdictWarnings(vs []compare.Verdict) []string {
	var all []string
	for i := range vs {
		for _, w := range vs[i].Warnings {
			if vs[i].Axis != axisSet {
				w = vs[i].Axis + ": " + w
			}
			if !slices.Contains(all, w) {
				all = append(all, w)
			}
		}
	}
	return all
}

func orFile(r *StoredRun) string {
	if r.planned {
		return r.Case()
	}
	return r.File
}

// distinct drops repetitions and says in how many of what a line stood.
func distinct(lines []string, what string) []string {
	count := map[string]int{}
	var kept []string
	for _, l := range lines {
		if count[l]++; count[l] == 1 {
			kept = append(kept, l)
		}
	}
	for i, l := range kept {
		if n := count[l]; n > 1 {
			kept[i] = fmt.Sprintf("%s (%d %s)", l, n, what)
		}
	}
	return kept
}

// metricsOf returns the metrics that at least one counted run has. Throughput
// each way is left out where no test had data both ways: it is the total.
func metricsOf(sets ...*Set) []compare.Metric {
	found, bidir := map[string]bool{}, false
	for _, s := range sets {
		for i := range s.Runs {
			if r := &s.Runs[i]; r.Counted() {
				bidir = bidir || len(r.Directions()) > 1
				for name := range compare.Values(r.Result) {
					found[name] = true
				}
			}
		}
	}
	var ms []compare.Metric
	for _, m := range compare.Metrics() {
		each := m.Name == "to_server_bits_per_second" || m.Name == "to_client_bits_per_second"
		if found[m.Name] && (bidir || !each) {
			ms = append(ms, m)
		}
	}
	return ms
}

// rates estimates, for each case but for its size or duration, the rate from
// bytes against time.
func (s *Set) rates() []RateEstimate {
	type points struct{ seconds, bytes []float64 }
	groups := map[string]*points{}
	sized := false
	for i := range s.Runs {
		r := &s.Runs[i]
		if !r.Counted() {
			continue
		}
		labels := map[string]string{}
		for k, v := range r.Labels {
			if k == "time" || k == "bytes" || k == "blockcount" {
				sized = true
				continue
			}
			labels[k] = v
		}
		c := s.axes.name(labels)
		if groups[c] == nil {
			groups[c] = &points{}
		}
		for _, toServer := range r.Directions() {
			if t := r.totals(toServer, false); t != nil {
				groups[c].seconds = append(groups[c].seconds, t.Duration.Seconds())
				groups[c].bytes = append(groups[c].bytes, float64(t.Bytes))
			}
		}
	}
	if !sized {
		return nil
	}
	var rates []RateEstimate
	for c, p := range groups {
		if v, ok := compare.RateFit(p.seconds, p.bytes); ok {
			rates = append(rates, RateEstimate{Case: c, BitsPerSecond: v, Runs: len(p.seconds)})
		}
	}
	sort.Slice(rates, func(i, j int) bool { return rates[i].Case < rates[j].Case })
	return rates
}

// findings gathers the findings of all runs; the sentence shown is that of
// the first run which has it.
func (s *Set) findings() []Finding {
	index := map[string]int{}
	var all []Finding
	of := 0
	for i := range s.Runs {
		r := &s.Runs[i]
		if !r.Counted() || r.Linkperf == nil {
			continue
		}
		of++
		var fs []Finding
		if json.Unmarshal(r.Linkperf.Findings, &fs) != nil {
			continue
		}
		counted := map[string]bool{} // an id can stand for both ends
		for _, f := range fs {
			f = Finding{ID: oneLine(f.ID), Severity: oneLine(f.Severity), Sentence: oneLine(f.Sentence), Advice: oneLine(f.Advice)}
			at, ok := index[f.ID]
			if !ok {
				at = len(all)
				index[f.ID] = at
				all = append(all, f)
			}
			if !counted[f.ID] {
				counted[f.ID] = true
				all[at].Runs++
				all[at].Varies = all[at].Varies || f.Sentence != all[at].Sentence
			}
		}
	}
	for i := range all {
		all[i].Of = of
	}
	return all
}

// oneLine makes text from a file fit for a line of a terminal.
func oneLine(s string) string {
	return visible(strings.Map(func(r rune) rune {
		if unicode.IsSpace(r) {
			return ' '
		}
		return r
	}, s), "")
}

func (s *Set) pointers() []*StoredRun {
	runs := make([]*StoredRun, len(s.Runs))
	for i := range s.Runs {
		runs[i] = &s.Runs[i]
	}
	return runs
}

// byCase groups the counted runs.
func (s *Set) byCase() stratum {
	groups := stratum{}
	for i := range s.Runs {
		if r := &s.Runs[i]; r.Counted() {
			groups[r.Case()] = append(groups[r.Case()], r)
		}
	}
	return groups
}
