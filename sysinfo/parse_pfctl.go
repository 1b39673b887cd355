package sysinfo

import (
	"strings"
)

// parsePFInfo reads pfctl -s info: whether the packet filter is enabled. The
// command answers root only; other users get an exit status, which the caller
// sees before it comes here.
func parsePFInfo(b []byte) (enabled bool, err error) {
	for line := range strings.Lines(string(b)) {
		words := strings.Fields(line)
		if len(words) < 2 || words[0] != "Status:" {
			continue
		}
		switch words[1] {
		case "Enabled":
			return true, nil
		case "Disabled":
			return false, nil
		}
	}
	return false, notUnderstood("pfctl -s info: no status", b)
}

// parsePFRules counts the rules of pfctl -s rules and tells whether one of them
// blocks. Apple's own rules are anchors ("anchor \"com.apple/*\" all"), which
// hold rules only if something filled them; they are counted as rules and block
// nothing by themselves.
func parsePFRules(b []byte) (rules int, blocking bool) {
	for line := range strings.Lines(string(b)) {
		words := strings.Fields(line)
		if len(words) == 0 {
			continue
		}
		switch words[0] {
		case "block":
			blocking = true
			rules++
		case "pass", "match", "anchor", "scrub", "scrub-anchor":
			rules++
		}
	}
	return rules, blocking
}
