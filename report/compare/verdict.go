package compare

import (
	"fmt"
	"maps"
	"math"
	"slices"
	"sort"
	"strconv"
	"strings"
)

// Run is one finished run as the statistics see it.
type Run struct {
	Labels      map[string]string  // axis to value
	Round       int                // pass over all cases, from 1; 0 = unknown
	Order       int                // place in the order of all runs
	Interleaved bool               // every case ran once per round, in random order: rounds are pairs
	Values      map[string]float64 // metric name to value; absent = not measured
}

// Case returns the run's labels as one string, sorted by axis.
func (r *Run) Case() string { return r.label("") }

// label joins all labels but the one left out.
func (r *Run) label(without string) string {
	var parts []string
	for k, v := range r.Labels {
		if k != without {
			parts = append(parts, k+"="+v)
		}
	}
	sort.Strings(parts)
	return strings.Join(parts, " ")
}

// Outcome is the kind of a verdict.
type Outcome string

// The outcomes. Better and Worse follow the metric's direction; a difference
// that rounds to zero is neither.
const (
	Better       Outcome = "better"
	Worse        Outcome = "worse"
	NoDifference Outcome = "no difference shown"
	TooFewRuns   Outcome = "too few runs"
)

// Verdict says whether one value of an axis differs from its base value in
// one metric.
type Verdict struct {
	Axis, Base, Other string
	Metric            Metric
	Shift             Shift
	Outcome           Outcome
	P                 float64 // after Holm's correction
	Needed            int     // TooFewRuns: runs of each case that would do; otherwise 0
	Warnings          []string
}

// Options of a comparison; the zero value asks for 95 % and pairs rounds when
// the runs were interleaved.
type Options struct {
	Confidence float64 // of intervals, default 0.95; verdicts use 1 - Confidence as their error rate
	Unpaired   bool    // never pair rounds
}

func (o Options) confidence() float64 {
	if o.Confidence <= 0 || o.Confidence >= 1 {
		return 0.95
	}
	return o.Confidence
}

// Axes gives one verdict for each axis and each value after the first that
// the axis takes, against that first value, stratified over all other labels.
// order lists the axes and, for each, its values with the base first.
func Axes(runs []Run, order []Axis, m Metric, o Options) []Verdict {
	var vs []Verdict
	for _, a := range order {
		for _, other := range a.Values[min(1, len(a.Values)):] {
			if v, ok := judge(runs, a.Name, a.Values[0], other, m, o); ok {
				vs = append(vs, v)
			}
		}
	}
	holm(vs, 1-o.confidence())
	return vs
}

// Axis is a label with the values it takes, the base first.
type Axis struct {
	Name   string
	Values []string
}

// judge compares two values of one axis; ok is false if the metric was not
// measured on both.
func judge(runs []Run, axis, base, other string, m Metric, o Options) (Verdict, bool) {
	v := Verdict{Axis: axis, Base: base, Other: other, Metric: m}
	groups := map[string][2][]*Run{}
	for i := range runs {
		r := &runs[i]
		if _, ok := r.Values[m.Name]; !ok {
			continue
		}
		g := groups[r.label(axis)]
		switch r.Labels[axis] {
		case base:
			g[0] = append(g[0], r)
		case other:
			g[1] = append(g[1], r)
		default:
			continue
		}
		groups[r.label(axis)] = g
	}
	relative := m.Relative
	for key, g := range groups {
		if len(g[0]) == 0 || len(g[1]) == 0 {
			delete(groups, key)
			v.Warnings = append(v.Warnings, fmt.Sprintf("left out: %s has no counterpart", orAll(key)))
			continue
		}
		for _, side := range g {
			for _, r := range side {
				relative = relative && r.Values[m.Name] > 0
			}
		}
	}
	if len(groups) == 0 {
		return v, false
	}
	sort.Strings(v.Warnings)
	value := func(r *Run) float64 {
		if relative {
			return math.Log(r.Values[m.Name])
		}
		return r.Values[m.Name]
	}
	paired := !o.Unpaired
	var pairs, samples []stratum
	for _, key := range slices.Sorted(maps.Keys(groups)) {
		g := groups[key]
		var s, p stratum
		byRound := map[int]*Run{}
		for _, r := range g[0] {
			s.base = append(s.base, value(r))
			paired = paired && r.Interleaved && r.Round > 0 && byRound[r.Round] == nil
			byRound[r.Round] = r
		}
		seen := map[int]bool{}
		for _, r := range g[1] {
			s.other = append(s.other, value(r))
			paired = paired && r.Interleaved && r.Round > 0 && !seen[r.Round]
			seen[r.Round] = true
			if b := byRound[r.Round]; b != nil {
				p.base, p.other = append(p.base, value(b)), append(p.other, value(r))
			}
		}
		pairs, samples = append(pairs, p), append(samples, s)
	}
	if paired {
		v.Shift = pairedShift(pairs, o.confidence())
	} else {
		v.Shift = independentShift(samples, o.confidence())
	}
	if relative {
		v.Shift = v.Shift.inverseLog()
	}
	v.P = v.Shift.P
	if v.Shift.Confidence == 0 {
		v.Needed = runsNeeded(len(groups), paired, o.confidence())
	}
	return v, true
}

func orAll(label string) string {
	if label == "" {
		return "the set"
	}
	return label
}

// holm corrects the P values for the number of verdicts (Holm, 1979) and
// decides the outcomes at the error rate alpha.
func holm(vs []Verdict, alpha float64) {
	byP := make([]*Verdict, len(vs))
	for i := range vs {
		byP[i] = &vs[i]
	}
	slices.SortStableFunc(byP, func(a, b *Verdict) int {
		switch {
		case a.P < b.P:
			return -1
		case a.P > b.P:
			return 1
		}
		return 0
	})
	worst := 0.0
	for i, v := range byP {
		worst = math.Max(worst, math.Min(1, v.P*float64(len(byP)-i)))
		v.P = worst
		switch {
		case v.Shift.Confidence == 0:
			v.Outcome = TooFewRuns
		case v.P > alpha || v.negligible():
			v.Outcome = NoDifference
		case (v.Shift.Estimate > 0) == v.Metric.Higher:
			v.Outcome = Better
		default:
			v.Outcome = Worse
		}
	}
}

// Slowdown returns the lower bound of how much worse the other side is, as a
// fraction of the base (0.05 = at least 5 % worse), and whether the interval
// says so at all. It is what a gate on regressions may rely on.
func (v *Verdict) Slowdown() (lower float64, ok bool) {
	if !v.Shift.Relative || v.Shift.Confidence == 0 {
		return 0, false
	}
	if v.Metric.Higher {
		return math.Max(0, -v.Shift.Hi), true
	}
	return math.Max(0, v.Shift.Lo), true
}

// String is the verdict as one sentence.
func (v *Verdict) String() string {
	word := map[bool]string{true: "higher", false: "lower"}[v.Shift.Estimate > 0]
	if v.Metric.Higher && v.Metric.Unit == "bit/s" {
		word = map[bool]string{true: "faster", false: "slower"}[v.Shift.Estimate > 0]
	}
	switch v.Outcome {
	case TooFewRuns:
		return fmt.Sprintf("%s: too few runs to tell %s from %s (%d of each case would do)", v.Metric.Title, v.Other, v.Base, v.Needed)
	case NoDifference:
		if (v.Shift.Lo > 0 || v.Shift.Hi < 0) && !v.negligible() { // alone it would count
			return fmt.Sprintf("%s: no difference shown between %s and %s (%s %s): by itself it would count, but corrected for the number of comparisons P is %.2g; more runs may settle it",
				v.Metric.Title, v.Base, v.Other, v.amount(v.Shift.Estimate, true), v.Interval(), v.P)
		}
		return fmt.Sprintf("%s: no difference shown between %s and %s (%s %s)", v.Metric.Title, v.Base, v.Other, v.amount(v.Shift.Estimate, true), v.Interval())
	}
	lo, hi := v.Shift.Lo, v.Shift.Hi
	if v.Shift.Estimate < 0 { // the word says the direction
		lo, hi = -hi, -lo
	}
	return fmt.Sprintf("%s: %s is %s than %s by %s [%s, %s]", v.Metric.Title, v.Other, word, v.Base,
		v.amount(math.Abs(v.Shift.Estimate), false), v.amount(lo, false), v.amount(hi, false))
}

// Interval is the shift's interval with its unit.
func (v *Verdict) Interval() string {
	return fmt.Sprintf("[%s, %s]", v.amount(v.Shift.Lo, true), v.amount(v.Shift.Hi, true))
}

// Change is the shift with its sign and unit.
func (v *Verdict) Change() string { return v.amount(v.Shift.Estimate, true) }

// amount prints x with its unit: percent to a tenth, percentage points to a
// hundredth, everything else to three digits. What rounds to zero has no sign.
func (v *Verdict) amount(x float64, sign bool) string {
	x, unit, decimals := v.shown(x)
	text := strconv.FormatFloat(x, 'f', decimals, 64)
	if decimals < 0 {
		text = Figure(x)
	}
	if sign && x > 0 {
		text = "+" + text
	}
	return text + " " + unit
}

// shown returns x in the unit that people see, rounded to the decimals that
// they see; -1 if that is not a number of decimals.
func (v *Verdict) shown(x float64) (rounded float64, unit string, decimals int) {
	switch {
	case v.Shift.Relative:
		rounded, unit, decimals = math.Round(x*1000)/10, "%", 1
	case v.Metric.Unit == "%":
		rounded, unit, decimals = math.Round(x*100)/100, "points", 2
	default:
		rounded, unit, decimals = x, v.Metric.Unit, -1
	}
	return rounded + 0, unit, decimals // + 0 makes -0 a 0
}

// negligible reports whether the estimate rounds to zero: such a difference is
// neither better nor worse, however certain it is.
func (v *Verdict) negligible() bool {
	x, _, _ := v.shown(v.Shift.Estimate)
	return x == 0
}

// Figure prints a number with three significant digits, and never an exponent.
func Figure(x float64) string {
	text := strconv.FormatFloat(x, 'g', 3, 64)
	if rounded, err := strconv.ParseFloat(text, 64); err == nil && !math.IsInf(x, 0) {
		text = strconv.FormatFloat(rounded+0, 'f', -1, 64) // + 0 makes -0 a 0
	}
	return text
}
