package sysinfo

import (
	"slices"
	"strings"
	"testing"
)

func TestParseNFT(t *testing.T) {
	for _, c := range []struct {
		file           string
		chains, rules  int // in the rule set
		hooks          int // on the host's own traffic
		drops, tracked bool
		manager        string
	}{
		{"empty", 0, 0, 0, false, false, "none"},
		{"simple-drop", 3, 3, 2, true, true, "nftables"},
		{"counters-only-accept", 2, 2, 2, false, false, "nftables"},
		{"netdev-ingress", 1, 1, 1, true, false, "nftables"},
		{"iptables-nft", 1, 3, 1, true, true, "iptables"},
		{"ufw", 69, 172, 4, true, true, "ufw"},
		// All policies are accept: the rule that rejects stands at the end of a
		// chain.
		{"firewalld", 75, 98, 7, true, true, "firewalld"},
		// No input hook: only forwarded traffic is filtered. Address
		// translation tracks connections.
		{"docker", 9, 15, 3, false, true, "docker"},
	} {
		t.Run(c.file, func(t *testing.T) {
			s, err := parseNFT(linuxFixture(t, "nft/nft-j-list-ruleset."+c.file+".json"))
			if err != nil {
				t.Fatal(err)
			}
			rules := 0
			for _, ch := range s.chains {
				rules += len(ch.rules)
			}
			if len(s.chains) != c.chains || rules != c.rules {
				t.Errorf("%d chains with %d rules, want %d with %d", len(s.chains), rules, c.chains, c.rules)
			}
			f := s.summarize()
			if f.hooks != c.hooks || f.drops != c.drops || f.tracked != c.tracked {
				t.Errorf("hooks %d, drops %v, tracked %v; want %d, %v, %v", f.hooks, f.drops, f.tracked, c.hooks, c.drops, c.tracked)
			}
			if f.rules > rules {
				t.Errorf("%d rules are reached of %d", f.rules, rules)
			}
			if !slices.Contains(f.managers, c.manager) {
				t.Errorf("managers %v, want %s", f.managers, c.manager)
			}
		})
	}
}

func TestParseNFTVerdictMaps(t *testing.T) {
	const head = `{"nftables":[{"chain":{"family":"inet","table":"t","name":"in","type":"filter","hook":"input","policy":"accept"}},{"chain":{"family":"inet","table":"t","name":"deep"}},`
	for _, c := range []struct {
		name, rest string
		want       bool
	}{
		{"anonymous map with a drop", `{"rule":{"family":"inet","table":"t","chain":"in","expr":[{"vmap":{"key":{"ct":{"key":"state"}},"data":{"set":[["invalid",{"drop":null}]]}}}]}}]}`, true},
		{"named map with a drop", `{"map":{"family":"inet","table":"t","name":"m","type":"inet_proto","map":"verdict","elem":[[6,{"drop":null}]]}},` +
			`{"rule":{"family":"inet","table":"t","chain":"in","expr":[{"vmap":{"key":{"meta":{"key":"l4proto"}},"data":"@m"}}]}}]}`, true},
		{"map that jumps to a drop", `{"rule":{"family":"inet","table":"t","chain":"deep","expr":[{"drop":null}]}},` +
			`{"rule":{"family":"inet","table":"t","chain":"in","expr":[{"vmap":{"key":1,"data":{"set":[[1,{"jump":{"target":"deep"}}]]}}}]}}]}`, true},
		{"a drop that nothing reaches", `{"rule":{"family":"inet","table":"t","chain":"deep","expr":[{"drop":null}]}}]}`, false},
		{"chains that jump in a circle", `{"rule":{"family":"inet","table":"t","chain":"deep","expr":[{"jump":{"target":"in"}}]}},` +
			`{"rule":{"family":"inet","table":"t","chain":"in","expr":[{"goto":{"target":"deep"}}]}}]}`, false},
	} {
		t.Run(c.name, func(t *testing.T) {
			s, err := parseNFT([]byte(head + c.rest))
			if err != nil {
				t.Fatal(err)
			}
			if got := s.summarize().drops; got != c.want {
				t.Errorf("drops %v, want %v", got, c.want)
			}
		})
	}
}

func TestParseNFTRefusesOtherText(t *testing.T) {
	for _, in := range []string{"", "{}", "Operation not permitted (you must be root)", `{"nftables":[{"rule":{"chain":"x"}}]}`} {
		if _, err := parseNFT([]byte(in)); err == nil || unknownOf(err).Reason != ParseError {
			t.Errorf("%q: %v, want a parse error", in, err)
		}
	}
}

func TestParseIPTablesSave(t *testing.T) {
	for _, c := range []struct {
		file           string
		hooks, rules   int
		drops, tracked bool
	}{
		{"iptables-legacy-save.txt", 2, 2, true, false},
		{"iptables-nft-save.txt", 2, 3, true, true},
		{"iptables-save.docker.txt", 6, 0, false, true},
		{"iptables-save.ufw.txt", 2, 0, true, true},
	} {
		t.Run(c.file, func(t *testing.T) {
			s, err := parseIPTablesSave(linuxFixture(t, "nft/"+c.file))
			if err != nil {
				t.Fatal(err)
			}
			f := s.summarize()
			if f.drops != c.drops || f.tracked != c.tracked || c.rules > 0 && f.rules != c.rules {
				t.Errorf("got %+v, want %+v", f, c)
			}
			if f.hooks != c.hooks {
				t.Errorf("%d hooks, want %d", f.hooks, c.hooks)
			}
		})
	}
	for _, in := range []string{":INPUT ACCEPT", "*filter\n-A NONE -j DROP", "*filter\nwhat"} {
		if _, err := parseIPTablesSave([]byte(in)); err == nil {
			t.Errorf("no error for %q", in)
		}
	}
}

func TestParseUFWConf(t *testing.T) {
	on, err := parseUFWConf(linuxFixture(t, "managers/etc-ufw-ufw.conf.enabled.txt"))
	if err != nil || !on {
		t.Errorf("got %v, %v; want enabled", on, err)
	}
	if on, err := parseUFWConf([]byte("# ENABLED=yes\nENABLED=no\n")); err != nil || on {
		t.Errorf("got %v, %v; want disabled", on, err)
	}
	for _, in := range []string{"", "ENABLED=perhaps"} {
		if _, err := parseUFWConf([]byte(in)); err == nil {
			t.Errorf("no error for %q", in)
		}
	}
}

func TestParseFirewalld(t *testing.T) {
	running, err := parseFirewalldState(linuxFixture(t, "managers/firewall-cmd-state.running.txt"))
	if err != nil || !running {
		t.Errorf("got %v, %v; want running", running, err)
	}
	// The text of a failure is neither word.
	if _, err := parseFirewalldState(linuxFixture(t, "managers/firewall-cmd-state.not-running.txt")); err == nil {
		t.Error("no error for the text of a failure")
	}
	if running, err := parseFirewalldState([]byte("not running\n")); err != nil || running {
		t.Errorf("got %v, %v; want not running", running, err)
	}
	zones, err := parseActiveZones(linuxFixture(t, "managers/firewall-cmd-get-active-zones.txt"))
	if err != nil || zones["eth0"] != "public" || len(zones) != 1 {
		t.Errorf("got %v, %v; want eth0 in public", zones, err)
	}
	zones, err = parseActiveZones([]byte("home (default)\n  interfaces: a b\n  sources: 10.0.0.0/8\npublic\n\tinterfaces: c\n"))
	if err != nil || zones["a"] != "home" || zones["b"] != "home" || zones["c"] != "public" || len(zones) != 3 {
		t.Errorf("got %v, %v", zones, err)
	}
	for _, in := range []string{"  interfaces: a\n", "public\n  words\n"} {
		if _, err := parseActiveZones([]byte(in)); err == nil {
			t.Errorf("no error for %q", in)
		}
	}
}

func TestParseTableNames(t *testing.T) {
	if got := parseTableNames(linuxFixture(t, "nft/proc-net-ip_tables_names.legacy.txt")); !slices.Equal(got, []string{"filter"}) {
		t.Errorf("got %v, want filter", got)
	}
	if got := parseTableNames(linuxFixture(t, "nft/proc-net-ip_tables_names.no-legacy.txt")); len(got) != 0 {
		t.Errorf("got %v, want none", got)
	}
}

func FuzzParseNFT(f *testing.F) {
	fuzzed(f, func(b []byte) error {
		s, err := parseNFT(b)
		if err == nil {
			s.summarize()
		}
		return err
	}, "nft/nft-j-list-ruleset.simple-drop.json", "nft/nft-j-list-ruleset.docker.json")
}

func FuzzParseIPTablesSave(f *testing.F) {
	fuzzed(f, func(b []byte) error {
		s, err := parseIPTablesSave(b)
		if err == nil {
			s.summarize()
		}
		return err
	}, "nft/iptables-legacy-save.txt", "nft/iptables-save.docker.txt")
}

func FuzzParseManagers(f *testing.F) {
	for _, name := range []string{"etc-ufw-ufw.conf.enabled.txt", "firewall-cmd-state.running.txt", "firewall-cmd-get-active-zones.txt"} {
		f.Add(linuxFixture(f, "managers/"+name))
	}
	f.Fuzz(func(t *testing.T, b []byte) {
		parseUFWConf(b)
		parseFirewalldState(b)
		if zones, err := parseActiveZones(b); err == nil && len(zones) > len(b) {
			t.Errorf("%d zones in %d bytes", len(zones), len(b))
		}
		for _, name := range parseTableNames(b) {
			if strings.ContainsAny(name, " \n") {
				t.Errorf("name %q", name)
			}
		}
	})
}
