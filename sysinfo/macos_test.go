package sysinfo

import (
	"context"
	"encoding/json"
	"net/netip"
	"path"
	"slices"
	"strings"
	"testing"
)

// answering is a probe whose commands answer with recordings: the start of a
// command line to a file below testdata. What is not there does not exist.
func answering(t *testing.T, recordings map[string]string) *probe {
	t.Helper()
	return &probe{exec: func(_ context.Context, name string, args []string) (stdout, stderr []byte, err error) {
		line := strings.Join(append([]string{path.Base(strings.ReplaceAll(name, `\`, "/"))}, args...), " ")
		best := ""
		for start := range recordings {
			if strings.HasPrefix(line, start) && len(start) > len(best) {
				best = start
			}
		}
		if best == "" {
			return nil, nil, because(NotFound, "no program %s", name)
		}
		return recorded(t, recordings[best]), nil, nil
	}}
}

// onPath is that probe within a test whose data goes over a link.
func (p *probe) onPath(kind string, stack ...string) *probe {
	p.path = Path{Kind: &kind, Interface: &stack[0], Stack: stack}
	return p
}

// tells compares facts of a record; nil stands for unknown.
func tells(t *testing.T, r *Record, facts map[string]any) {
	t.Helper()
	seen := 0
	for path, v := range leaves(r) {
		want, asserted := facts[path]
		if !asserted {
			continue
		}
		seen++
		got, _ := json.Marshal(v.Interface())
		if expected, _ := json.Marshal(want); string(got) != string(expected) {
			u, _ := r.Why(path)
			t.Errorf("%s is %s, want %s (%+v)", path, got, expected, u)
		}
	}
	if seen != len(facts) {
		t.Errorf("%d of %d facts are fields of the record", seen, len(facts))
	}
}

func asks(t *testing.T, p *probe, f collector) *Record {
	t.Helper()
	r := new(Record)
	if err := f(t.Context(), p, r); err != nil {
		t.Fatal(err)
	}
	return r
}

func TestMacSysctlFacts(t *testing.T) {
	for file, facts := range map[string]map[string]any{
		"sysctl.m2max_macos26.txt": {
			"host.os": "macos", "host.os_version": "26.6.2", "host.os_build": "25G83", "host.model": "Mac14,6", "host.virtualization": "none",
			"host.emulated": false, "cpu.model": "Apple M2 Max", "cpu.cores_physical": 12, "cpu.cores_logical": 12, "cpu.cores_performance": 8,
			"cpu.cores_efficiency": 4, "cpu.core_classes": nil, "cpu.frequency_max_mhz": nil, "limits.tcp_receive_buffer_max_bytes": nil,
		},
		"sysctl.intel-i9_macos14.txt": {
			"host.os_version": "14.5", "host.arch": "amd64", "cpu.cores_physical": 8, "cpu.cores_logical": 16, "cpu.cores_performance": nil,
			"cpu.cores_efficiency": nil,
		},
		"sysctl.macos-10.14_intel_net.txt": {
			"host.kernel": "18.7.0", "limits.socket_receive_buffer_max_bytes": 8388608, "limits.tcp_receive_buffer_max_bytes": 2097152,
			"limits.tcp_send_buffer_max_bytes": 2097152, "limits.auto_tuning": "normal", "tcp.congestion_control_default": "cubic",
		},
	} {
		t.Run(file, func(t *testing.T) {
			v, err := parseSysctl(recorded(t, "macos/"+file))
			if err != nil {
				t.Fatal(err)
			}
			r := new(Record)
			describeMac(r, v)
			tells(t, r, facts)
		})
	}
	for _, v := range []struct {
		values sysctlValues
		facts  map[string]any
	}{
		{sysctlValues{"hw.optional.arm64": "1", "sysctl.proc_translated": "1"}, map[string]any{"host.arch": "arm64", "host.emulated": true}},
		{sysctlValues{"hw.model": "VirtualMac2,1", "kern.hv_vmm_present": "1"}, map[string]any{"host.virtualization": "apple"}},
		{sysctlValues{"hw.model": "VMware7,1", "kern.hv_vmm_present": "1"}, map[string]any{"host.virtualization": "vmware"}},
		{sysctlValues{"hw.model": "Mac16,9", "kern.hv_vmm_present": "1"}, map[string]any{"host.virtualization": "unknown"}},
		{sysctlValues{"hw.cpufrequency_max": "2400000000", "net.inet.tcp.doautorcvbuf": "0", "net.inet.tcp.use_newreno": "1"},
			map[string]any{"cpu.frequency_max_mhz": 2400, "limits.auto_tuning": "disabled", "tcp.congestion_control_default": "newreno"}},
	} {
		r := new(Record)
		describeMac(r, v.values)
		tells(t, r, v.facts)
	}
}

func TestMacFirewall(t *testing.T) {
	const tool = "socketfilterfw --getglobalstate"
	for _, test := range []struct {
		name       string
		recordings map[string]string
		facts      map[string]any
	}{
		{"off", map[string]string{tool: "macos/socketfilterfw-getglobalstate.off.txt"},
			map[string]any{"firewall.block_all": nil, "firewall.stealth": nil}},
		{"on", map[string]string{tool: "macos/socketfilterfw-four-flags.on.txt"},
			map[string]any{"firewall.block_all": false, "firewall.stealth": false}},
		{"blocks all", map[string]string{tool: "macos/socketfilterfw-three-flags.blockall.txt"},
			map[string]any{"firewall.block_all": true, "firewall.stealth": true}},
		{"on, by system_profiler", map[string]string{"system_profiler -json SPFirewallDataType": "macos/SPFirewallDataType.on_macos27.json"},
			map[string]any{"firewall.block_all": false, "firewall.stealth": true}},
		{"off, since the tool tells no state", map[string]string{tool: "macos/socketfilterfw-getblockall.off.txt",
			"system_profiler -json SPFirewallDataType": "macos/SPFirewallDataType.off_macos27-vm.json"},
			map[string]any{"firewall.block_all": false, "firewall.stealth": false}},
	} {
		t.Run(test.name, func(t *testing.T) {
			r := asks(t, answering(t, test.recordings), collectSocketFilter)
			tells(t, r, test.facts)
			state, _, _ := strings.Cut(test.name, ",")
			if state == "blocks all" {
				state = On
			}
			if l := r.Firewall.Layers; len(l) != 1 || l[0].State == nil || *l[0].State != state || !l[0].OnPath {
				t.Errorf("layers %+v", l)
			}
		})
	}
}

// The packet filter answers root only: a refusal is unknown, and never "off".
func TestMacPacketFilter(t *testing.T) {
	p := &probe{exec: func(context.Context, string, []string) (stdout, stderr []byte, err error) {
		return nil, nil, commandError("/sbin/pfctl", 1, recorded(t, "macos/pfctl-s-info.not-root.stderr.txt"))
	}}
	r := new(Record)
	if err := collectPF(t.Context(), p, r); unknownOf(err).Reason != NoPermission {
		t.Errorf("refusal: %v", err)
	}
	if l := r.Firewall.Layers[0]; l.State != nil || l.Reason != NoPermission {
		t.Errorf("layer %+v", l)
	}
	r = asks(t, answering(t, map[string]string{"pfctl -s info": "macos/pfctl-s-info.disabled-first-line.txt"}), collectPF)
	tells(t, r, map[string]any{"firewall.rules": 0, "firewall.filtering": false})
	if l := r.Firewall.Layers[0]; l.State == nil || *l.State != Off {
		t.Errorf("disabled: %+v", l)
	}
	for rules, want := range map[string]string{"anchor \"com.apple/*\" all\n": Off, "block drop in all\n": On} {
		p := &probe{exec: func(_ context.Context, _ string, args []string) (stdout, stderr []byte, err error) {
			if slices.Contains(args, "info") {
				return []byte("Status: Enabled for 0 days 00:26:05           Debug: Urgent\n"), nil, nil
			}
			return []byte(rules), nil, nil
		}}
		r := asks(t, p, collectPF)
		if l := r.Firewall.Layers[0]; l.State == nil || *l.State != want || *r.Firewall.Rules != 1 {
			t.Errorf("%q: %+v", rules, l)
		}
	}
}

func TestMacFilters(t *testing.T) {
	r := asks(t, answering(t, map[string]string{"systemextensionsctl list": "macos/systemextensionsctl-list.lulu-old-and-new.txt"}), collectSystemExtensions)
	tells(t, r, map[string]any{"security.filters": []string{"com.objective-see.lulu.extension"}})
	if l := r.Firewall.Layers[0]; l.State != nil || l.Reason != NotSupported {
		t.Errorf("an extension of unknown kind: %+v", l)
	}
	p := &probe{exec: func(context.Context, string, []string) ([]byte, []byte, error) {
		return []byte("0 extension(s)\n"), nil, nil
	}}
	r = asks(t, p, collectSystemExtensions)
	if l := r.Firewall.Layers[0]; l.State == nil || *l.State != Off || r.Security.Filters == nil {
		t.Errorf("no extension: %+v", l)
	}
}

// Application firewall off, packet filter refused, no extension: unknown. With
// the application firewall on it is on, whatever the others are.
func TestMacFirewallSummary(t *testing.T) {
	off := Layer{Name: "application_firewall", State: new(Off), OnPath: true}
	on := Layer{Name: "application_firewall", State: new(On), OnPath: true}
	refused := Layer{Name: "pf", Reason: NoPermission, OnPath: true}
	for _, test := range []struct {
		layers []Layer
		want   any
	}{
		{[]Layer{off, refused}, nil}, {[]Layer{on, refused}, On}, {[]Layer{refused, on}, On}, {[]Layer{off}, Off},
	} {
		r := &Record{Unknown: map[string]Unknown{}}
		r.Firewall.Layers = test.layers
		finishFirewall(r)
		tells(t, r, map[string]any{"firewall.state": test.want})
	}
}

func TestMacThunderbolt(t *testing.T) {
	const gb = 1_000_000_000
	for _, test := range []struct {
		name, report, ports, link, kind string
		facts                           map[string]any
	}{
		{"the path goes to the peer", "m5max-macbookpro_peer-and-dock_80gbps.json", "m5max-macbookpro", "en6", KindThunderbolt, map[string]any{
			"thunderbolt.peers": 1, "thunderbolt.receptacle": 2, "thunderbolt.speed_tx_bits_per_second": 80 * gb,
			"thunderbolt.speed_capability_bits_per_second": 120 * gb, "thunderbolt.generation": "5/USB4v2", "thunderbolt.peer_model": "Mac17,6",
			"thunderbolt.peer_vendor": "Apple Inc.", "thunderbolt.interface": "en6", "thunderbolt.lanes_tx": nil,
			"link.speed_rx_bits_per_second": 80 * gb, "link.speed_capability_bits_per_second": 120 * gb,
		}},
		{"the path is Wi-Fi, a peer is idle", "m5max-macbookpro_peer-m3ultra_80gbps.json", "m5max-macbookpro", "en0", KindWiFi, map[string]any{
			"thunderbolt.peers": 1, "thunderbolt.receptacle": 1, "thunderbolt.peer_model": "Mac15,14", "link.speed_rx_bits_per_second": nil,
		}},
		{"an Ethernet adapter in a dock", "m5max-macbookpro_peer-80gbps_tb3-ssd-40gbps.json", "m5max-macbookpro", "en3", KindEthernet, map[string]any{
			"thunderbolt.peers": 1, "link.speed_rx_bits_per_second": nil,
		}},
		{"two peers, the path names one", "peer-m4pro_40gbps.txt", "m5max-macbookpro", "en2", KindThunderbolt, map[string]any{
			"thunderbolt.peers": 2, "thunderbolt.receptacle": 3, "thunderbolt.speed_rx_bits_per_second": 40 * gb,
			"thunderbolt.speed_capability_bits_per_second": 120 * gb, "thunderbolt.generation": "5/USB4v2", "thunderbolt.peer_model": "Mac16,11",
		}},
		{"two peers, the path names none", "peer-m4pro_40gbps.txt", "m5max-macbookpro", "bridge0", KindThunderbolt, map[string]any{
			"thunderbolt.peers": 2, "thunderbolt.receptacle": nil, "thunderbolt.speed_rx_bits_per_second": nil, "link.speed_rx_bits_per_second": nil,
			"thunderbolt.generation": "5/USB4v2",
		}},
		{"docks, no computer", "m4max-macstudio_docks_no-mac-peer.txt", "m4max-macstudio", "en0", KindEthernet, map[string]any{
			"thunderbolt.peers": 0, "thunderbolt.peer_model": nil, "thunderbolt.receptacle": nil, "thunderbolt.generation": "5/USB4v2",
		}},
		{"idle ports", "m3-macbookpro_tb4-no-link.json", "m5max-macbookpro", "en0", KindWiFi, map[string]any{
			"thunderbolt.peers": 0, "thunderbolt.generation": "4/USB4", "thunderbolt.speed_rx_bits_per_second": nil,
		}},
	} {
		t.Run(test.name, func(t *testing.T) {
			p := answering(t, map[string]string{
				"system_profiler -json SPThunderboltDataType": "macos/SPThunderboltDataType." + test.report,
				"networksetup -listallhardwareports":          "macos/networksetup-listallhardwareports." + test.ports + ".txt",
			}).onPath(test.kind, test.link)
			tells(t, asks(t, p, collectMacThunderbolt), test.facts)
		})
	}
}

// The two ends of a test hash the same domains with the same salt, and another
// test's hashes differ.
func TestMacThunderboltDomains(t *testing.T) {
	ids := func(report, salt string) (own, peer string) {
		p := answering(t, map[string]string{"system_profiler -json SPThunderboltDataType": "macos/SPThunderboltDataType." + report})
		p.Salt = []byte(salt)
		r := asks(t, p, collectMacThunderboltPorts)
		return *r.Thunderbolt.DomainID, *r.Thunderbolt.PeerDomainID
	}
	ownA, peerA := ids("m5max-macbookpro_peer-m3ultra_80gbps.json", "cookie")
	ownB, peerB := ids("m3ultra-macstudio_peer-m5max_80gbps_and_ssd.json", "cookie")
	other, _ := ids("m5max-macbookpro_peer-m3ultra_80gbps.json", "another cookie")
	if ownA != peerB || ownB != peerA || ownA == other || strings.Contains(ownA, "0000-4000") {
		t.Errorf("%s-%s, %s-%s, %s", ownA, peerA, ownB, peerB, other)
	}
}

func TestMacLink(t *testing.T) {
	for _, test := range []struct {
		file, link string
		facts      map[string]any
	}{
		{"ifconfig.en4_mtu9000_10gbase-t_macos-10.11.txt", "en4", map[string]any{
			"link.up": true, "link.speed_tx_bits_per_second": 10_000_000_000, "link.duplex": "full", "link.media": "10GbaseT", "link.flow_control": true,
			"link.energy_efficient_ethernet": false, "offload.tso": true, "offload.lro": false, "offload.checksum_rx": true, "offload.checksum_tx": true,
		}},
		{"ifconfig-v.en2_ip-over-thunderbolt_inactive.txt", "en2", map[string]any{
			"link.up": false, "link.speed_tx_bits_per_second": nil, "link.duplex": nil, "queue.discipline": "FQ_CODEL", "offload.checksum_tx": false,
		}},
		{"ifconfig-v.wifi-en0.txt", "en0", map[string]any{
			"link.up": true, "link.speed_tx_bits_per_second": nil, "wifi.rate_tx_bits_per_second": 304_200_000, "wifi.rate_rx_bits_per_second": 304_200_000,
		}},
	} {
		p := answering(t, map[string]string{"ifconfig -v": "macos/" + test.file}).onPath(KindEthernet, test.link)
		tells(t, asks(t, p, collectIfconfig), test.facts)
	}
	p := answering(t, map[string]string{"networksetup -listvalidMTUrange en0": "macos/networksetup-listvalidMTUrange.wifi.txt"}).onPath(KindWiFi, "en0")
	tells(t, asks(t, p, collectMTURange), map[string]any{"link.mtu_min_bytes": 1280, "link.mtu_max_bytes": 1500})
	p = answering(t, map[string]string{"system_profiler -json SPAirPortDataType": "macos/SPAirPortDataType.wifi6e_1152mbps_macos26.json"}).onPath(KindWiFi, "en0")
	tells(t, asks(t, p, collectAirPort), map[string]any{
		"wifi.state": "connected", "wifi.phy_mode": "802.11ax", "wifi.rate_tx_bits_per_second": 1_152_000_000, "wifi.rate_rx_bits_per_second": nil,
		"wifi.channel": 37, "wifi.band": "6", "wifi.channel_width_mhz": 160, "wifi.signal_dbm": -52, "link.speed_tx_bits_per_second": 1_152_000_000,
	})
	if err := collectAirPort(t.Context(), p.onPath(KindEthernet, "en4"), new(Record)); unknownOf(err).Reason != NotApplicable {
		t.Errorf("Wi-Fi of an Ethernet path: %v", err)
	}
	p = answering(t, map[string]string{"pmset": "macos/pmset-g-batt.ac-laptop.txt"})
	tells(t, asks(t, p, collectPmset), map[string]any{"power.on_battery": false, "power.mode": nil})
}

func TestMacDevices(t *testing.T) {
	usb := recorded(t, "macos/SPUSBHostDataType.m3pro_macos27_12mbps.json")
	thunderbolt := recorded(t, "macos/SPThunderboltDataType.m5max-macbookpro_peer-80gbps_tb3-ssd-40gbps.json")
	// The tool puts the types that it is asked for into one object.
	both := strings.TrimSuffix(strings.TrimSpace(string(usb)), "}") + "," + strings.TrimPrefix(strings.TrimSpace(string(thunderbolt)), "{")
	p := &probe{exec: func(context.Context, string, []string) ([]byte, []byte, error) { return []byte(both), nil, nil }}
	got := asks(t, p, collectMacDevices).Devices
	want := []Device{
		{Bus: "usb", Name: "YubiKey OTP+FIDO+CCID", Speed: new(int64(12_000_000)), Detail: "USB 3.1 Bus, which can do 10000 Mbit/s", Reason: NotSupported},
		{Bus: "thunderbolt", Name: "TBU405Pro", Speed: new(int64(40e9)), Capability: new(int64(40e9)), Below: new(false), Detail: "ACASIS"},
		{Bus: "thunderbolt", Name: "Mac17,6", Class: "computer", Speed: new(int64(80e9)), Detail: "Apple Inc.", Reason: NotSupported},
	}
	gotText, _ := json.Marshal(got)
	if wantText, _ := json.Marshal(want); string(gotText) != string(wantText) {
		t.Errorf("got  %s\nwant %s", gotText, wantText)
	}
	slow := thunderboltBus{
		Ports:   []thunderboltPort{{Connected: true, Speed: 20e9}},
		Devices: []thunderboltDevice{{Name: "SSD", Mode: "thunderbolt_three", Speed: 20e9}},
	}
	if d := devicesOfBus(slow)[0]; d.Below == nil || !*d.Below {
		t.Errorf("20 of 40 Gbit/s: %+v", d)
	}
}

func TestMacPath(t *testing.T) {
	nic := func(name, kind, evidence string, addresses ...string) macNIC {
		n := macNIC{Name: name, Kind: kind, Evidence: evidence}
		for _, a := range addresses {
			n.Addresses = append(n.Addresses, netip.MustParsePrefix(a))
		}
		return n
	}
	nics := []macNIC{
		nic("lo0", KindLoopback, "loopback", "127.0.0.1/8", "::1/128"),
		nic("bridge0", KindVirtual, "a bridge", "169.254.80.69/16"),
		nic("en0", KindEthernet, "interface family Ethernet", "192.168.1.221/24", "fe80::1/64"),
		nic("en2", KindThunderbolt, "interface subfamily Thunderbolt"), nic("en3", KindThunderbolt, "interface subfamily Thunderbolt"),
		nic("en4", KindThunderbolt, "interface subfamily Thunderbolt"),
		nic("en9", KindEthernet, "Ethernet by USB", "169.254.203.131/16"),
		nic("vlan7", KindVirtual, "VLAN or bond", "10.7.0.1/24"),
	}
	bridge := func(name string) (macBridge, error) {
		p := answering(t, map[string]string{"ifconfig bridge0": "macos/ifconfig.bridge0_linklocal_active_mtu1500.txt"})
		return askBridge(t.Context(), p, name)
	}
	const bridged = "netstat-rn-inet.bridge0-linklocal-own-address-via-lo0.txt"
	for _, test := range []struct {
		name, local, remote, table string
		facts                      map[string]any
	}{
		{"loopback", "127.0.0.1", "127.0.0.1", "netstat-rnl.macos-10.14.txt", map[string]any{
			"path.kind": "loopback", "path.interface": "lo0", "path.stack": []string{"lo0"}, "path.mtu_bytes": 16384, "path.on_link": true,
		}},
		{"own exposed address", "192.168.1.221", "192.168.1.221", "netstat-rnl.macos-10.14.txt", map[string]any{
			"path.kind": "own_address", "path.interface": "lo0", "path.address_interface": "en0", "path.mtu_bytes": 16384, "path.gateway": nil,
		}},
		{"own link-local address", "169.254.80.69", "169.254.80.69", bridged, map[string]any{
			"path.kind": "own_address", "path.interface": "lo0", "path.address_interface": "bridge0",
		}},
		{"peer on a member of the Thunderbolt bridge", "169.254.80.69", "169.254.87.238", bridged, map[string]any{
			"path.kind": "thunderbolt", "path.interface": "bridge0", "path.stack": []string{"bridge0", "en2"}, "path.on_link": true,
		}},
		{"unknown peer of a bridge of Thunderbolt", "169.254.80.69", "169.254.1.1", bridged, map[string]any{
			"path.kind": "thunderbolt", "path.stack": []string{"bridge0"},
		}},
		{"by a gateway", "192.168.1.221", "203.0.113.9", "netstat-rnl.macos-10.14.txt", map[string]any{
			"path.kind": "ethernet", "path.interface": "en0", "path.on_link": false, "path.gateway": "192.168.1.254", "path.mtu_bytes": 1500,
		}},
		// Link-local addresses alone are no Thunderbolt.
		{"link-local Ethernet", "169.254.203.131", "169.254.3.4", "netstat-rnl.macos-10.14.txt", map[string]any{
			"path.kind": "ethernet", "path.interface": "en0", "path.address_interface": "en9",
		}},
	} {
		t.Run(test.name, func(t *testing.T) {
			remote := mustAddr(t, test.remote)
			route, ok := routeByTools(t.Context(), answering(t, map[string]string{"netstat -rnl -f inet": "macos/" + test.table}), remote)
			if !ok {
				t.Fatal("no route")
			}
			r := new(Record)
			describeMacPath(r, mustAddr(t, test.local), remote, nics, route, bridge)
			tells(t, r, test.facts)
		})
	}
	r := new(Record)
	describeMacPath(r, mustAddr(t, "10.7.0.1"), mustAddr(t, "10.7.0.2"), nics, routeAnswer{Interface: "vlan7"}, bridge)
	tells(t, r, map[string]any{"path.kind": "virtual", "path.vlan_tags": 1})
	mixed, _ := kindOfMembers(nics[1], []string{"en2", "en9"}, nics)
	if mixed != KindVirtual {
		t.Errorf("a bridge of two kinds is %s", mixed)
	}
	got, ok := routeByTools(t.Context(), answering(t, map[string]string{"route -n get": "macos/route-n-get-default.macos.txt"}), mustAddr(t, "203.0.113.9"))
	if !ok || got.Interface != "en0" || got.Gateway != "10.160.24.1" {
		t.Errorf("route -n get: %+v", got)
	}
}

func TestMacTunnels(t *testing.T) {
	services, err := parseVPNList(recorded(t, "macos/scutil-nc-list.wireguard-connected.txt"))
	if err != nil {
		t.Fatal(err)
	}
	got := macTunnels(services, []Interface{
		{Name: "utun0", Kind: KindTunnel, Up: true, Addresses: []string{"fe80::1/64"}}, // the system's own
		{Name: "utun5", Kind: KindTunnel, Up: true, Addresses: []string{"100.64.0.1/32"}},
		{Name: "utun6", Kind: KindTunnel, Addresses: []string{"10.0.0.1/32"}},
		{Name: "en0", Kind: KindEthernet, Up: true, Addresses: []string{"10.0.0.2/24"}},
	})
	if !slices.Equal(got, []string{"home-wg", "utun5"}) {
		t.Errorf("%q", got)
	}
	if got := macTunnels(nil, nil); got == nil || len(got) != 0 {
		t.Errorf("none is an answer: %v", got)
	}
}

// A Mac's record from recordings alone: every null has its reason.
func TestMacRecord(t *testing.T) {
	p := answering(t, map[string]string{
		"socketfilterfw":           "macos/socketfilterfw-four-flags.on.txt",
		"systemextensionsctl list": "macos/systemextensionsctl-list.lulu-old-and-new.txt",
		"pmset":                    "macos/pmset-g-batt.ac-laptop.txt",
		"system_profiler -json SPThunderboltDataType": "macos/SPThunderboltDataType.m5max-macbookpro_peer-m3ultra_80gbps.json",
	})
	by := map[string]collector{
		"sysctl": func(_ context.Context, p *probe, r *Record) error {
			v, err := parseSysctl(recorded(t, "macos/sysctl.m2max_macos26.txt"))
			describeMac(r, v)
			return err
		},
		"socketfilterfw": collectSocketFilter, "systemextensionsctl": collectSystemExtensions, "pfctl": collectPF, "pmset": collectPmset,
		"Thunderbolt ports": collectMacThunderboltPorts,
	}
	r := gather(t, p, join(macosTable), by)
	tells(t, r, map[string]any{
		"host.os": "macos", "firewall.state": "on", "thunderbolt.peers": 1, "power.on_battery": false, "security.filters": []string{"com.objective-see.lulu.extension"},
		"link.mtu_bytes": nil, "host.container": nil,
	})
	if u, _ := r.Why("firewall.rules"); u.Reason != NotFound {
		t.Errorf("rules of a filter that is not there: %+v", u)
	}
}

func TestMacAttachment(t *testing.T) {
	for _, test := range []struct {
		nic  macNIC
		want any
	}{
		{macNIC{Kind: KindEthernet, USB: true}, "usb"}, {macNIC{Kind: KindThunderbolt}, "thunderbolt"}, {macNIC{Kind: KindLoopback}, "none"},
		{macNIC{Kind: KindTunnel}, "none"}, {macNIC{Kind: KindEthernet}, nil},
	} {
		r := new(Record)
		describeMacAttachment(r, test.nic)
		tells(t, r, map[string]any{"link.attached_by": test.want})
	}
}

// A USB network adapter's port has the name of the USB device.
func TestMacUSBAdapter(t *testing.T) {
	p := &probe{exec: func(_ context.Context, name string, _ []string) ([]byte, []byte, error) {
		if path.Base(name) == "networksetup" {
			return []byte("\nHardware Port: USB 10/100/1G/2.5G LAN\nDevice: en7\nEthernet Address: 02:00:00:00:01:3d\n"), nil, nil
		}
		return []byte(`{"SPUSBHostDataType":[{"_name":"USB 3.1 Bus","_items":[
			{"_name":"USB 10/100/1G/2.5G LAN","USBDeviceKeyLinkSpeed":"5 Gb/s"}]}]}`), nil, nil
	}}
	tells(t, asks(t, p.onPath(KindEthernet, "en7"), collectMacUSBAdapter), map[string]any{
		"link.usb_speed_bits_per_second": 5_000_000_000, "link.attached_by": "usb",
	})
	for link, want := range map[string]Reason{"en0": NotApplicable, "": NotApplicable} {
		r := new(Record)
		if err := collectMacUSBAdapter(t.Context(), p.onPath(KindEthernet, link), r); unknownOf(err).Reason != want || r.Link.USBSpeed != nil {
			t.Errorf("%q: %v", link, err)
		}
	}
}

func TestMacCounters(t *testing.T) {
	all, err := parseInterfaceList(interfaceMessage(4, 0x8863))
	if err != nil {
		t.Fatal(err)
	}
	r := new(Record)
	r.Counters = all[0].counters()
	tells(t, r, map[string]any{
		"counters.rx_bytes": 1 << 40, "counters.tx_bytes": 7, "counters.rx_packets": 2, "counters.tx_packets": 4, "counters.rx_errors": 3,
		"counters.tx_errors": 5, "counters.rx_dropped": 8, "counters.tx_dropped": 9,
	})
}

// The address of the Thunderbolt Bridge is at the end of a cable, whose speed
// is that of the only peer.
func TestMacInterfaceList(t *testing.T) {
	up := func(name, kind string, addresses ...string) macNIC {
		n := macNIC{Name: name, Kind: kind, Up: true, MTU: 1500}
		for _, a := range addresses {
			n.Addresses = append(n.Addresses, netip.MustParsePrefix(a))
		}
		return n
	}
	fast := up("en5", KindEthernet, "192.168.1.2/24")
	fast.Media.Speed = 10e9
	all := []macNIC{
		up("lo0", KindLoopback, "127.0.0.1/8"), up("bridge0", KindVirtual, "169.254.80.69/16"), up("bridge100", KindVirtual), fast,
		up("en2", KindThunderbolt), up("en3", KindThunderbolt), up("en4", KindThunderbolt), up("en0", KindWiFi, "192.168.1.3/24"),
	}
	recordings := map[string]string{
		"ifconfig bridge0":                            "macos/ifconfig.bridge0_linklocal_active_mtu1500.txt",
		"networksetup -listallhardwareports":          "macos/networksetup-listallhardwareports.m5max-macbookpro.txt",
		"system_profiler -json SPThunderboltDataType": "macos/SPThunderboltDataType.peer-m4pro_40gbps.txt",
	}
	find := func(list []Interface, name string) Interface {
		return list[slices.IndexFunc(list, func(i Interface) bool { return i.Name == name })]
	}
	list := describeMacNICs(t.Context(), answering(t, recordings), all)
	if i := find(list, "bridge0"); i.Kind != KindThunderbolt || i.SpeedTx == nil || *i.SpeedTx != 40e9 {
		t.Errorf("Thunderbolt Bridge: %+v", i)
	}
	if i := find(list, "en5"); *i.SpeedTx != 10e9 || i.Reason != "" {
		t.Errorf("Ethernet: %+v", i)
	}
	if i := find(list, "bridge100"); i.Kind != KindVirtual || i.Reason != NotApplicable {
		t.Errorf("bridge of virtual machines: %+v", i)
	}
	// The report names receptacles 3 and 2, of which the second is en6's.
	if i := find(list, "en3"); i.SpeedTx != nil || i.Reason != NotSupported {
		t.Errorf("idle port: %+v", i)
	}
	delete(recordings, "system_profiler -json SPThunderboltDataType")
	if i := find(describeMacNICs(t.Context(), answering(t, recordings), all), "bridge0"); i.Kind != KindThunderbolt || i.SpeedTx != nil {
		t.Errorf("without a report: %+v", i)
	}
	if got := speedOfMembers(map[string]int64{"en2": 40e9, "en3": 80e9}, []string{"en2", "en3"}); got != 0 {
		t.Errorf("two speeds are %d", got)
	}
}
