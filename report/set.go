package report

import (
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"sort"
	"strconv"
	"strings"
	"time"

	"linkperf/protocol"
	"linkperf/report/compare"
)

// Set is results that belong together: the runs of a plan, or the documents
// of some files.
type Set struct {
	Name string
	Runs []StoredRun
	Plan []byte // text of the plan that made the runs, nil if there was none

	axes axisOrder
}

// StoredRun is one stored test with its place in its set.
type StoredRun struct {
	*Document
	File   string            // where it was read
	Labels map[string]string // axis to value; derived from the parameters if no plan gave any
	Round  int               // of the plan, from 1; 0 = none
	Order  int               // among the runs of the set, by their start
	Warmup bool              // kept but not counted
	Start  time.Time
	Status string // ok, failed or skipped
	Reason string // of a failed or skipped run

	Interleaved bool
	planned     bool      // the labels are a plan's
	written     string    // the case as the plan wrote it
	axes        axisOrder // of the set

	records map[string]map[string]string // see recorded
}

// Counted reports whether the run takes part in statistics.
func (r *StoredRun) Counted() bool { return r.Status == "ok" && !r.Warmup }

// Case returns the labels as one string, in the order of the plan.
func (r *StoredRun) Case() string { return r.axes.name(r.Labels) }

// runRecord is linkperf.run as a plan's runner writes it.
type runRecord struct {
	Case        string
	Labels      map[string]string
	Round       int
	Order       int
	Warmup      bool
	Interleaved bool
	Start       time.Time
	Status      string
	Reason      string
}

// The names of a stored plan's files.
const (
	planFile = "plan.yaml"
	runsFile = "runs.jsonl"
)

// LoadSet reads sources into one set: directories of a plan, directories of
// documents, files of documents; "-" is not a source here. What can't be read
// is named in the error and left out; the set holds the rest. A file that
// several sources name is read once: a run counts once.
func LoadSet(sources ...string) (*Set, error) {
	s := &Set{Name: strings.Join(sources, ", ")}
	var errs []error
	read := map[string]bool{}
	for _, source := range sources {
		files, err := s.files(source)
		if err != nil {
			errs = append(errs, err)
		}
		for _, f := range files {
			path := f
			if real, err := filepath.EvalSymlinks(f); err == nil {
				path = real
			}
			if path, err = filepath.Abs(path); err == nil && read[path] {
				continue
			}
			read[path] = true
			errs = append(errs, s.load(f))
		}
	}
	s.label()
	return s, errors.Join(errs...)
}

// files lists the documents' files of a source.
func (s *Set) files(source string) ([]string, error) {
	fi, err := os.Stat(source)
	if err != nil || !fi.IsDir() {
		return []string{source}, nil // a missing file is reported when it is opened
	}
	if plan, err := os.ReadFile(filepath.Join(source, planFile)); err == nil && s.Plan == nil {
		s.Plan = plan
	}
	if _, err := os.Stat(filepath.Join(source, runsFile)); err == nil {
		return []string{filepath.Join(source, runsFile)}, nil
	}
	var files []string
	err = filepath.WalkDir(source, func(path string, d fs.DirEntry, err error) error {
		if err == nil && !d.IsDir() && slices.Contains([]string{".json", ".jsonl", ".ndjson"}, strings.ToLower(filepath.Ext(path))) {
			files = append(files, path)
		}
		return err
	})
	if err == nil && len(files) == 0 {
		err = fmt.Errorf("%s: no %s and no file that ends in .json, .jsonl or .ndjson", source, runsFile)
	}
	return files, err
}

func (s *Set) load(file string) error {
	f, err := os.Open(file)
	if err != nil {
		return err
	}
	defer f.Close()
	docs, err := Read(f)
	for _, d := range docs {
		s.add(d, file)
	}
	if err != nil {
		return Named(file, err)
	}
	if len(docs) == 0 {
		return fmt.Errorf("%s: nothing in it; %s", file, expected)
	}
	return nil
}

// Add appends a document that was read elsewhere.
func (s *Set) Add(file string, docs ...*Document) {
	for _, d := range docs {
		s.add(d, file)
	}
	s.label()
}

func (s *Set) add(d *Document, file string) {
	r := StoredRun{Document: d, File: file, Order: len(s.Runs), Start: d.Result.Start.Time, Status: "ok", Reason: d.Failure()}
	if d.Linkperf != nil && d.Linkperf.Run != nil {
		var rec runRecord
		if json.Unmarshal(d.Linkperf.Run, &rec) == nil && rec.Labels != nil {
			r.Labels, r.Round, r.Warmup, r.Interleaved = rec.Labels, rec.Round, rec.Warmup, rec.Interleaved
			r.Start, r.Status, r.planned = rec.Start, rec.Status, true
			r.written = rec.Case
			if rec.Reason != "" {
				r.Reason = rec.Reason
			}
		}
	}
	if r.Status != "skipped" && (r.Reason != "" || r.Status != "ok") {
		r.Status = "failed"
	}
	if r.Status != "ok" && r.Reason == "" {
		r.Reason = "no reason was recorded"
	}
	s.Runs = append(s.Runs, r)
}

// label gives runs without a plan labels from their parameters: those in
// which the runs of the set differ, and the direction always.
func (s *Set) label() {
	s.dropRepeated()
	for i := range s.Runs {
		if r := &s.Runs[i]; !r.planned {
			r.Labels = derived(r.Document)
		}
	}
	s.orderAxes()
	s.order()
}

// dropRepeated leaves out runs of a plan that failed or were skipped and were
// made again: of a file's runs of one case and round the last one holds.
func (s *Set) dropRepeated() {
	type run struct {
		file, labels string
		round        int
	}
	key := func(r *StoredRun) run { return run{r.File, r.Case(), r.Round} }
	last := map[run]*StoredRun{}
	for i := range s.Runs {
		if r := &s.Runs[i]; r.planned && (r.Round != 0 || r.Warmup) {
			last[key(r)] = r
		}
	}
	var kept []StoredRun
	for i := range s.Runs {
		r := &s.Runs[i]
		if again := last[key(r)]; r.Status == "ok" || !r.planned || again == nil || again == r {
			kept = append(kept, *r)
		}
	}
	s.Runs = kept
}

// orderAxes gives all runs the order of the plans' axes.
func (s *Set) orderAxes() {
	s.axes = nil
	learnt := map[string]bool{}
	for i := range s.Runs {
		if r := &s.Runs[i]; r.planned && !learnt[r.written] {
			learnt[r.written] = true
			s.axes = s.axes.learn(r.written, r.Labels)
		}
	}
	for i := range s.Runs {
		s.Runs[i].axes = s.axes
	}
}

// order numbers the runs by when they started: names of files need not sort as
// the tests ran. A run that does not tell follows the one read before it.
func (s *Set) order() {
	starts, at := make([]time.Time, len(s.Runs)), make([]int, len(s.Runs))
	for i := range s.Runs {
		at[i], starts[i] = i, s.Runs[i].Start
		if utc(starts[i]) == "" && i > 0 {
			starts[i] = starts[i-1]
		}
	}
	slices.SortStableFunc(at, func(a, b int) int { return starts[a].Compare(starts[b]) })
	for place, i := range at {
		s.Runs[i].Order = place
	}
}

// derived describes what was asked of a test by iperf3's option names;
// defaults are left out.
func derived(d *Document) map[string]string {
	p := &d.Result.Start.Params
	l := map[string]string{"direction": "forward"}
	switch {
	case p.Bidirectional:
		l["direction"] = "bidir"
	case p.Reverse:
		l["direction"] = "reverse"
	}
	if t := transport(p); t != protocol.TCP {
		l[strings.ToLower(string(t))] = "true"
		if p.Rate > 0 && p.Rate != protocol.DefaultUDPRate {
			l["bitrate"] = strconv.FormatUint(p.Rate, 10)
		}
	} else if p.Rate > 0 {
		l["bitrate"] = strconv.FormatUint(p.Rate, 10)
	}
	if p.Parallel > 1 {
		l["parallel"] = strconv.Itoa(p.Parallel)
	}
	if p.Length > 0 && p.Length != transport(p).DefaultLength() && transport(p) != protocol.UDP {
		l["length"] = strconv.Itoa(p.Length)
	}
	return l
}

// Axes returns the labels that vary among the counted runs, each with its
// values in the order in which a plan wrote them or, without one, sorted.
func (s *Set) Axes() []compare.Axis {
	values := map[string][]string{}
	first := map[string]map[string]int{} // lowest order in which a value was seen
	for i := range s.Runs {
		r := &s.Runs[i]
		if !r.Counted() {
			continue
		}
		for k, v := range r.Labels {
			if first[k] == nil {
				first[k] = map[string]int{}
			}
			if _, ok := first[k][v]; !ok {
				first[k][v] = i
				values[k] = append(values[k], v)
			}
		}
	}
	written := planAxes(s.Plan)
	var axes []compare.Axis
	for k, vs := range values {
		if len(vs) < 2 {
			continue
		}
		sort.SliceStable(vs, func(i, j int) bool { return lessValue(written[k], vs[i], vs[j]) })
		axes = append(axes, compare.Axis{Name: k, Values: vs})
	}
	slices.SortFunc(axes, func(a, b compare.Axis) int { return s.axes.compare(a.Name, b.Name) })
	return axes
}

// lessValue orders values as the plan wrote them, then numbers by size, then
// by text. The base of a switch is "false", "off" or the plain direction.
func lessValue(written []string, a, b string) bool {
	if ia, ib := slices.Index(written, a), slices.Index(written, b); ia >= 0 && ib >= 0 {
		return ia < ib
	}
	if na, err := strconv.ParseFloat(a, 64); err == nil {
		if nb, err := strconv.ParseFloat(b, 64); err == nil {
			return na < nb
		}
	}
	return a < b
}

// caseNames lists the cases of the runs that are wanted, in the order of their
// labels' values.
func (s *Set) caseNames(wanted func(*StoredRun) bool) []string {
	labels := map[string]map[string]string{}
	for i := range s.Runs {
		if r := &s.Runs[i]; wanted(r) {
			labels[r.Case()] = r.Labels
		}
	}
	written := planAxes(s.Plan)
	names := slices.Collect(maps.Keys(labels))
	sort.Slice(names, func(i, j int) bool { return s.lessCase(written, labels[names[i]], labels[names[j]]) })
	return names
}

// lessCase orders cases by their values, label by label.
func (s *Set) lessCase(written map[string][]string, a, b map[string]string) bool {
	names := slices.Collect(maps.Keys(a))
	for n := range b {
		if _, ok := a[n]; !ok {
			names = append(names, n)
		}
	}
	slices.SortFunc(names, s.axes.compare)
	for _, n := range names {
		if a[n] != b[n] {
			return lessValue(written[n], a[n], b[n])
		}
	}
	return false
}

// CompareRuns returns the counted runs for the statistics.
func (s *Set) CompareRuns() []compare.Run {
	var runs []compare.Run
	for i := range s.Runs {
		if r := &s.Runs[i]; r.Counted() {
			runs = append(runs, compare.Run{Labels: r.Labels, Round: r.Round, Order: r.Order,
				Interleaved: r.Interleaved, Values: compare.Values(r.Result)})
		}
	}
	return runs
}

// CaseSummary is one row of the table of cases.
type CaseSummary struct {
	Case    string
	Metric  compare.Metric
	Summary compare.Summary
	Values  []float64 // in run order
	Failed  int       // runs of the case that did not finish
}

// Cases summarises each case in the metrics that were measured, cases in the
// order of their labels' values.
func (s *Set) Cases(confidence float64, metrics ...compare.Metric) []CaseSummary {
	values := map[string]map[string][]float64{}
	failed := map[string]int{}
	for i := range s.Runs {
		r := &s.Runs[i]
		c := r.Case()
		if values[c] == nil {
			values[c] = map[string][]float64{}
		}
		if !r.Counted() {
			if r.Status == "failed" {
				failed[c]++
			}
			continue
		}
		for name, v := range compare.Values(r.Result) {
			values[c][name] = append(values[c][name], v)
		}
	}
	var rows []CaseSummary
	for _, c := range s.caseNames(func(*StoredRun) bool { return true }) {
		for _, m := range metrics {
			if v := values[c][m.Name]; len(v) > 0 {
				rows = append(rows, CaseSummary{Case: c, Metric: m, Values: v, Failed: failed[c], Summary: compare.Summarize(v, confidence)})
			}
		}
	}
	return rows
}
