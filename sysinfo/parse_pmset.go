package sysinfo

import (
	"regexp"
	"strings"
)

// powerDrawn matches the first line of pmset -g batt.
var powerDrawn = regexp.MustCompile(`Now drawing from '([^']*)'`)

// parsePowerSource reads pmset -g batt. A computer without an internal battery
// is never on battery, which is another answer than being on mains with one; an
// uninterruptible supply does not count as a battery of its own.
func parsePowerSource(b []byte) (onBattery, hasBattery bool, err error) {
	m := powerDrawn.FindSubmatch(b)
	if m == nil {
		return false, false, notUnderstood("pmset -g batt: no power source", b)
	}
	hasBattery = strings.Contains(string(b), "-InternalBattery")
	switch string(m[1]) {
	case "AC Power", "UPS Power":
		return false, hasBattery, nil
	case "Battery Power":
		return true, hasBattery, nil
	}
	return false, hasBattery, notUnderstood("pmset -g batt: unknown source", m[1])
}

// parsePowerSettings reads the power mode from pmset -g: "low_power",
// "balanced" or "high_performance"; "" if this computer has no such setting.
// lowpowermode is 0 or 1; powermode, on computers that have it, is 0, 1 for low
// or 2 for high.
func parsePowerSettings(b []byte) string {
	mode := ""
	for line := range strings.Lines(string(b)) {
		words := strings.Fields(line)
		if len(words) < 2 || words[0] != "powermode" && words[0] != "lowpowermode" {
			continue
		}
		switch {
		case words[1] == "0" && mode == "":
			mode = "balanced"
		case words[1] == "1":
			mode = "low_power"
		case words[1] == "2" && words[0] == "powermode":
			mode = "high_performance"
		}
	}
	return mode
}
