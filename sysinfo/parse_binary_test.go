package sysinfo

import (
	"encoding/binary"
	"math"
	"reflect"
	"slices"
	"testing"
	"unicode/utf16"
)

// There are no recordings of what these calls answer. The bytes here are laid
// out by hand from the systems' headers, with values from published reports.

// layout writes numbers into a block of zeros.
type layout []byte

func (l layout) u16(at int, v uint16) layout { binary.LittleEndian.PutUint16(l[at:], v); return l }
func (l layout) u32(at int, v uint32) layout { binary.LittleEndian.PutUint32(l[at:], v); return l }
func (l layout) u64(at int, v uint64) layout { binary.LittleEndian.PutUint64(l[at:], v); return l }
func (l layout) text(at int, s string) layout {
	for i, u := range utf16.Encode([]rune(s)) {
		l.u16(at+2*i, u)
	}
	return l
}

// usb4Row is an adapter as an article describes it: 20 Gbit/s each way.
func usb4Row() layout {
	l := make(layout, ifRow2Size)
	l.u32(8, 17).text(28, "Ethernet 3").text(542, "USB4(TM) P2P Network Adapter #2")
	l.u32(1124, 62000).u32(1128, 6).u32(1140, 14).u32(1156, 1).u32(1164, 1)
	l[1152] = 1 | 4
	copy(l[12:], []byte{0x33, 0x22, 0x11, 0x00, 0x55, 0x44, 0x77, 0x66, 0x88, 0x99, 0xaa, 0xbb, 0xcc, 0xdd, 0xee, 0xff})
	l.u64(1192, 20_000_000_000).u64(1200, 20_000_000_000).u64(1208, 1000).u64(1216, 7).u64(1224, 1).u64(1232, 2).u64(1240, 3)
	return l.u64(1280, 2000).u64(1288, 8).u64(1304, 4).u64(1312, 5)
}

func TestParseIfRow2(t *testing.T) {
	r, err := parseIfRow2(usb4Row())
	want := ifRow2{
		Index: 17, GUID: "{00112233-4455-6677-8899-AABBCCDDEEFF}", Alias: "Ethernet 3", Description: "USB4(TM) P2P Network Adapter #2",
		MTU: 62000, Type: 6, Medium: 14, Hardware: true, Connector: true, Up: true, Connected: true,
		SpeedTx: 20_000_000_000, SpeedRx: 20_000_000_000,
		InOctets: 1000, InPackets: 8, InDiscards: 2, InErrors: 3, OutOctets: 2000, OutPackets: 8, OutDiscards: 4, OutErrors: 5,
	}
	if err != nil || r != want {
		t.Errorf("%+v, %v", r, err)
	}
	for _, odd := range []uint64{0, 65535, math.MaxUint32, math.MaxInt64, math.MaxUint64} {
		r, err := parseIfRow2(usb4Row().u64(1192, odd).u64(1200, odd).u32(1124, math.MaxUint32))
		if err != nil || r.SpeedTx != 0 || r.SpeedRx != 0 || r.MTU != 0 {
			t.Errorf("%d: tx %d, rx %d, MTU %d, %v", odd, r.SpeedTx, r.SpeedRx, r.MTU, err)
		}
	}
	_, err = parseIfRow2(usb4Row()[:ifRow2Size-1])
	refused(t, "short row", err)
}

func TestParseTCPInfo(t *testing.T) {
	v0 := make(layout, tcpInfoV0Size).u32(4, 8948).u32(20, 150).u32(24, 90).u64(48, 1_000_000).u64(56, 5).u32(68, 8948)
	v0[16] = 1
	s, err := parseTCPInfo(v0)
	want := socketSample{
		MSS: new(int64(8948)), Timestamps: new(true), RTT: new(int64(150)), RTTMin: new(int64(90)),
		SentBytes: new(int64(1_000_000)), ReceivedBytes: new(int64(5)), RetransmittedBytes: new(int64(8948)),
	}
	if err != nil || !reflect.DeepEqual(s, want) {
		t.Errorf("version 0: %+v, %v", s, err)
	}
	v1 := append(v0, make([]byte, tcpInfoV1Size-tcpInfoV0Size)...).u32(92, 30).u32(108, 60).u32(124, 10)
	s, err = parseTCPInfo(v1)
	want.WindowLimited, want.Busy = new(int64(30_000)), new(int64(100_000))
	if err != nil || !reflect.DeepEqual(s, want) {
		t.Errorf("version 1: %+v, %v", s, err)
	}
	if s, _ := parseTCPInfo(v0.u32(24, math.MaxUint32)); s.RTTMin != nil {
		t.Errorf("no sample yet is a round trip of %d", *s.RTTMin)
	}
	_, err = parseTCPInfo(v0[:87])
	refused(t, "short", err)
	if n, err := parseTCPStatistics(make(layout, 60).u32(44, 12)); n != 12 || err != nil {
		t.Errorf("statistics: %d, %v", n, err)
	}
	_, err = parseTCPStatistics(nil)
	refused(t, "no statistics", err)
}

func TestParseWLANConnection(t *testing.T) {
	l := make(layout, 604).u32(0, 1).u32(568, 8).u32(576, 100).u32(580, 866_700).u32(584, 866_700)
	w, err := parseWLANConnection(l)
	if want := (wifiLink{Connected: true, PHYMode: "802.11ac", RateRx: 866_700_000, RateTx: 866_700_000}); err != nil || w != want {
		t.Errorf("%+v, %v", w, err)
	}
	w, err = parseWLANConnection(l.u32(0, 0).u32(568, 0).u32(580, 0).u32(584, math.MaxUint32))
	if err != nil || w != (wifiLink{}) {
		t.Errorf("disconnected: %+v, %v", w, err)
	}
	_, err = parseWLANConnection(l[:500])
	refused(t, "short", err)
}

// processorRow is one core with the logical processors of a mask.
func processorRow(class byte, group uint16, mask uint64) []byte {
	l := make(layout, 48).u32(4, 48).u16(30, 1).u64(32, mask).u16(40, group)
	l[9] = class
	return l
}

func TestParseProcessorCores(t *testing.T) {
	var b []byte // two fast cores of two threads, two slow ones
	b = append(b, processorRow(1, 0, 0b0000_0011)...)
	b = append(b, processorRow(1, 0, 0b0000_1100)...)
	b = append(b, processorRow(0, 0, 0b0001_0000)...)
	b = append(b, processorRow(0, 0, 0b0010_0000)...)
	c, err := parseProcessorCores(b)
	want := cores{Physical: 4, Logical: 6, Performance: 2, Efficiency: 2, Classes: []string{"P", "P", "P", "P", "E", "E"}}
	if err != nil || !reflect.DeepEqual(c, want) {
		t.Errorf("%+v, %v", c, err)
	}
	// Numbers in a second group follow those of the first.
	b = append(processorRow(0, 1, 1), processorRow(2, 0, 1)...)
	if c, err = parseProcessorCores(b); err != nil || !slices.Equal(c.Classes, []string{"P", "E"}) {
		t.Errorf("two groups: %+v, %v", c, err)
	}
	b = append(processorRow(0, 0, 1), processorRow(0, 0, 2)...)
	if c, err = parseProcessorCores(b); err != nil || c.Performance != 0 || c.Classes != nil || c.Physical != 2 {
		t.Errorf("one kind: %+v, %v", c, err)
	}
	for _, broken := range [][]byte{nil, b[:20], b[:60], layout(slices.Clone(b)).u32(4, 4), layout(slices.Clone(b)).u16(30, 9)} {
		_, err := parseProcessorCores(broken)
		refused(t, "broken row", err)
	}
}

func TestParseProcessorTimes(t *testing.T) {
	l := make(layout, 2*processorTimesSize).u64(0, 30_000_000).u64(8, 50_000_000).u64(16, 10_000_000)
	times, err := parseProcessorTimes(l)
	if err != nil || !slices.Equal(times, []coreTimes{{User: 1, System: 2, Idle: 3}, {}}) {
		t.Errorf("%+v, %v", times, err)
	}
	_, err = parseProcessorTimes(l[:40])
	refused(t, "short", err)
}

func TestParsePowerStatus(t *testing.T) {
	for _, test := range []struct {
		name string
		b    []byte
		want powerStatus
	}{
		{"laptop on mains", []byte{1, 8, 100, 0}, powerStatus{OnBattery: new(false), HasBattery: new(true)}},
		{"on battery, saving", []byte{0, 1, 15, 1}, powerStatus{OnBattery: new(true), HasBattery: new(true), Saver: true}},
		{"desktop", []byte{1, 128, 255, 0}, powerStatus{OnBattery: new(false), HasBattery: new(false)}},
		{"unknown", []byte{255, 255, 255, 0}, powerStatus{}},
	} {
		got, err := parsePowerStatus(append(test.b, make([]byte, 8)...))
		if err != nil || !reflect.DeepEqual(got, test.want) {
			t.Errorf("%s: %+v, %v", test.name, got, err)
		}
	}
	_, err := parsePowerStatus([]byte{1})
	refused(t, "short", err)
}

func interfaceMessage(index uint16, flags uint32) layout {
	l := make(layout, ifMsg2Size).u16(0, ifMsg2Size).u32(8, flags).u16(12, index)
	l[2], l[3], l[32] = rtmVersion, rtmIfInfo2, 6
	return l.u32(24, 9).u32(40, 1500).u64(48, 10_000_000_000).u64(56, 2).u64(64, 3).u64(72, 4).u64(80, 5).u64(96, 1<<40).u64(104, 7).u64(128, 8)
}

func TestParseInterfaceList(t *testing.T) {
	other := make(layout, 20).u16(0, 20)
	other[2], other[3] = rtmVersion, 0xc // an address
	b := append(interfaceMessage(4, 0x8863), other...)
	b = append(b, interfaceMessage(5, 0x8802)...)
	got, err := parseInterfaceList(b)
	want := macInterface{Index: 4, Type: 6, MTU: 1500, Up: true, Baudrate: 10_000_000_000, InPackets: 2, InErrors: 3,
		OutPackets: 4, OutErrors: 5, InBytes: 1 << 40, OutBytes: 7, InDropped: 8, OutDrops: 9}
	if err != nil || len(got) != 2 || got[0] != want || got[1].Index != 5 || got[1].Up {
		t.Errorf("%+v, %v", got, err)
	}
	for _, broken := range [][]byte{nil, other, b[:100], interfaceMessage(1, 0).u16(0, 2), interfaceMessage(1, 0).u16(0, 100)} {
		_, err := parseInterfaceList(broken)
		refused(t, "broken list", err)
	}
	if n, err := parseUDPStats(make(layout, 88).u32(24, 77)); n != 77 || err != nil {
		t.Errorf("UDP: %d, %v", n, err)
	}
	_, err = parseUDPStats(nil)
	refused(t, "no UDP statistics", err)
}

func TestInterfaceTypes(t *testing.T) {
	for _, test := range []struct {
		typ, family, subfamily uint32
		want                   string
	}{
		{6, 2, 4, KindThunderbolt}, {6, 2, 3, KindWiFi}, {6, 2, 0, KindEthernet}, {6, 2, 1, KindEthernet}, {24, 1, 0, KindLoopback},
		{1, 17, 0, KindTunnel}, {1, 18, 0, KindTunnel}, {0xd1, 2, 0, KindVirtual}, {255, 15, 0, KindCellular}, {6, 2, 9, KindVirtual},
		{6, 2, 6, ""}, {0, 0, 0, ""},
	} {
		parsed, err := parseInterfaceType(make(layout, ifreqSize).u32(16, test.typ).u32(20, test.family).u32(24, test.subfamily))
		if err != nil {
			t.Fatal(err)
		}
		if kind, _ := parsed.kind(); kind != test.want {
			t.Errorf("%+v is %q, want %q", parsed, kind, test.want)
		}
	}
	for name, want := range map[string]string{
		"lo0": KindLoopback, "utun4": KindTunnel, "bridge100": KindVirtual, "awdl0": KindWiFi, "pdp_ip0": KindCellular, "en5": KindOther,
	} {
		if kind, evidence := kindOfMacName(name); kind != want || evidence == "" {
			t.Errorf("%s is %q for %q", name, kind, evidence)
		}
	}
}

func TestInterfaceRequests(t *testing.T) {
	present, least, most, err := parseInterfaceMTUs(make(layout, ifreqSize).u32(16, 1500).u32(20, 576).u32(24, 9000))
	if err != nil || present != 1500 || least != 576 || most != 9000 {
		t.Errorf("MTU %d, %d-%d, %v", present, least, most, err)
	}
	// The numbers that ifconfig prints beside the names in the recordings.
	for enabled, names := range map[uint32][]string{
		0x63: {"RXCSUM", "TXCSUM", "TSO4", "TSO6"}, 0x2b: {"RXCSUM", "TXCSUM", "VLAN_HWTAGGING", "TSO4"},
		0x460: {"TSO4", "TSO6", "CHANNEL_IO"}, 0x50b: {"RXCSUM", "TXCSUM", "VLAN_HWTAGGING", "AV", "CHANNEL_IO"},
		0x1203: {"RXCSUM", "TXCSUM", "TXSTATUS", "SW_TIMESTAMP"}, 0: nil, 0x80: {"LRO"},
	} {
		got, err := parseCapabilities(make(layout, ifreqSize).u32(16, math.MaxUint32).u32(20, enabled))
		if err != nil || got != capabilitiesOf(names) {
			t.Errorf("%#x: %+v, names give %+v, %v", enabled, got, capabilitiesOf(names), err)
		}
	}
	for _, parse := range []func([]byte) error{
		func(b []byte) error { _, err := parseInterfaceType(b); return err },
		func(b []byte) error { _, _, _, err := parseInterfaceMTUs(b); return err },
		func(b []byte) error { _, err := parseCapabilities(b); return err },
		func(b []byte) error { _, err := parseMedia(b); return err },
	} {
		refused(t, "short request", parse(make([]byte, 20)))
	}
}

func TestParseMedia(t *testing.T) {
	media := func(current, status, active uint32) layout {
		return make(layout, ifmediaSize).u32(16, current).u32(24, status).u32(28, active)
	}
	tenGig := ifconfigMedia{Name: "10GbaseT", Speed: 10e9, FullDuplex: true, FlowControl: true}
	for _, test := range []struct {
		name string
		b    layout
		want macMedia
	}{
		{"10GBASE-T negotiated", media(0x20, 3, 0x00500020|21), macMedia{tenGig, true, true, true}},
		{"10GBASE-T set by hand", media(0x20|21, 3, 0x00500020|21), macMedia{tenGig, true, true, false}},
		{"gigabit half duplex", media(0x20, 3, 0x00200020|16), macMedia{ifconfigMedia{Name: "1000baseT", Speed: 1e9}, true, true, true}},
		{"no cable", media(0x20, 1, 0x00100020|16), macMedia{ifconfigMedia{}, true, false, true}},
		{"driver does not tell", media(0x20, 0, 0x20), macMedia{ifconfigMedia{}, false, false, true}},
		{"Thunderbolt: subtype 0", media(0x20, 3, 0x00100020), macMedia{ifconfigMedia{}, true, true, true}},
		{"Wi-Fi", media(0x80, 3, 0x80), macMedia{ifconfigMedia{}, true, true, false}},
		{"a newer subtype", media(0x20, 3, 0x000f0020|3), macMedia{ifconfigMedia{}, true, true, true}},
	} {
		got, err := parseMedia(test.b)
		if err != nil || got != test.want {
			t.Errorf("%s: %+v, %v", test.name, got, err)
		}
	}
}

func TestParseTCPConnectionInfo(t *testing.T) {
	l := make(layout, tcpConnectionInfoSize).u32(4, 0x1|0x4).u32(16, 1448).u32(44, 12).u64(56, 100).u64(64, 144_800).u64(72, 2896).u64(88, 5).u64(104, 2)
	s, err := parseTCPConnectionInfo(l)
	want := socketSample{
		MSS: new(int64(1448)), Timestamps: new(true), WindowScaling: new(true), RTT: new(int64(12_000)), Segments: new(int64(100)),
		SentBytes: new(int64(144_800)), ReceivedBytes: new(int64(5)), RetransmittedBytes: new(int64(2896)), Retransmits: new(int64(2)),
	}
	if err != nil || !reflect.DeepEqual(s, want) {
		t.Errorf("%+v, %v", s, err)
	}
	if s, err = parseTCPConnectionInfo(l.u32(44, 0)); err != nil || s.RTT != nil {
		t.Errorf("a round trip below a millisecond: %v, %v", s.RTT, err)
	}
	_, err = parseTCPConnectionInfo(l[:100])
	refused(t, "short", err)
}

func FuzzParseBinary(f *testing.F) {
	f.Add([]byte(usb4Row()))
	f.Add(append(processorRow(1, 0, 3), processorRow(0, 0, 4)...))
	f.Add([]byte(interfaceMessage(4, 0x8863)))
	f.Add(make([]byte, tcpInfoV1Size))
	f.Add([]byte{255, 255, 255, 255})
	f.Fuzz(func(t *testing.T, b []byte) {
		if r, err := parseIfRow2(b); understood(t, err) {
			bounded(t, "adapter", r.SpeedTx, r.SpeedRx)
		}
		if c, err := parseProcessorCores(b); understood(t, err) {
			if c.Physical < 1 || c.Logical < 1 || c.Classes != nil && len(c.Classes) != c.Logical {
				t.Errorf("cores %+v", c)
			}
		}
		interfaces, err := parseInterfaceList(b)
		understood(t, err)
		for _, i := range interfaces {
			bounded(t, "interface", i.Baudrate)
		}
		if m, err := parseMedia(b); understood(t, err) && m.Speed > 0 && !m.Link {
			t.Error("a speed without a link")
		}
		if w, err := parseWLANConnection(b); understood(t, err) {
			bounded(t, "Wi-Fi", w.RateRx, w.RateTx)
		}
		for _, parse := range []func([]byte) error{
			func(b []byte) error { _, err := parseTCPInfo(b); return err },
			func(b []byte) error { _, err := parseTCPStatistics(b); return err },
			func(b []byte) error { _, err := parseProcessorTimes(b); return err },
			func(b []byte) error { _, err := parsePowerStatus(b); return err },
			func(b []byte) error { _, err := parseUDPStats(b); return err },
			func(b []byte) error { _, err := parseInterfaceType(b); return err },
			func(b []byte) error { _, _, _, err := parseInterfaceMTUs(b); return err },
			func(b []byte) error { _, err := parseCapabilities(b); return err },
			func(b []byte) error { _, err := parseTCPConnectionInfo(b); return err },
		} {
			understood(t, parse(b))
		}
	})
}
