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
	// With a driver that has modes of its own, powersave is the name of the
	// governor that follows the load.
	if is(e.CPU.Governor, "powersave") && e.Power.Mode == nil {
		what = append(what, "the CPU governor powersave")
	}
	if yes(e.Power.OnBattery) {
		what = append(what, "the battery")
	}
	if len(what) == 0 {
		return nil
	}
	advice := "mains power and the mode for performance"
	if is(e.CPU.Governor, "powersave") && is(e.Host.OS, "linux") && e.Power.Mode == nil {
		advice = e.at("sudo cpupower frequency-set -g performance")
	}
	return say(fmt.Sprintf("The %s runs with %s.", e.side, strings.Join(what, " and ")), advice).
		on(e, "power.mode", "cpu.governor", "power.on_battery")
}
