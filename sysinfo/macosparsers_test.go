package sysinfo

import (
	"os"
	"path/filepath"
	"reflect"
	"slices"
	"strconv"
	"strings"
	"testing"
)

// recorded reads one recording of another system.
func recorded(t testing.TB, name string) []byte {
	t.Helper()
	b, err := os.ReadFile(filepath.Join("testdata", filepath.FromSlash(name)))
	if err != nil {
		t.Fatal(err)
	}
	return b
}

// seed gives a fuzz target every recording that matches, and broken ends of it.
func seed(f *testing.F, pattern string) {
	f.Helper()
	names, err := filepath.Glob(filepath.Join("testdata", filepath.FromSlash(pattern)))
	if err != nil || len(names) == 0 {
		f.Fatalf("no recording matches %s: %v", pattern, err)
	}
	for _, name := range names {
		b, err := os.ReadFile(name)
		if err != nil {
			f.Fatal(err)
		}
		f.Add(b)
		f.Add(b[:len(b)/2])
	}
	f.Add([]byte(nil))
}

// refused fails the test unless a parser calls the bytes not understood.
func refused(t *testing.T, what string, err error) {
	t.Helper()
	if err == nil {
		t.Errorf("%s: accepted", what)
	} else if u := unknownOf(err); u.Reason != ParseError {
		t.Errorf("%s: reason %q, want %q", what, u.Reason, ParseError)
	}
}

func TestParseThunderbolt(t *testing.T) {
	const gb = 1_000_000_000
	type port struct {
		receptacle        int
		connected, up     bool
		speed, capability int64
		lanes             int
	}
	idle := func(receptacle int, capability int64) port {
		return port{receptacle: receptacle, capability: capability * gb}
	}
	linked := func(receptacle int, speed int64) port {
		return port{receptacle: receptacle, connected: true, up: true, speed: speed * gb}
	}
	for _, test := range []struct {
		file    string
		ports   []port   // in the order of the report
		peers   []string // models of computers with IP
		devices []string // name, mode and speed of the others
	}{
		{
			file:  "m5max-macbookpro_peer-m3ultra_80gbps.json",
			ports: []port{idle(3, 120), idle(2, 120), linked(1, 80)},
			peers: []string{"Mac15,14"},
		}, {
			file:    "m3ultra-macstudio_peer-m5max_80gbps_and_ssd.json",
			ports:   []port{idle(6, 120), idle(5, 120), linked(4, 80), idle(3, 120), linked(2, 80), idle(1, 120)},
			peers:   []string{"Mac17,7"},
			devices: []string{"Envoy Ultra usb_four_v2 80"},
		}, {
			file: "m5max-macbookpro_peer-and-dock_80gbps.json",
			// Link status 0x4 is a link too; the dock's own idle ports are not this computer's.
			ports:   []port{linked(3, 80), linked(2, 80), idle(1, 120)},
			peers:   []string{"Mac17,6"},
			devices: []string{"SB-XTM5 usb_four_v2 80"},
		}, {
			file:    "m5max-macbookpro_peer-80gbps_tb3-ssd-40gbps.json",
			ports:   []port{linked(3, 40), linked(2, 80), idle(1, 120)},
			peers:   []string{"Mac17,6"},
			devices: []string{"TBU405Pro thunderbolt_three 40"},
		}, {
			file:  "m3-macbookpro_tb4-no-link.json", // "Up to" is no speed
			ports: []port{idle(3, 40), idle(2, 40), idle(1, 40)},
		}, {
			file:  "peer-m4pro_40gbps.txt",
			ports: []port{linked(3, 40), linked(2, 40), idle(1, 120)},
			peers: []string{"Mac16,11", "Mac16,11"},
		}, {
			file:  "m4pro-macmini_peer-m4max_80gbps_excerpt.txt",
			ports: []port{linked(3, 80)},
			peers: []string{"Mac16,9"},
		}, {
			file:  "m4max-macstudio_docks_no-mac-peer.txt",
			ports: []port{linked(4, 40), idle(3, 120), linked(2, 80), linked(1, 40)},
			devices: []string{"PRO-G40 thunderbolt_three 40", "TS5 Plus usb_four_v2 80",
				"Pegasus32-R thunderbolt_three 40"},
		}, {
			file: "m1-peer_tb3-cable_3-lines.txt", // "Up to" while the link is up
			ports: []port{{
				up: true, capability: 40 * gb, lanes: 2,
			}},
		},
	} {
		t.Run(test.file, func(t *testing.T) {
			buses, err := parseThunderbolt(recorded(t, "macos/SPThunderboltDataType."+test.file))
			if err != nil {
				t.Fatal(err)
			}
			var ports []port
			var peers, devices []string
			for _, bus := range buses {
				for _, p := range bus.Ports {
					ports = append(ports, port{p.Receptacle, p.Connected, p.LinkUp, p.Speed, p.Capability, p.Lanes})
				}
				for _, d := range bus.Devices {
					if d.isPeer() {
						peers = append(peers, d.Model)
						continue
					}
					devices = append(devices, strings.Join([]string{d.Name, d.Mode, strconv.FormatInt(d.Speed/gb, 10)}, " "))
				}
			}
			if !slices.Equal(ports, test.ports) {
				t.Errorf("ports:\n got %+v\nwant %+v", ports, test.ports)
			}
			if !slices.Equal(peers, test.peers) {
				t.Errorf("peers %q, want %q", peers, test.peers)
			}
			if !slices.Equal(devices, test.devices) {
				t.Errorf("devices %q, want %q", devices, test.devices)
			}
		})
	}
}

// The two ends of one cable name each other's domain.
func TestThunderboltEndsMatch(t *testing.T) {
	find := func(file string) (own, peer string, ip bool) {
		buses, err := parseThunderbolt(recorded(t, "macos/SPThunderboltDataType."+file))
		if err != nil {
			t.Fatal(err)
		}
		for _, bus := range buses {
			for _, d := range bus.Devices {
				if d.isPeer() {
					return bus.DomainUUID, d.DomainUUID, d.IPService
				}
			}
		}
		t.Fatal("no peer")
		return
	}
	ownA, peerA, ipA := find("m5max-macbookpro_peer-m3ultra_80gbps.json")
	ownB, peerB, ipB := find("m3ultra-macstudio_peer-m5max_80gbps_and_ssd.json")
	if ownA == "" || ownA != peerB || ownB != peerA || ownA == ownB {
		t.Errorf("ends do not match: %s-%s and %s-%s", ownA, peerA, ownB, peerB)
	}
	if !ipA || !ipB {
		t.Error("service_ip not seen")
	}
}

func TestThunderboltGeneration(t *testing.T) {
	for _, test := range []struct {
		bus        string
		capability int64
		port       thunderboltPort
		want       string
	}{
		{"thunderboltusb4_bus_0", 0, thunderboltPort{Capability: 120e9}, "5/USB4v2"},
		{"thunderboltusb4_bus_0", 120e9, thunderboltPort{Connected: true, Speed: 40e9}, "5/USB4v2"},
		{"thunderboltusb4_bus_0", 0, thunderboltPort{Connected: true, Speed: 80e9}, "5/USB4v2"},
		{"Thunderbolt/USB4 Bus 1", 0, thunderboltPort{Capability: 40e9}, "4/USB4"},
		{"thunderbolt_bus_1", 0, thunderboltPort{Capability: 40e9}, "3"},
		{"thunderbolt_bus", 0, thunderboltPort{Capability: 20e9}, "2"},
		{"thunderbolt_bus", 0, thunderboltPort{Capability: 10e9}, "1"},
		{"thunderboltusb4_bus_0", 0, thunderboltPort{Connected: true, Speed: 20e9}, ""}, // may be any
		{"", 0, thunderboltPort{}, ""},
	} {
		bus := thunderboltBus{Name: test.bus, Ports: []thunderboltPort{test.port}}
		if got := thunderboltGeneration(bus, test.capability); got != test.want {
			t.Errorf("%s %+v: %q, want %q", test.bus, test.port, got, test.want)
		}
	}
}

// The fields of a port come in any order; the last of each kind holds.
func TestThunderboltFieldOrder(t *testing.T) {
	for text, want := range map[string]thunderboltPort{
		"Status:Device connected\nSpeed:10Gb/s\n":                       {Connected: true, Speed: 10e9},
		"Speed:10Gb/s\nStatus:Device connected\n":                       {Connected: true, Speed: 10e9},
		"Status:Device connected\nSpeed:10Gb/s\nStatus:No device\n":     {},
		"Status:Device connected\nSpeed:10Gb/s\nSpeed:20Gb/s\n":         {Connected: true, Speed: 20e9},
		"Speed:Up to 40Gb/s\nStatus:No device connected\n":              {Capability: 40e9},
		"Status:Device connected\nSpeed:10Gb/s\nPort:\nSpeed: 20Gb/s\n": {Connected: true, Speed: 10e9},
	} {
		buses, err := parseThunderbolt([]byte(text))
		if err != nil || len(buses) != 1 || len(buses[0].Ports) == 0 || buses[0].Ports[0] != want {
			t.Errorf("%q: %+v, %v; want %+v", text, buses, err, want)
		}
	}
}

func TestParseThunderboltRefuses(t *testing.T) {
	for _, text := range []string{"", "{", "{}", `{"SPThunderboltDataType": 3}`, "system_profiler: error", "Thunderbolt/USB4:\n"} {
		_, err := parseThunderbolt([]byte(text))
		refused(t, text, err)
	}
}

func TestParseUSBReport(t *testing.T) {
	device := func(name, vendor string, speed int64, parent string) string {
		return strings.Join([]string{name, vendor, strconv.FormatInt(speed, 10), parent}, "|")
	}
	for _, test := range []struct {
		file    string
		buses   int
		isHost  bool
		driver  string // of the last bus
		devices []string
	}{
		{
			file: "SPUSBHostDataType.m3pro_macos27_12mbps.json", buses: 3, isHost: true, driver: "AppleT8122USBXHCI",
			devices: []string{device("YubiKey OTP+FIDO+CCID", "Yubico", 12_000_000, "")},
		}, {
			file: "SPUSBDataType.m1pro_legacy-keys_5gbps.json", buses: 4, driver: "AppleUSBXHCIFL1100",
			devices: []string{
				device("YubiKey OTP+FIDO+CCID", "Yubico", 12_000_000, ""),
				device("USB3.1 Hub", "LG Electronics Inc.", 5_000_000_000, ""),
				device("hub_device", "", 5_000_000_000, "USB3.1 Hub"),
				device("LG UltraFine Display Camera", "LG Electronlcs Inc.", 5_000_000_000, "hub_device"),
				device("USB2.1 Hub", "LG Electronics Inc.", 480_000_000, ""),
				device("Magic Keyboard", "Apple Inc.", 12_000_000, "USB2.1 Hub"),
				device("hub_device", "", 480_000_000, "USB2.1 Hub"),
				device("USB Controls", "LG Electronics Inc.", 12_000_000, "hub_device"),
				device("USB Audio", "LG Electronics Inc.", 480_000_000, "hub_device"),
			},
		},
	} {
		t.Run(test.file, func(t *testing.T) {
			r, err := parseUSBReport(recorded(t, "macos/"+test.file))
			if err != nil {
				t.Fatal(err)
			}
			var devices []string
			for _, d := range r.Devices {
				devices = append(devices, device(d.Name, d.Vendor, d.Speed, d.Parent))
			}
			if !slices.Equal(devices, test.devices) {
				t.Errorf("devices:\n got %q\nwant %q", devices, test.devices)
			}
			if r.Buses != test.buses || r.HasHostType != test.isHost {
				t.Errorf("buses %d, new type %v", r.Buses, r.HasHostType)
			}
			if d := r.Devices[len(r.Devices)-1]; d.Controller != test.driver {
				t.Errorf("controller %q, want %q", d.Controller, test.driver)
			}
		})
	}
	// The old type is an empty list on a new system: no conclusion from it.
	_, err := parseUSBReport(recorded(t, "macos/SPUSBDataType.empty_macos27.json"))
	refused(t, "empty SPUSBDataType", err)
	// Both types are asked in one call, and then it is only the old one that is empty.
	r, err := parseUSBReport([]byte(`{"SPUSBDataType":[],"SPUSBHostDataType":[{"_name":"USB 3.1 Bus"}]}`))
	if err != nil || r.Buses != 1 || len(r.Devices) != 0 {
		t.Errorf("both types: %+v, %v", r, err)
	}
	for _, text := range []string{"", "[]", "{}", `{"SPUSBDataType":3}`} {
		_, err := parseUSBReport([]byte(text))
		refused(t, text, err)
	}
}

func TestUSBBusCapability(t *testing.T) {
	for name, want := range map[string]int64{
		"USB 3.1 Bus": 10_000_000_000, "USB31Bus": 10_000_000_000, "USB30Bus": 5_000_000_000,
		"USB20Bus": 480_000_000, "USB 3.2 Bus": 20_000_000_000, "Bus": 0, "": 0,
	} {
		if got := usbBusCapability(name); got != want {
			t.Errorf("%s: %d, want %d", name, got, want)
		}
	}
}

func TestParseAirPort(t *testing.T) {
	links, err := parseAirPort(recorded(t, "macos/SPAirPortDataType.wifi6e_1152mbps_macos26.json"))
	if err != nil {
		t.Fatal(err)
	}
	want := []wifiLink{
		{Interface: "en0", Connected: true, PHYMode: "802.11ax", Channel: 37, Band: "6", WidthMHz: 160,
			RateTx: 1_152_000_000, SignalDBm: -52, NoiseDBm: -90},
		{Interface: "awdl0"},
	}
	if !slices.Equal(links, want) {
		t.Errorf("got %+v\nwant %+v", links, want)
	}
	for _, text := range []string{"", "{}", "[1]"} {
		_, err := parseAirPort([]byte(text))
		refused(t, text, err)
	}
}

func TestAirPortChannel(t *testing.T) {
	for text, want := range map[string]wifiLink{
		"37 (6GHz, 160MHz)": {Channel: 37, Band: "6", WidthMHz: 160},
		"11 (2GHz, 20MHz)":  {Channel: 11, Band: "2.4", WidthMHz: 20},
		"149,80":            {Channel: 149, Band: "5", WidthMHz: 80},
		"6":                 {Channel: 6, Band: "2.4"},
		"":                  {},
		"-1":                {},
	} {
		var w wifiLink
		if w.setChannel(text); w != want {
			t.Errorf("%q: %+v, want %+v", text, w, want)
		}
	}
}

func TestApplicationFirewall(t *testing.T) {
	yes, no := new(true), new(false)
	for _, test := range []struct {
		file string
		want applicationFirewall
	}{
		{"socketfilterfw-getglobalstate.off.txt", applicationFirewall{On: no}},
		{"socketfilterfw-getglobalstate.on.txt", applicationFirewall{On: yes}},
		{"socketfilterfw-four-flags.on.txt", applicationFirewall{On: yes, BlockAll: no, Stealth: no, AllowSigned: yes}},
		{"socketfilterfw-three-flags.blockall.txt", applicationFirewall{On: yes, BlockAll: yes, Stealth: yes}},
		{"socketfilterfw-getblockall.off.txt", applicationFirewall{BlockAll: no}},
		{"socketfilterfw-getblockall.on.txt", applicationFirewall{BlockAll: yes}},
		{"socketfilterfw-getstealthmode.off.txt", applicationFirewall{Stealth: no}},
		{"SPFirewallDataType.off_macos27-vm.json", applicationFirewall{On: no, BlockAll: no, Stealth: no, Rules: new(8)}},
		{"SPFirewallDataType.on_macos27.json", applicationFirewall{On: yes, BlockAll: no, Stealth: yes, Rules: new(5)}},
	} {
		parse := parseSocketFilter
		if strings.HasSuffix(test.file, ".json") {
			parse = parseFirewallReport
		}
		got, err := parse(recorded(t, "macos/"+test.file))
		if err != nil || !reflect.DeepEqual(got, test.want) {
			t.Errorf("%s: %+v, %v", test.file, got, err)
		}
	}
	for _, text := range []string{"", "Firewall is in a new mode. (State = 7)", "no such option"} {
		_, err := parseSocketFilter([]byte(text))
		refused(t, text, err)
	}
	for _, text := range []string{"", "{}", `{"SPFirewallDataType":[{"spfirewall_globalstate":"spfirewall_globalstate_new"}]}`} {
		_, err := parseFirewallReport([]byte(text))
		refused(t, text, err)
	}
}

func TestParsePF(t *testing.T) {
	if on, err := parsePFInfo(recorded(t, "macos/pfctl-s-info.disabled-first-line.txt")); on || err != nil {
		t.Errorf("disabled: %v, %v", on, err)
	}
	const enabled = "Status: Enabled for 0 days 00:26:05           Debug: Urgent\n" // the published form of its first line
	if on, err := parsePFInfo([]byte(enabled)); !on || err != nil {
		t.Errorf("enabled: %v, %v", on, err)
	}
	for _, text := range []string{"", "Status:", "Status: Unheard"} {
		_, err := parsePFInfo([]byte(text))
		refused(t, text, err)
	}
	// A refusal is no answer, and above all not "off".
	refusal := recorded(t, "macos/pfctl-s-info.not-root.stderr.txt")
	if u := unknownOf(commandError("/sbin/pfctl", 1, refusal)); u.Reason != NoPermission {
		t.Errorf("refusal: %+v", u)
	}
	rules, blocking := parsePFRules([]byte("scrub-anchor \"com.apple/*\" all fragment reassemble\nanchor \"com.apple/*\" all\nblock drop in quick on en0 all\n"))
	if rules != 3 || !blocking {
		t.Errorf("rules %d, blocking %v", rules, blocking)
	}
	if rules, blocking := parsePFRules(nil); rules != 0 || blocking {
		t.Errorf("no rules: %d, %v", rules, blocking)
	}
}

func TestParseIfconfig(t *testing.T) {
	tenGig := ifconfigMedia{Name: "10Gbase-T", Speed: 10_000_000_000, FullDuplex: true, FlowControl: true}
	for _, test := range []struct {
		file string
		name string
		want ifconfigInterface // compared without Flags
	}{
		{"ifconfig.bridge0_linklocal_active_mtu1500.txt", "bridge0", ifconfigInterface{
			MTU: 1500, Options: []string{"RXCSUM", "TXCSUM", "TSO4", "TSO6"}, Members: []string{"en2", "en3", "en4"}, Status: "active",
			Peers: map[string]string{"02:00:00:00:01:36": "en4", "02:00:00:00:01:35": "en2"},
		}},
		{"ifconfig.macos-10.14_bridge0-inactive_utun.txt", "bridge0", ifconfigInterface{
			MTU: 1500, Options: []string{"RXCSUM", "TXCSUM", "TSO4", "TSO6"}, Members: []string{"en1", "en2", "en3", "en4"}, Status: "inactive",
		}},
		{"ifconfig.macos-10.14_bridge0-inactive_utun.txt", "lo0", ifconfigInterface{
			MTU: 16384, Options: []string{"RXCSUM", "TXCSUM", "TXSTATUS", "SW_TIMESTAMP"},
		}},
		{"ifconfig.macos-10.14_bridge0-inactive_utun.txt", "utun0", ifconfigInterface{MTU: 2000}},
		{"ifconfig.macos-10.14_bridge0-inactive_utun.txt", "utun4", ifconfigInterface{MTU: 1380}},
		{"ifconfig.macos-10.14_bridge0-inactive_utun.txt", "en0", ifconfigInterface{MTU: 1500, Status: "active"}},
		// Full duplex is what an idle Thunderbolt port will try, not a link.
		{"ifconfig.macos-10.14_bridge0-inactive_utun.txt", "en1", ifconfigInterface{
			MTU: 1500, Options: []string{"TSO4", "TSO6"}, Status: "inactive",
		}},
		{"ifconfig-v.en2_ip-over-thunderbolt_inactive.txt", "en2", ifconfigInterface{
			MTU: 1500, Options: []string{"TSO4", "TSO6", "CHANNEL_IO"}, Status: "inactive", Type: "IP over Thunderbolt", Scheduler: "FQ_CODEL",
		}},
		{"ifconfig-v.wifi-en0.txt", "en0", ifconfigInterface{
			MTU: 1500, Status: "active", Type: "Wi-Fi", Scheduler: "FQ_CODEL",
			UplinkEffective: 31_970_000, UplinkMax: 304_200_000, DownlinkEffective: 31_970_000, DownlinkMax: 304_200_000,
		}},
		{"ifconfig-v.wifi-recent-excerpt.txt", "", ifconfigInterface{
			Status: "active", Type: "Wi-Fi", Scheduler: "FQ_CODEL",
			UplinkEffective: 88_310_000, UplinkMax: 146_080_000, DownlinkEffective: 88_310_000, DownlinkMax: 146_080_000,
		}},
		{"ifconfig.en6_10gbase-t_thunderbolt-nic.txt", "en6", ifconfigInterface{
			MTU: 1500, Options: []string{"RXCSUM", "TXCSUM", "VLAN_MTU", "TSO4", "TSO6", "CHANNEL_IO"}, Status: "active", Media: tenGig,
		}},
		{"ifconfig.en4_mtu9000_10gbase-t_macos-10.11.txt", "en4", ifconfigInterface{
			MTU: 9000, Options: []string{"RXCSUM", "TXCSUM", "VLAN_HWTAGGING", "TSO4"}, Status: "active",
			Media: ifconfigMedia{Name: "10GbaseT", Speed: 10_000_000_000, FullDuplex: true, FlowControl: true},
		}},
		{"ifconfig.en6_mtu9000-excerpt.txt", "en6", ifconfigInterface{
			MTU: 9000, Options: []string{"RXCSUM", "TXCSUM", "VLAN_MTU", "TSO4", "TSO6", "AV", "CHANNEL_IO"},
		}},
		{"ifconfig.en6_mtu9000-excerpt.txt", "en0", ifconfigInterface{
			MTU: 1500, Options: []string{"RXCSUM", "TXCSUM", "VLAN_HWTAGGING", "AV", "CHANNEL_IO"}, Status: "inactive",
		}},
		{"ifconfig.en9_linklocal_1000baseT-eee.txt", "en9", ifconfigInterface{
			MTU: 1500, Options: []string{"RXCSUM", "TXCSUM", "VLAN_HWTAGGING", "AV", "CHANNEL_IO"},
			Media: ifconfigMedia{Name: "1000baseT", Speed: 1_000_000_000, FullDuplex: true, FlowControl: true, EnergyEfficient: true},
		}},
	} {
		interfaces, err := parseIfconfig(recorded(t, "macos/"+test.file))
		if err != nil {
			t.Errorf("%s: %v", test.file, err)
			continue
		}
		i := slices.IndexFunc(interfaces, func(i ifconfigInterface) bool { return i.Name == test.name })
		if i < 0 {
			t.Errorf("%s: no interface %q", test.file, test.name)
			continue
		}
		got, want := interfaces[i], test.want
		want.Name = test.name
		got.Flags, got.Addresses = nil, nil
		if !reflect.DeepEqual(got, want) {
			t.Errorf("%s %s:\n got %+v\nwant %+v", test.file, test.name, got, want)
		}
	}
	for _, text := range []string{"", "ifconfig: interface en99 does not exist\n"} {
		_, err := parseIfconfig([]byte(text))
		refused(t, text, err)
	}
}

func TestIfconfigAddresses(t *testing.T) {
	for file, want := range map[string][]string{
		"ifconfig.bridge0_linklocal_active_mtu1500.txt": {"fe80::1:31/64", "169.254.80.69/16"},
		"ifconfig.en9_linklocal_1000baseT-eee.txt":      {"fe80::1:32/64", "169.254.203.131/16"},
		"ifconfig.en6_10gbase-t_thunderbolt-nic.txt":    {"fe80::1:30/64", "192.168.1.3/24"}, // the masked ones are left out
		"ifconfig.en4_mtu9000_10gbase-t_macos-10.11.txt": {
			"fe80::1:50/64", "10.1.0.4/24",
		},
	} {
		interfaces, err := parseIfconfig(recorded(t, "macos/"+file))
		if err != nil {
			t.Fatal(err)
		}
		var got []string
		for _, p := range interfaces[0].Addresses {
			got = append(got, p.String())
		}
		if !slices.Equal(got, want) {
			t.Errorf("%s: %q, want %q", file, got, want)
		}
	}
}

func TestIfconfigMedia(t *testing.T) {
	for text, want := range map[string]ifconfigMedia{
		"autoselect":                            {},
		"autoselect (none)":                     {},
		"autoselect <full-duplex>":              {},
		"<unknown type>":                        {},
		"autoselect (2500Base-T <full-duplex>)": {Name: "2500Base-T", Speed: 2_500_000_000, FullDuplex: true},
		"autoselect (5GbaseT <full-duplex,energy-efficient-ethernet>)": {Name: "5GbaseT", Speed: 5_000_000_000, FullDuplex: true, EnergyEfficient: true},
		"100baseTX <half-duplex>":                                      {Name: "100baseTX", Speed: 100_000_000},
		"10baseT/UTP <half-duplex>":                                    {Name: "10baseT/UTP", Speed: 10_000_000},
	} {
		if got := parseIfconfigMedia(text); got != want {
			t.Errorf("%q: %+v, want %+v", text, got, want)
		}
	}
}

func TestParseHardwarePorts(t *testing.T) {
	for _, test := range []struct {
		file        string
		ports       int
		device      string
		port        string
		receptacles map[string]int
	}{
		{"networksetup-listallhardwareports.m5max-macbookpro.txt", 6, "en0", "Wi-Fi",
			map[string]int{"en1": 1, "en6": 2, "en2": 3, "bridge0": 0, "en3": 0, "en0": 0, "": 0}},
		{"networksetup-listallhardwareports.m4max-macstudio.txt", 12, "en10", "Thunderbolt Ethernet Slot 1",
			map[string]int{"en2": 1, "en3": 2, "en4": 3, "en5": 4, "en10": 0, "bridge0": 0}},
	} {
		ports, err := parseHardwarePorts(recorded(t, "macos/"+test.file))
		if err != nil || len(ports) != test.ports {
			t.Errorf("%s: %d ports, %v", test.file, len(ports), err)
			continue
		}
		i := slices.IndexFunc(ports, func(p hardwarePort) bool { return p.Device == test.device })
		if i < 0 || ports[i].Port != test.port || ports[i].Address == "" {
			t.Errorf("%s: %s is %+v", test.file, test.device, ports)
		}
		for device, want := range test.receptacles {
			if got := thunderboltReceptacle(ports, device); got != want {
				t.Errorf("%s: receptacle of %q is %d, want %d", test.file, device, got, want)
			}
		}
	}
	_, err := parseHardwarePorts([]byte("VLAN Configurations\n"))
	refused(t, "no ports", err)
}

func TestParseMTURange(t *testing.T) {
	least, most, err := parseMTURange(recorded(t, "macos/networksetup-listvalidMTUrange.wifi.txt"))
	if err != nil || least != 1280 || most != 1500 {
		t.Errorf("%d-%d, %v", least, most, err)
	}
	_, _, err = parseMTURange([]byte("** Error: Unable to find item in network database.\n"))
	refused(t, "bridge", err)
}

func TestParseRouteGet(t *testing.T) {
	got, err := parseRouteGet(recorded(t, "macos/route-n-get-default.macos.txt"))
	want := routeAnswer{Interface: "en0", Gateway: "10.160.24.1", MTU: 1500}
	if err != nil || got != want {
		t.Errorf("%+v, %v", got, err)
	}
	_, err = parseRouteGet([]byte("route: writing to routing socket: not in table\n"))
	refused(t, "no route", err)
}

func TestParseNetstatRoutes(t *testing.T) {
	for _, test := range []struct {
		file, to string
		want     routeAnswer
	}{
		// The own address leaves through the loopback, whatever interface has it.
		{"netstat-rn-inet.bridge0-linklocal-own-address-via-lo0.txt", "169.254.80.69",
			routeAnswer{Interface: "lo0", Host: true, PeerMAC: "02:00:00:00:01:34"}},
		{"netstat-rn-inet.bridge0-linklocal-own-address-via-lo0.txt", "169.254.87.238",
			routeAnswer{Interface: "bridge0", Host: true, PeerMAC: "02:00:00:00:01:35"}},
		{"netstat-rn-inet.bridge0-linklocal-own-address-via-lo0.txt", "169.254.122.166",
			routeAnswer{Interface: "bridge0", Host: true, PeerMAC: "02:00:00:00:01:36"}},
		{"netstat-rn-inet.bridge0-linklocal-own-address-via-lo0.txt", "169.254.1.1", routeAnswer{Interface: "bridge0"}},
		{"netstat-rnl.macos-10.14.txt", "192.168.1.221",
			routeAnswer{Interface: "lo0", MTU: 16384, Host: true, PeerMAC: "02:00:00:00:01:23"}},
		{"netstat-rnl.macos-10.14.txt", "127.0.0.1", routeAnswer{Interface: "lo0", MTU: 16384, Host: true}},
		{"netstat-rnl.macos-10.14.txt", "8.8.8.8", routeAnswer{Interface: "en0", MTU: 1500, Gateway: "192.168.1.254"}},
		{"netstat-rnl.macos-10.14.txt", "169.254.3.4", routeAnswer{Interface: "en0", MTU: 1500}},
		{"netstat-rnl.macos-10.14.txt", "192.168.71.9", routeAnswer{Interface: "vmnet8", MTU: 1500}},
		{"netstat-rnl.macos-10.14.txt", "2001:db8::18", routeAnswer{Interface: "lo0", MTU: 16384, Host: true, PeerMAC: "02:00:00:00:01:23"}},
		{"netstat-rnl.macos-10.14.txt", "2001:db8:1:d40::9", routeAnswer{Interface: "en0", MTU: 1500}},
		{"netstat-rnl.macos-10.14.txt", "2a00::1", routeAnswer{Interface: "en0", MTU: 1500, Gateway: "fe80::1:16%en0"}},
	} {
		routes, err := parseNetstatRoutes(recorded(t, "macos/"+test.file))
		if err != nil {
			t.Fatal(err)
		}
		got, ok := routeFromTable(routes, mustAddr(t, test.to))
		if !ok || got != test.want {
			t.Errorf("%s to %s: %+v, want %+v", test.file, test.to, got, test.want)
		}
	}
	routes, _ := parseNetstatRoutes(recorded(t, "macos/netstat-rn-inet.bridge0-linklocal-own-address-via-lo0.txt"))
	if got, ok := routeFromTable(routes, mustAddr(t, "10.0.0.1")); ok {
		t.Errorf("a route where none is: %+v", got)
	}
	for _, text := range []string{"Routing tables\n\nInternet:\n", "Destination Netif\ndefault 0\n", "default\n"} {
		_, err := parseNetstatRoutes([]byte(text))
		refused(t, text, err)
	}
}

func TestParseVPNList(t *testing.T) {
	got, err := parseVPNList(recorded(t, "macos/scutil-nc-list.wireguard-connected.txt"))
	want := []vpnService{
		{Name: "office-wg", Kind: "VPN", Provider: "com.wireguard.macos"},
		{Name: "home-wg", Kind: "VPN", Provider: "com.wireguard.macos", Connected: true},
	}
	if err != nil || !slices.Equal(got, want) {
		t.Errorf("%+v, %v", got, err)
	}
	got, err = parseVPNList([]byte("Available network connection services in the current set (*=enabled):\n"))
	if err != nil || got == nil || len(got) != 0 {
		t.Errorf("none is an answer: %v, %v", got, err)
	}
	_, err = parseVPNList(nil)
	refused(t, "nothing", err)
}

func TestParseSystemExtensions(t *testing.T) {
	got, err := parseSystemExtensions(recorded(t, "macos/systemextensionsctl-list.lulu-old-and-new.txt"))
	want := []systemExtension{
		{Category: networkExtension, BundleID: "com.objective-see.lulu.extension", Version: "2.4.0"},
		{Category: networkExtension, BundleID: "com.objective-see.lulu.extension", Version: "2.4.2", Active: true},
	}
	if err != nil || !slices.Equal(got, want) {
		t.Errorf("%+v, %v", got, err)
	}
	got, err = parseSystemExtensions([]byte("0 extension(s)\n"))
	if err != nil || got == nil || len(got) != 0 {
		t.Errorf("none is an answer: %v, %v", got, err)
	}
	_, err = parseSystemExtensions([]byte("?"))
	refused(t, "?", err)
}

func TestParsePower(t *testing.T) {
	on, has, err := parsePowerSource(recorded(t, "macos/pmset-g-batt.ac-laptop.txt"))
	if on || !has || err != nil {
		t.Errorf("laptop on mains: %v, %v, %v", on, has, err)
	}
	for text, want := range map[string][2]bool{
		"Now drawing from 'Battery Power'\n -InternalBattery-0 (id=1)\t80%; discharging; 3:00 remaining present: true\n": {true, true},
		"Now drawing from 'AC Power'\n": {false, false}, // a desktop
	} {
		on, has, err := parsePowerSource([]byte(text))
		if err != nil || on != want[0] || has != want[1] {
			t.Errorf("%q: %v, %v, %v", text, on, has, err)
		}
	}
	for _, text := range []string{"", "Now drawing from 'Sun'"} {
		_, _, err := parsePowerSource([]byte(text))
		refused(t, text, err)
	}
	for text, want := range map[string]string{
		"Currently in use:\n lowpowermode         1\n":                  "low_power",
		" lowpowermode         0\n powermode            0\n":            "balanced",
		" powermode            2\n":                                     "high_performance",
		" Sleep On Power Button 1\n hibernatemode        3\n":           "",
		" lowpowermode         0\n sleep 1 (sleep prevented by caff)\n": "balanced",
	} {
		if got := parsePowerSettings([]byte(text)); got != want {
			t.Errorf("%q: %q, want %q", text, got, want)
		}
	}
}

func TestParseSysctl(t *testing.T) {
	for _, test := range []struct {
		file   string
		cores  cores
		values map[string]string
	}{
		{"sysctl.m2max_macos26.txt", cores{Physical: 12, Logical: 12, Performance: 8, Efficiency: 4}, map[string]string{
			"machdep.cpu.brand_string": "Apple M2 Max", "hw.model": "Mac14,6",
			"kern.osproductversion": "26.6.2", "kern.osversion": "25G83",
		}},
		{"sysctl.m1pro-cpu.txt", cores{Physical: 10, Logical: 10, Performance: 8, Efficiency: 2}, nil},
		{"sysctl.intel-i9_macos14.txt", cores{Physical: 8, Logical: 16}, map[string]string{
			"machdep.cpu.brand_string": "Intel(R) Core(TM) i9-9980HK CPU @ 2.40GHz", "kern.osproductversion": "14.5",
		}},
		{"sysctl.macos-10.14_intel_net.txt", cores{Physical: 4, Logical: 8}, map[string]string{
			"kern.ipc.maxsockbuf": "8388608", "net.inet.tcp.sendspace": "131072", "net.inet.tcp.recvspace": "131072",
			"net.inet.tcp.autorcvbufmax": "2097152", "net.inet.tcp.autosndbufmax": "2097152", "net.inet.tcp.mssdflt": "512",
			"net.inet.tcp.use_newreno": "0", "net.inet.tcp.tso": "1", "net.inet.tcp.lro": "0",
		}},
	} {
		values, err := parseSysctl(recorded(t, "macos/"+test.file))
		if err != nil {
			t.Errorf("%s: %v", test.file, err)
			continue
		}
		if got := values.cores(); !reflect.DeepEqual(got, test.cores) {
			t.Errorf("%s: %+v, want %+v", test.file, got, test.cores)
		}
		for name, want := range test.values {
			if values[name] != want {
				t.Errorf("%s: %s is %q, want %q", test.file, name, values[name], want)
			}
		}
	}
	_, err := parseSysctl([]byte("sysctl: unknown oid 'hw.perflevel0'\n"))
	refused(t, "unknown name", err)
}
