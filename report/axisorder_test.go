package report

import (
	"bytes"
	"slices"
	"strings"
	"testing"

	"linkperf/report/compare"
)

// TestAxisOrder checks that labels, cases and axes stand in the order of the plan,
// and that cases of two plans are the same in whatever order these wrote them.
func TestAxisOrder(t *testing.T) {
	docs, err := Read(strings.NewReader(recorded(t, "tcp_3.21_client.json")))
	if err != nil {
		t.Fatal(err)
	}
	set := func(name string, cases ...string) *Set {
		s := &Set{Name: name}
		for _, c := range cases {
			r := StoredRun{Document: docs[0], Status: "ok", planned: true, written: c, Labels: map[string]string{}}
			for _, l := range strings.Fields(c) {
				axis, value, _ := strings.Cut(l, "=")
				r.Labels[axis] = value
			}
			s.Runs = append(s.Runs, r)
		}
		s.label()
		return s
	}
	s := set("a", "zerocopy=true bitrate=2", "zerocopy=false bitrate=10", "zerocopy=false bitrate=2", "zerocopy=true bitrate=10", "zerocopy=true bitrate=2 address=x")
	a := Analyse(s, compare.Options{})
	var axes, names []string
	for _, x := range a.Axes {
		axes = append(axes, x.Name)
	}
	if want := []string{"zerocopy", "bitrate"}; !slices.Equal(axes, want) {
		t.Errorf("axes %q, want %q", axes, want)
	}
	for _, c := range a.Cases {
		if c.Metric.Name == "bits_per_second" {
			names = append(names, c.Case)
		}
	}
	want := []string{"zerocopy=false bitrate=2", "zerocopy=false bitrate=10", "zerocopy=true bitrate=2", "zerocopy=true bitrate=2 address=x", "zerocopy=true bitrate=10"}
	if !slices.Equal(names, want) {
		t.Errorf("cases %q, want %q", names, want)
	}
	var csv bytes.Buffer
	if err := s.WriteRunsCSV(&csv); err != nil || !strings.Contains(csv.String(), ",zerocopy=true bitrate=2 address=x,") {
		t.Errorf("%v\n%s", err, &csv)
	}
	c, err := CompareSets(set("b", "bitrate=2 zerocopy=true"), s, compare.Options{})
	if err != nil || c.Verdicts[0].Shift.Strata != 1 {
		t.Errorf("%v, %+v", err, c)
	}
}
