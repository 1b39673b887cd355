//go:build unix

package system

import (
	"os"
	"path/filepath"
	"strings"
	"testing"
)

// program makes a program of a played Linux: a shell script's body, with the
// machine's root in $root. Its calls are noted unless they only ask.
func (p *played) program(path, body string) {
	p.t.Helper()
	file := filepath.Join(p.root, path)
	if err := os.MkdirAll(filepath.Dir(file), 0o755); err != nil {
		p.t.Fatal(err)
	}
	text := "#!/bin/sh\nroot='" + p.root + "'\nnote() { echo \"${0##*/} $*\" >>\"$root/calls\"; }\n" + body + "\n"
	if err := os.WriteFile(file, []byte(text), 0o755); err != nil {
		p.t.Fatal(err)
	}
}

func (p *played) file(path, text string) {
	p.t.Helper()
	file := filepath.Join(p.root, path)
	if err := os.MkdirAll(filepath.Dir(file), 0o755); err != nil {
		p.t.Fatal(err)
	}
	if err := os.WriteFile(file, []byte(text), 0o644); err != nil {
		p.t.Fatal(err)
	}
}

const (
	ufwInactive  = `echo "Status: inactive"`
	ufwActive    = `echo "Status: active"`
	idleFirewall = "echo 'not running' >&2; exit 252"
	runFirewall  = `case $1 in --state) echo running ;; esac`
	noRules      = "exit 0"
	someRules    = "[ $1 = -f ] || [ $1 = -c ] || echo 'table inet filter {\n}'"
	ufwLeftovers = "echo 'table ip filter {\n\tchain ufw-before-input {\n\t}\n}'"
)

func TestLinuxFirewall(t *testing.T) {
	for _, c := range []struct {
		name                     string
		firewalld, ufw, nft, ipt string // what each program does, "" for none
		want                     string // who is in charge, or the error
	}{
		{name: "nothing"},
		{name: "no rules", nft: noRules},
		{name: "a rule set", nft: someRules, want: "nft"},
		{name: "firewalld, active", firewalld: runFirewall, ufw: ufwActive, nft: someRules, want: "firewalld"},
		{name: "ufw, active", firewalld: idleFirewall, ufw: ufwActive, nft: someRules, want: "ufw"},
		{name: "a rule set beside idle managers", firewalld: idleFirewall, ufw: ufwInactive, nft: someRules, want: "nft"},
		{name: "ufw, idle", ufw: ufwInactive, nft: noRules, want: "ufw"},
		{name: "what ufw leaves", ufw: ufwInactive, nft: ufwLeftovers, want: "ufw"},
		{name: "what ufw left before it was removed", nft: ufwLeftovers, want: "nft"},
		{name: "firewalld, idle", firewalld: idleFirewall, nft: noRules, want: "firewalld"},
		{name: "two, idle", firewalld: idleFirewall, ufw: ufwInactive, nft: noRules, want: "error: neither is active"},
		{name: "legacy rules", nft: someRules, ipt: "echo '*filter\n:INPUT ACCEPT [0:0]\n-A INPUT -j DROP\nCOMMIT'", want: "error: legacy form"},
		{name: "a legacy policy", nft: someRules, ipt: "echo '*filter\n:INPUT DROP [0:0]\nCOMMIT'", want: "error: legacy form"},
		{name: "legacy tables without rules", nft: someRules, ipt: "echo '*filter\n:INPUT ACCEPT [0:0]\nCOMMIT'", want: "nft"},
		{name: "ufw does not answer", ufw: "echo 'ERROR: problem running' >&2; exit 1", want: "error: problem running"},
	} {
		t.Run(c.name, func(t *testing.T) {
			p := play(t, "linux", nil)
			for path, body := range map[string]string{"usr/bin/firewall-cmd": c.firewalld, "usr/sbin/ufw": c.ufw, "usr/sbin/nft": c.nft, "usr/sbin/iptables-legacy-save": c.ipt} {
				if body != "" {
					p.program(path, body)
				}
			}
			if c.ipt != "" {
				p.file("proc/net/ip_tables_names", "filter\n")
			}
			k, found, err := p.config.Host.firewallKey(t.Context())
			if text, ok := strings.CutPrefix(c.want, "error: "); ok {
				fails(t, err, text)
				return
			}
			if err != nil || k.By != c.want || found != (c.want != "") {
				t.Errorf("%+v, %v, %v, want %q", k, found, err, c.want)
			}
		})
	}
}

func TestNoFirewall(t *testing.T) {
	p := play(t, "linux", nil)
	_, _, err := p.config.prepared(t.Context(), Wanted{Firewall: []string{Off, On}})
	fails(t, err, "there is no firewall to switch on")
	// Off is what it is already.
	c, lines := p.prepared(Wanted{Firewall: []string{Off}})
	if len(lines) != 0 {
		t.Errorf("announced %q", lines)
	}
	p.apply(c, Values{Firewall: Off})
	p.undo(c)
}

// TestNFTRefused has rule sets that nft lists and could not load as they are.
func TestNFTRefused(t *testing.T) {
	for name, c := range map[string]struct{ nft, text string }{
		"of iptables": {"[ $1 = list ] && echo '# Warning: table ip filter is managed by iptables-nft, do not touch!' >&2; echo 'table ip filter {\n}'",
			"table ip filter is made by iptables"},
		"of iptables, on standard output": {"echo '# Warning: table ip filter is managed by iptables-nft, do not touch!\ntable ip filter {\n}'",
			"table ip filter is made by iptables"},
		"of a program": {"echo 'table inet own { # progname nft\n\tflags owner\n}'",
			"table inet own belongs to a running program"},
		"not loadable": {"[ $1 != -c ] || { echo '/dev/stdin:8:17-31: Error: unsupported xtables compat expression' >&2; exit 1; }\necho 'table ip filter {\n}'",
			"unsupported xtables compat expression"},
	} {
		t.Run(name, func(t *testing.T) {
			p := play(t, "linux", nil)
			p.program("usr/sbin/nft", c.nft)
			_, _, err := p.config.prepared(t.Context(), Wanted{Firewall: []string{Off}})
			fails(t, err, "could be switched off, but not restored as it is")
			fails(t, err, c.text)
		})
	}
}

// TestNFTOtherwise has a rule set that comes back otherwise than it was.
func TestNFTOtherwise(t *testing.T) {
	p := play(t, "linux", map[string]string{"rules": "table inet filter {\n}"})
	p.program("usr/sbin/nft", `case "$*" in
*list*) cat "$root/state/rules" ;;
-f*) note "$@"; if grep -q table; then echo "table inet other {"; fi >"$root/state/rules" ;;
esac`)
	c, _ := p.prepared(Wanted{Firewall: []string{Off}})
	p.apply(c, Values{Firewall: Off})
	_, err := c.restore(t.Context())
	fails(t, err, `line 1 was "table inet filter {" and is "table inet other {"`)
	p.put("rules", "table inet filter {\n}")
	p.undo(c, "firewall (nft)")
	p.calls("nft -f -\nnft -f -")
}

// systemd makes a played machine have firewalld under systemd, with one
// interface in a zone that only NetworkManager knows of.
func systemd(t *testing.T) *played {
	p := play(t, "linux", map[string]string{"active": "running", "zone": "internal"})
	p.file("run/systemd/system/.keep", "")
	p.program("usr/bin/systemctl", `note "$@"
case $1 in
start) [ "$(cat "$root/state/active")" = running ] || { echo running >"$root/state/active"; echo public >"$root/state/zone"; } ;;
stop) echo stopped >"$root/state/active" ;;
esac`)
	p.program("usr/bin/firewall-cmd", `[ "$(cat "$root/state/active")" = running ] || { echo "not running" >&2; exit 252; }
zone=$(cat "$root/state/zone")
case "$*" in
--state) echo running ;;
--get-active-zones) printf '%s\n  interfaces: eth0\n' "$zone" ;;
--list-all-zones) printf '%s (active)\n  interfaces: eth0\n  services: ssh%s\n' internal "$(cat "$root/state/more" 2>/dev/null)" ;;
"--permanent --list-all-zones") printf '%s\n  interfaces: \n  services: ssh\n' internal ;;
--zone=*) note "$@"; zone=${1#--zone=}; echo "$zone" >"$root/state/zone" ;;
--get-ipsets) ;;
*) exit 2 ;;
esac`)
	return p
}

func TestFirewalldUnderSystemd(t *testing.T) {
	p := systemd(t)
	c, lines := p.prepared(Wanted{Firewall: []string{Off, On}})
	if len(lines) != 1 || lines[0] != "firewall off: systemctl stop firewalld; on: systemctl start firewalld (it is on now)" {
		t.Errorf("announced %q", lines)
	}
	p.apply(c, Values{Firewall: On}, Values{Firewall: Off}, Values{Firewall: On}, Values{Firewall: Off})
	p.undo(c, "firewall (firewalld)")
	p.calls(`
		systemctl stop firewalld
		systemctl start firewalld
		firewall-cmd --zone=internal --change-interface=eth0
		systemctl stop firewalld
		systemctl start firewalld
		firewall-cmd --zone=internal --change-interface=eth0`)
}

// TestFirewalldRuntime has settings that firewalld would not have after a
// start.
func TestFirewalldRuntime(t *testing.T) {
	p := systemd(t)
	p.put("more", " http")
	_, _, err := p.config.prepared(t.Context(), Wanted{Firewall: []string{Off}})
	fails(t, err, "settings that are not permanent (--list-all-zones)")
	p.calls("")
}

func TestFirewalldNoService(t *testing.T) {
	p := systemd(t)
	if err := os.RemoveAll(filepath.Join(p.root, "run")); err != nil {
		t.Fatal(err)
	}
	_, _, err := p.config.prepared(t.Context(), Wanted{Firewall: []string{Off}})
	fails(t, err, "no service manager here knows it")
}
