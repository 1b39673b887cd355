package sysinfo

import (
	"reflect"
	"slices"
	"testing"
)

func TestParseAdvFirewall(t *testing.T) {
	yes, no := new(true), new(false)
	allOn := []firewallProfile{{"domain", yes, yes}, {"private", yes, yes}, {"public", yes, yes}}
	for _, test := range []struct {
		file string
		want []firewallProfile
	}{
		{"show-allprofiles.en-US.on.txt", allOn},
		{"show-allprofiles.zh-CN.on.txt", allOn},
		{"show-allprofiles.fr-FR.domain-excerpt.txt", []firewallProfile{{"domain", yes, yes}}},
		{"show-allprofiles-state.de-DE.on.txt", []firewallProfile{{"domain", yes, nil}, {"private", yes, nil}, {"public", yes, nil}}},
		{"show-currentprofile.en-US.domain-on.txt", []firewallProfile{{"domain", yes, yes}}},
		{"show-currentprofile.en-US.domain-off.txt", []firewallProfile{{"domain", no, yes}}}, // off in spite of the policy
	} {
		got, err := parseAdvFirewall(recorded(t, "windows/netsh-advfirewall-"+test.file))
		if err != nil || !reflect.DeepEqual(got, test.want) {
			t.Errorf("%s: %+v, %v", test.file, got, err)
		}
	}
	refusedText := "The requested operation requires elevation (Run as administrator).\r\n"
	_, err := parseAdvFirewall([]byte(refusedText))
	refused(t, refusedText, err)
}

// Every language's words in one form; a word of another row or of an unknown
// language is not guessed.
func TestFirewallWords(t *testing.T) {
	for word, want := range map[string]*bool{
		"ON": new(true), "OFF": new(false), "EIN": new(true), "AUS": new(false), "Actif": new(true), "Inactif": new(false),
		"ACTIVAR": new(true), "DESACTIVAR": new(false), "打开": new(true), "启用": new(true), "关闭": new(false),
		"INACTIVE": nil, "Enable": nil, "включено": nil, "ONE": nil,
	} {
		text := "Profile Settings:\r\n-----\r\nState      " + word + "\r\nFirewall Policy      AllowInbound,AllowOutbound\r\n"
		got, err := parseAdvFirewall([]byte(text))
		if err != nil || len(got) != 1 || !reflect.DeepEqual(got[0].On, want) {
			t.Errorf("%s: %+v, %v", word, got, err)
			continue
		}
		if b := got[0].BlocksInbound; b == nil || *b {
			t.Errorf("%s: policy not read", word)
		}
	}
}

func TestParseRegistryFirewall(t *testing.T) {
	for _, test := range []struct {
		file string
		want [3]bool // domain, private, public
	}{
		{"all-on.txt", [3]bool{true, true, true}},
		{"domain-on-others-off.txt", [3]bool{true, false, false}},
	} {
		values, err := parseRegistry(recorded(t, "windows/reg-query-FirewallPolicy-EnableFirewall."+test.file))
		if err != nil || len(values) != 3 {
			t.Fatalf("%s: %+v, %v", test.file, values, err)
		}
		for i, p := range registryProfiles(values) {
			if p.On == nil || *p.On != test.want[i] || p.Name != []string{"domain", "private", "public"}[i] {
				t.Errorf("%s: profile %d is %+v", test.file, i, p)
			}
		}
		// What the collector writes from the registry API reads the same.
		again, err := parseRegistry(formatRegistry(values))
		if err != nil || !slices.Equal(again, values) {
			t.Errorf("%s: %+v, %v after writing", test.file, again, err)
		}
	}
	_, err := parseRegistry([]byte("ERROR: The system was unable to find the specified registry key or value.\r\n"))
	refused(t, "missing key", err)
}

// A policy overrides the firewall's own settings, profile by profile.
func TestRegistryPolicyOverrides(t *testing.T) {
	local := `HKEY_LOCAL_MACHINE\` + firewallPolicyKey
	policy := `HKEY_LOCAL_MACHINE\` + firewallGroupPolicyKey
	profiles := registryProfiles([]registryValue{
		{local + `\DomainProfile`, "EnableFirewall", "REG_DWORD", "0x0"},
		{local + `\StandardProfile`, "EnableFirewall", "REG_DWORD", "0x1"},
		{local + `\PublicProfile`, "EnableFirewall", "REG_DWORD", "0x1"},
		{local + `\PublicProfile`, "DefaultInboundAction", "REG_DWORD", "0x1"},
		{policy + `\DomainProfile`, "EnableFirewall", "REG_DWORD", "0x1"},
		{policy + `\PrivateProfile`, "EnableFirewall", "REG_DWORD", "0x0"},
		{policy + `\PublicProfile`, "DefaultInboundAction", "REG_DWORD", "0x0"},
	})
	want := []firewallProfile{
		{"domain", new(true), nil}, {"private", new(false), nil}, {"public", new(true), new(false)},
	}
	if !reflect.DeepEqual(profiles, want) {
		t.Errorf("got %+v", profiles)
	}
}

func TestRegistryNumbers(t *testing.T) {
	for _, test := range []struct {
		kind, data string
		want       int64
		ok         bool
	}{
		{"REG_DWORD", "0x1", 1, true}, {"REG_DWORD", "0xffffffff", 4294967295, true},
		{"REG_SZ", "9014", 9014, true}, {"REG_SZ", "0100", 100, true}, {"REG_SZ", "-1", -1, true},
		{"REG_SZ", "0090", 90, true}, {"REG_SZ", "on", 0, false}, {"REG_DWORD", "", 0, false},
	} {
		got, ok := registryValue{Type: test.kind, Data: test.data}.number()
		if got != test.want || ok != test.ok {
			t.Errorf("%s %q: %d, %v", test.kind, test.data, got, ok)
		}
	}
}

func TestParseNetshSubinterfaces(t *testing.T) {
	for _, test := range []struct {
		file string
		want []netshSubinterface
	}{
		{"jumbo9000.txt", []netshSubinterface{
			{"Loopback Pseudo-Interface 1", 0, true}, {"Ethernet0", 1500, true}, {"Ethernet1", 9000, true}, {"Ethernet2", 9000, true},
			{"Ethernet3", 9000, true}, {"Ethernet4", 9000, true}, {"Ethernet5", 9000, true}, {"Ethernet6", 9000, true},
		}},
		{"win11-vpn-excerpt.txt", []netshSubinterface{
			{"Loopback Pseudo-Interface 1", 0, true}, {"OpenVPN Wintun", 65535, false}, {"Wi-Fi", 1500, true},
			{"Bluetooth Network Connection", 1500, false}, {"OpenVPN TAP-Windows6", 1500, false},
		}},
		{"ja-JP.txt", []netshSubinterface{{"Loopback Pseudo-Interface 1", 0, true}, {"イーサネット", 1500, true}}},
	} {
		got, err := parseNetshSubinterfaces(recorded(t, "windows/netsh-interface-ipv4-show-subinterfaces."+test.file))
		if err != nil || !slices.Equal(got, test.want) {
			t.Errorf("%s: %+v, %v", test.file, got, err)
		}
	}
	_, err := parseNetshSubinterfaces([]byte("   MTU  MediaSenseState\r\n------  -----\r\n"))
	refused(t, "no rows", err)
}

func TestParseNetshTCP(t *testing.T) {
	yes, no := new(true), new(false)
	for _, test := range []struct {
		file string
		want tcpSettings
	}{
		{"normal.txt", tcpSettings{AutoTuning: "normal", RSS: yes, RSC: yes, Timestamps: no}},
		{"autotuning-disabled.txt", tcpSettings{AutoTuning: "disabled", RSS: no, RSC: yes, Timestamps: no}},
	} {
		got, err := parseNetshTCP(recorded(t, "windows/netsh-int-tcp-show-global."+test.file))
		if err != nil || !reflect.DeepEqual(got, test.want) {
			t.Errorf("%s: %+v, %v", test.file, got, err)
		}
	}
	// Translated labels: only a level whose word means nothing else is known.
	got, err := parseNetshTCP([]byte("Zustand der empfangsseitigen Skalierung : enabled\r\nAutom. Abstimmungsgrad Empfangsfenster : normal\r\n"))
	if err != nil || !reflect.DeepEqual(got, tcpSettings{AutoTuning: "normal"}) {
		t.Errorf("German: %+v, %v", got, err)
	}
	for _, text := range []string{"", "Autom. Abstimmungsgrad Empfangsfenster : disabled\r\n", "Receive Window Auto-Tuning Level : turbo\r\n"} {
		_, err := parseNetshTCP([]byte(text))
		refused(t, text, err)
	}
}

func TestParseNetshWLAN(t *testing.T) {
	for _, test := range []struct {
		file string
		want wifiLink
	}{
		{"win11-24h2-excerpt.txt", wifiLink{Interface: "Wi-Fi", Connected: true, Band: "5", Channel: 132, RateRx: 344_000_000, SignalDBm: -70}},
		{"win10-11ac-excerpt.txt", wifiLink{Connected: true, PHYMode: "802.11ac", Band: "5", Channel: 52, RateRx: 866_700_000, RateTx: 866_700_000}},
	} {
		got, err := parseNetshWLAN(recorded(t, "windows/netsh-wlan-show-interfaces."+test.file))
		if err != nil || len(got) != 1 || got[0] != test.want {
			t.Errorf("%s: %+v, %v", test.file, got, err)
		}
	}
	_, err := parseNetshWLAN([]byte("The Wireless AutoConfig Service (wlansvc) is not running.\r\n"))
	refused(t, "no service", err)
}

func TestParsePowerScheme(t *testing.T) {
	for _, language := range []string{"en-US", "de-DE"} {
		guid, err := parsePowerScheme(recorded(t, "windows/powercfg-getactivescheme."+language+".txt"))
		if err != nil || guid != "381b4222-f694-41f0-9685-ff5bb260df2e" || powerSchemeMode(guid) != "balanced" {
			t.Errorf("%s: %s, %v", language, guid, err)
		}
	}
	for guid, want := range map[string]string{
		"8C5E7FDA-E8BF-4A96-9A85-A6E23A8C635C": "high_performance", "a1841308-3541-4fab-bc81-f71556f20b4a": "power_saver",
		"ded574b5-45a0-4f42-8737-46345c09c238": "high_performance", "00000000-0000-0000-0000-000000000000": "balanced",
		"12345678-0000-0000-0000-000000000000": "",
	} {
		if got := powerSchemeMode(guid); got != want {
			t.Errorf("%s: %q, want %q", guid, got, want)
		}
	}
	_, err := parsePowerScheme([]byte("Invalid Parameters -- try \"/?\" for help\r\n"))
	refused(t, "no GUID", err)
}

func TestConnectionProfiles(t *testing.T) {
	for _, test := range []struct {
		file string
		want []connectionProfile
	}{
		{"unidentified-public.txt", []connectionProfile{{3, "Ethernet", "public"}}},
		{"private-and-vpn-public.zh-CN.txt", []connectionProfile{{13, "WLAN", "private"}, {20, "ZeroTier One [0000000000000001]", "public"}}},
		{"public.ja-JP.txt", []connectionProfile{{10, "イーサネット", "public"}}},
	} {
		objects, err := parseFormatList(recorded(t, "windows/Get-NetConnectionProfile."+test.file))
		if err != nil {
			t.Errorf("%s: %v", test.file, err)
		}
		if got := connectionProfiles(objects); !slices.Equal(got, test.want) {
			t.Errorf("%s: %+v", test.file, got)
		}
	}
}

func TestNetworkAdapters(t *testing.T) {
	for _, test := range []struct {
		file string
		want networkAdapter
	}{
		{"Get-NetAdapter-fl.1gbe-realtek.txt", networkAdapter{17, "Realtek PCIe GbE Family Controller", nil, "1168.1.714.2021", 1_000_000_000}},
		{"Get-NetAdapter-fl.10gbe-vlan.txt", networkAdapter{2, "<NIC> Ethernet Adapter", nil, "5.25.12665.0", 10_000_000_000}},
	} {
		objects, err := parseFormatList(recorded(t, "windows/"+test.file))
		if got := networkAdapters(objects); err != nil || !reflect.DeepEqual(got, []networkAdapter{test.want}) {
			t.Errorf("%s: %+v, %v", test.file, got, err)
		}
	}
	objects, err := parseFormatList([]byte("InterfaceDescription : x\r\nInterfaceIndex : 5\r\nFullDuplex : False\r\nDriverVersion : 1.2\r\n"))
	if got := networkAdapters(objects); err != nil || len(got) != 1 || got[0].FullDuplex == nil || *got[0].FullDuplex || got[0].DriverVersion != "1.2" {
		t.Errorf("half duplex: %+v, %v", got, err)
	}
}

func TestSecurityProducts(t *testing.T) {
	objects, err := parseFormatList(recorded(t, "windows/CIM-SecurityCenter2-AntivirusProduct.bitdefender-and-defender.txt"))
	want := []securityProduct{{"Bitdefender Antivirus", new(true)}, {"Windows Defender", new(false)}}
	if got := securityProducts(objects); err != nil || !reflect.DeepEqual(got, want) {
		t.Errorf("%+v, %v", got, err)
	}
	odd := securityProducts([]map[string]string{{"displayName": "x", "productState": "4294967295"}, {"displayName": "y"}})
	if len(odd) != 1 || odd[0].On != nil {
		t.Errorf("odd state: %+v", odd)
	}
}

func TestParseFormatList(t *testing.T) {
	objects, err := parseFormatList(recorded(t, "windows/Get-NetFirewallProfile.server.domain-on-excerpt.txt"))
	if err != nil || len(objects) != 1 || objects[0]["Name"] != "Domain" || objects[0]["Enabled"] != "True" ||
		objects[0]["DisabledInterfaceAliases"] != "{NotConfigured}" {
		t.Errorf("%+v, %v", objects, err)
	}
	objects, err = parseFormatList([]byte("\ufeffName : a\r\n       b\r\n\r\nName : c\r\n"))
	if err != nil || len(objects) != 2 || objects[0]["Name"] != "ab" || objects[1]["Name"] != "c" {
		t.Errorf("a long value: %q, %v", objects, err)
	}
	_, err = parseFormatList([]byte("\r\n\r\n"))
	refused(t, "nothing", err)
}
