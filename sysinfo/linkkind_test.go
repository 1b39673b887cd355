package sysinfo

import (
	"encoding/json"
	"strings"
	"testing"
)

func TestLinuxKind(t *testing.T) {
	for _, c := range []struct {
		link linuxLink
		want string
	}{
		{linuxLink{Name: "lo", Type: "device", Encap: "loopback"}, KindLoopback},
		{linuxLink{Name: "eth0", Type: "device", Encap: "ether", Driver: "igc", Hardware: true}, KindEthernet},
		{linuxLink{Name: "eth0", Type: "device", Encap: "ether", Driver: "virtio_net", Hardware: true}, KindEthernet},
		// The name says nothing, the driver does.
		{linuxLink{Name: "tb0", Type: "device", Encap: "ether", Driver: "thunderbolt-net", Hardware: true}, KindThunderbolt},
		{linuxLink{Name: "thunderbolt0", Type: "device", Encap: "ether", Driver: "r8152", Hardware: true}, KindEthernet},
		{linuxLink{Name: "wlan0", Type: "device", Encap: "ether", Driver: "iwlwifi", Hardware: true, Wireless: true}, KindWiFi},
		{linuxLink{Name: "wwan0", Type: "device", Encap: "rawip", Driver: "qmi_wwan", Hardware: true}, KindCellular},
		{linuxLink{Name: "wg0", Type: "wireguard", Encap: "none"}, KindTunnel},
		{linuxLink{Name: "tun0", Type: "tun", Encap: "none"}, KindTunnel},
		{linuxLink{Name: "tap0", Type: "tun", Encap: "ether"}, KindVirtual},
		{linuxLink{Name: "ppp0", Type: "ppp", Encap: "ppp"}, KindTunnel},
		{linuxLink{Name: "br0", Type: "bridge", Encap: "ether"}, KindVirtual},
		{linuxLink{Name: "va", Type: "veth", Encap: "ether", Driver: "veth"}, KindVirtual},
		{linuxLink{Name: "x0", Type: "device", Encap: "ether"}, KindVirtual},
		{linuxLink{Name: "ib0", Type: "device", Encap: "infiniband", Hardware: true}, KindOther},
	} {
		kind, evidence := c.link.kind()
		if kind != c.want || !strings.Contains(evidence, c.link.Name) {
			t.Errorf("%+v: %s (%s), want %s", c.link, kind, evidence, c.want)
		}
	}
}

func TestFastestMode(t *testing.T) {
	mask := func(bits ...int) []uint32 {
		m := make([]uint32, 4)
		for _, b := range bits {
			m[b/32] |= 1 << (b % 32)
		}
		return m
	}
	for _, c := range []struct {
		mask []uint32
		want int64
	}{
		{mask(0, 1, 2, 3, 5), 1e9},  // 10, 100, 1000baseT
		{mask(0, 1, 2, 3), 100e6},   // the partner of a link below its class
		{mask(6, 7, 13), 0},         // autonegotiation, TP and pause are no speeds
		{mask(12, 47, 48, 5), 10e9}, // 1, 2.5, 5, 10GBASE-T
		{mask(23), 40e9}, {mask(36, 31), 100e9}, {mask(93), 800e9}, {nil, 0}, {[]uint32{1 << 12}, 10e9},
	} {
		if got := fastestMode(c.mask); got != c.want {
			t.Errorf("%b: %d, want %d", c.mask, got, c.want)
		}
	}
}

func TestOffloadsOf(t *testing.T) {
	var recorded []map[string]json.RawMessage
	if err := json.Unmarshal(linuxFixture(t, "ethtool/ethtool-json-k.json"), &recorded); err != nil {
		t.Fatal(err)
	}
	on := make(map[string]bool)
	for name, value := range recorded[0] {
		var f struct{ Active bool }
		if json.Unmarshal(value, &f) == nil {
			// The kernel's names of two features that the tool prints by others.
			switch name {
			case "generic-receive-offload":
				name = "rx-gro"
			case "large-receive-offload":
				name = "rx-lro"
			case "generic-segmentation-offload":
				name = "tx-generic-segmentation"
			case "rx-checksumming":
				name = "rx-checksum"
			}
			on[name] = f.Active
		}
	}
	o := offloadsOf(on)
	if !*o.TSO || !*o.GSO || *o.GRO || *o.LRO || !*o.ChecksumRx || !*o.ChecksumTx {
		t.Errorf("TSO %v GSO %v GRO %v LRO %v checksums %v %v", *o.TSO, *o.GSO, *o.GRO, *o.LRO, *o.ChecksumRx, *o.ChecksumTx)
	}
	if o = offloadsOf(map[string]bool{"tx-tcp-segmentation": false}); *o.TSO || o.GRO != nil || o.ChecksumTx != nil {
		t.Errorf("a name that is missing is told as off: %+v", o)
	}
}

func TestDescribeLinkSettings(t *testing.T) {
	var l Link
	l.describe(linkSettings{Speed: 100e6, Duplex: 1, Port: 0, AutoNeg: 1, Supported: 1e9, Partner: 100e6})
	if *l.SpeedRx != 100e6 || *l.SpeedTx != 100e6 || *l.Capability != 1e9 || *l.Partner != 100e6 || *l.Duplex != "full" || *l.Media != "TP" || !*l.AutoNeg {
		t.Errorf("got %+v", l)
	}
	l = Link{}
	l.describe(linkSettings{Duplex: 0xff, Port: 0xff})
	if l.SpeedRx != nil || l.Capability != nil || l.Duplex != nil || l.Media != nil {
		t.Errorf("unknown is told: %+v", l)
	}
	l = Link{}
	if l.describe(linkSettings{Duplex: 0}); *l.Duplex != "half" {
		t.Errorf("duplex %s", *l.Duplex)
	}
}
