package compare

import (
	"math"
	"slices"

	"github.com/montanaflynn/stats"
)

// Trend is how a metric changes over the order of runs.
type Trend struct {
	Slope float64 // Theil-Sen: change per step, in units of y per unit of x
	Span  float64 // from the least x to the greatest
	P     float64 // Kendall's test for no trend, two-sided
	N     int
}

// Change is what the trend amounts to from the first x to the last.
func (t Trend) Change() float64 { return t.Slope * t.Span }

// The limits from which a drift is worth a warning: enough runs, a test at the
// 1 % level, because each set is tested without having been asked about, and a
// change over all runs above what runs differ by anyway.
const (
	driftRuns   = 8
	driftP      = 0.01
	driftChange = 0.05
)

// Matters reports whether a trend of values relative to their median, as
// [Drift] returns it, is both statistically clear and not negligible: at least
// 8 runs, P < 0.01, and 5 % or more from the first run to the last.
func (t Trend) Matters() bool {
	return t.N >= driftRuns && t.P < driftP && math.Abs(t.Change()) >= driftChange
}

// TheilSen returns the median of the slopes between all pairs of points with
// different x (Sen, 1968), and Kendall's test of y against x. Fewer than two
// distinct x give a NaN slope and P = 1.
func TheilSen(x, y []float64) Trend {
	t := Trend{Slope: math.NaN(), P: 1, N: len(x)}
	var slopes []float64
	discordant, tied := 0.0, false
	for i := range x {
		for j := i + 1; j < len(x); j++ {
			dx, dy := x[j]-x[i], y[j]-y[i]
			if dx != 0 {
				slopes = append(slopes, dy/dx)
			}
			switch p := dx * dy; {
			case p < 0:
				discordant++
			case p == 0:
				discordant += 0.5
				tied = true
			}
		}
	}
	if len(slopes) == 0 {
		return t
	}
	t.Slope, _ = stats.Median(slopes)
	t.Span = slices.Max(x) - slices.Min(x)
	if n := len(x); !tied && n <= 60 {
		t.P = kendall(n).twoSided(discordant)
	} else {
		pairs := float64(n*(n-1)) / 2
		variance := kendallVariance(x, y)
		if variance > 0 {
			z := math.Max(0, math.Abs(pairs-2*discordant)-1) / math.Sqrt(variance)
			t.P = math.Erfc(z / math.Sqrt2)
		}
	}
	return t
}

// kendallVariance is the variance of S = concordant - discordant pairs with
// correction for ties in both variables (Kendall, Rank Correlation Methods,
// equation 4.3).
func kendallVariance(x, y []float64) float64 {
	n := float64(len(x))
	tx, ty := ties(x), ties(y)
	term := func(t []float64, f func(float64) float64) float64 {
		s := 0.0
		for _, k := range t {
			s += f(k)
		}
		return s
	}
	a := func(k float64) float64 { return k * (k - 1) * (2*k + 5) }
	b := func(k float64) float64 { return k * (k - 1) * (k - 2) }
	c := func(k float64) float64 { return k * (k - 1) }
	v := (n*(n-1)*(2*n+5) - term(tx, a) - term(ty, a)) / 18
	if n > 2 {
		v += term(tx, b) * term(ty, b) / (9 * n * (n - 1) * (n - 2))
	}
	return v + term(tx, c)*term(ty, c)/(2*n*(n-1))
}

// ties returns the sizes of the groups of equal values.
func ties(v []float64) []float64 {
	s := slices.Sorted(slices.Values(v))
	var sizes []float64
	for i := 0; i < len(s); {
		j := i
		for j < len(s) && s[j] == s[i] {
			j++
		}
		sizes = append(sizes, float64(j-i))
		i = j
	}
	return sizes
}

// Drift looks for a trend over the order of runs in values that belong to
// different cases: each value is taken relative to the median of its case.
// The slope is the relative change per run (0.001 = 0.1 % a run); heat and
// batteries show here.
func Drift(runs []Run, m Metric) Trend {
	byCase := map[string][]float64{}
	for _, r := range runs {
		if v, ok := r.Values[m.Name]; ok {
			byCase[r.Case()] = append(byCase[r.Case()], v)
		}
	}
	var x, y []float64
	for _, r := range runs {
		v, ok := r.Values[m.Name]
		if !ok {
			continue
		}
		if med, err := stats.Median(byCase[r.Case()]); err == nil && med != 0 {
			x, y = append(x, float64(r.Order)), append(y, v/med)
		}
	}
	return TheilSen(x, y)
}

// RateFit estimates a rate in bits per second from the bytes and seconds of
// runs of different sizes or durations: the Theil-Sen slope of bytes against
// time, which a fixed cost per run (connection set-up, slow start) and single
// stalls do not move. ok is false with fewer than three distinct durations.
func RateFit(seconds, bytes []float64) (bitsPerSecond float64, ok bool) {
	if len(ties(seconds)) < 3 {
		return 0, false
	}
	return TheilSen(seconds, bytes).Slope * 8, true
}
