package sysinfo

import (
	"os"
	"os/exec"
	"path/filepath"
	"testing"
)

func TestNamespaceFirewalls(t *testing.T) {
	n := newNamespaces(t, "a")
	n.need("a", "nft list ruleset")
	data, err := filepath.Abs("testdata/linux/nft")
	if err != nil {
		t.Fatal(err)
	}
	for _, c := range []struct {
		file  string // "" for no rules
		facts map[string]any
	}{
		{"", map[string]any{"firewall.state": Off, "firewall.hooks": 0, "firewall.rules": 0, "firewall.filtering": false, "firewall.manager": "none"}},
		{"accept-all.nft", map[string]any{"firewall.state": Off, "firewall.hooks": 2, "firewall.rules": 2, "firewall.filtering": false,
			"firewall.connection_tracking": false, "firewall.manager": "nftables"}},
		{"ufw-like.nft", map[string]any{"firewall.state": On, "firewall.hooks": 2, "firewall.rules": 10, "firewall.filtering": true,
			"firewall.connection_tracking": true, "firewall.manager": "ufw"}},
		{"verdict-map.nft", map[string]any{"firewall.state": On, "firewall.hooks": 1, "firewall.filtering": true}},
		{"nft-list-ruleset.firewalld.txt", map[string]any{"firewall.state": On, "firewall.hooks": 7, "firewall.filtering": true,
			"firewall.connection_tracking": true, "firewall.manager": "firewalld"}},
		{"nft-list-ruleset.docker.txt", map[string]any{"firewall.state": Off, "firewall.hooks": 3, "firewall.filtering": false,
			"firewall.connection_tracking": true, "firewall.manager": "docker"}},
		{"nft-list-ruleset.simple-drop.txt", map[string]any{"firewall.state": On, "firewall.hooks": 2, "firewall.filtering": true}},
	} {
		t.Run(c.file, func(t *testing.T) {
			n := namespaces{t, n.prefix}
			n.do("a", "nft flush ruleset")
			if c.file != "" {
				n.need("a", "nft -f "+filepath.Join(data, c.file))
			}
			want(t, n.host("a"), c.facts)
		})
	}
}

func TestNamespaceKernelAndToolSeeTheSameRules(t *testing.T) {
	n := newNamespaces(t, "a")
	n.need("a", "nft -j list ruleset")
	for _, file := range []string{"ufw-like.nft", "nft-list-ruleset.firewalld.txt", "nft-list-ruleset.docker.txt", "verdict-map.nft"} {
		n.do("a", "nft flush ruleset")
		n.need("a", "nft -f "+filepath.Join("testdata/linux/nft", file))
		out, err := n.try("a", "nft -j list ruleset")
		if err != nil {
			t.Fatal(err)
		}
		s, err := parseNFT(out)
		if err != nil {
			t.Fatal(err)
		}
		f := s.summarize()
		want(t, n.host("a"), map[string]any{"firewall.hooks": f.hooks, "firewall.rules": f.rules, "firewall.filtering": f.drops})
	}
}

// TestNamespaceNotRoot runs as a user without any privilege: firewall rules are
// then unknown, and never "off".
func TestNamespaceNotRoot(t *testing.T) {
	n := newNamespaces(t, "a")
	setpriv, err := exec.LookPath("setpriv")
	if err != nil {
		t.Skip("no setpriv command:", err)
	}
	// The directory of test binaries is the user's alone.
	dir, err := os.MkdirTemp("", "sysinfo")
	if err != nil {
		t.Fatal(err)
	}
	defer os.RemoveAll(dir)
	self, err := os.ReadFile("/proc/self/exe")
	if err != nil {
		t.Fatal(err)
	}
	program := filepath.Join(dir, "program")
	if err := os.WriteFile(program, self, 0o755); err != nil {
		t.Fatal(err)
	}
	if err := os.Chmod(dir, 0o755); err != nil {
		t.Fatal(err)
	}
	cmd := exec.CommandContext(t.Context(), "ip", "netns", "exec", n.prefix+"a", setpriv, "--reuid=65534", "--regid=65534", "--clear-groups", "--bounding-set=-all", program)
	cmd.Env = append(os.Environ(), childRole+"=host")
	cmd.Dir = "/"
	out, err := cmd.Output()
	if err != nil {
		t.Fatalf("%v: %s", err, out)
	}
	r, err := ParseRecord(out)
	if err != nil {
		t.Fatal(err)
	}
	checkReasons(t, r)
	want(t, r, map[string]any{"firewall.state": nil, "firewall.hooks": nil, "firewall.filtering": nil, "host.os": "linux"})
	for _, path := range []string{"firewall.state", "firewall.hooks", "firewall.filtering"} {
		if u, _ := r.Why(path); u.Reason != NoPermission {
			t.Errorf("%s: %+v, want no permission", path, u)
		}
	}
	if len(r.Interfaces) == 0 || r.CPU.Logical == nil || r.Limits.TCPReceiveMax == nil {
		t.Error("what needs no privilege is unknown")
	}
}

// TestNamespaceIPTables has rules that iptables wrote, by its newer and by its
// older kernel part; nftables does not show the latter.
func TestNamespaceIPTables(t *testing.T) {
	n := newNamespaces(t, "a")
	for _, c := range []struct {
		name, command string
		facts         map[string]any
	}{
		{"nf_tables", "iptables-nft-restore testdata/linux/nft/iptables-save.ufw.txt",
			map[string]any{"firewall.state": On, "firewall.manager": "ufw", "firewall.filtering": true, "firewall.connection_tracking": true}},
		{"legacy", "iptables-legacy-restore testdata/linux/nft/iptables-legacy-save.txt",
			map[string]any{"firewall.state": On, "firewall.filtering": true, "firewall.hooks": 2, "firewall.rules": 2}},
	} {
		t.Run(c.name, func(t *testing.T) {
			n := namespaces{t, n.prefix}
			n.need("a", "nft flush ruleset")
			n.need("a", c.command)
			r := n.host("a")
			want(t, r, c.facts)
			if c.name != "legacy" {
				return
			}
			for _, l := range r.Firewall.Layers {
				if on := l.Name == "iptables_legacy"; l.State == nil || on != (*l.State == On) {
					t.Errorf("layer %+v (state %v)", l, l.State)
				}
			}
		})
	}
}
