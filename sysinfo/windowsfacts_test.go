package sysinfo

import (
	"context"
	"net/netip"
	"regexp"
	"slices"
	"strings"
	"testing"
)

// descriptions picks the drivers' names of adapters out of a recording.
func descriptions(t *testing.T, file, pattern string) []string {
	t.Helper()
	var list []string
	for _, m := range regexp.MustCompile(pattern).FindAllStringSubmatch(string(recorded(t, "windows/"+file)), -1) {
		list = append(list, strings.TrimSpace(m[1]))
	}
	if len(list) == 0 {
		t.Fatalf("no description in %s", file)
	}
	return list
}

// Adapters of recorded systems by their description; a row of Ethernet with
// hardware, so that the words decide.
func TestWindowsKindsOfRecordedAdapters(t *testing.T) {
	want := map[string]string{
		"Tailscale Tunnel": KindTunnel, "OpenVPN Data Channel Offload": KindTunnel, "TAP-NordVPN Windows Adapter V9": KindTunnel,
		"TAP-Windows Adapter V9":                                                           KindTunnel,
		"ASIX AX88179 USB 3.0 to Gigabit Ethernet Adapter #2":                              KindEthernet,
		"Intel(R) I211 Gigabit Network Connection":                                         KindEthernet,
		"Realtek PCIe 2.5GbE Family Controller":                                            KindEthernet,
		"Realtek PCIe GbE Family Controller":                                               KindEthernet,
		"Intel(R) 82574L Gigabit Network Connection":                                       KindEthernet,
		"<NIC> Ethernet Adapter":                                                           KindEthernet,
		"Bluetooth Device (Personal Area Network)":                                         KindOther,
		"Microsoft Wi-Fi Direct Virtual Adapter":                                           KindVirtual,
		"Microsoft Wi-Fi Direct Virtual Adapter #2":                                        KindVirtual,
		"VMware Virtual Ethernet Adapter for VMnet1":                                       KindVirtual,
		"VMware Virtual Ethernet Adapter for VMnet2":                                       KindVirtual,
		"VMware Virtual Ethernet Adapter for VMnet8":                                       KindVirtual,
		"VMware Virtual Ethernet Adapter for VMnet11":                                      KindVirtual,
		"Hyper-V Virtual Ethernet Adapter":                                                 KindVirtual,
		"Hyper-V Virtual Ethernet Adapter #2":                                              KindVirtual,
		"Hyper-V Virtual Ethernet Adapter #3":                                              KindVirtual,
		"Microsoft KM-TEST Loopback Adapter":                                               KindVirtual,
		"Intel(R) Wi-Fi 6 AX200 160MHz":                                                    KindWiFi,
		"Intel(R) Wireless-AC 9260 160MHz":                                                 KindWiFi,
		"Software Loopback Interface 1":                                                    KindLoopback,
		"Cisco AnyConnect Secure Mobility Client Virtual Miniport Adapter for Windows x64": KindTunnel,
	}
	seen := make(map[string]bool)
	for file, pattern := range map[string]string{
		"ipconfig.windows-10.txt": `Description[ .]+: (.*)`, "ipconfig.windows-11.txt": `Description[ .]+: (.*)`,
		"route.windows-10.txt":               `(?m)^ *\d+\.\.\.[0-9a-f .]*?\.{3,}(.*)$`,
		"systeminfo.windows-10.txt":          `\[\d+\]: (Intel\(R\) 82.*)`,
		"Get-NetAdapter-fl.1gbe-realtek.txt": `InterfaceDescription +: (.*)`, "Get-NetAdapter-fl.10gbe-vlan.txt": `InterfaceDescription +: (.*)`,
		"systeminfo-hyperv.windows-10.txt": `\[0[1-5]\]: ((?:Intel\(R\) W|Bluetooth|Microsoft|Cisco|Hyper).*)`,
	} {
		for _, d := range descriptions(t, file, pattern) {
			kind, known := want[d]
			if !known {
				t.Errorf("%s: %q has no expected kind", file, d)
				continue
			}
			seen[d] = true
			row := ifRow2{Description: d, Type: ifTypeEthernet, Hardware: true}
			switch kind {
			case KindWiFi:
				row.Type = ifTypeWiFi
			case KindLoopback:
				row.Type = ifTypeLoopback
			}
			if got, _ := row.kind(); got != kind {
				t.Errorf("%q is %s, want %s", d, got, kind)
			}
		}
	}
	for d := range want {
		if !seen[d] {
			t.Errorf("%q is in no recording", d)
		}
	}
}

func TestWindowsUSB4IsItsDriversName(t *testing.T) {
	for d, want := range map[string]string{
		"USB4(TM) P2P Network Adapter": KindThunderbolt, "USB4(TM) P2P Network Adapter #2": KindThunderbolt, "Thunderbolt(TM) Networking": KindThunderbolt,
		"Dell Thunderbolt Dock Ethernet Adapter": KindEthernet, "USB4 10GbE Controller": KindEthernet, "My USB4(TM) P2P Network Adapter": KindEthernet,
	} {
		// The friendly name says "Thunderbolt" in all of them, and means nothing.
		row := ifRow2{Alias: "Thunderbolt", Description: d, Type: ifTypeEthernet, Hardware: true}
		if got, _ := row.kind(); got != want {
			t.Errorf("%q is %s, want %s", d, got, want)
		}
	}
	for _, test := range []struct {
		row  ifRow2
		want string
	}{
		{ifRow2{Type: ifTypeTunnel}, KindTunnel}, {ifRow2{Type: ifTypePPP}, KindTunnel}, {ifRow2{Type: ifTypeWWANGSM, Hardware: true}, KindCellular},
		{ifRow2{Type: ifTypeVirtual, Description: "Wintun Userspace Tunnel"}, KindTunnel}, {ifRow2{Type: ifTypeVirtual}, KindVirtual},
		{ifRow2{Type: ifTypeEthernet}, KindVirtual}, {ifRow2{Type: 37}, KindOther},
	} {
		if got, _ := test.row.kind(); got != test.want {
			t.Errorf("%+v is %s, want %s", test.row, got, test.want)
		}
	}
}

func TestWindowsLink(t *testing.T) {
	row, err := parseIfRow2(usb4Row())
	if err != nil {
		t.Fatal(err)
	}
	r := new(Record)
	describeRow(r, row)
	describeUSB4(r, []ifRow2{{Type: ifTypeLoopback}, row}, "Ethernet 3")
	r.nlMTU(62000)
	tells(t, r, map[string]any{
		"link.kind": "thunderbolt", "link.speed_tx_bits_per_second": 20_000_000_000, "link.speed_rx_bits_per_second": 20_000_000_000, "link.up": true,
		"link.mtu_bytes": 62000, "link.mtu_hardware_bytes": 62000, "link.media": "USB4 P2P", "link.attached_by": "thunderbolt", "link.virtual": false,
		"thunderbolt.peers": 1, "thunderbolt.interface": "Ethernet 3", "thunderbolt.speed_tx_bits_per_second": 20_000_000_000, "thunderbolt.generation": nil,
	})
	r.Counters = row.counters()
	tells(t, r, map[string]any{
		"counters.rx_bytes": 1000, "counters.tx_bytes": 2000, "counters.rx_packets": 8, "counters.tx_packets": 8, "counters.rx_errors": 3,
		"counters.tx_errors": 5, "counters.rx_dropped": 2, "counters.tx_dropped": 4,
	})
	r = new(Record)
	describeUSB4(r, []ifRow2{row, row}, "Wi-Fi")
	tells(t, r, map[string]any{"thunderbolt.peers": 2, "thunderbolt.interface": nil})
	row.Connected = false
	r = new(Record)
	describeRow(r, row)
	describeUSB4(r, []ifRow2{row}, "Ethernet 3")
	r.nlMTU(4294967295)
	tells(t, r, map[string]any{"link.up": false, "link.speed_tx_bits_per_second": nil, "link.mtu_bytes": nil, "thunderbolt.peers": 0})
	if u, _ := r.Why("link.mtu_bytes"); u.Reason != NotApplicable {
		t.Errorf("no limit: %+v", u)
	}
}

func TestWindowsHost(t *testing.T) {
	value := func(key, name, kind, data string) registryValue {
		return registryValue{`HKEY_LOCAL_MACHINE\` + key, name, kind, data}
	}
	r := new(Record)
	describeWindows(r, []registryValue{
		value(windowsVersionKey, "ProductName", "REG_SZ", "Windows 10 Pro"), value(windowsVersionKey, "DisplayVersion", "REG_SZ", "24H2"),
		value(windowsVersionKey, "CurrentBuild", "REG_SZ", "26100"), value(windowsVersionKey, "UBR", "REG_DWORD", "0x10e"),
		value(biosKey, "SystemManufacturer", "REG_SZ", "Dell Inc."), value(biosKey, "SystemProductName", "REG_SZ", "Precision 5530"),
		value(processorKey, "ProcessorNameString", "REG_SZ", "Intel(R) Core(TM) i9 "), value(processorKey, "~MHz", "REG_DWORD", "0xa20"),
	})
	tells(t, r, map[string]any{
		"host.os_name": "Windows 11 Pro", "host.os_version": "24H2", "host.os_build": "26100.270", "host.model": "Precision 5530",
		"host.virtualization": "none", "cpu.model": "Intel(R) Core(TM) i9", "cpu.frequency_max_mhz": 2592,
	})
	// Of the recorded machines, one is a virtual one; both have the hypervisor's bit or might.
	for file, want := range map[string]string{"systeminfo.windows-10.txt": "vmware", "systeminfo-hyperv.windows-10.txt": "none"} {
		maker, model := descriptions(t, file, `System Manufacturer: +(.*)`)[0], descriptions(t, file, `System Model: +(.*)`)[0]
		if got := windowsVirtualization(maker, model); got != want {
			t.Errorf("%s, %s: %s, want %s", maker, model, got, want)
		}
	}
	for both, want := range map[[2]string]string{
		{"Microsoft Corporation", "Virtual Machine"}: "hyperv", {"Microsoft Corporation", "Surface Laptop 6"}: "none", {"QEMU", "Standard PC"}: "kvm",
		{"Parallels International", "Parallels ARM Virtual Machine"}: "parallels",
	} {
		if got := windowsVirtualization(both[0], both[1]); got != want {
			t.Errorf("%q: %s, want %s", both, got, want)
		}
	}
}

func TestWindowsFirewall(t *testing.T) {
	mixed, err := parseRegistry(recorded(t, "windows/reg-query-FirewallPolicy-EnableFirewall.domain-on-others-off.txt"))
	if err != nil {
		t.Fatal(err)
	}
	allOn, err := parseRegistry(recorded(t, "windows/reg-query-FirewallPolicy-EnableFirewall.all-on.txt"))
	if err != nil {
		t.Fatal(err)
	}
	german, err := parseAdvFirewall(recorded(t, "windows/netsh-advfirewall-show-allprofiles-state.de-DE.on.txt"))
	if err != nil {
		t.Fatal(err)
	}
	for _, test := range []struct {
		name     string
		profiles []firewallProfile
		profile  string
		running  *bool
		want     string
	}{
		{"all on", registryProfiles(allOn), "", nil, On},
		{"all on, in German", german, "", new(true), On},
		{"mixed, profile not known", registryProfiles(mixed), "", nil, ""},
		{"mixed, in the domain", registryProfiles(mixed), "domain", nil, On},
		{"mixed, in public", registryProfiles(mixed), "public", nil, Off},
		{"no service", registryProfiles(allOn), "public", new(false), ""},
		{"word not understood", []firewallProfile{{Name: "public"}}, "public", nil, ""},
	} {
		r := new(Record)
		describeWindowsFirewall(r, test.profiles, test.profile, test.running)
		l := r.Firewall.Layers[0]
		if state := l.State; (state == nil) != (test.want == "") || state != nil && *state != test.want {
			t.Errorf("%s: %+v", test.name, l)
		}
		if l.State == nil && (l.Reason == "" || l.Detail == "") {
			t.Errorf("%s: unknown without reason: %+v", test.name, l)
		}
	}
	// What the host's source could not tell, that of the interface replaces.
	merged := addLayers([]Layer{{Name: "windows_firewall", Reason: NotSupported}}, []Layer{{Name: "windows_firewall", State: new(Off)}})
	if len(merged) != 1 || merged[0].State == nil {
		t.Errorf("%+v", merged)
	}
}

func TestFirewallRules(t *testing.T) {
	const rules = `HKEY_LOCAL_MACHINE\` + firewallPolicyKey + firewallRulesKey
	values := []registryValue{
		{rules, "CoreNet-1", "REG_SZ", `v2.31|Action=Allow|Active=TRUE|Dir=In|Protocol=6|Name=x|`},
		{rules, "Public-1", "REG_SZ", `v2.31|Action=Block|Active=TRUE|Dir=In|Profile=Public|Name=y|`},
		{rules, "Two", "REG_SZ", `v2.10|Action=Allow|Active=TRUE|Dir=Out|Profile=Domain|Profile=Private|`},
		{rules, "Off", "REG_SZ", `v2.31|Action=Allow|Active=FALSE|Dir=In|`},
		{rules, "Odd", "REG_SZ", `nonsense`},
		{`HKEY_LOCAL_MACHINE\OTHER`, "x", "REG_SZ", `v2.31|Active=TRUE|`},
	}
	for profile, want := range map[string]int64{"": 3, "public": 2, "private": 2, "domain": 2} {
		if got := firewallRules(values, profile); got != want {
			t.Errorf("%q: %d rules, want %d", profile, got, want)
		}
	}
	r, err := parseFirewallRule([]byte(values[1].Data))
	if err != nil || !r.Active || !r.Block || !r.Inbound || !slices.Equal(r.Profiles, []string{"public"}) {
		t.Errorf("%+v, %v", r, err)
	}
	_, err = parseFirewallRule([]byte("nonsense"))
	refused(t, "nonsense", err)
}

func TestProfileOfNetwork(t *testing.T) {
	const guid = "{00112233-4455-6677-8899-AABBCCDDEEFF}"
	for data, want := range map[string]string{"0x0": "public", "0x1": "private", "0x2": "domain", "0x7": "", "": ""} {
		values := []registryValue{{`HKEY_LOCAL_MACHINE\` + networkListKey + `\` + guid, "Category", "REG_DWORD", data}}
		if got := profileOfNetwork(values, guid); got != want {
			t.Errorf("%s: %q, want %q", data, got, want)
		}
		if got := profileOfNetwork(values, ""); got != "" {
			t.Errorf("no network is in %q", got)
		}
	}
}

func TestWindowsAdapterSettings(t *testing.T) {
	const key = `HKEY_LOCAL_MACHINE\` + adapterClassKey
	jumbo := descriptions(t, "Get-NetAdapterAdvancedProperty.jumbo9014.txt", `Jumbo Packet +(\d+) Bytes`)[0]
	values := []registryValue{
		{key + `\0001`, "NetCfgInstanceId", "REG_SZ", "{OTHER}"}, {key + `\0001`, "*RSS", "REG_SZ", "0"},
		{key + `\0007`, "NetCfgInstanceId", "REG_SZ", "{00112233-4455-6677-8899-aabbccddeeff}"},
		{key + `\0007`, "DriverDesc", "REG_SZ", "A 10 Gigabit Adapter"}, {key + `\0007`, "DriverVersion", "REG_SZ", "1.2.3"},
		{key + `\0007`, "ComponentId", "REG_SZ", `PCI\VEN_8086&DEV_15F3`}, {key + `\0007`, "*JumboPacket", "REG_SZ", jumbo},
		{key + `\0007`, "*LsoV2IPv4", "REG_SZ", "1"}, {key + `\0007`, "*LsoV2IPv6", "REG_SZ", "0"}, {key + `\0007`, "*RSS", "REG_SZ", "1"},
		{key + `\0007`, "*TCPChecksumOffloadIPv4", "REG_SZ", "1"}, {key + `\0007`, "*FlowControl", "REG_SZ", "3"},
		{key + `\0007`, "*ReceiveBuffers", "REG_SZ", "256"}, {key + `\0007`, "*SpeedDuplex", "REG_SZ", "0"},
	}
	r := new(Record)
	describeAdapter(r, adapterValues(values, "{00112233-4455-6677-8899-AABBCCDDEEFF}"))
	tells(t, r, map[string]any{
		"link.driver": "A 10 Gigabit Adapter", "link.driver_version": "1.2.3", "link.attached_by": "pci", "link.mtu_max_bytes": 9000,
		"link.flow_control": true, "link.auto_negotiation": true, "link.energy_efficient_ethernet": nil, "offload.tso": true, "offload.rss": true,
		"offload.checksum_tx": true, "offload.checksum_rx": false, "offload.rsc": nil, "queue.ring_rx": 256, "queue.ring_tx": nil,
	})
	if v := adapterValues(values, "{FFFFFFFF-4455-6677-8899-AABBCCDDEEFF}"); v != nil {
		t.Errorf("values of no adapter: %v", v)
	}
	for component, want := range map[string]any{
		`usb\vid_0b95&pid_1790`: "usb", `PCI\VEN_8086`: "pci", "vms_mp": "none", `ROOT\VMWARE`: "none", "tap0901": nil, "": nil,
	} {
		r := new(Record)
		r.Link.AttachedBy = attachmentOf(component)
		tells(t, r, map[string]any{"link.attached_by": want})
	}
}

func TestWindowsSmallFacts(t *testing.T) {
	r := new(Record)
	settings, err := parseNetshTCP(recorded(t, "windows/netsh-int-tcp-show-global.autotuning-disabled.txt"))
	if err != nil {
		t.Fatal(err)
	}
	describeTCPSettings(r, settings)
	// RSC is enabled as a whole, which leaves it to the adapter.
	tells(t, r, map[string]any{"limits.auto_tuning": "disabled", "offload.rss": false, "offload.rsc": nil})
	for _, test := range []struct {
		status powerStatus
		want   any
		reason Reason
	}{
		{powerStatus{OnBattery: new(true), HasBattery: new(true)}, true, ""},
		{powerStatus{OnBattery: new(false), HasBattery: new(false)}, nil, NotApplicable},
		{powerStatus{}, nil, NotSupported},
	} {
		r := new(Record)
		describePowerStatus(r, test.status)
		tells(t, r, map[string]any{"power.on_battery": test.want})
		if u, _ := r.Why("power.on_battery"); u.Reason != test.reason {
			t.Errorf("%+v: %+v", test.status, u)
		}
	}
	r = new(Record)
	adapters := []networkAdapter{{InterfaceIndex: 5, FullDuplex: new(false), DriverVersion: "1"}, {InterfaceIndex: 6}}
	if err := describeNetAdapter(r, adapters, 5); err != nil {
		t.Error(err)
	}
	tells(t, r, map[string]any{"link.duplex": "half", "link.driver_version": "1"})
	for index, want := range map[int]Reason{6: NotSupported, 7: NotFound} {
		if err := describeNetAdapter(new(Record), adapters, index); unknownOf(err).Reason != want {
			t.Errorf("adapter %d: %v", index, err)
		}
	}
}

// Third-party firewalls: off and none are told from unknown.
func TestWindowsSecurityProducts(t *testing.T) {
	for _, test := range []struct {
		products []securityProduct
		want     string
	}{
		{nil, Off}, {[]securityProduct{{"A", new(true)}}, On}, {[]securityProduct{{"A", new(false)}}, Off},
		{[]securityProduct{{"A", nil}}, ""}, {[]securityProduct{{"A", nil}, {"B", new(true)}}, On},
	} {
		r := new(Record)
		describeSecurityProducts(r, test.products)
		l := r.Firewall.Layers[0]
		if (l.State == nil) != (test.want == "") || l.State != nil && *l.State != test.want || len(r.Security.Filters) != len(test.products) {
			t.Errorf("%+v: %+v", test.products, l)
		}
	}
	p := &probe{exec: func(context.Context, string, []string) ([]byte, []byte, error) {
		return []byte("\r\nSecurityCenter2 : present\r\n\r\n"), nil, nil
	}}
	objects, err := askPowerShell(t.Context(), p)
	if err != nil || !hasSecurityCenter(objects) || len(securityProducts(objects)) != 0 {
		t.Errorf("%v, %v", objects, err)
	}
	p.exec = func(context.Context, string, []string) ([]byte, []byte, error) { return nil, nil, nil }
	if _, err := askPowerShell(t.Context(), p); unknownOf(err).Reason != NotSupported {
		t.Errorf("nothing printed: %v", err)
	}
}

func TestWindowsPath(t *testing.T) {
	adapter := func(row ifRow2, addresses ...string) windowsAdapter {
		a := windowsAdapter{ifRow2: row, known: true}
		for _, s := range addresses {
			a.Addresses = append(a.Addresses, netip.MustParsePrefix(s))
		}
		return a
	}
	all := []windowsAdapter{
		adapter(ifRow2{Index: 1, Alias: "Loopback Pseudo-Interface 1", Type: ifTypeLoopback, Up: true, Connected: true}, "127.0.0.1/8", "::1/128"),
		adapter(ifRow2{Index: 17, Alias: "Ethernet 3", Description: "USB4(TM) P2P Network Adapter", Type: ifTypeEthernet, Hardware: true, Up: true,
			Connected: true, SpeedRx: 20e9, SpeedTx: 20e9, MTU: 62000}, "169.254.7.8/16", "fe80::7/64"),
		adapter(ifRow2{Index: 13, Alias: "Wi-Fi", Type: ifTypeWiFi, Hardware: true}, "192.168.1.169/24"),
	}
	for _, test := range []struct {
		name, local, remote string
		index               uint32
		gateway             string
		facts               map[string]any
	}{
		{"cable", "169.254.7.8", "169.254.9.9", 17, "", map[string]any{
			"path.kind": "thunderbolt", "path.interface": "Ethernet 3", "path.on_link": true, "path.stack": []string{"Ethernet 3"}, "path.gateway": nil,
		}},
		// The route to an own address names the adapter, though nothing passes there.
		{"own address", "192.168.1.169", "192.168.1.169", 13, "", map[string]any{
			"path.kind": "own_address", "path.interface": "Loopback Pseudo-Interface 1", "path.address_interface": "Wi-Fi",
		}},
		{"loopback", "127.0.0.1", "127.0.0.1", 1, "", map[string]any{"path.kind": "loopback", "path.interface": "Loopback Pseudo-Interface 1"}},
		{"gateway", "192.168.1.169", "203.0.113.1", 13, "192.168.1.1", map[string]any{
			"path.kind": "wifi", "path.on_link": false, "path.gateway": "192.168.1.1",
		}},
		{"address on another interface", "192.168.1.169", "169.254.9.9", 17, "", map[string]any{
			"path.interface": "Ethernet 3", "path.address_interface": "Wi-Fi",
		}},
		{"unknown interface", "10.0.0.1", "10.0.0.2", 99, "", map[string]any{"path.kind": "other", "path.interface": nil, "path.address_interface": nil}},
	} {
		t.Run(test.name, func(t *testing.T) {
			var gateway netip.Addr
			if test.gateway != "" {
				gateway = mustAddr(t, test.gateway)
			}
			r := new(Record)
			describeWindowsPath(r, mustAddr(t, test.local), mustAddr(t, test.remote), all, test.index, gateway)
			tells(t, r, test.facts)
		})
	}
	// These two need no route.
	for address, want := range map[string]bool{"127.0.0.1": true, "192.168.1.169": true, "169.254.9.9": false} {
		if got := describedWithoutRoute(mustAddr(t, address), all); got != want {
			t.Errorf("%s needs no route: %v", address, got)
		}
	}
	if i := all[1].describe(); i.Kind != KindThunderbolt || *i.SpeedTx != 20e9 || *i.MTU != 62000 || !i.Up || i.Reason != "" {
		t.Errorf("%+v", i)
	}
	if i := all[0].describe(); i.Kind != KindLoopback || i.SpeedTx != nil || i.MTU != nil || i.Reason != NotApplicable {
		t.Errorf("%+v", i)
	}
	unknown := windowsAdapter{ifRow2: ifRow2{Alias: "x", Up: true, Connected: true}}
	if i := unknown.describe(); i.Kind != KindOther {
		t.Errorf("an adapter that IP Helper does not describe: %+v", i)
	}
}

// Windows counts retransmitted bytes, not segments, and does not tell a full
// buffer from a lack of data.
func TestWindowsTCPShares(t *testing.T) {
	n := func(v int64) *int64 { return &v }
	u := socketUse{streams: []socketStream{stream(
		socketSample{SentBytes: n(0), RetransmittedBytes: n(0), Busy: n(0), WindowLimited: n(0)},
		socketSample{SentBytes: n(1_000_000), RetransmittedBytes: n(5_000), Busy: n(100_000), WindowLimited: n(30_000)},
	)}}
	r := new(Record)
	u.report(r, []Conn{{Transport: "tcp", Sender: true}})
	tells(t, r, map[string]any{
		"tcp.retransmitted_percent": 0.5, "tcp.receive_window_limited_percent": 30, "tcp.send_buffer_limited_percent": nil,
		"tcp.congestion_window_limited_percent": nil,
	})
}
