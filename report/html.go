package report

import (
	"bytes"
	_ "embed"
	"fmt"
	"html/template"
	"io"
	"maps"
	"slices"
	"sort"
	"strings"

	"linkperf/report/compare"
	"linkperf/report/plot"
)

//go:embed templates/page.html
var pageText string

// figure is a picture with its caption.
type figure struct {
	SVG     template.HTML
	Caption string
	Open    bool
}

// page is what the template shows.
type page struct {
	Title, When           string
	Runs, Failed, Skipped int
	PlotStyle             template.CSS
	Verdicts, Warnings    []string
	Findings              []Finding
	Sections              []section
	Over, Order           []figure
	Hosts                 []hostTable
	Plan                  string
}

// section is one metric: its picture and its table. Secondary metrics are
// folded.
type section struct {
	Title  string
	Folded bool
	Figure figure
	Rows   []caseRow
}

type caseRow struct {
	Case     string
	Cells    []string
	Warnings []string
}

// hostTable shows the facts of one end: one column where all cases agree,
// otherwise one for each group that differs.
type hostTable struct {
	Side   string
	Groups []string
	Facts  []hostFact
}

type hostFact struct {
	Name    string
	Values  []string
	Differs bool
}

// WriteHTML writes the page: self-contained, without script, readable on a
// phone, in the dark, on paper and by screen readers.
func (a *Analysis) WriteHTML(w io.Writer, title string) error {
	t, err := template.New("page").Parse(pageText)
	if err != nil {
		return fmt.Errorf("page template: %w", err)
	}
	p := page{Title: title, Runs: len(a.Set.Runs), PlotStyle: template.CSS(plot.Style), Findings: a.Findings, Warnings: a.Warnings,
		Plan: string(a.Set.Plan), Verdicts: a.sentences()}
	if p.Title == "" {
		p.Title = "linkperf report"
	}
	for i := range a.Set.Runs {
		switch a.Set.Runs[i].Status {
		case "failed":
			p.Failed++
		case "skipped":
			p.Skipped++
		}
	}
	p.When = a.when()
	for i, m := range a.Metrics {
		p.Sections = append(p.Sections, a.section(i, m))
	}
	a.overTime(&p)
	a.inOrder(&p)
	p.Hosts = a.hosts()
	var b bytes.Buffer // a page is written whole or not at all
	if err := t.Execute(&b, p); err != nil {
		return fmt.Errorf("page template: %w", err)
	}
	_, err = w.Write(b.Bytes())
	return err
}

func (a *Analysis) when() string {
	first, last := "", ""
	for i := range a.Set.Runs {
		if t := utc(a.Set.Runs[i].Start); t != "" {
			if first == "" || t < first {
				first = t
			}
			last = max(last, t)
		}
	}
	if first == "" {
		return ""
	}
	short := func(s string) string { return strings.Replace(s[:16], "T", " ", 1) }
	return short(first) + " to " + short(last) + " UTC"
}

// section shows one metric of all cases, every run as a dot.
func (a *Analysis) section(number int, m compare.Metric) section {
	s := section{Title: m.Title, Folded: secondary[m.Name]}
	d := plot.Dots{ID: fmt.Sprintf("cases-%d", number), Title: m.Title + " by case", Unit: m.Unit, Zero: true}
	for _, c := range a.Cases {
		if c.Metric.Name != m.Name {
			continue
		}
		d.Groups = append(d.Groups, plot.Group{Label: orDash(c.Case), Values: c.Values, Median: c.Summary.Median, Lo: c.Summary.Lo, Hi: c.Summary.Hi})
		row := caseRow{Case: orDash(c.Case), Cells: summaryCells(&c)}
		if !s.Folded {
			row.Warnings = c.Summary.Warnings
		}
		s.Rows = append(s.Rows, row)
	}
	better := "lower is better"
	if m.Higher {
		better = "higher is better"
	}
	s.Figure = figure{SVG: template.HTML(d.SVG()), Caption: fmt.Sprintf("%s: every run as a dot, median as a bar, its interval as a line; %s", m.Title, better)}
	return s
}

// overTime draws the throughput of each run of a case against time. Pages of
// large sets show the cases folded.
func (a *Analysis) overTime(p *page) {
	groups := a.Set.byCase()
	names := a.Set.caseNames((*StoredRun).Counted)
	for i, n := range names {
		l := plot.Lines{ID: fmt.Sprintf("time-%d", i), Title: "throughput over time: " + orDash(n), XLabel: "seconds", Unit: "bit/s"}
		for _, r := range groups[n] {
			if s := overTime(r); len(s.X) > 1 {
				l.Series = append(l.Series, s)
			}
		}
		if len(l.Series) > 0 {
			p.Over = append(p.Over, figure{SVG: template.HTML(l.SVG()), Caption: orDash(n), Open: len(names) == 1})
		}
	}
}

func overTime(r *StoredRun) plot.Series {
	s := plot.Series{Label: fmt.Sprintf("run %d", r.Order+1)}
	if r.Round > 0 {
		s.Label = fmt.Sprintf("round %d", r.Round)
	}
	for i := range r.Result.Intervals {
		iv := &r.Result.Intervals[i]
		if iv.Omitted || iv.End <= iv.Start {
			continue
		}
		var sum int64
		for j := range iv.Streams {
			sum += iv.Streams[j].Bytes
		}
		s.X = append(s.X, iv.End.Seconds())
		s.Y = append(s.Y, float64(sum)*8/(iv.End-iv.Start).Seconds())
	}
	return s
}

// inOrder draws the runs in their order, each case in the colour that it has
// among the cases.
func (a *Analysis) inOrder(p *page) {
	if len(a.Set.Runs) < 4 {
		return
	}
	for i, m := range a.Metrics {
		if secondary[m.Name] {
			continue
		}
		l := plot.Lines{ID: fmt.Sprintf("order-%d", i), Title: m.Title + " in the order of the runs", XLabel: "run", Unit: m.Unit, Points: true}
		at := map[string]int{}
		for k, c := range a.Set.caseNames((*StoredRun).Counted) {
			at[c] = k
			l.Series = append(l.Series, plot.Series{Label: orDash(c)})
		}
		for j := range a.Set.Runs {
			r := &a.Set.Runs[j]
			v, ok := compare.Values(r.Result)[m.Name]
			if !ok || !r.Counted() {
				continue
			}
			k := at[r.Case()]
			l.Series[k].X, l.Series[k].Y = append(l.Series[k].X, float64(r.Order+1)), append(l.Series[k].Y, v)
		}
		caption := m.Title + ": no trend shown"
		for _, d := range a.Drifts {
			if d.Metric.Name == m.Name {
				caption = d.String()
			}
		}
		p.Order = append(p.Order, figure{SVG: template.HTML(l.SVG()), Caption: caption})
	}
}

// hosts lists the facts of both ends, those that differ between cases first
// and marked.
func (a *Analysis) hosts() []hostTable {
	names := a.Set.caseNames((*StoredRun).Counted)
	facts, _ := groupFacts(a.Set.byCase())
	var tables []hostTable
	for _, side := range []string{"", "client", "server"} {
		t := hostTable{Side: side}
		if side == "" {
			t.Side = "programs"
		}
		var paths []string
		varies := false
		for f, byCase := range facts {
			if f.side == side {
				paths = append(paths, f.path)
				varies = varies || differ(byCase)
			}
		}
		t.Groups = []string{"all cases"}
		if varies {
			t.Groups = nil
			for _, n := range names {
				t.Groups = append(t.Groups, orDash(n))
			}
		}
		slices.Sort(paths)
		for _, path := range paths {
			byCase := facts[fact{side, path}]
			f := hostFact{Name: path, Differs: differ(byCase)}
			if varies {
				for _, n := range names {
					f.Values = append(f.Values, orUnknown(byCase[n]))
				}
			} else {
				f.Values = slices.Compact(slices.Collect(maps.Values(byCase)))
			}
			t.Facts = append(t.Facts, f)
		}
		sort.SliceStable(t.Facts, func(i, j int) bool { return t.Facts[i].Differs && !t.Facts[j].Differs })
		if len(t.Facts) > 0 {
			tables = append(tables, t)
		}
	}
	return tables
}
