//go:build unix

package system

import (
	"strings"
	"testing"
)

// aMac is the state of a Mac whose application firewall lets nothing in.
func aMac() map[string]string {
	return map[string]string{"global": "2", "mtu.en6": "9000", "setting.en6": "9000", "mtu.bridge0": "1500"}
}

func TestMacOS(t *testing.T) {
	p := play(t, "darwin", aMac())
	c, lines := p.prepared(Wanted{Firewall: []string{On, Off}, MTU: map[string][]int{"en6": {1500, 9000}}})
	if got := strings.Join(lines, "\n"); !strings.Contains(got, "socketfilterfw --setglobalstate (it is on now)") ||
		!strings.Contains(got, "MTU of en6: 1500, 9000 by ifconfig en6 mtu BYTES (it is 9000 now)") {
		t.Errorf("announced %q", got)
	}
	p.calls("")
	p.apply(c,
		Values{Firewall: On, Device: "en6", MTU: 9000}, // as it is
		Values{Firewall: Off, Device: "en6", MTU: 9000},
		Values{Firewall: Off, Device: "en6", MTU: 1500},
		Values{Firewall: On, Device: "en6", MTU: 1500},
		Values{Firewall: Off, Device: "en6", MTU: 1500},
	)
	p.calls(`
		socketfilterfw --setglobalstate off
		ifconfig en6 mtu 1500
		socketfilterfw --setglobalstate on
		socketfilterfw --setblockall on
		socketfilterfw --setglobalstate off`)
	p.undo(c, "MTU of en6", "firewall (socketfilterfw)")
	p.calls(`
		ifconfig en6 mtu 9000
		socketfilterfw --setglobalstate on
		socketfilterfw --setblockall on`)
	p.is(aMac())
}

func TestMacOSFirewallOn(t *testing.T) {
	for _, was := range []string{"0", "1"} {
		p := play(t, "darwin", map[string]string{"global": was})
		c, _ := p.prepared(Wanted{Firewall: []string{On, Off}})
		p.apply(c, Values{Firewall: On}, Values{Firewall: Off}, Values{Firewall: On})
		p.is(map[string]string{"global": "1"})
		p.undo(c, "firewall (socketfilterfw)")
		p.is(map[string]string{"global": was})
	}
}

// TestMacOSManaged has a Mac that says no with a sentence and exit status 0.
func TestMacOSManaged(t *testing.T) {
	p := play(t, "darwin", map[string]string{"global": "1", "managed": ""})
	c, _ := p.prepared(Wanted{Firewall: []string{Off}})
	fails(t, c.apply(t.Context(), Values{Firewall: Off}), "managed Mac computers")
	p.undo(c, "firewall (socketfilterfw)")
}

// TestMacOSNetworksetup has an interface whose MTU ifconfig cannot change:
// what the system keeps for it is changed, and restored too.
func TestMacOSNetworksetup(t *testing.T) {
	p := play(t, "darwin", aMac())
	p.put("refuses", "")
	c, _ := p.prepared(Wanted{MTU: map[string][]int{"en6": {1500}}})
	p.apply(c, Values{Device: "en6", MTU: 1500})
	p.is(map[string]string{"mtu.en6": "1500", "setting.en6": "1500"})
	p.drop("refuses")
	p.undo(c, "MTU of en6")
	p.calls(`
		ifconfig en6 mtu 1500
		networksetup -setMTU en6 1500
		ifconfig en6 mtu 9000
		networksetup -setMTU en6 9000`)
	p.is(aMac())
}

func TestMacOSRefused(t *testing.T) {
	p := play(t, "darwin", aMac())
	for _, c := range []struct {
		name, device string
		mtu          int
		text         string
	}{
		{"no such interface", "en9", 1500, `there is no interface "en9"`},
		{"more than it carries", "en6", 9001, "the interface allows 9000 and less"},
		{"no IPv6 left", "bridge0", 1279, "lose its IPv6 addresses"},
	} {
		t.Run(c.name, func(t *testing.T) {
			_, _, err := p.config.prepared(t.Context(), Wanted{MTU: map[string][]int{c.device: {c.mtu}}})
			fails(t, err, c.text)
		})
	}
	p.calls("")
}

// TestMacOSLeft changes an interface that fails to come back: it stays in the
// journal, the firewall is restored nevertheless, and a later try does it.
func TestMacOSLeft(t *testing.T) {
	p := play(t, "darwin", map[string]string{"global": "1", "mtu.bridge0": "1500", "mtu.en6": "1500"})
	c, _ := p.prepared(Wanted{Firewall: []string{Off}, MTU: map[string][]int{"bridge0": {9000}}})
	p.apply(c, Values{Firewall: Off, Device: "bridge0", MTU: 9000})
	p.put("refuses", "")
	restored, err := c.restore(t.Context())
	fails(t, err, "restore the MTU of bridge0")
	fails(t, err, p.config.Journal)
	if len(restored) != 1 || restored[0] != "firewall (socketfilterfw)" {
		t.Errorf("restored %q", restored)
	}
	if err := c.close(); err != nil {
		t.Error(err)
	}
	_, _, err = p.config.prepared(t.Context(), Wanted{Firewall: []string{Off}})
	fails(t, err, "linkperf matrix --restore --journal "+p.config.Journal)
	p.drop("refuses")
	p.calls(`
		socketfilterfw --setglobalstate off
		ifconfig bridge0 mtu 9000
		ifconfig bridge0 mtu 1500
		socketfilterfw --setglobalstate on`)
	restored, err = p.config.Restore(t.Context(), 0)
	if err != nil || len(restored) != 1 || restored[0] != "MTU of bridge0" {
		t.Errorf("restored %q, %v", restored, err)
	}
	p.calls("ifconfig bridge0 mtu 1500")
	p.is(map[string]string{"global": "1", "mtu.bridge0": "1500"})
	if restored, err := p.config.Restore(t.Context(), 0); len(restored) != 0 || err != nil {
		t.Errorf("restored once more: %q, %v", restored, err)
	}
}
