package compare

import (
	"fmt"
	"math"
	"math/rand/v2"
	"strings"
	"testing"
)

// Interval coverage is checked by simulation with a fixed seed: the share of
// intervals that hold the true shift must agree with the confidence that the
// interval claims, within 1.5 points.
const simulations = 2400

func near(t *testing.T, what string, got, want, within float64) {
	t.Helper()
	if math.IsNaN(got) || math.Abs(got-want) > within {
		t.Errorf("%s = %v, want %v within %v", what, got, want, within)
	}
}

func TestDistributions(t *testing.T) {
	// Published tables: for m = n = 5, P(U <= 2) = 4/252; for n = 10,
	// P(T <= 8) = 25/1024; for Kendall n = 4, P(no discordant pair) = 1/24.
	near(t, "P(U<=2; 5,5)", mannWhitney(5, 5).lower(2), 4.0/252, 1e-12)
	near(t, "P(U<=23; 10,10)", mannWhitney(10, 10).lower(23), 0.0216, 1e-4)
	near(t, "P(T<=8; 10)", signedRank(10).lower(8), 25.0/1024, 1e-12)
	near(t, "P(K=0; 4)", kendall(4).lower(0), 1.0/24, 1e-12)
	for m := 1; m <= 9; m++ {
		for n := 1; n <= 9; n++ {
			d, sum := mannWhitney(m, n), 0.0
			for _, p := range d {
				sum += p
			}
			if len(d) != m*n+1 {
				t.Fatalf("U of %d and %d has %d values", m, n, len(d))
			}
			near(t, "sum of probabilities", sum, 1, 1e-12)
		}
	}
	// The approximation used for large samples agrees with the exact one.
	exact, approx := mannWhitney(30, 30), normalDistribution(900, 30*30*61.0/12)
	near(t, "normal approximation", approx.lower(300), exact.lower(300), 5e-4)
}

// The worked example of Hollander and Wolfe (1973), section 4.1: permeability
// of the human chorioamnion at term (10) and at 12 to 26 weeks (5).
func TestIndependentShiftWorkedExample(t *testing.T) {
	term := []float64{0.80, 0.83, 1.89, 1.04, 1.45, 1.38, 1.91, 1.64, 0.73, 1.46}
	weeks := []float64{1.15, 0.88, 0.90, 0.74, 1.21}
	s := independentShift([]stratum{{base: weeks, other: term}}, 0.95)
	near(t, "estimate", s.Estimate, 0.305, 1e-9)
	near(t, "two-sided P", s.P, 0.2544, 5e-4)
	near(t, "lo", s.Lo, -0.15, 0.011)
	near(t, "hi", s.Hi, 0.76, 0.011)
	if s.Confidence < 0.95 || s.Confidence > 0.97 {
		t.Errorf("confidence %v", s.Confidence)
	}
}

// The worked example of Hollander and Wolfe (1973), section 3.1: Hamilton
// depression scale of nine patients before and after a tranquillizer.
func TestPairedShiftWorkedExample(t *testing.T) {
	before := []float64{1.83, 0.50, 1.62, 2.48, 1.68, 1.88, 1.55, 3.06, 1.30}
	after := []float64{0.878, 0.647, 0.598, 2.05, 1.06, 1.29, 1.06, 3.14, 1.29}
	s := pairedShift([]stratum{{base: before, other: after}}, 0.95)
	near(t, "estimate", s.Estimate, -0.46, 1e-9)
	near(t, "two-sided P", s.P, 0.0390625, 1e-9)
	near(t, "lo", s.Lo, -0.786, 1e-9)
	near(t, "hi", s.Hi, -0.010, 1e-9)
	near(t, "confidence", s.Confidence, 0.9609375, 1e-9)
}

// The worked example of Sen (1968): slope 4 with the data of his section 6.
func TestTheilSenWorkedExample(t *testing.T) {
	x := []float64{1, 2, 3, 4, 10, 12, 18}
	y := []float64{9, 15, 19, 20, 45, 55, 78}
	tr := TheilSen(x, y)
	near(t, "slope", tr.Slope, 4, 1e-9)
	near(t, "P", tr.P, 2.0/5040, 1e-9)
	if tr := TheilSen([]float64{1, 1}, []float64{2, 3}); !math.IsNaN(tr.Slope) || tr.P != 1 {
		t.Errorf("no two distinct x: %+v", tr)
	}
}

func draw(r *rand.Rand, n int, skewed bool) []float64 {
	v := make([]float64, n)
	for i := range v {
		v[i] = r.NormFloat64()
		if skewed {
			v[i] = math.Exp(v[i])
		}
	}
	return v
}

func TestCoverage(t *testing.T) {
	r := rand.New(rand.NewPCG(1, 2))
	for _, skewed := range []bool{false, true} {
		for _, n := range []int{6, 7, 8, 12, 20, 30} {
			var median, independent, paired, stratified struct{ hit, claimed float64 }
			sims := simulations
			if n >= 20 {
				sims = simulations / 3
			}
			center := 0.0
			if skewed {
				center = 1
			}
			for range sims {
				a, b := draw(r, n, skewed), draw(r, n, skewed)
				s := Summarize(a, 0.95)
				if s.Lo <= center && center <= s.Hi {
					median.hit++
				}
				median.claimed += s.Confidence
				const shift = 0.7
				for i := range b {
					b[i] += shift
				}
				count := func(s Shift, c *struct{ hit, claimed float64 }) {
					if s.Lo <= shift && shift <= s.Hi {
						c.hit++
					}
					c.claimed += s.Confidence
				}
				one := stratum{base: a, other: b}
				count(independentShift([]stratum{one}, 0.95), &independent)
				count(pairedShift([]stratum{one}, 0.95), &paired)
				if n <= 12 {
					c, d := draw(r, n, skewed), draw(r, n, skewed)
					for i := range d {
						c[i], d[i] = c[i]+100, d[i]+100+shift
					}
					count(independentShift([]stratum{one, {base: c, other: d}}, 0.95), &stratified)
				}
			}
			for name, c := range map[string]struct{ hit, claimed float64 }{"median": median, "independent": independent, "paired": paired, "stratified": stratified} {
				if c.claimed == 0 {
					continue
				}
				got, want := c.hit/float64(sims), c.claimed/float64(sims)
				if math.Abs(got-want) > 0.015 || want < 0.95 {
					t.Errorf("skewed %v, n %d, %s: covers %.2f%%, claims %.2f%%", skewed, n, name, got*100, want*100)
				}
			}
		}
	}
}

func run(axis, value string, round, order int, v float64) Run {
	return Run{Labels: map[string]string{axis: value, "direction": "forward"}, Round: round, Order: order,
		Interleaved: true, Values: map[string]float64{metrics[0].Name: v}}
}

func TestFalseVerdicts(t *testing.T) {
	r := rand.New(rand.NewPCG(3, 4))
	axes := []Axis{{"firewall", []string{"on", "off"}}, {"mtu", []string{"1500", "9000"}}}
	for _, n := range []int{6, 8, 15} {
		for _, unpaired := range []bool{false, true} {
			wrong := 0
			for range simulations / 2 {
				var runs []Run
				for round := 1; round <= n; round++ {
					for _, fw := range axes[0].Values {
						for _, mtu := range axes[1].Values {
							run := run("firewall", fw, round, len(runs), math.Exp(20+0.05*r.NormFloat64()))
							run.Labels["mtu"] = mtu
							runs = append(runs, run)
						}
					}
				}
				for _, v := range Axes(runs, axes, metrics[0], Options{Unpaired: unpaired}) {
					if v.Outcome != NoDifference {
						wrong++
						break
					}
				}
			}
			if share := float64(wrong) / (simulations / 2); share > 0.06 {
				t.Errorf("n %d, unpaired %v: %.1f%% false verdicts on equal sets", n, unpaired, share*100)
			}
		}
	}
}

func TestVerdicts(t *testing.T) {
	r := rand.New(rand.NewPCG(5, 6))
	set := func(n int, factor float64, interleaved bool) []Run {
		var runs []Run
		for round := 1; round <= n; round++ {
			level := math.Exp(20 + 0.3*r.NormFloat64()) // rounds differ a lot, as on a shared machine
			for _, v := range []string{"on", "off"} {
				x := level * math.Exp(0.01*r.NormFloat64())
				if v == "off" {
					x *= factor
				}
				run := run("firewall", v, round, len(runs), x)
				run.Interleaved = interleaved
				runs = append(runs, run)
			}
		}
		return runs
	}
	axis := []Axis{{"firewall", []string{"on", "off"}}}
	v := Axes(set(8, 1.1, true), axis, metrics[0], Options{})[0]
	if v.Outcome != Better || !v.Shift.Paired || math.Abs(v.Shift.Estimate-0.1) > 0.02 || v.Shift.Lo > 0.1 || v.Shift.Hi < 0.1 {
		t.Errorf("10%% more by round: %+v", v)
	}
	if s := v.String(); !strings.Contains(s, "off is faster than on by ") {
		t.Errorf("sentence: %s", s)
	}
	if v := Axes(set(8, 1.1, false), axis, metrics[0], Options{})[0]; v.Outcome != NoDifference || v.Shift.Paired {
		t.Errorf("without rounds the same runs cannot tell: %+v", v)
	}
	if v := Axes(set(8, 0.9, true), axis, metrics[0], Options{})[0]; v.Outcome != Worse {
		t.Errorf("10%% less: %+v", v)
	} else if lower, ok := v.Slowdown(); !ok || lower < 0.08 || lower > 0.1 {
		t.Errorf("slowdown at least %v", lower)
	}
	v = Axes(set(3, 1.1, true), axis, metrics[0], Options{})[0]
	if v.Outcome != TooFewRuns || v.Needed != 6 {
		t.Errorf("three rounds: %+v", v)
	}
	if v.Needed != runsNeeded(1, true, 0.95) || runsNeeded(1, false, 0.95) != 4 {
		t.Errorf("runs needed: %d paired, %d unpaired", runsNeeded(1, true, 0.95), runsNeeded(1, false, 0.95))
	}
	// A share that is zero in some runs is compared in points.
	var runs []Run
	for i := 1; i <= 8; i++ {
		for j, v := range []string{"on", "off"} {
			x := run("firewall", v, i, 2*i+j, 0)
			x.Values = map[string]float64{"lost_percent": float64(j*3) + float64(i)/100*float64(j)}
			runs = append(runs, x)
		}
	}
	v = Axes(runs, axis, metrics[4], Options{})[0]
	if v.Outcome != Worse || v.Shift.Relative || !strings.Contains(v.String(), "points") {
		t.Errorf("loss: %s %+v", v.String(), v)
	}
	// A case that only one side has is left out and named.
	lonely := run("firewall", "on", 1, 99, 5)
	lonely.Labels["direction"] = "reverse"
	v = Axes(append(set(8, 1, true), lonely), axis, metrics[0], Options{})[0]
	if len(v.Warnings) != 1 || !strings.Contains(v.Warnings[0], "direction=reverse") {
		t.Errorf("warnings: %q", v.Warnings)
	}
}

func TestSummarize(t *testing.T) {
	s := Summarize([]float64{5, 1, 3}, 0.95)
	if s.Median != 3 || s.Min != 1 || s.Max != 5 || s.Confidence != 0 || !math.IsNaN(s.Lo) || !strings.Contains(fmt.Sprint(s.Warnings), "6 are enough") {
		t.Errorf("three runs: %+v", s)
	}
	if s := Summarize([]float64{1, 2, 3, 4, 5, 6}, 0.95); s.Lo != 1 || s.Hi != 6 || math.Abs(s.Confidence-0.96875) > 1e-9 {
		t.Errorf("six runs: %+v", s)
	}
	if s := Summarize(nil, 0.95); s.N != 0 || !math.IsNaN(s.Median) {
		t.Errorf("nothing: %+v", s)
	}
	two := Summarize([]float64{10, 10.1, 9.9, 10.05, 20, 20.1, 19.9, 20.2}, 0.95)
	if !strings.Contains(fmt.Sprint(two.Warnings), "two groups") {
		t.Errorf("two groups: %+v", two)
	}
	r := rand.New(rand.NewPCG(7, 8))
	false2 := 0
	for range simulations {
		v := draw(r, 8+r.IntN(20), false)
		for i := range v {
			v[i] += 100
		}
		if strings.Contains(fmt.Sprint(Summarize(v, 0.95).Warnings), "two groups") {
			false2++
		}
	}
	if share := float64(false2) / simulations; share > 0.01 {
		t.Errorf("%.2f%% of normal samples count as two groups", share*100)
	}
}

func TestDrift(t *testing.T) {
	var runs []Run
	r := rand.New(rand.NewPCG(9, 10))
	for i := range 40 {
		level := 1e9
		if i%2 == 1 {
			level = 5e9
		}
		runs = append(runs, run("mtu", fmt.Sprint(i%2), i/2+1, i, level*(1-0.002*float64(i))*(1+0.005*r.NormFloat64())))
	}
	d := Drift(runs, metrics[0])
	near(t, "slope per run", d.Slope, -0.002, 0.0004)
	if d.P > 0.001 || !d.Matters() {
		t.Errorf("a fall of 8%% over 40 runs has P = %v", d.P)
	}
	near(t, "change", d.Change(), -0.08, 0.015)
	// Certain, but a trifle; large, but not certain; certain and large, but of few runs.
	for i := range runs {
		runs[i].Values = map[string]float64{"bits_per_second": 1e9 * (1 - 0.0005*float64(i))}
	}
	if d := Drift(runs, metrics[0]); d.P > 0.001 || d.Matters() {
		t.Errorf("a fall of 2%%: %+v", d)
	}
	for i := range runs {
		runs[i].Values = map[string]float64{"bits_per_second": 1e9 * (1 + 0.01*float64(i) + float64(i*17%40))}
	}
	if d := Drift(runs, metrics[0]); d.P < driftP || math.Abs(d.Change()) < driftChange || d.Matters() {
		t.Errorf("noise: %+v", d)
	}
	for i := range runs {
		runs[i].Values = map[string]float64{"bits_per_second": 1e9 * (1 + 0.1*float64(i))}
	}
	if d := Drift(runs[:7], metrics[0]); d.P >= driftP || d.Matters() {
		t.Errorf("seven runs: %+v", d)
	}
}

// A difference that rounds to zero has no sign and no word.
func TestNegligible(t *testing.T) {
	axis := []Axis{{Name: "firewall", Values: []string{"on", "off"}}}
	set := func(m Metric, base, other float64) Verdict {
		var runs []Run
		for i := 1; i <= 10; i++ {
			for j, v := range []string{"on", "off"} {
				x := run("firewall", v, i, 2*i+j, 0)
				x.Values = map[string]float64{m.Name: []float64{base, other}[j] * (1 + 1e-9*float64(i))}
				runs = append(runs, x)
			}
		}
		return Axes(runs, axis, m, Options{})[0]
	}
	loss, jitter := metrics[4], metrics[5]
	for _, c := range []struct {
		m           Metric
		base, other float64
		outcome     Outcome
		change      string
	}{
		{metrics[0], 1e9, 0.9996e9, NoDifference, "0.0 %"},
		{metrics[0], 1e9, 1.0004e9, NoDifference, "0.0 %"},
		{metrics[0], 1e9, 0.999e9, Worse, "-0.1 %"},
		{loss, 0, 0.004, NoDifference, "0.00 points"},
		{loss, 0, 0.02, Worse, "+0.02 points"},
		{loss, 0.004, 0, NoDifference, "0.00 points"},
		{jitter, 0.002, 0, Better, "-0.002 ms"},
	} {
		v := set(c.m, c.base, c.other)
		if v.Outcome != c.outcome || v.Change() != c.change || strings.Contains(v.Interval()+v.String(), "-0.0 ") || strings.Contains(v.Interval()+v.String(), "-0.00 ") {
			t.Errorf("%s of %v and %v: %s, %s, %s", c.m.Title, c.base, c.other, v.Outcome, v.Change(), v.String())
		}
		if c.outcome == NoDifference && !strings.Contains(v.String(), "no difference shown") {
			t.Errorf("%s", v.String())
		}
	}
}

func TestRateFit(t *testing.T) {
	// 1 Gbit/s after a fixed cost of 0.2 s, one run with a stall of 3 s.
	var s, b []float64
	for i := 1; i <= 9; i++ {
		s, b = append(s, float64(i)+0.2), append(b, float64(i)*125e6)
	}
	s[4] += 3
	rate, ok := RateFit(s, b)
	if !ok {
		t.Fatal("no rate")
	}
	near(t, "rate", rate, 1e9, 1e6)
	if _, ok := RateFit([]float64{1, 1, 2}, []float64{1, 1, 2}); ok {
		t.Error("two durations are not enough for a slope")
	}
}

// A difference that only counts by itself, and not among several comparisons, is
// told as such.
func TestUncertainAmongMany(t *testing.T) {
	v := Verdict{Base: "on", Other: "off", Metric: metrics[0], Outcome: NoDifference, P: 0.08, Shift: Shift{Estimate: 0.03, Lo: 0.005, Hi: 0.056, Relative: true, Confidence: 0.96}}
	const want = "throughput: no difference shown between on and off (+3.0 % [+0.5 %, +5.6 %]): by itself it would count, but corrected for the number of comparisons P is 0.08; more runs may settle it"
	if got := v.String(); got != want {
		t.Errorf("got\n%s\nwant\n%s", got, want)
	}
}
