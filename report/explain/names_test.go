package explain

import (
	"strings"
	"testing"
)

func TestNames(t *testing.T) {
	for _, c := range []struct {
		name         string
		bare, quoted bool
	}{
		{"", false, false},
		{"eth0", true, true},
		{"br-lan.10", true, true},
		{"eth0@if7", true, false},
		{"-f", false, false},
		{".hidden", false, false},
		{"a b", false, true},
		{"a;b", false, false},
		{"a\nb", false, false},
		{"$(reboot)", false, false},
		{`a"b`, false, false},
		{"Ethernet 2 (USB)", false, true},
		{"Přípojka 1", false, true},
		{"\xff", false, false},
		{"a\xffb", false, false},
		{strings.Repeat("a", 64), true, true},
		{strings.Repeat("a", 65), false, true},
		{strings.Repeat("é", 128), false, true},
		{strings.Repeat("a", 129), false, false},
	} {
		if bareName(c.name) != c.bare || quotedName(c.name) != c.quoted {
			t.Errorf("%q: bare %v, quoted %v", c.name, bareName(c.name), quotedName(c.name))
		}
	}
}
