package system

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"regexp"
	"strings"
)

// nft is a rule set that no manager has made. Off flushes it, on loads it
// again. A dormant table would be simpler to wake, but its rules go on tracking
// connections, which is most of what a firewall costs.
type nft struct{ host *Host }

// nftState is a rule set as nft lists it. Bytes, because comments may hold
// any.
type nftState struct {
	Ruleset []byte `json:"ruleset"` // with counters; nft can load it
	// Rules is the same without what moves by itself (counters, the time that
	// elements have left): what must be there again after restoring.
	Rules []byte `json:"rules"`
	// Notices are nft's remarks about the rule set, such as whose it is.
	Notices []byte `json:"notices,omitempty"`
}

func (n nft) read(ctx context.Context) (s nftState, err error) {
	if s.Rules, err = n.rules(ctx); err != nil {
		return s, err
	}
	a, err := n.host.run(ctx, ask("nft", "list", "ruleset"))
	s.Ruleset, s.Notices = a.stdout, a.stderr
	return s, err
}

func (n nft) rules(ctx context.Context) ([]byte, error) {
	a, err := n.host.run(ctx, ask("nft", "-s", "list", "ruleset"))
	return a.stdout, err
}

func (nft) value(was, now nftState) string {
	switch {
	case len(now.Rules) == 0:
		return Off
	case bytes.Equal(was.Rules, now.Rules):
		return On
	}
	return "another rule set"
}

var (
	// nft says so of tables that iptables has made; its own listing of them
	// does not hold all that is in them.
	ofIPTables = regexp.MustCompile(`(?m)^# Warning: table (.+) is managed by iptables-nft`)
	ownedTable = regexp.MustCompile(`(?m)^table (\S+ \S+) \{[^\n]*\n\tflags [^\n]*\bowner\b`)
)

// ufwRemains reports whether the rule set is what ufw leaves when it stops.
func (s nftState) ufwRemains() bool {
	return bytes.Contains(s.Ruleset, []byte("\tchain ufw-")) || bytes.Contains(s.Ruleset, []byte("\tchain ufw6-"))
}

func (n nft) check(ctx context.Context, s nftState, values []string) (string, error) {
	const refused = "the rule set of nft could be switched off, but not restored as it is"
	for _, b := range [][]byte{s.Notices, s.Ruleset} { // where it stands depends on the release
		if m := ofIPTables.FindSubmatch(b); m != nil {
			return "", fmt.Errorf("%s: table %s is made by iptables", refused, m[1])
		}
	}
	if m := ownedTable.FindSubmatch(s.Ruleset); m != nil {
		return "", fmt.Errorf("%s: table %s belongs to a running program", refused, m[1])
	}
	if err := n.load(ctx, s, "-c"); err != nil {
		return "", fmt.Errorf("%s: %w", refused, err)
	}
	tables := bytes.Count(s.Ruleset, []byte("\ntable "))
	if bytes.HasPrefix(s.Ruleset, []byte("table ")) {
		tables++
	}
	return fmt.Sprintf("firewall off: nft flush ruleset (%d tables); on: nft -f with the rule set as it is now", tables), nil
}

// load puts the rule set in the place of whatever is there, in one transaction.
func (n nft) load(ctx context.Context, s nftState, options ...string) error {
	c := tell("nft", append(options, "-f", "-")...)
	_, err := n.host.run(ctx, c.with(append([]byte("flush ruleset\n"), s.Ruleset...)))
	return err
}

func (n nft) change(ctx context.Context, s nftState, value string) error {
	if value == On {
		return n.restore(ctx, s)
	}
	if _, err := n.host.run(ctx, tell("nft", "-f", "-").with([]byte("flush ruleset\n"))); err != nil {
		return err
	}
	left, err := n.rules(ctx)
	if err == nil && len(left) > 0 {
		err = errors.New("nft flush ruleset has left " + firstLine(left))
	}
	return err
}

func (n nft) restore(ctx context.Context, s nftState) error {
	now, err := n.rules(ctx)
	if err != nil || bytes.Equal(now, s.Rules) {
		return err
	}
	if err := n.load(ctx, s); err != nil {
		return err
	}
	if now, err = n.rules(ctx); err != nil {
		return err
	}
	if !bytes.Equal(now, s.Rules) {
		return fmt.Errorf("the rule set was loaded and nft lists it otherwise than before: %s", difference(s.Rules, now))
	}
	return nil
}

func firstLine(b []byte) string {
	line, _, _ := strings.Cut(string(b), "\n")
	return line
}

// difference shows the first line in which two texts differ.
func difference(was, is []byte) string {
	before, after := strings.Split(string(was), "\n"), strings.Split(string(is), "\n")
	for i := range min(len(before), len(after)) {
		if before[i] != after[i] {
			return fmt.Sprintf("line %d was %q and is %q", i+1, before[i], after[i])
		}
	}
	return fmt.Sprintf("%d lines were %d", len(after), len(before))
}

// legacyRules is an error while iptables' older kernel part has rules: nft
// neither shows nor flushes them.
func (h *Host) legacyRules(ctx context.Context) error {
	for _, v := range []struct{ names, save string }{
		{"/proc/net/ip_tables_names", "iptables-legacy-save"},
		{"/proc/net/ip6_tables_names", "ip6tables-legacy-save"},
	} {
		names, err := h.readFile(v.names)
		if err != nil {
			return fmt.Errorf("look for rules of iptables: %w", err)
		}
		if len(strings.Fields(names)) == 0 {
			continue
		}
		a, err := h.run(ctx, ask(v.save))
		if err != nil {
			return fmt.Errorf("look for rules of iptables: %w", err)
		}
		for line := range strings.Lines(string(a.stdout)) {
			policy := strings.HasPrefix(line, ":") && strings.Contains(line, " DROP ")
			if policy || strings.HasPrefix(line, "-A ") {
				return fmt.Errorf("iptables has rules in its legacy form, which cannot be switched: %s", strings.TrimSpace(line))
			}
		}
	}
	return nil
}
