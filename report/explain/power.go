package explain

import (
	"fmt"
	"strings"
)

func throttled(_ *view, e *end) *Finding {
	if or(e.Thermal.Throttled, 0) <= 0 {
		return nil
	}
	hot := ""
	if e.Thermal.Temperature != nil {
		hot = fmt.Sprintf(", at %s °C", short(*e.Thermal.Temperature))
	}
	return say(fmt.Sprintf("The processor at the %s was slowed down for its temperature %s during the test%s.", e.side, counted(*e.Thermal.Throttled, "time", "times"), hot),
		"better cooling, or pauses between tests").on(e, "thermal.throttle_events", "thermal.temperature_celsius")
}

func powerSaving(_ *view, e *end) *Finding {
	var what []string
	if is(e.Power.Mode, "power_saver", "low_power") {
		what = append(what, "the power mode "+*e.Power.Mode)
	}
	slow := e.slowGovernor()
	if slow {
		what = append(what, "the CPU governor powersave")
	}
	if yes(e.Power.OnBattery) {
		what = append(what, "the battery")
	}
	if len(what) == 0 {
		return nil
	}
	advice := "mains power and the mode for performance"
	if slow && is(e.Host.OS, "linux") {
		advice = e.at("sudo cpupower frequency-set -g performance")
	}
	return say(fmt.Sprintf("The %s runs with %s.", e.side, strings.Join(what, " and ")), advice).
		on(e, "power.mode", "cpu.governor", "cpu.frequency_driver", "power.on_battery")
}

// slowGovernor reports whether the governor holds the processor at its lowest
// frequency. Drivers that leave the choice to the hardware call the governor
// that follows the load powersave (Linux' documentation of intel_pstate and
// amd-pstate); they have an energy preference, which is a power mode here.
func (e *end) slowGovernor() bool {
	if !is(e.CPU.Governor, "powersave") {
		return false
	}
	if e.CPU.FrequencyDriver == nil {
		return e.Power.Mode == nil
	}
	return !is(e.CPU.FrequencyDriver, "intel_pstate", "amd-pstate-epp", "amd_pstate_epp")
}
