package sysinfo

import (
	"strings"
	"unicode"
	"unicode/utf8"
)

// Printable makes a text safe for a terminal: control characters, escape
// sequences' introducers, bidirectional overrides, invisible characters and
// bytes that are not UTF-8 become U+FFFD. Letters of every language stay.
func Printable(s string) string {
	clean := true
	for _, r := range s {
		if r == utf8.RuneError || !unicode.IsPrint(r) {
			clean = false
			break
		}
	}
	if clean {
		return s
	}
	return strings.Map(func(r rune) rune {
		if unicode.IsPrint(r) {
			return r
		}
		if r == '\t' || r == '\n' {
			return ' '
		}
		return unicode.ReplacementChar
	}, s)
}

// shorten cuts s to at most n bytes, between characters.
func shorten(s string, n int) string {
	if len(s) <= n {
		return s
	}
	n -= len("…")
	for n > 0 && !utf8.RuneStart(s[n]) {
		n--
	}
	return s[:max(n, 0)] + "…"
}
