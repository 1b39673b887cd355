package explain

import (
	"fmt"
	"strings"
)

// exceeded is the share above which the ceiling itself must be wrong.
func (f *flow) exceeded() float64 {
	if f.estimated {
		return estimateExceeded
	}
	return ceilingExceeded
}

// capped has a finding for each direction whose share is in the range, joined
// into one: there is one id and one path.
func (v *view) capped(end string, advice string, in func(*flow) bool) []Finding {
	one := say("", advice).about(sidePath)
	var parts []string
	for i := range v.flows {
		f := &v.flows[i]
		if f.ceiling <= 0 || !in(f) {
			continue
		}
		about := ""
		if f.estimated {
			about = " estimated"
		}
		parts = append(parts, fmt.Sprintf("%s %s are %s of the%s goodput ceiling, %s (link %s, %s of IPv%d, MTU %d)",
			bitRate(f.rate), f.words(), percent(f.share()), about, bitRate(f.ceiling), bitRate(f.speed), v.transport(), f.framing.Family, f.framing.MTU))
		one.figure(f.key("bits_per_second"), f.rate).figure(f.key("ceiling_bits_per_second"), f.ceiling).
			figure(f.key("percent_of_ceiling"), f.share()).figure(f.key("ceiling_estimated"), f.estimated).
			on(f.sender, "link.speed_tx_bits_per_second", "link.mtu_bytes").on(f.receiver, "link.speed_rx_bits_per_second", "link.mtu_bytes")
	}
	if len(parts) == 0 {
		return nil
	}
	one.Sentence = strings.Join(parts, "; ") + end
	return []Finding{*one}
}

func aboveCeiling(v *view) []Finding {
	return v.capped(": the speed is not the real one, or another interface carried the test.", "",
		func(f *flow) bool { return f.share() > f.exceeded() })
}

func atCeiling(v *view) []Finding {
	return v.capped(": the link is the limit.", "",
		func(f *flow) bool { return f.share() >= ceilingReached && f.share() <= f.exceeded() })
}

func nearCeiling(v *view) []Finding {
	return v.capped(".", "", func(f *flow) bool { return f.share() >= ceilingMissed && f.share() < ceilingReached && !f.held() })
}

func belowCeiling(v *view, causes []string) []Finding {
	return v.capped(". "+candidates(causes), "", func(f *flow) bool { return f.share() < ceilingMissed && !f.held() })
}

// candidates names the findings that can explain a low figure.
func candidates(causes []string) string {
	if len(causes) == 0 {
		return "No recorded fact explains it."
	}
	return "Candidates, the likeliest first: " + strings.Join(causes, ", ") + "."
}

func asymmetricResult(v *view, causes []string) []Finding {
	if len(v.flows) != 2 || v.allHeld() {
		return nil
	}
	a, b := &v.flows[0], &v.flows[1]
	slow, fast := a, b
	if a.rate > b.rate {
		slow, fast = b, a
	}
	if slow.rate >= asymmetry*fast.rate {
		return nil
	}
	return []Finding{*say(fmt.Sprintf("%s %s, but only %s %s. %s", bitRate(fast.rate), fast.words(), bitRate(slow.rate), slow.words(), candidates(causes)),
		"run each direction alone (with and without -R)").about(sidePath).
		figure(a.key("bits_per_second"), a.rate).figure(b.key("bits_per_second"), b.rate)}
}
