package sysinfo

import (
	"bytes"
	"strings"
)

// parseIPTablesSave reads the output of iptables-save or ip6tables-save.
func parseIPTablesSave(b []byte) (ruleset, error) {
	s := ruleset{make(map[chainID]*chain)}
	table := ""
	for line := range bytes.Lines(b) {
		text := strings.TrimSpace(string(line))
		switch {
		case text == "" || text[0] == '#':
		case text == "COMMIT":
			table = ""
		case text[0] == '*':
			table = text[1:]
		case table == "":
			return ruleset{}, notUnderstood("a table of iptables-save", line)
		case text[0] == ':':
			f := strings.Fields(text[1:])
			if len(f) < 2 {
				return ruleset{}, notUnderstood("a chain of iptables-save", line)
			}
			c := &chain{nat: table == "nat", drops: f[1] == "DROP"}
			// A chain with a policy is a base chain: its name is its hook.
			if f[1] != "-" {
				c.hook = strings.ToLower(f[0])
			}
			s.chains[chainID{"ip", table, f[0]}] = c
		case strings.HasPrefix(text, "-A "), strings.HasPrefix(text, "["):
			// With -c, counters stand before the rule.
			_, text, _ = strings.Cut(text, "-A ")
			f := strings.Fields(text)
			if len(f) == 0 || s.chains[chainID{"ip", table, f[0]}] == nil {
				return ruleset{}, notUnderstood("a rule of iptables-save", line)
			}
			c := s.chains[chainID{"ip", table, f[0]}]
			c.rules = append(c.rules, iptablesRule(f[1:]))
		default:
			return ruleset{}, notUnderstood("iptables-save", line)
		}
	}
	return s, nil
}

func iptablesRule(words []string) rule {
	r := rule{opaque: true}
	for i := range len(words) - 1 {
		switch next := words[i+1]; words[i] {
		case "-j", "-g":
			if next != "ACCEPT" && next != "RETURN" && next != "DROP" {
				r.jumps = append(r.jumps, next)
			}
			r.extension(next)
		case "-m":
			r.extension(next)
		}
	}
	return r
}
