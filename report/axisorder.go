package report

import (
	"cmp"
	"maps"
	"slices"
	"strings"
)

// axisOrder is the order in which plans wrote their axes; those of no plan
// follow by name.
type axisOrder []string

// learn adds the labels of a case in the order in which the plan's name of the
// case has them.
func (o axisOrder) learn(name string, labels map[string]string) axisOrder {
	at := map[string]int{}
	for axis, value := range labels {
		if i := strings.Index(" "+name+" ", " "+axis+"="+value+" "); i >= 0 && !slices.Contains(o, axis) {
			at[axis] = i
		}
	}
	return append(o, slices.SortedFunc(maps.Keys(at), func(a, b string) int { return cmp.Compare(at[a], at[b]) })...)
}

func (o axisOrder) compare(a, b string) int {
	i, j := slices.Index(o, a), slices.Index(o, b)
	switch {
	case i >= 0 && j >= 0:
		return cmp.Compare(i, j)
	case i >= 0:
		return -1
	case j >= 0:
		return 1
	}
	return strings.Compare(a, b)
}

// name returns labels as one string.
func (o axisOrder) name(labels map[string]string) string {
	var parts []string
	for _, axis := range slices.SortedFunc(maps.Keys(labels), o.compare) {
		parts = append(parts, axis+"="+labels[axis])
	}
	return strings.Join(parts, " ")
}
