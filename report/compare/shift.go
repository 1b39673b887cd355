package compare

import (
	"math"
	"slices"

	"github.com/montanaflynn/stats"
)

// Shift is how far one set lies from another: the Hodges-Lehmann estimate
// with an interval. In the unit of the metric for absolute shifts; for
// relative ones a fraction (0.05 = 5 % more than the base).
type Shift struct {
	Estimate   float64
	Lo, Hi     float64 // ±Inf when there are too few runs for an interval
	Confidence float64 // really reached by Lo..Hi, at least what was asked for; 0 without an interval
	P          float64 // of the rank test for no shift, two-sided
	Relative   bool
	Paired     bool // by round; otherwise two independent samples
	N          int  // pairs, or the smaller sample's size summed over strata
	Strata     int
}

// stratum is one combination of the other labels: values of the base and of
// the other set, or the same rounds of both as pairs.
type stratum struct{ base, other []float64 }

// independentShift estimates the shift between independent samples within
// strata: the median of all pairwise differences other - base inside a
// stratum, the interval from the distribution of the sum of the strata's
// Mann-Whitney statistics (van Elteren's idea with equal weights).
// Lehmann, Nonparametrics, 1975, section 2.5; Hollander and Wolfe, section 4.2-4.3.
func independentShift(strata []stratum, confidence float64) Shift {
	var diffs []float64
	u := 0.0
	null := distribution{1}
	exact, pairs, variance := true, 0, 0.0
	s := Shift{Strata: len(strata)}
	for _, st := range strata {
		m, n := len(st.base), len(st.other)
		s.N += min(m, n)
		pairs += m * n
		variance += float64(m*n*(m+n+1)) / 12
		for _, b := range st.base {
			for _, o := range st.other {
				diffs = append(diffs, o-b)
				u += above(o, b)
			}
		}
	}
	if len(diffs) == 0 {
		return empty(s)
	}
	if exact = pairs <= exactLimit; exact {
		for _, st := range strata {
			null = null.convolve(mannWhitney(len(st.base), len(st.other)))
		}
	} else {
		null = normalDistribution(pairs, variance)
	}
	return finish(s, diffs, null, u, confidence)
}

// pairedShift estimates the shift from differences of pairs: the median of
// all Walsh averages, the interval from the signed-rank distribution
// (Hollander and Wolfe, section 3.1-3.3). The differences of all strata are
// pooled: within a round the strata's own levels cancel.
func pairedShift(strata []stratum, confidence float64) Shift {
	s := Shift{Strata: len(strata), Paired: true}
	var d []float64
	for _, st := range strata {
		for i := range st.base {
			d = append(d, st.other[i]-st.base[i])
		}
	}
	s.N = len(d)
	if len(d) == 0 {
		return empty(s)
	}
	var walsh []float64
	w := 0.0
	for i := range d {
		for j := i; j < len(d); j++ {
			a := (d[i] + d[j]) / 2
			walsh = append(walsh, a)
			w += above(a, 0)
		}
	}
	n := len(d)
	null := signedRank(min(n, 60))
	if n > 60 {
		null = normalDistribution(n*(n+1)/2, float64(n*(n+1)*(2*n+1))/24)
	}
	return finish(s, walsh, null, w, confidence)
}

func above(a, b float64) float64 {
	switch {
	case a > b:
		return 1
	case a == b:
		return 0.5
	}
	return 0
}

func empty(s Shift) Shift {
	s.Lo, s.Hi, s.P = math.Inf(-1), math.Inf(1), 1
	s.Estimate = math.NaN()
	return s
}

func finish(s Shift, estimates []float64, null distribution, statistic, confidence float64) Shift {
	slices.Sort(estimates)
	s.Estimate, _ = stats.Median(estimates)
	s.P = null.twoSided(statistic)
	s.Lo, s.Hi = math.Inf(-1), math.Inf(1)
	if k, tail := null.trim((1 - confidence) / 2); k > 0 {
		s.Lo, s.Hi = estimates[k-1], estimates[len(estimates)-k]
		s.Confidence = 1 - 2*tail
	}
	return s
}

// inverseLog turns a shift of logarithms into a fraction of the base.
func (s Shift) inverseLog() Shift {
	f := func(x float64) float64 { return math.Exp(x) - 1 }
	s.Estimate, s.Lo, s.Hi, s.Relative = f(s.Estimate), f(s.Lo), f(s.Hi), true
	if s.Confidence == 0 {
		s.Lo, s.Hi = math.Inf(-1), math.Inf(1)
	}
	return s
}

// runsNeeded returns the smallest number of runs of each set (pairs when
// paired) per stratum that gives an interval of the confidence at all.
func runsNeeded(strata int, paired bool, confidence float64) int {
	for n := 1; ; n++ {
		var null distribution
		if paired {
			null = signedRank(n * strata)
		} else {
			null = distribution{1}
			one := mannWhitney(n, n)
			for range strata {
				null = null.convolve(one)
			}
		}
		if k, _ := null.trim((1 - confidence) / 2); k > 0 {
			return n
		}
	}
}
