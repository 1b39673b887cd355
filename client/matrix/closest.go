package matrix

import (
	"slices"
	"strings"
)

// DidYouMean is " (did you mean …?)" with the names that are most like one that
// was mistyped, three at most, or "" if none is.
func DidYouMean(name string, allowed []string) string {
	limit := max(1, len(name)/3)
	type candidate struct {
		name     string
		distance int
	}
	var near []candidate
	for _, a := range allowed {
		if d := edits(strings.ToLower(name), strings.ToLower(a)); d <= limit {
			near = append(near, candidate{a, d})
		}
	}
	if len(near) == 0 {
		return ""
	}
	slices.SortStableFunc(near, func(a, b candidate) int { return a.distance - b.distance })
	var names []string
	for _, c := range near[:min(3, len(near))] {
		names = append(names, c.name)
	}
	return " (did you mean " + strings.Join(names, ", or ") + "?)"
}

// edits is how many bytes must be added, removed or replaced to make b of a
// (Levenshtein's distance).
func edits(a, b string) int {
	row := make([]int, len(b)+1)
	for j := range row {
		row[j] = j
	}
	for i := range len(a) {
		diagonal := row[0]
		row[0] = i + 1
		for j := range len(b) {
			replace := diagonal
			if a[i] != b[j] {
				replace++
			}
			diagonal = row[j+1]
			row[j+1] = min(replace, row[j]+1, row[j+1]+1)
		}
	}
	return row[len(b)]
}
