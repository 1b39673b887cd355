package sysinfo

import "strings"

// ruleset is what netfilter does, as far as it matters here.
type ruleset struct {
	chains map[chainID]*chain
}

type chainID struct{ family, table, name string }

// chain is one list of rules. One without a hook is only reached by jumps.
type chain struct {
	hook   string // "input", "output", …, "" if it is not a base chain
	nat    bool
	drops  bool // by its policy
	device string
	rules  []rule
}

// rule is what can happen to a packet that a rule matches.
type rule struct {
	drops   bool     // drop, reject, or hand to a program (queue)
	jumps   []string // to chains of the same table
	tracked bool     // asks connection tracking
	opaque  bool     // made by iptables
}

// ownHooks are those that the host's own traffic passes. Forwarding is other
// hosts' traffic.
var ownHooks = map[string]bool{"ingress": true, "egress": true, "prerouting": true, "input": true, "output": true, "postrouting": true}

// filtering is the summary of a rule set.
type filtering struct {
	hooks, rules int
	drops        bool
	tracked      bool
	managers     []string
}

// summarize follows the rules from the hooks of the host's own traffic.
func (s ruleset) summarize() filtering {
	var f filtering
	seen := make(map[chainID]bool)
	for id, c := range s.chains {
		if c.nat {
			f.tracked = true
		}
		if !ownHooks[c.hook] || id.family == "arp" || id.family == "bridge" {
			continue
		}
		f.hooks++
		f.drops = f.drops || c.drops
		s.visit(id, seen, &f)
	}
	// A rule anywhere makes the kernel track all connections.
	for _, c := range s.chains {
		for _, r := range c.rules {
			f.tracked = f.tracked || r.tracked
		}
	}
	f.managers = s.managers()
	return f
}

func (s ruleset) visit(id chainID, seen map[chainID]bool, f *filtering) {
	c := s.chains[id]
	if c == nil || seen[id] {
		return
	}
	seen[id] = true
	for _, r := range c.rules {
		f.rules++
		f.drops = f.drops || r.drops
		for _, to := range r.jumps {
			s.visit(chainID{id.family, id.table, to}, seen, f)
		}
	}
}

// managers names the programs that wrote the rules, by the names that they
// give to tables and chains.
func (s ruleset) managers() []string {
	marks := []struct{ name, mark string }{
		{"firewalld", "firewalld"}, {"ufw", "ufw"}, {"docker", "DOCKER"}, {"kubernetes", "KUBE-"}, {"calico", "cali-"}, {"cilium", "CILIUM"},
		{"libvirt", "LIBVIRT_"}, {"fail2ban", "f2b-"}, {"tailscale", "ts-"},
	}
	var found []string
	iptables := false
	for _, m := range marks {
		for id := range s.chains {
			if id.table == m.mark || strings.HasPrefix(id.name, m.mark) {
				found = append(found, m.name)
				break
			}
		}
	}
	for _, c := range s.chains {
		for _, r := range c.rules {
			iptables = iptables || r.opaque
		}
	}
	switch {
	case len(found) > 0:
	case iptables:
		found = []string{"iptables"}
	case len(s.chains) > 0:
		found = []string{"nftables"}
	default:
		found = []string{"none"}
	}
	return found
}
