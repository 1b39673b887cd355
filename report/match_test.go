package report

import (
	"errors"
	"maps"
	"slices"
	"strings"
	"testing"

	"linkperf/report/compare"
)

// TestMatchedSets compares sets whose labels differ. What varies within a set is
// never thrown together; what tells the sets apart as wholes is told.
func TestMatchedSets(t *testing.T) {
	docs, err := Read(strings.NewReader(recorded(t, "tcp_3.21_client.json")))
	if err != nil {
		t.Fatal(err)
	}
	// set makes a plan's set of cases such as "zerocopy=true length=1000"; one
	// without a plan for none.
	set := func(name string, cases ...string) *Set {
		s := &Set{Name: name}
		if len(cases) == 0 {
			s.Add(name, docs...)
		}
		for _, c := range cases {
			r := StoredRun{Document: docs[0], Status: "ok", planned: true, Labels: map[string]string{}}
			for _, l := range strings.Fields(c) {
				axis, value, _ := strings.Cut(l, "=")
				r.Labels[axis] = value
			}
			s.Runs = append(s.Runs, r)
		}
		return s
	}
	for _, c := range []struct {
		about       string
		base, other []string
		strata      int      // 0 = refused
		differ      []string // what else differed
	}{
		{"axes that vary in one set only", []string{"zerocopy=true", "zerocopy=false"}, []string{"no-delay=true", "no-delay=false"}, 0, nil},
		{"an option that no parameter tells", []string{"zerocopy=true"}, []string{"zerocopy=false"}, 1, []string{"zerocopy is true with a; false with b"}},
		{"one that a parameter tells", []string{"parallel=1"}, []string{"parallel=2"}, 1, []string{"parallel is 1 with a; 2 with b"}},
		{"two axes", []string{"firewall=on"}, []string{"mtu=9000@x"}, 1, []string{"firewall is on with a; not set with b", "mtu is not set with a; 9000@x with b"}},
		{"one axis of several", []string{"parallel=1 zerocopy=true", "parallel=2 zerocopy=true"}, []string{"parallel=1 zerocopy=false", "parallel=2 zerocopy=false"}, 2,
			[]string{"zerocopy is true with a; false with b"}},
		{"a case in common", []string{"zerocopy=true", "zerocopy=false"}, []string{"zerocopy=false"}, 1, nil},
		{"no case in common", []string{"zerocopy=true", "zerocopy=false"}, []string{"firewall=on"}, 0, nil},
		{"a set without a plan", []string{"zerocopy=true"}, nil, 1, nil},
		{"a set without a plan, and cases that it does not tell apart", []string{"zerocopy=true", "zerocopy=false"}, nil, 0, nil},
	} {
		a, b := set("a", c.base...), set("b", c.other...)
		for _, sets := range [][2]*Set{{a, b}, {b, a}} {
			labels := maps.Clone(sets[0].Runs[0].Labels)
			got, err := CompareSets(sets[0], sets[1], compare.Options{})
			if c.strata == 0 {
				if !errors.Is(err, ErrNothingToCompare) || !strings.Contains(err.Error(), "no case is in both sets: ") {
					t.Errorf("%s: %v", c.about, err)
				}
				continue
			}
			if err != nil || got.Verdicts[0].Shift.Strata != c.strata {
				t.Errorf("%s: %v, %+v", c.about, err, got.Verdicts)
			}
			if d := differenceLines(got.Differences, 9); !slices.Equal(d, c.differ) {
				t.Errorf("%s: %q, want %q", c.about, d, c.differ)
			}
			if !maps.Equal(labels, sets[0].Runs[0].Labels) {
				t.Errorf("%s: the labels of the set have become %v", c.about, sets[0].Runs[0].Labels)
			}
		}
	}
}
