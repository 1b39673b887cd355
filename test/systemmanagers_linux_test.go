package test

import (
	"strings"
	"testing"
)

// TestSystemUFW switches ufw by its own command: off and back, and, where it is
// off, on and back.
func TestSystemUFW(t *testing.T) {
	want(t, "LINKPERF_TEST_ALL", "make test-all")
	t.Run("active", func(t *testing.T) {
		s := newSandbox(t, "ufw")
		s.sh("ufw allow 22/tcp && ufw --force enable")
		before := s.uncounted()
		dir, o := s.matrix("--axis", "firewall=on,off", "--repeat", "2")
		if o.code != 0 || !strings.Contains(o.stderr, announced+"\n  firewall off: ufw disable; on: ufw enable (it is on now)") || !strings.Contains(o.stderr, "Restored: firewall (ufw)") {
			t.Error(o)
		}
		firewallStates(t, dir, 4)
		if status := s.sh("ufw status"); !strings.HasPrefix(status, "Status: active\n") || !strings.Contains(s.sh("cat /etc/ufw/ufw.conf"), "\nENABLED=yes\n") {
			t.Errorf("ufw is not enabled again: %s", status)
		}
		if after := s.uncounted(); after != before {
			t.Errorf("the rule set was\n%s\nand is\n%s", before, after)
		}
		s.nothingLeft()
	})
	t.Run("inactive", func(t *testing.T) {
		s := newSandbox(t, "ufw")
		s.hide("firewall-cmd")
		dir, o := s.matrix("--axis", "firewall=off,on", "--repeat", "1")
		if o.code != 0 || !strings.Contains(o.stderr, "(it is off now)") || !strings.Contains(o.stderr, "Restored: firewall (ufw)") {
			t.Error(o)
		}
		firewallStates(t, dir, 2)
		if status := s.sh("ufw status"); status != "Status: inactive\n" || !strings.Contains(s.sh("cat /etc/ufw/ufw.conf"), "\nENABLED=no\n") {
			t.Errorf("ufw is not disabled again: %s", status)
		}
		s.nothingLeft()
	})
}

// hide makes a program look as if it were not installed.
func (s sandbox) hide(program string) {
	s.sh("path=$(command -v " + program + ") || exit 0; mount --bind /dev/null \"$path\"")
}

// firewalldService is what service(8) runs for firewalld where there is no
// systemd.
const firewalldService = `#!/bin/sh
pid() { cat /run/firewalld.pid 2>/dev/null; }
running() { [ -n "$(pid)" ] && kill -0 "$(pid)" 2>/dev/null; }
case $1 in
start)
	running || firewalld </dev/null >/dev/null 2>&1 ;;
stop)
	p=$(pid)
	if running; then kill "$p"; fi
	while kill -0 "$p" 2>/dev/null; do sleep 0.05; done ;;
esac
`

// TestSystemFirewalld switches firewalld by its service. An interface that is
// in a zone for the moment only is in it again afterwards.
func TestSystemFirewalld(t *testing.T) {
	want(t, "LINKPERF_TEST_ALL", "make test-all")
	s := newSandbox(t, "firewalld", "firewall-cmd", "dbus-daemon", "service")
	s.sh(`ip link add eth0 type veth peer name far && ip link set eth0 up && ip link set far up
		cat >/etc/init.d/firewalld <<-'END'
		` + strings.ReplaceAll(firewalldService, "\n", "\n\t\t") + `
		END
		chmod +x /etc/init.d/firewalld
		mkdir -p /var/lib/dbus && dbus-uuidgen --ensure
		dbus-daemon --system --fork --nopidfile --print-pid >/run/bus.pid 2>/dev/null`)
	t.Cleanup(func() {
		s.try("service firewalld stop; kill $(cat /run/bus.pid)")
	})
	s.sh("service firewalld start && until firewall-cmd --state; do sleep 0.1; done && firewall-cmd --zone=internal --change-interface=eth0")
	before := s.uncounted()

	dir, o := s.matrix("--axis", "firewall=on,off", "--repeat", "1")
	if o.code != 0 || !strings.Contains(o.stderr, announced+"\n  firewall off: service firewalld stop; on: service firewalld start (it is on now)") || !strings.Contains(o.stderr, "Restored: firewall (firewalld)") {
		t.Error(o)
	}
	firewallStates(t, dir, 2)
	if zones := s.sh("firewall-cmd --state; firewall-cmd --get-active-zones"); zones != "running\ninternal\n  interfaces: eth0\n" {
		t.Errorf("firewalld is not as before: %s", zones)
	}
	if after := s.uncounted(); after != before {
		t.Errorf("the rule set was\n%s\nand is\n%s", before, after)
	}
	s.nothingLeft()

	// What is not stored would be lost.
	s.sh("firewall-cmd --zone=internal --add-service=http")
	if _, o := s.matrix("--axis", "firewall=off", "--repeat", "1"); o.code != 1 || !strings.Contains(o.stderr, "settings that are not permanent (--list-all-zones)") {
		t.Errorf("want a refusal: %v", o)
	}
	if state := s.sh("firewall-cmd --zone=internal --query-service=http"); state != "yes\n" {
		t.Errorf("the setting is lost: %s", state)
	}

	if !everything() {
		return
	}
	// Where it is off, on is for the time of the plan.
	s.hide("ufw")
	s.sh("service firewalld stop")
	dir, o = s.matrix("--axis", "firewall=on,off", "--repeat", "1")
	if o.code != 0 {
		t.Error(o)
	}
	firewallStates(t, dir, 2)
	if out, err := s.try("firewall-cmd --state"); err == nil {
		t.Errorf("firewalld runs: %s", out)
	}
}
