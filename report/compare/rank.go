package compare

import "math"

// exactLimit is the product of sample sizes up to which the distribution of
// the Mann-Whitney statistic is computed exactly; beyond it the normal
// approximation differs by less than the probabilities that are reported.
const exactLimit = 4000

// distribution is the probability of each value 0..n of a rank statistic
// that is symmetric about n/2.
type distribution []float64

// mannWhitney returns the null distribution of U for samples of m and n
// values without ties: P(m,n,u) = n/(m+n) P(m,n-1,u) + m/(m+n) P(m-1,n,u-n)
// (Mann and Whitney, 1947, their recurrence in probabilities, which is
// numerically stable).
func mannWhitney(m, n int) distribution {
	rows := make([]distribution, m+1)
	for i := range rows {
		rows[i] = distribution{1} // n = 0
	}
	for j := 1; j <= n; j++ {
		next := make([]distribution, m+1)
		next[0] = distribution{1}
		for i := 1; i <= m; i++ {
			d := make(distribution, i*j+1)
			for u, p := range rows[i] {
				d[u] += p * float64(j) / float64(i+j)
			}
			for u, p := range next[i-1] {
				d[u+j] += p * float64(i) / float64(i+j)
			}
			next[i] = d
		}
		rows = next
	}
	return rows[m]
}

// signedRank returns the null distribution of Wilcoxon's signed-rank
// statistic for n differences without ties: each rank counts with
// probability 1/2.
func signedRank(n int) distribution {
	d := distribution{1}
	for rank := 1; rank <= n; rank++ {
		next := make(distribution, len(d)+rank)
		for s, p := range d {
			next[s] += p / 2
			next[s+rank] += p / 2
		}
		d = next
	}
	return d
}

// kendall returns the null distribution of the number of discordant pairs
// among n values in random order: the k-th value added is equally likely to
// be discordant with 0..k-1 of the earlier ones.
func kendall(n int) distribution {
	d := distribution{1}
	for k := 2; k <= n; k++ {
		next := make(distribution, len(d)+k-1)
		for s, p := range d {
			for add := range k {
				next[s+add] += p / float64(k)
			}
		}
		d = next
	}
	return d
}

// convolve returns the distribution of the sum of two independent statistics.
func (d distribution) convolve(o distribution) distribution {
	sum := make(distribution, len(d)+len(o)-1)
	for i, p := range d {
		for j, q := range o {
			sum[i+j] += p * q
		}
	}
	return sum
}

// lower returns P(X <= x); x between two integers counts as the mean of both,
// which is how ties (half counts) are treated.
func (d distribution) lower(x float64) float64 {
	if x < 0 {
		return 0
	}
	lo := int(math.Floor(x))
	if lo >= len(d)-1 {
		return 1
	}
	sum := 0.0
	for i := 0; i <= lo; i++ {
		sum += d[i]
	}
	return sum + (x-float64(lo))*d[lo+1]
}

// twoSided returns the probability of a value at least as far from the middle
// as x.
func (d distribution) twoSided(x float64) float64 {
	top := float64(len(d) - 1)
	return math.Min(1, 2*d.lower(math.Min(x, top-x)))
}

// trim returns the largest k such that P(X <= k-1) <= tail, and that
// probability: k values may be cut from each end of the sorted list of
// pairwise estimates. k = 0 means that no finite interval reaches the
// confidence asked for.
func (d distribution) trim(tail float64) (k int, p float64) {
	sum := 0.0
	for i := 0; i < len(d)/2; i++ {
		if sum+d[i] > tail {
			return i, sum
		}
		sum += d[i]
	}
	return len(d) / 2, sum
}

// normalDistribution returns the discretised normal distribution on 0..n with
// the mean n/2 and the given variance, used where the exact one is too large.
func normalDistribution(n int, variance float64) distribution {
	d := make(distribution, n+1)
	cdf := func(x float64) float64 {
		return 0.5 * math.Erfc(-(x-float64(n)/2)/math.Sqrt(2*variance))
	}
	for i := range d {
		lo, hi := cdf(float64(i)-0.5), cdf(float64(i)+0.5)
		if i == 0 {
			lo = 0
		}
		if i == n {
			hi = 1
		}
		d[i] = hi - lo
	}
	return d
}
