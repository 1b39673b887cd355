package report

import (
	"maps"
	"slices"
)

// A label that tells two sets apart as wholes: each set has one value of it, or
// none at all.
type wholeLabel struct {
	name   string
	values [2]string // of the base and of the other set; "" = none
}

// matched returns two sets with labels by which cases of the one are found in
// the other. Labels that tell the sets apart as wholes are left out of the
// cases and returned, for they are what differs; ok is false if no case is left
// that both sets have. A label that varies within a set is only left out where
// the parameters of the tests tell the same cases apart: runs of different
// set-ups are never thrown together.
func matched(base, other *Set) (sets [2]*Set, differ []wholeLabel, ok bool) {
	stored := [2]*Set{base, other}
	if base.planned() == other.planned() {
		differ = wholeLabels(stored)
		if sets = without(stored, differ); haveCommonCase(sets) {
			return sets, differ, true
		}
	}
	for i, s := range stored {
		if sets[i], ok = s.byParameters(); !ok {
			return stored, nil, false
		}
	}
	for _, w := range wholeLabels(sets) {
		if !slices.ContainsFunc(differ, func(d wholeLabel) bool { return d.name == w.name }) {
			differ = append(differ, w)
		}
	}
	sets = without(sets, differ)
	return sets, differ, haveCommonCase(sets)
}

// wholeLabels lists the labels of which each set has one value, and not the
// same.
func wholeLabels(sets [2]*Set) []wholeLabel {
	names := map[string]bool{}
	for _, s := range sets {
		for _, n := range s.labelNames() {
			names[n] = true
		}
	}
	var differ []wholeLabel
	for _, n := range slices.Sorted(maps.Keys(names)) {
		a, oneA := sets[0].onlyValue(n)
		b, oneB := sets[1].onlyValue(n)
		if oneA && oneB && a != b {
			differ = append(differ, wholeLabel{n, [2]string{a, b}})
		}
	}
	return differ
}

// onlyValue returns the value of a label that all counted runs share, "" if none
// of them has it.
func (s *Set) onlyValue(name string) (value string, ok bool) {
	seen := map[string]bool{}
	for i := range s.Runs {
		if r := &s.Runs[i]; r.Counted() {
			value = r.Labels[name]
			seen[value] = true
		}
	}
	return value, len(seen) == 1
}

// without returns the sets with some labels fewer.
func without(sets [2]*Set, labels []wholeLabel) [2]*Set {
	for i, s := range sets {
		sets[i] = s.relabelled(func(r *StoredRun) map[string]string {
			kept := maps.Clone(r.Labels)
			for _, w := range labels {
				delete(kept, w.name)
			}
			return kept
		})
	}
	return sets
}

// byParameters returns the set with the labels that the parameters of its tests
// give, so that sets of different origin can be compared; false if these do not
// tell its cases apart.
func (s *Set) byParameters() (*Set, bool) {
	d := s.relabelled(func(r *StoredRun) map[string]string { return derived(r.Document) })
	cases := map[string]string{} // by parameters to as stored
	for i := range s.Runs {
		if r := &s.Runs[i]; r.Counted() {
			now := d.Runs[i].Case()
			if before, ok := cases[now]; ok && before != r.Case() {
				return s, false
			}
			cases[now] = r.Case()
		}
	}
	return d, true
}

func (s *Set) relabelled(labels func(*StoredRun) map[string]string) *Set {
	c := *s
	c.Runs = slices.Clone(s.Runs)
	for i := range c.Runs {
		c.Runs[i].Labels = labels(&s.Runs[i])
		c.Runs[i].axes = nil // the cases of two sets have the same names
	}
	return &c
}

// haveCommonCase reports whether both sets have finished runs of some case.
func haveCommonCase(sets [2]*Set) bool {
	cases := map[string]bool{}
	for i := range sets[0].Runs {
		if r := &sets[0].Runs[i]; r.Counted() {
			cases[r.Case()] = true
		}
	}
	return slices.ContainsFunc(sets[1].Runs, func(r StoredRun) bool { return r.Counted() && cases[r.Case()] })
}

// wholeDifferences tells the labels that tell two sets apart, but for those that the
// tests themselves tell already.
func wholeDifferences(labels []wholeLabel, names []string, told []Difference) []Difference {
	all := told
	for _, w := range labels {
		if slices.ContainsFunc(told, func(d Difference) bool { return d.Side == "" && d.Fact == w.name }) {
			continue
		}
		d := Difference{Fact: oneLine(w.name), Values: map[string]string{}}
		for i, v := range w.values {
			d.Values[names[i]] = oneLine(v)
			if v == "" {
				d.Values[names[i]] = "not set"
			}
		}
		all = append(all, d)
	}
	sortDifferences(all)
	return all
}

// planned reports whether the runs carry a plan's labels.
func (s *Set) planned() bool {
	return slices.ContainsFunc(s.Runs, func(r StoredRun) bool { return r.planned })
}
