package system

import (
	"maps"
	"os"
	"slices"
	"testing"
)

func read(t *testing.T, name string) string {
	t.Helper()
	b, err := os.ReadFile("testdata/" + name)
	if err != nil {
		t.Fatal(err)
	}
	return string(b)
}

func TestParseProfiles(t *testing.T) {
	for file, want := range map[string]profiles{
		"all-on":               {Domain: true, Private: true, Public: true},
		"domain-on-others-off": {Domain: true},
	} {
		got, err := parseProfiles(read(t, "windows/answers/reg-query-FirewallPolicy-EnableFirewall."+file+".txt"))
		if err != nil || got != want {
			t.Errorf("%s: %+v, %v", file, got, err)
		}
	}
	for _, text := range []string{"", "ERROR: Access is denied.\r\n", "HKEY_LOCAL_MACHINE\\X\\DomainProfile\r\n    EnableFirewall    REG_DWORD    0x1\r\n"} {
		if got, err := parseProfiles(text); err == nil {
			t.Errorf("%q: %+v, want an error", text, got)
		}
	}
}

func TestParseNetshMTU(t *testing.T) {
	text := read(t, "windows/answers/netsh-interface-ipv4-show-interfaces.txt")
	for index, want := range map[int]int{1: 4294967295, 2: 1500, 12: 9000, 3: 0} {
		if got := parseNetshMTU(text, index); got != want {
			t.Errorf("interface %d: %d, want %d", index, got, want)
		}
	}
}

func TestParseIfconfig(t *testing.T) {
	links := parseIfconfig(read(t, "macos/answers/ifconfig.en6_mtu9000-excerpt.txt") + read(t, "macos/answers/ifconfig.bridge0_linklocal_active_mtu1500.txt"))
	for _, want := range []link{
		{name: "en0", mtu: 1500},
		{name: "en6", mtu: 9000, ipv6: true},
		{name: "bridge0", mtu: 1500, ipv6: true, up: true, related: []string{"en2", "en3", "en4"}},
	} {
		got, err := find(links, want.name)
		if err != nil || got.mtu != want.mtu || got.ipv6 != want.ipv6 || got.up != want.up || !slices.Equal(got.related, want.related) {
			t.Errorf("%+v, %v, want %+v", got, err, want)
		}
	}
}

func TestParseMTUSetting(t *testing.T) {
	if got := parseMTUSetting(read(t, "macos/answers/networksetup-getMTU.wifi.txt")); got != 1500 {
		t.Errorf("%d, want 1500", got)
	}
	if got := parseMTUSetting("Active MTU: 1500 (Current Setting: standard)"); got != 0 {
		t.Errorf("%d, want 0", got)
	}
}

const ipLinks = `1: lo: <LOOPBACK,UP,LOWER_UP> mtu 65536 qdisc noqueue state UNKNOWN mode DEFAULT group default qlen 1000\    link/loopback 00:00:00:00:00:00 brd 00:00:00:00:00:00 promiscuity 0 minmtu 0 maxmtu 0
2: eth0: <BROADCAST,MULTICAST,UP,LOWER_UP> mtu 9000 qdisc mq master br0 state UP mode DEFAULT group default qlen 1000\    link/ether 02:00:00:00:00:01 brd ff:ff:ff:ff:ff:ff promiscuity 1 minmtu 68 maxmtu 9194
3: br0: <BROADCAST,MULTICAST,UP,LOWER_UP> mtu 8000 qdisc noqueue state UP mode DEFAULT group default qlen 1000\    link/ether 02:00:00:00:00:01 brd ff:ff:ff:ff:ff:ff promiscuity 0 minmtu 68 maxmtu 65535
4: br0.10@br0: <BROADCAST,MULTICAST> mtu 7000 qdisc noop state DOWN mode DEFAULT group default qlen 1000\    link/ether 02:00:00:00:00:01 brd ff:ff:ff:ff:ff:ff
5: eth1@if7: <BROADCAST,MULTICAST> mtu 1500 qdisc noop state DOWN mode DEFAULT group default qlen 1000\    link/ether 02:00:00:00:00:02 brd ff:ff:ff:ff:ff:ff link-netnsid 0
`

func TestParseIPLinks(t *testing.T) {
	links := parseIPLinks(ipLinks)
	eth0, err := find(links, "eth0")
	if err != nil || eth0.mtu != 9000 || !eth0.up || eth0.min != 68 || eth0.max != 9194 {
		t.Errorf("%+v, %v", eth0, err)
	}
	// The interface itself, then what its MTU may change.
	for device, want := range map[string][]linkState{
		"eth0": {{"eth0", 9000}, {"br0", 8000}, {"br0.10", 7000}},
		"br0":  {{"br0", 8000}, {"eth0", 9000}, {"br0.10", 7000}},
		"eth1": {{"eth1", 1500}},
	} {
		if got, err := stateOf(links, device); err != nil || !slices.Equal(got.Links, want) {
			t.Errorf("%s: %+v, %v, want %+v", device, got.Links, err, want)
		}
	}
	if _, err := stateOf(links, "eth2"); err == nil {
		t.Error("eth2: want an error")
	}
}

func TestParseActiveZones(t *testing.T) {
	for text, want := range map[string]map[string]string{
		read(t, "linux/firewall-cmd-get-active-zones.txt"): {"eth0": "public"},
		"": {},
		"docker\n  interfaces: docker0\npublic (default)\n  interfaces: eth0 wlan0\n  sources: 10.0.0.0/8\n": {"docker0": "docker", "eth0": "public", "wlan0": "public"},
	} {
		if got := parseActiveZones(text); !maps.Equal(got, want) {
			t.Errorf("%q: %v, want %v", text, got, want)
		}
	}
}

func TestLasting(t *testing.T) {
	running := "internal (active)\n  target: default\n  interfaces: eth0\n  services: ssh\n\npublic (default, active)\n  services: ssh\n"
	stored := "internal\n  target: default\n  interfaces: \n  services: ssh\n\npublic (default)\n  services: ssh\n"
	if lasting(running) != lasting(stored) {
		t.Errorf("%q, %q", lasting(running), lasting(stored))
	}
	if lasting(running) == lasting(stored+"  ports: 80/tcp\n") {
		t.Error("a port more makes no difference")
	}
}
