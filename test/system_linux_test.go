package test

import (
	"bufio"
	"encoding/csv"
	"fmt"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strconv"
	"strings"
	"testing"
	"time"
)

// The tests of this file change a firewall and MTUs. They do so in network and
// mount namespaces of their own: the host's are never touched.

// sandbox is a machine of its own as far as network, /etc, /run and /var/lib
// go. It ends with the test.
type sandbox struct {
	t   *testing.T
	pid int
}

func newSandbox(t *testing.T, programs ...string) sandbox {
	t.Helper()
	for _, p := range append([]string{"unshare", "nsenter", "ip", "nft"}, programs...) {
		_, err := exec.LookPath(p)
		need(t, err == nil && os.Getuid() == 0, "needs root and %s for namespaces with a firewall", p)
	}
	cmd := exec.Command("unshare", "--mount", "--net", "sh", "-euc", `
		mount -t tmpfs -o mode=755 none /mnt
		cp -a /etc /mnt/etc
		mount --bind /mnt/etc /etc
		mount -t tmpfs -o mode=755 none /run
		mkdir -p /run/lock /run/dbus
		mount -t tmpfs -o mode=755 none /var/lib
		mount -t tmpfs -o mode=755 none /var/log
		mount -t sysfs none /sys
		ip link set lo up
		echo ready
		exec cat >/dev/null`)
	in, err := cmd.StdinPipe()
	if err != nil {
		t.Fatal(err)
	}
	out, err := cmd.StdoutPipe()
	if err != nil {
		t.Fatal(err)
	}
	var complaint lockedBuffer
	cmd.Stderr = &complaint
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		in.Close()
		cmd.Wait()
	})
	line, _ := bufio.NewReader(out).ReadString('\n')
	need(t, line == "ready\n", "no namespaces with private mounts here: %s", complaint.String())
	go io.Copy(io.Discard, out)
	return sandbox{t, cmd.Process.Pid}
}

// enter is the start of a command line that runs in the sandbox.
func (s sandbox) enter() []string {
	return []string{"nsenter", "--mount", "--net", "--target", strconv.Itoa(s.pid), "--"}
}

// linkperf is the program under test, inside.
func (s sandbox) linkperf() peer { return linkperf(s.t).in(s.enter()...) }

// try runs a shell command inside.
func (s sandbox) try(command string) (string, error) {
	argv := append(s.enter(), "sh", "-c", command)
	var stderr strings.Builder
	cmd := exec.Command(argv[0], argv[1:]...)
	cmd.Stderr = &stderr
	out, err := cmd.Output()
	if err != nil {
		err = fmt.Errorf("%s: %w: %s%s", command, err, out, stderr.String())
	}
	return string(out), err
}

// sh is a shell command that must succeed.
func (s sandbox) sh(command string) string {
	s.t.Helper()
	out, err := s.try(command)
	if err != nil {
		s.t.Fatal(err)
	}
	return out
}

// rules loads a rule set and returns how nft lists it, with counters.
func (s sandbox) rules(file string) string {
	s.t.Helper()
	path, err := filepath.Abs(file)
	if err != nil {
		s.t.Fatal(err)
	}
	s.sh("nft -f " + path)
	return s.ruleset()
}

var remaining = regexp.MustCompile(` expires [0-9dhms]+`)

// ruleset is nft's listing without the one thing that moves by itself: the time
// that elements have left.
func (s sandbox) ruleset() string {
	s.t.Helper()
	return remaining.ReplaceAllString(s.sh("nft list ruleset"), "")
}

// uncounted is nft's listing without counters, which go on while there is
// traffic.
func (s sandbox) uncounted() string {
	s.t.Helper()
	return s.sh("nft -s list ruleset")
}

const (
	journalFile = "/var/lib/linkperf/system-changes.jsonl"
	announced   = "This plan changes the system:"
)

// nothingLeft fails unless the journal is gone.
func (s sandbox) nothingLeft() {
	s.t.Helper()
	if out := s.sh("ls /var/lib/linkperf"); out != "system-changes.lock\n" {
		s.t.Errorf("left in /var/lib/linkperf: %q", out)
	}
}

// matrix runs a plan with changes of the system to its end.
func (s sandbox) matrix(args ...string) (dir string, o outcome) {
	s.t.Helper()
	dir = filepath.Join(s.t.TempDir(), "out")
	args = append([]string{"matrix", "--allow-system-changes", "--pause", "0", "-o", dir}, args...)
	return dir, runWithin(s.t, 5*time.Minute, s.linkperf(), args...)
}

// firewallStates fails unless every run found the firewall in the state that
// its case says.
func firewallStates(t *testing.T, dir string, want int) {
	t.Helper()
	runs := storedRuns(t, dir)
	if len(runs) != want {
		t.Errorf("%d runs stored, want %d", len(runs), want)
	}
	for _, r := range runs {
		firewall, _ := r.Linkperf.Sysinfo.Client["firewall"].(map[string]any)
		if r.Linkperf.Run.Status != "ok" || !strings.Contains(" "+r.Linkperf.Run.Case+" ", fmt.Sprintf(" firewall=%v ", firewall["state"])) {
			t.Errorf("case %q, %s %s, ran with the firewall %v", r.Linkperf.Run.Case, r.Linkperf.Run.Status, r.Linkperf.Run.Reason, firewall["state"])
		}
	}
}

// TestSystemRuleset switches a rule set off and wants it back byte for byte,
// counters included.
func TestSystemRuleset(t *testing.T) {
	s := newSandbox(t)
	before := s.rules("testdata/system.nft")
	_, o := s.matrix("--axis", "firewall=off", "--repeat", "1")
	if o.code != 0 || !strings.Contains(o.stderr, announced+"\n  firewall off: nft flush ruleset (5 tables)") || !strings.Contains(o.stderr, "Restored: firewall (nft)") {
		t.Error(o)
	}
	if after := s.ruleset(); after != before {
		t.Errorf("the rule set was\n%s\nand is\n%s", before, after)
	}
	s.nothingLeft()
}

// TestSystemFirewallPlan is the ready plan, made shorter, with a rule set that
// filters.
func TestSystemFirewallPlan(t *testing.T) {
	want(t, "LINKPERF_TEST_ALL", "make test-all")
	s := newSandbox(t)
	s.sh(`nft -f - <<-'END'
		table inet guard {
			chain input {
				type filter hook input priority 0; policy drop;
				iifname "lo" accept
				ct state established,related counter accept
			}
		}
	END`)
	before := s.uncounted()
	dir, o := s.matrix("firewall", "--axis", "address=loopback", "--axis", "direction=forward", "--duration", "1s", "--repeat", "6")
	if o.code != 0 || !strings.Contains(o.stderr, announced) {
		t.Error(o)
	}
	firewallStates(t, dir, 12)
	if !strings.Contains(o.stdout, "firewall: throughput: ") || strings.Contains(o.stdout, "firewall: throughput: too few runs") {
		t.Errorf("no verdict on the firewall: %s", o.stdout)
	}
	if after := s.uncounted(); after != before {
		t.Errorf("the rule set was\n%s\nand is\n%s", before, after)
	}
	s.nothingLeft()
}

// TestSystemMTU changes an interface with a VLAN on it, whose MTU follows
// downwards but not upwards.
func TestSystemMTU(t *testing.T) {
	s := newSandbox(t)
	s.sh(`ip link add eth0 mtu 9000 type veth peer name far mtu 9000
		ip link set far up
		ip link set eth0 up
		ip link add link eth0 name eth0.7 mtu 8000 type vlan id 7
		ip link set eth0.7 up
		ip address add 10.9.0.1/24 dev eth0`)
	mtus := "ip -o link show | sed -E 's/^[0-9]+: ([^:]+):.* mtu ([0-9]+) .*/\\1 \\2/'"
	before := s.sh(mtus)
	dir, o := s.matrix("--axis", "mtu=1500@eth0,9000@eth0", "--repeat", "2")
	if o.code != 0 || !strings.Contains(o.stderr, "MTU of eth0: 1500, 9000 by ip link set dev eth0 mtu BYTES (it is 9000 now)") {
		t.Error(o)
	}
	once(t, storedRuns(t, dir), 2, 2)
	if after := s.sh(mtus); after != before {
		t.Errorf("the MTUs were\n%s\nand are\n%s", before, after)
	}
	s.nothingLeft()
}

// TestSystemMTUPlan compares two MTUs over a link of 20 Mbit/s on which every
// packet costs 400 bytes, so that larger ones carry more payload. Without
// offload every packet is one on the link.
func TestSystemMTUPlan(t *testing.T) {
	want(t, "LINKPERF_TEST_ALL", "make test-all")
	left, right := newPair(t, 9000)
	left.sh(t, `ip link set dev eth0 gso_max_segs 1
		tc qdisc add dev eth0 root stab overhead 400 linklayer ethernet tbf rate 20mbit burst 32k latency 400ms`)
	ours := linkperf(t)
	far := startServer(t, right.runs(ours))
	dir := filepath.Join(t.TempDir(), "out")
	private := ours.in("unshare", "--mount", "sh", "-c", `mount -t tmpfs none /var/lib && exec "$@"`, "sh")
	o := runWithin(t, 2*time.Minute, left.runs(private), "matrix", "mtu", "--server", right.v4+":"+far.portArg(),
		"--axis", "mtu=1500@eth0,9000@eth0", "--axis", "direction=forward", "--axis", "parallel=1", "--axis", "window=128K",
		"--duration", "1s", "--repeat", "10", "--pause", "0", "--allow-system-changes", "-o", dir)
	if o.code != 0 {
		t.Fatal(o)
	}
	for _, r := range storedRuns(t, dir) {
		// 40 bytes of IP and TCP headers, 12 of timestamps.
		mss := 1448.0
		if strings.Contains(r.Linkperf.Run.Case, "mtu=9000@eth0") {
			mss = 8948
		}
		if r.Linkperf.Run.Status != "ok" || r.Start["tcp_mss_default"] != mss {
			t.Errorf("%s: %s, MSS %v", r.Linkperf.Run.Case, r.Linkperf.Run.Status, r.Start["tcp_mss_default"])
		}
	}
	f, err := os.Open(filepath.Join(dir, "compare.csv"))
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	rows, err := csv.NewReader(f).ReadAll()
	if err != nil {
		t.Fatal(err)
	}
	found := false
	for _, row := range rows[1:] {
		v := map[string]string{}
		for i, name := range rows[0] {
			v[name] = row[i]
		}
		if v["metric"] != "bits_per_second" || v["axis"] != "mtu" {
			continue
		}
		found = true
		// 1448 of 1514+400 bytes are payload, or 8948 of 9014+400: 26 % more.
		shift, err := strconv.ParseFloat(v["shift"], 64)
		if err != nil || v["base"] != "1500@eth0" || v["verdict"] != "better" || shift < 0.13 || shift > 0.5 {
			t.Errorf("verdict %v, want 9000 to be better by about 26 %%", v)
		}
	}
	if !found {
		t.Errorf("no verdict on the MTU: %v", rows)
	}
	if out := left.sh(t, "ip -o link show eth0"); !strings.Contains(out, " mtu 9000 ") {
		t.Errorf("afterwards: %s", out)
	}
}

// TestSystemRefused asks for what cannot be: one error, and nothing is changed
// or left behind.
func TestSystemRefused(t *testing.T) {
	s := newSandbox(t)
	before := s.rules("testdata/system.nft")
	bare := newSandbox(t)
	s.sh("ip link add eth0 type veth peer name far; ip link set far up; ip link set eth0 up")
	// A directory into which everybody may look, for the one without rights.
	open, err := os.MkdirTemp("", "linkperf-test-")
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { os.RemoveAll(open) })
	if err := os.Chmod(open, 0o777); err != nil {
		t.Fatal(err)
	}
	sh(t, "cp "+linkperf(t).path+" "+open+"/linkperf")
	nobody := linkperf(t)
	nobody.path = open + "/linkperf"
	nobody = nobody.in("setpriv", "--reuid", "65534", "--regid", "65534", "--clear-groups").in(s.enter()...)

	for _, c := range []struct {
		name string
		p    peer
		args []string
		text string
	}{
		{"not allowed", s.linkperf(), []string{"--axis", "firewall=off"}, "needs --allow-system-changes"},
		{"no rights", nobody, []string{"--axis", "firewall=off", "--allow-system-changes"}, "root, or an administrator, only"},
		{"no rights to restore", nobody, []string{"--restore"}, "root, or an administrator, only"},
		{"no interface", s.linkperf(), []string{"--axis", "mtu=1500@eth9", "--allow-system-changes"}, `there is no interface "eth9"`},
		{"IPv6 needs more", s.linkperf(), []string{"--axis", "mtu=1000@eth0", "--allow-system-changes"}, "would lose its IPv6 addresses"},
		{"no firewall", bare.linkperf(), []string{"--axis", "firewall=on,off", "--allow-system-changes"}, "neither is active"},
	} {
		t.Run(c.name, func(t *testing.T) {
			if c.name == "no firewall" {
				_, ufw := exec.LookPath("ufw")
				_, firewalld := exec.LookPath("firewall-cmd")
				need(t, ufw == nil && firewalld == nil, "needs ufw and firewalld, of which one would be chosen alone")
			}
			dir := filepath.Join(open, "out")
			defer os.RemoveAll(dir)
			if c.args[0] != "--restore" {
				c.args = append(c.args, "-o", dir)
			}
			o := run(t, c.p, append([]string{"matrix"}, c.args...)...)
			if _, err := os.Stat(dir); !os.IsNotExist(err) {
				t.Errorf("a directory is left, or not known to be away: %v", err)
			}
			if o.code != 1 || strings.Count(o.stderr, "\n") != 1 || !strings.Contains(o.stderr, c.text) {
				t.Errorf("want one error with %q: %v", c.text, o)
			}
		})
	}
	if after := s.ruleset(); after != before {
		t.Errorf("the rule set was\n%s\nand is\n%s", before, after)
	}
}
