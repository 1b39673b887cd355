package sysinfo

import (
	"fmt"
	"regexp"
	"strings"
)

// usb4Adapter matches the two names that Windows' drivers give a cable to
// another computer. A longer description is a network adapter in a dock.
var usb4Adapter = regexp.MustCompile(`^(USB4\(TM\) P2P Network Adapter|Thunderbolt\(TM\) Networking)( #\d+)?$`)

// Words of adapter descriptions. They are drivers' names and not translated.
var (
	tunnelWords = []string{"Wintun", "TAP-", "WireGuard", "Tailscale", "ZeroTier", "OpenVPN", "NordLynx", "AnyConnect", "PANGP", "Fortinet",
		"Juniper Networks Virtual", "SonicWall", "Check Point Virtual", "WAN Miniport", "Teredo", "6to4", "ISATAP"}
	virtualWords = []string{"Hyper-V Virtual", "VMware Virtual", "VirtualBox Host-Only", "KM-TEST Loopback", "Npcap Loopback", "Wi-Fi Direct Virtual",
		"Kernel Debug", "Multiplexor", "vEthernet"}
)

// Values of ifType, as IANA assigned them.
const (
	ifTypeEthernet = 6
	ifTypePPP      = 23
	ifTypeLoopback = 24
	ifTypeVirtual  = 53
	ifTypeWiFi     = 71
	ifTypeTunnel   = 131
	ifTypeWWANGSM  = 243
	ifTypeWWANCDMA = 244
)

// kind classifies an adapter and says by what. The friendly name is the user's
// and tells nothing.
func (row ifRow2) kind() (kind, evidence string) {
	named := func(words []string) string {
		for _, w := range words {
			if strings.Contains(row.Description, w) {
				return w
			}
		}
		return ""
	}
	evidence = fmt.Sprintf("%s: %s, ifType %d", Printable(row.Alias), Printable(row.Description), row.Type)
	switch {
	case row.Type == ifTypeLoopback:
		return KindLoopback, evidence
	case usb4Adapter.MatchString(row.Description) && row.Type == ifTypeEthernet:
		return KindThunderbolt, evidence
	case named(virtualWords) != "":
		return KindVirtual, evidence
	case row.Type == ifTypeTunnel || row.Type == ifTypePPP || row.TunnelType != 0 || named(tunnelWords) != "":
		return KindTunnel, evidence
	case row.Type == ifTypeWiFi:
		return KindWiFi, evidence
	case row.Type == ifTypeWWANGSM || row.Type == ifTypeWWANCDMA:
		return KindCellular, evidence
	case strings.HasPrefix(row.Description, "Bluetooth Device"):
		return KindOther, evidence
	case row.Type == ifTypeEthernet && row.Hardware:
		return KindEthernet, evidence
	case row.Type == ifTypeEthernet || row.Type == ifTypeVirtual:
		return KindVirtual, evidence + ", no hardware"
	}
	return KindOther, evidence
}

// speed is the negotiated speed of an adapter that has one.
func (row ifRow2) speed() (rx, tx *int64, why error) {
	kind, _ := row.kind()
	switch {
	case kind == KindLoopback || kind == KindVirtual || kind == KindTunnel:
		return nil, nil, because(NotApplicable, "no hardware")
	case !row.Connected:
		return nil, nil, because(NotApplicable, "not connected")
	case row.SpeedRx == 0 || row.SpeedTx == 0:
		return nil, nil, because(NotSupported, "the driver does not know")
	}
	return new(row.SpeedRx), new(row.SpeedTx), nil
}

func (row ifRow2) counters() Counters {
	n := func(v uint64) *int64 { return new(int64(v)) }
	return Counters{
		RxBytes: n(row.InOctets), TxBytes: n(row.OutOctets), RxPackets: n(row.InPackets), TxPackets: n(row.OutPackets),
		RxErrors: n(row.InErrors), TxErrors: n(row.OutErrors), RxDropped: n(row.InDiscards), TxDropped: n(row.OutDiscards),
	}
}

// describeRow takes what IP Helper tells of the adapter.
func describeRow(r *Record, row ifRow2) {
	kind, _ := row.kind()
	r.Link.Name, r.Link.Kind = new(Printable(row.Alias)), &kind
	r.Link.Up = new(row.Up && row.Connected)
	r.Link.Virtual = new(kind == KindVirtual || kind == KindTunnel || kind == KindLoopback)
	if row.MTU > 0 {
		r.Link.MTUHardware = new(int64(row.MTU))
	}
	r.unknown("link.mtu_hardware_bytes", because(NotApplicable, "no limit"))
	rx, tx, why := row.speed()
	r.Link.SpeedRx, r.Link.SpeedTx = rx, tx
	if why != nil {
		r.unknown("link.speed_rx_bits_per_second", why)
		r.unknown("link.speed_tx_bits_per_second", why)
	}
	if kind == KindThunderbolt {
		r.Link.Media, r.Link.AttachedBy = new("USB4 P2P"), new("thunderbolt")
	}
	if *r.Link.Virtual {
		r.Link.AttachedBy = new("none")
	}
}

// describeUSB4 describes the cable to another computer that the path goes over,
// or else the only one. Windows tells the speed of the network on it, not the
// lanes nor who is at its other end.
func describeUSB4(r *Record, rows []ifRow2, link string) {
	var peers []ifRow2
	for _, row := range rows {
		if kind, _ := row.kind(); kind == KindThunderbolt && row.Connected {
			peers = append(peers, row)
		}
	}
	r.Thunderbolt.Peers = new(int64(len(peers)))
	r.unknown("thunderbolt", because(NotSupported, "Windows does not tell"))
	var chosen *ifRow2
	for i := range peers {
		if peers[i].Alias == link || len(peers) == 1 {
			chosen = &peers[i]
		}
	}
	if chosen == nil {
		r.unknown("thunderbolt", because(NotApplicable, "no other computer, or several, on a port"))
		return
	}
	rx, tx, _ := chosen.speed()
	r.Thunderbolt.Interface = new(Printable(chosen.Alias))
	r.Thunderbolt.SpeedRx, r.Thunderbolt.SpeedTx = rx, tx
}
