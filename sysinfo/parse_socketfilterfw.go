package sysinfo

import (
	"regexp"
	"strings"
)

var socketFilterState = regexp.MustCompile(`\(State = (\d)\)`)

// parseSocketFilter reads what socketfilterfw prints for --getglobalstate,
// --getblockall, --getstealthmode and --getallowsigned, in one call or several.
// The state is a number and told by it alone: 0 off, 1 on, 2 on and blocking
// all incoming connections.
func parseSocketFilter(b []byte) (applicationFirewall, error) {
	var f applicationFirewall
	known := false
	for line := range strings.Lines(string(b)) {
		line = strings.TrimSpace(line)
		lower := strings.ToLower(line)
		if m := socketFilterState.FindStringSubmatch(line); m != nil {
			switch m[1] {
			case "0":
				f.On = new(false)
			case "1":
				f.On = new(true)
			case "2":
				f.On, f.BlockAll = new(true), new(true)
			default:
				return applicationFirewall{}, notUnderstood("socketfilterfw: unknown state", []byte(line))
			}
			known = true
			continue
		}
		on, isSwitch := switchWord(lower)
		if !isSwitch {
			continue
		}
		switch {
		case strings.Contains(lower, "block all"):
			f.BlockAll = &on
		case strings.Contains(lower, "stealth mode"):
			f.Stealth = &on
		case strings.Contains(lower, "built-in signed"):
			f.AllowSigned = &on
		default:
			continue
		}
		known = true
	}
	if !known {
		return applicationFirewall{}, notUnderstood("socketfilterfw: not understood", b)
	}
	return f, nil
}

// switchWord reads the last word of a line as on or off. Whole words, because
// "disabled" holds "able" and "inactive" holds "active".
func switchWord(line string) (on, ok bool) {
	words := strings.Fields(line)
	if len(words) == 0 {
		return false, false
	}
	switch strings.TrimRight(words[len(words)-1], ".!") {
	case "on", "enabled":
		return true, true
	case "off", "disabled":
		return false, true
	}
	return false, false
}
