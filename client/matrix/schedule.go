package matrix

import "math/rand/v2"

// Step is one run to do.
type Step struct {
	Case   Case
	Round  int  // from 1; warm-up rounds count 0, -1, …
	Order  int  // place in the whole schedule, from 0
	Warmup bool // kept, but not counted
}

// Schedule lists every run of a plan in its order. The same plan, cases and
// seed give the same schedule, so that an interrupted plan can go on.
func (p *Plan) Schedule(cases []Case) []Step {
	d := p.withDefaults()
	var steps []Step
	for i := range d.Warmup + d.Repeat {
		round := i - d.Warmup + 1
		order := make([]int, len(cases))
		for j := range order {
			order[j] = j
		}
		if d.Order == Interleaved {
			r := rand.New(rand.NewPCG(p.Seed, uint64(i)))
			r.Shuffle(len(order), func(a, b int) { order[a], order[b] = order[b], order[a] })
		}
		for _, j := range order {
			steps = append(steps, Step{Case: cases[j], Round: round, Order: len(steps), Warmup: round < 1})
		}
	}
	return steps
}
