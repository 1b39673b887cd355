package explain

import (
	"fmt"
	"slices"
	"strings"
)

// saturated reports whether one core had nothing left.
func (e *end) saturated() bool {
	return or(e.CPU.BusyMax, 0) >= coreBusyPeak || or(e.CPU.BusyMaxMean, 0) >= coreBusyMean ||
		len(e.CPU.Busy) > 0 && slices.Max(e.CPU.Busy) >= coreBusyMean
}

func coreSaturated(v *view, e *end) *Finding {
	if !v.rated() || !e.saturated() || v.allHeld() || v.allAtCeiling() {
		return nil
	}
	busy, how := or(e.CPU.BusyMax, 0), "in its busiest interval"
	if len(e.CPU.Busy) > 0 {
		if mean := slices.Max(e.CPU.Busy); mean >= coreBusyMean || busy < coreBusyPeak {
			busy, how = mean, "over the test"
		}
	} else if or(e.CPU.BusyMaxMean, 0) >= coreBusyMean {
		busy, how = *e.CPU.BusyMaxMean, "over the test"
	}
	core := "A core"
	if e.CPU.BusyMaxCore != nil {
		core = fmt.Sprintf("Core %d", *e.CPU.BusyMaxCore)
		if e.CPU.BusyMaxClass != nil {
			core += " (" + *e.CPU.BusyMaxClass + ")"
		}
	}
	sentence, advice := fmt.Sprintf("%s at the %s was busy for %s %s%s.", core, e.side, percent(busy), how, e.split()), e.relief(v)
	if others := e.otherLoad(v); others >= othersWork {
		sentence += fmt.Sprintf(" At least %s of it went to other load.", percent(others))
		advice = "end what else runs on the " + e.side + "'s host"
	}
	return say(sentence, advice).
		on(e, "cpu.busy_max_percent", "cpu.busy_max_mean_percent", "cpu.busy_percent", "cpu.busy_max_core", "cpu.busy_max_class",
			"cpu.busy_split.user_percent", "cpu.busy_split.system_percent", "cpu.busy_split.softirq_percent", "cpu.process_percent")
}

// rated reports whether the test was long enough for a throughput.
func (v *view) rated() bool { return len(v.flows) > 0 && v.flows[0].rate > 0 }

// split tells what the busiest core did.
func (e *end) split() string {
	var parts []string
	for _, p := range []struct {
		name  string
		share *float64
	}{{"user", e.CPU.Split.User}, {"system", e.CPU.Split.System}, {"softirq", e.CPU.Split.SoftIRQ}} {
		if p.share != nil {
			parts = append(parts, p.name+" "+percent(*p.share))
		}
	}
	if e.CPU.Process != nil {
		parts = append(parts, "this program "+percent(*e.CPU.Process)+" of a core")
	}
	if len(parts) == 0 {
		return ""
	}
	return ": " + strings.Join(parts, ", ")
}

// otherLoad is the least that others took of the busiest core, in percent of it:
// what it did for programs, less all that the test's own used on any core. It is
// 0 where that is not known.
func (e *end) otherLoad(v *view) float64 {
	if e.CPU.Process == nil {
		return 0
	}
	own := *e.CPU.Process
	if e.inside() { // the other end works here, too
		o := v.other(e)
		if !o.known() || o.CPU.Process == nil {
			return 0
		}
		own += *o.CPU.Process
	}
	held := or(e.CPU.Split.User, 0)
	if e.CPU.Split.SoftIRQ != nil { // elsewhere the system's share holds the packets as well
		held += or(e.CPU.Split.System, 0)
	}
	return max(0, held-own)
}

// relief is what spares a core.
func (e *end) relief(v *view) string {
	var ways []string
	if v.start.Params.Parallel <= 1 {
		ways = append(ways, "-P 4, as one stream cannot use two cores")
	}
	if e.cabled() && or(e.Link.MTU, 0) == mtuPlain && or(e.Link.SpeedTx, 0) >= jumboSpeed {
		ways = append(ways, "a larger MTU at both ends")
	}
	if len(e.offloadsOff(v)) > 0 {
		ways = append(ways, "the offloads that are off")
	}
	return strings.Join(ways, "; ")
}

// allAtCeiling reports whether every direction reached what the link carries.
func (v *view) allAtCeiling() bool {
	for i := range v.flows {
		if f := &v.flows[i]; f.ceiling <= 0 || f.share() < ceilingReached {
			return false
		}
	}
	return len(v.flows) > 0
}

func efficiencyCore(_ *view, e *end) *Finding {
	if !is(e.CPU.BusyMaxClass, "E") || or(e.CPU.BusyMax, 0) < coreNearlyUp {
		return nil
	}
	return say(fmt.Sprintf("The busiest core at the %s was an economical one (E), busy for up to %s: the system gave the work no fast core.", e.side, percent(*e.CPU.BusyMax)),
		"start it in the foreground, without low power mode").on(e, "cpu.busy_max_class", "cpu.busy_max_percent", "cpu.busy_max_core")
}

func cpuSteal(_ *view, e *end) *Finding {
	steal := max(or(e.CPU.Steal, 0), or(e.CPU.Split.Steal, 0))
	if steal <= stealPercent {
		return nil
	}
	return say(fmt.Sprintf("The hypervisor took up to %s of the processor time at the %s for other guests.", percent(steal), e.side), "repeat when the host is quiet").
		on(e, "cpu.steal_percent", "cpu.busy_split.steal_percent")
}

func emulated(_ *view, e *end) *Finding {
	if !yes(e.Host.Emulated) {
		return nil
	}
	program, machine := or(e.Host.ProgramArch, "another processor"), or(e.Host.Arch, "this one")
	return say(fmt.Sprintf("The program at the %s is built for %s and runs translated on %s.", e.side, program, machine), "the build for this processor").
		on(e, "host.emulated", "host.program_arch", "host.arch")
}

func raceDetector(_ *view, e *end) *Finding {
	if !yes(e.Tool.RaceDetector) {
		return nil
	}
	return say(fmt.Sprintf("The program at the %s is built with the race detector, which makes it several times slower.", e.side), "a build without -race").
		on(e, "tool.race_detector")
}

func virtualMachine(_ *view, e *end) *Finding {
	if e.Host.Virtualization == nil || is(e.Host.Virtualization, "none", "") {
		return nil
	}
	return say(fmt.Sprintf("The %s is a virtual machine (%s): processor and network card are shared with others.", e.side, *e.Host.Virtualization), "").
		on(e, "host.virtualization", "host.model")
}
