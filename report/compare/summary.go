package compare

import (
	"fmt"
	"math"
	"slices"

	"github.com/montanaflynn/stats"
	"golang.org/x/perf/benchmath"
)

// Summary describes repeated runs of one case in one metric.
type Summary struct {
	N          int
	Median     float64
	Lo, Hi     float64 // distribution-free interval of the median; NaN when N is too small for one
	Confidence float64 // really reached by Lo..Hi, at least what was asked for; 0 without an interval
	Mean       float64
	CV         float64 // coefficient of variation, standard deviation / mean; NaN when undefined
	Min, Max   float64
	Needed     int      // without an interval: runs that would give one; otherwise 0
	Warnings   []string // without an interval, the first says so
}

// Summarize describes the values. The interval is that between two order
// statistics (benchmath); confidence is what it has to reach, for example
// 0.95, which needs at least 6 values.
func Summarize(values []float64, confidence float64) Summary {
	s := Summary{N: len(values), Median: math.NaN(), Lo: math.NaN(), Hi: math.NaN(),
		Mean: math.NaN(), CV: math.NaN(), Min: math.NaN(), Max: math.NaN()}
	if len(values) == 0 {
		return s
	}
	sorted := slices.Sorted(slices.Values(values))
	b := benchmath.AssumeNothing.Summary(benchmath.NewSample(slices.Clone(sorted), &benchmath.DefaultThresholds), confidence)
	s.Median, _ = stats.Median(sorted)
	if !math.IsInf(b.Lo, 0) && !math.IsInf(b.Hi, 0) {
		s.Lo, s.Hi, s.Confidence = b.Lo, b.Hi, b.Confidence
	} else {
		runs := "1 run is"
		if s.N > 1 {
			runs = fmt.Sprintf("%d runs are", s.N)
		}
		s.Needed = medianRunsNeeded(confidence)
		s.Warnings = append(s.Warnings, fmt.Sprintf("%s too few for a %.4g%% interval (%d are enough)", runs, confidence*100, s.Needed))
	}
	s.Mean, _ = stats.Mean(sorted)
	s.Min, s.Max = sorted[0], sorted[len(sorted)-1]
	if sd, err := stats.StandardDeviationSample(sorted); err == nil && len(sorted) > 1 && s.Mean != 0 {
		s.CV = sd / math.Abs(s.Mean)
		if s.CV > cvLimit {
			s.Warnings = append(s.Warnings, fmt.Sprintf("the runs vary widely (coefficient of variation %.0f%%)", s.CV*100))
		}
	}
	if lo, hi, ok := bimodal(sorted); ok {
		apart := ""
		if lo > 0 {
			apart = fmt.Sprintf(", the upper %.3g times the lower", hi/lo)
		}
		s.Warnings = append(s.Warnings, fmt.Sprintf("the runs fall into two groups%s: the median describes neither", apart))
	}
	return s
}

// cvLimit is the coefficient of variation above which a summary warns: on a
// quiet machine repeated runs stay within a few percent.
const cvLimit = 0.2

// medianRunsNeeded is the smallest n with 1 - 2^(1-n) >= confidence: the
// interval from the least to the greatest value.
func medianRunsNeeded(confidence float64) int {
	return int(math.Ceil(1 - math.Log2(1-confidence)))
}

// bimodal reports whether sorted values split into two clearly separated
// groups, and the medians of the groups. The split is the one with the least
// variance inside the groups (Otsu, 1979); the groups count as separate when
// each holds a fifth of at least eight values and the gap between them is
// larger than three times the spread of the wider group, which random samples
// of one normal group practically never show (tested).
func bimodal(sorted []float64) (lo, hi float64, ok bool) {
	n := len(sorted)
	if n < 8 {
		return 0, 0, false
	}
	best, at := math.Inf(1), 0
	for k := 1; k < n; k++ {
		if v := sumSquares(sorted[:k]) + sumSquares(sorted[k:]); v < best {
			best, at = v, k
		}
	}
	if 5*min(at, n-at) < n {
		return 0, 0, false
	}
	spread := func(v []float64) float64 { return v[len(v)-1] - v[0] }
	gap := sorted[at] - sorted[at-1]
	if gap <= 1.5*math.Max(spread(sorted[:at]), spread(sorted[at:])) {
		return 0, 0, false
	}
	lo, _ = stats.Median(sorted[:at])
	hi, _ = stats.Median(sorted[at:])
	return lo, hi, true
}

func sumSquares(v []float64) float64 {
	mean, _ := stats.Mean(v)
	s := 0.0
	for _, x := range v {
		s += (x - mean) * (x - mean)
	}
	return s
}
