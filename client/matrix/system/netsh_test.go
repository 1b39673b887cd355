//go:build unix

package system

import (
	"strings"
	"testing"
)

// aPC is the state of a computer with Windows whose private profile is off.
func aPC() map[string]string {
	return map[string]string{"domain": "1", "private": "0", "public": "1", "mtu.ipv4": "1500", "mtu.ipv6": "1480"}
}

func TestWindows(t *testing.T) {
	p := play(t, "windows", aPC())
	c, lines := p.prepared(Wanted{Firewall: []string{On, Off}, MTU: map[string][]int{"Ethernet 2": {1500, 9000}}})
	if got := strings.Join(lines, "\n"); !strings.Contains(got, "netsh advfirewall set allprofiles state (on now: domainprofile, publicprofile)") ||
		!strings.Contains(got, "MTU of Ethernet 2: 1500, 9000 by netsh interface ipv4/ipv6 set subinterface (it is 1500 and 1480 now)") {
		t.Errorf("announced %q", got)
	}
	p.calls("")
	p.apply(c,
		Values{Firewall: On},
		Values{Firewall: On, Device: "Ethernet 2", MTU: 9000},
		Values{Firewall: Off, Device: "Ethernet 2", MTU: 9000},
		Values{Firewall: On, Device: "Ethernet 2", MTU: 1500},
		Values{Firewall: Off, Device: "Ethernet 2", MTU: 1500},
	)
	p.calls(`
		netsh interface ipv4 set subinterface 12 mtu=9000 store=active
		netsh interface ipv6 set subinterface 12 mtu=9000 store=active
		netsh advfirewall set allprofiles state off
		netsh advfirewall set domainprofile state on
		netsh advfirewall set privateprofile state off
		netsh advfirewall set publicprofile state on
		netsh interface ipv4 set subinterface 12 mtu=1500 store=active
		netsh interface ipv6 set subinterface 12 mtu=1500 store=active
		netsh advfirewall set allprofiles state off`)
	p.undo(c, "firewall (advfirewall)", "MTU of Ethernet 2")
	p.calls(`
		netsh advfirewall set domainprofile state on
		netsh advfirewall set privateprofile state off
		netsh advfirewall set publicprofile state on
		netsh interface ipv4 set subinterface 12 mtu=1500 store=active
		netsh interface ipv6 set subinterface 12 mtu=1480 store=active`)
	p.is(aPC())
}

// TestWindowsOff has a firewall that is off: on switches all profiles.
func TestWindowsOff(t *testing.T) {
	off := map[string]string{"domain": "0", "private": "0", "public": "0"}
	p := play(t, "windows", off)
	c, _ := p.prepared(Wanted{Firewall: []string{On, Off}})
	p.apply(c, Values{Firewall: Off}, Values{Firewall: On})
	p.calls("netsh advfirewall set allprofiles state on")
	p.is(map[string]string{"domain": "1", "private": "1", "public": "1"})
	p.undo(c, "firewall (advfirewall)")
	p.is(off)
}

func TestWindowsPolicy(t *testing.T) {
	p := play(t, "windows", aPC())
	p.put("policy", "")
	_, _, err := p.config.prepared(t.Context(), Wanted{Firewall: []string{Off}})
	fails(t, err, "a group policy decides on the firewall")
	p.calls("")
}

func TestWindowsRefused(t *testing.T) {
	p := play(t, "windows", aPC())
	_, _, err := p.config.prepared(t.Context(), Wanted{MTU: map[string][]int{"Ethernet 2": {576}}})
	fails(t, err, "lose its IPv6 addresses")
	c, _ := p.prepared(Wanted{MTU: map[string][]int{"Ethernet 2": {9000}}})
	p.put("refuses", "")
	fails(t, c.apply(t.Context(), Values{Device: "Ethernet 2", MTU: 9000}), "The parameter is incorrect.")
	p.drop("refuses")
	p.undo(c, "MTU of Ethernet 2")
	p.is(aPC())
}
