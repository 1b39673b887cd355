package sysinfo

import (
	"encoding/binary"
	"strings"
)

// ifreqSize is the size of macOS's struct ifreq, ifmediaSize of its packed
// struct ifmediareq (net/if.h). Both begin with 16 bytes of name.
const (
	ifreqSize   = 32
	ifmediaSize = 44
)

// macInterfaceType is the answer to SIOCGIFTYPE.
type macInterfaceType struct{ Type, Family, Subfamily uint32 }

// parseInterfaceType reads the answer of macOS to SIOCGIFTYPE.
func parseInterfaceType(b []byte) (macInterfaceType, error) {
	if len(b) < ifreqSize {
		return macInterfaceType{}, because(ParseError, "ifreq of %d bytes", len(b))
	}
	le := binary.LittleEndian
	return macInterfaceType{le.Uint32(b[16:]), le.Uint32(b[20:]), le.Uint32(b[24:])}, nil
}

// kind tells the kind of an interface from the kernel's own classes, with the
// words for it. "" leaves it to the name.
func (t macInterfaceType) kind() (kind, evidence string) {
	switch t.Subfamily {
	case 4:
		return KindThunderbolt, "interface subfamily Thunderbolt"
	case 3:
		return KindWiFi, "interface subfamily Wi-Fi"
	case 9:
		return KindVirtual, "interface subfamily vmnet"
	}
	switch t.Family {
	case 1:
		return KindLoopback, "interface family loopback"
	case 4, 6, 10, 12, 17, 18:
		return KindTunnel, "interface family of tunnels"
	case 5, 14:
		return KindVirtual, "VLAN or bond"
	case 15:
		return KindCellular, "interface family cellular"
	}
	switch {
	case t.Type == 0xd1:
		return KindVirtual, "a bridge"
	case t.Type == 0x6 && t.Family == 2 && t.Subfamily == 1:
		return KindEthernet, "Ethernet by USB"
	case t.Type == 0x6 && t.Family == 2 && t.Subfamily == 0:
		return KindEthernet, "interface family Ethernet"
	}
	return "", ""
}

// kindOfMacName is the last resort: what a name means on macOS by convention.
func kindOfMacName(name string) (kind, evidence string) {
	stem := strings.TrimRight(name, "0123456789")
	switch stem {
	case "lo":
		kind = KindLoopback
	case "utun", "ipsec", "ppp", "gif", "stf":
		kind = KindTunnel
	case "bridge", "vmnet", "feth", "vlan", "bond", "vmenet":
		kind = KindVirtual
	case "awdl", "llw":
		kind = KindWiFi
	case "pdp_ip":
		kind = KindCellular
	default:
		return KindOther, "unknown kind of interface"
	}
	return kind, "by its name " + name
}

// parseInterfaceMTUs reads the answer of macOS to SIOCGIFDEVMTU: the present
// MTU of the device, and the least and most that it allows.
func parseInterfaceMTUs(b []byte) (present, least, most int, err error) {
	if len(b) < ifreqSize {
		return 0, 0, 0, because(ParseError, "ifreq of %d bytes", len(b))
	}
	le := binary.LittleEndian
	present, _ = knownMTU(le.Uint32(b[16:]))
	least, _ = knownMTU(le.Uint32(b[20:]))
	most, _ = knownMTU(le.Uint32(b[24:]))
	return present, least, most, nil
}

// macCapabilities is what an interface does in hardware.
type macCapabilities struct{ ChecksumRx, ChecksumTx, TSO, LRO bool }

// parseCapabilities reads the answer of macOS to SIOCGIFCAP, of which the second
// number is what is enabled (IFCAP_ in net/if.h).
func parseCapabilities(b []byte) (macCapabilities, error) {
	if len(b) < ifreqSize {
		return macCapabilities{}, because(ParseError, "ifreq of %d bytes", len(b))
	}
	c := binary.LittleEndian.Uint32(b[20:])
	return macCapabilities{ChecksumRx: c&0x1 != 0, ChecksumTx: c&0x2 != 0, TSO: c&0x60 != 0, LRO: c&0x80 != 0}, nil
}

// capabilitiesOf gives the same from the names that ifconfig prints.
func capabilitiesOf(options []string) macCapabilities {
	var c macCapabilities
	for _, o := range options {
		switch o {
		case "RXCSUM":
			c.ChecksumRx = true
		case "TXCSUM":
			c.ChecksumTx = true
		case "TSO4", "TSO6":
			c.TSO = true
		case "LRO":
			c.LRO = true
		}
	}
	return c
}

// macMedia is the medium of an Ethernet interface.
type macMedia struct {
	ifconfigMedia
	StateKnown bool // the driver tells whether there is a link
	Link       bool
	Auto       bool // the medium is negotiated
}

// macEthernetMedia are the subtypes of Ethernet in macOS's net/if_media.h. Others exist,
// and stay unknown.
var macEthernetMedia = map[uint32]struct {
	name  string
	speed int64
}{
	3: {"10baseT/UTP", 10e6}, 4: {"10base2/BNC", 10e6}, 5: {"10base5/AUI", 10e6},
	6: {"100baseTX", 100e6}, 7: {"100baseFX", 100e6}, 8: {"100baseT4", 100e6}, 9: {"100baseVG", 100e6}, 10: {"100baseT2", 100e6},
	11: {"1000baseSX", 1e9}, 14: {"1000baseLX", 1e9}, 15: {"1000baseCX", 1e9}, 16: {"1000baseT", 1e9}, 25: {"1000baseKX", 1e9},
	12: {"10baseSTP", 10e6}, 13: {"10baseFL", 10e6},
	18: {"10GbaseSR", 10e9}, 19: {"10GbaseLR", 10e9}, 20: {"10GbaseCX4", 10e9}, 21: {"10GbaseT", 10e9}, 26: {"10GbaseKX4", 10e9},
	27: {"10GbaseKR", 10e9}, 28: {"10GbaseCR1", 10e9}, 29: {"10GbaseER", 10e9},
	22: {"2500baseT", 2.5e9}, 23: {"5000baseT", 5e9}, 30: {"20GbaseKR2", 20e9},
}

// parseMedia reads the answer of macOS to SIOCGIFXMEDIA.
func parseMedia(b []byte) (macMedia, error) {
	if len(b) < ifmediaSize {
		return macMedia{}, because(ParseError, "ifmediareq of %d bytes", len(b))
	}
	le := binary.LittleEndian
	current, status, active := le.Uint32(b[16:]), le.Uint32(b[24:]), le.Uint32(b[28:])
	const (
		typeMask, ethernet   = 0xe0, 0x20
		subtypeMask          = 0x000f001f
		fullDuplex           = 0x00100000
		flowControl, eee     = 0x00400000, 0x00800000
		statusValid, working = 0x1, 0x2
	)
	m := macMedia{
		StateKnown: status&statusValid != 0,
		Link:       status&statusValid != 0 && status&working != 0,
		Auto:       current&typeMask == ethernet && current&subtypeMask == 0,
	}
	if !m.Link || active&typeMask != ethernet {
		return m, nil
	}
	if medium, known := macEthernetMedia[active&subtypeMask]; known {
		m.Name, m.Speed = medium.name, medium.speed
		m.FullDuplex, m.FlowControl, m.EnergyEfficient = active&fullDuplex != 0, active&flowControl != 0, active&eee != 0
	}
	return m, nil
}
