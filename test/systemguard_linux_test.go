package test

import (
	"bytes"
	"fmt"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"syscall"
	"testing"
	"time"
)

// gatedNFT stands in the place of nft inside a sandbox: it is nft, but waits
// first where a test has put a gate.
const gatedNFT = `#!/bin/sh
step=other
case "$1 $2" in
"-s list") step=read ;;
"-f -")
	text=$(mktemp /run/text.XXXXXX)
	cat >"$text"
	step=flush
	if grep -q ^table "$text"; then step=load; fi
	exec <"$text" ;;
esac
if [ -p /run/gate.$step ]; then
	mv /run/gate.$step /run/at.$step
	read -r _ </run/at.$step
fi
exec /run/nft.real "$@"
`

// gated gives a sandbox that nft, and a rule set, of which it returns the
// listing.
func (s sandbox) gated() (before string) {
	s.t.Helper()
	s.rules("testdata/system.nft")
	before = s.uncounted()
	script := filepath.Join(s.t.TempDir(), "nft")
	if err := os.WriteFile(script, []byte(gatedNFT), 0o755); err != nil {
		s.t.Fatal(err)
	}
	s.sh(`nft=$(command -v nft) && cp "$nft" /run/nft.real && cp ` + script + ` /run/nft && mount --bind /run/nft "$nft"`)
	return before
}

// waitAt waits until nft stands at a gate.
func (s sandbox) waitAt(step string) {
	s.t.Helper()
	waitFor(s.t, 20*time.Second, func() bool {
		_, err := s.try("test -p /run/at." + step)
		return err == nil
	})
}

// pass lets nft go on.
func (s sandbox) pass(step string) { s.sh("echo go >/run/at." + step) }

// guardianOf finds the guardian among the children of a process.
func guardianOf(t *testing.T, parent int) (pid int) {
	t.Helper()
	stats, _ := filepath.Glob("/proc/[0-9]*/stat")
	for _, name := range stats {
		stat, err := os.ReadFile(name)
		if err != nil {
			continue // gone meanwhile
		}
		// The parent is the second word after the name, which is in brackets.
		words := strings.Fields(string(stat[bytes.LastIndexByte(stat, ')')+1:]))
		command, _ := os.ReadFile(filepath.Join(filepath.Dir(name), "cmdline"))
		if len(words) > 1 && words[1] == strconv.Itoa(parent) && bytes.Contains(command, []byte("\x00matrix-guardian\x00")) {
			pid, _ = strconv.Atoi(filepath.Base(filepath.Dir(name)))
		}
	}
	if pid == 0 {
		t.Fatal("there is no guardian")
	}
	return pid
}

// alive tells whether a process runs; one that nobody has waited for yet does
// not.
func alive(pid int) bool {
	stat, err := os.ReadFile(fmt.Sprintf("/proc/%d/stat", pid))
	return err == nil && !bytes.Contains(stat, []byte(") Z "))
}

// A moment is a step of a plan at which somebody dies.
type moment struct {
	name string
	gate string // where nft waits at that moment, "" for nowhere
	here func(s sandbox, p *process)
}

var moments = []moment{
	{"before the journal", "read", func(s sandbox, p *process) {
		// The rule set is also read before the plan begins.
		waitFor(s.t, 20*time.Second, func() bool { return strings.Contains(p.err.String(), announced) })
		s.sh("mkfifo /run/gate.read; echo go >/run/hold")
		s.waitAt("read")
		if s.sh("ls /var/lib/linkperf") != "system-changes.lock\n" {
			s.t.Error("there is a journal already")
		}
	}},
	{"after the journal, before the change", "flush", func(s sandbox, p *process) {
		s.sh("mkfifo /run/gate.flush; echo go >/run/hold")
		s.waitAt("flush")
		if !strings.Contains(s.sh("cat "+journalFile), `"by":"nft"`) {
			s.t.Error("the rule set is not in the journal before the change")
		}
	}},
	{"after the change", "", func(s sandbox, p *process) {
		s.sh("echo go >/run/hold")
		waitFor(s.t, 20*time.Second, func() bool { return s.sh("/run/nft.real list ruleset") == "" })
	}},
	{"while restoring", "load", func(s sandbox, p *process) {
		s.sh("mkfifo /run/gate.load; echo go >/run/hold")
		waitFor(s.t, 20*time.Second, func() bool { return s.sh("/run/nft.real list ruleset") == "" })
		p.cmd.Process.Signal(os.Interrupt)
		s.waitAt("load")
	}},
}

// held starts a plan with the firewall off that begins when /run/hold is
// written to.
func (s sandbox) held() *process {
	s.t.Helper()
	s.sh("mkfifo /run/hold")
	return begin(s.t, s.linkperf().command(s.t.Context(), "matrix", "--axis", "firewall=off", "--duration", "30s", "--repeat", "1",
		"--before", "read -r _ </run/hold", "--allow-system-changes", "-o", filepath.Join(s.t.TempDir(), "out")))
}

// restored waits until all is as it was before and nobody works on it.
func (s sandbox) restored(before string, guardian int) {
	s.t.Helper()
	waitFor(s.t, 30*time.Second, func() bool { return !alive(guardian) })
	waitFor(s.t, 30*time.Second, func() bool {
		_, err := s.try("test -e " + journalFile)
		return err != nil
	})
	if after := s.uncounted(); after != before {
		s.t.Errorf("the rule set was\n%s\nand is\n%s", before, after)
	}
	s.nothingLeft()
}

// TestSystemKilled kills the program, or its guardian, at each step. Whoever
// is left restores.
func TestSystemKilled(t *testing.T) {
	for _, victim := range []string{"program", "guardian"} {
		for _, m := range moments {
			t.Run(victim+" "+m.name, func(t *testing.T) {
				t.Parallel()
				s := newSandbox(t)
				before := s.gated()
				p := s.held()
				m.here(s, p)
				program, guardian := p.cmd.Process.Pid, guardianOf(t, p.cmd.Process.Pid)
				if victim == "program" {
					syscall.Kill(program, syscall.SIGKILL)
				} else {
					syscall.Kill(guardian, syscall.SIGKILL)
				}
				if m.gate != "" {
					s.pass(m.gate)
				}
				if victim == "guardian" {
					if m.gate == "" { // the program need not notice before its end
						p.cmd.Process.Signal(os.Interrupt)
					}
					p.within(t, 60*time.Second)
				}
				s.restored(before, guardian)
			})
		}
	}
}

// TestSystemSignals ends a plan in the ways that a terminal has, also for the
// whole process group, which a guardian that belonged to it would not outlive.
func TestSystemSignals(t *testing.T) {
	for _, c := range []struct {
		name   string
		signal syscall.Signal
		group  bool
	}{
		{"interrupt", syscall.SIGINT, true},
		{"hang-up", syscall.SIGHUP, true},
		{"terminate", syscall.SIGTERM, false},
		{"kill the group", syscall.SIGKILL, true},
	} {
		t.Run(c.name, func(t *testing.T) {
			t.Parallel()
			s := newSandbox(t)
			before := s.gated()
			s.sh("mkfifo /run/hold")
			cmd := s.linkperf().command(t.Context(), "matrix", "--axis", "firewall=off", "--duration", "30s", "--repeat", "1",
				"--before", "read -r _ </run/hold", "--allow-system-changes", "-o", filepath.Join(t.TempDir(), "out"))
			cmd.SysProcAttr = &syscall.SysProcAttr{Setpgid: true}
			p := begin(t, cmd)
			moments[2].here(s, p)
			guardian := guardianOf(t, cmd.Process.Pid)
			target := cmd.Process.Pid
			if c.group {
				target = -target
			}
			if err := syscall.Kill(target, c.signal); err != nil {
				t.Fatal(err)
			}
			o := p.within(t, 60*time.Second)
			s.restored(before, guardian)
			if !strings.Contains(o.stderr, "Restored: firewall (nft)") {
				t.Errorf("nothing is said of it: %v", o)
			}
			if c.signal != syscall.SIGKILL && (o.code != 0 || !strings.Contains(o.stderr, "stopped by signal")) {
				t.Errorf("want exit status 0: %v", o)
			}
		})
	}
}

// TestSystemPowerCut kills both, as a power cut does, and restores from the
// journal: in the system as they left it, and in one that has just started.
func TestSystemPowerCut(t *testing.T) {
	for _, m := range moments[2:] {
		t.Run(m.name, func(t *testing.T) {
			t.Parallel()
			s := newSandbox(t)
			before := s.gated()
			counted := s.ruleset()
			p := s.held()
			m.here(s, p)
			syscall.Kill(guardianOf(t, p.cmd.Process.Pid), syscall.SIGKILL)
			syscall.Kill(p.cmd.Process.Pid, syscall.SIGKILL)
			p.within(t, 20*time.Second)
			if m.gate != "" {
				s.pass(m.gate)
			}
			journal := s.sh("cat " + journalFile)

			_, o := s.matrix("--axis", "firewall=off", "--repeat", "1")
			if o.code != 1 || !strings.Contains(o.stderr, "linkperf matrix --restore --journal "+journalFile) {
				t.Errorf("a plan over what another left: %v", o)
			}
			o = run(t, s.linkperf(), "matrix", "--restore")
			if o.code != 0 || o.stderr != "Restored: firewall (nft)\n" {
				t.Errorf("restore: %v", o)
			}
			if after := s.uncounted(); after != before {
				t.Errorf("the rule set was\n%s\nand is\n%s", before, after)
			}
			s.nothingLeft()
			o = run(t, s.linkperf(), "matrix", "--restore")
			if o.code != 0 || o.stderr != "Nothing to restore: there are no changes in "+journalFile+"\n" {
				t.Errorf("restore once more: %v", o)
			}

			fresh := newSandbox(t)
			file := filepath.Join(t.TempDir(), "journal")
			if err := os.WriteFile(file, []byte(journal), 0o600); err != nil {
				t.Fatal(err)
			}
			o = run(t, fresh.linkperf(), "matrix", "--restore", "--journal", file)
			if after := fresh.ruleset(); o.code != 0 || after != counted {
				t.Errorf("from the journal alone: %v\nthe rule set was\n%s\nand is\n%s", o, counted, after)
			}
			if exists(file) {
				t.Error("the journal is still there")
			}
		})
	}
}
