package sysinfo

import "strings"

// linkModes are the link modes of linux/ethtool.h by the speed they name, in
// Mbit/s: bit numbers of the masks that drivers fill.
var linkModes = map[int64][]int{
	10:     {0, 1, 92, 99, 100, 101, 102},
	100:    {2, 3, 67, 90, 91},
	1000:   {4, 5, 17, 41, 68},
	2500:   {15, 47},
	5000:   {48},
	10000:  {12, 18, 19, 20, 42, 43, 44, 45, 46},
	20000:  {21, 22},
	25000:  {31, 32, 33},
	40000:  {23, 24, 25, 26},
	50000:  {34, 35, 40, 52, 53, 54, 55, 56},
	56000:  {27, 28, 29, 30},
	100000: {36, 37, 38, 39, 57, 58, 59, 60, 61, 75, 76, 77, 78, 79},
	200000: {62, 63, 64, 65, 66, 80, 81, 82, 83, 84, 103, 104, 105, 106, 107, 108},
	400000: {69, 70, 71, 72, 73, 85, 86, 87, 88, 89, 109, 110, 111, 112, 113, 114},
	800000: {93, 94, 95, 96, 97, 98, 115, 116, 117, 118, 119, 120},
}

// fastestMode is the greatest speed among the link modes of a mask, in bits
// per second; 0 if there is none.
func fastestMode(mask []uint32) int64 {
	var fastest int64
	for mbit, bits := range linkModes {
		for _, b := range bits {
			if b/32 < len(mask) && mask[b/32]>>(b%32)&1 == 1 {
				fastest = max(fastest, mbit*1e6)
			}
		}
	}
	return fastest
}

// linkSettings are the answer to ETHTOOL_GLINKSETTINGS.
type linkSettings struct {
	Speed     int64 // bits per second, 0 if unknown
	Duplex    uint8
	Port      uint8
	AutoNeg   uint8
	Supported int64 // the fastest mode of the port, bits per second, 0 if unknown
	Partner   int64 // the fastest mode that the partner advertises
}

// describe writes link settings into the facts, with the reasons of those that
// the driver does not know.
func (l *Link) describe(s linkSettings) {
	if s.Speed > 0 {
		l.SpeedRx, l.SpeedTx = new(s.Speed), new(s.Speed)
	}
	if s.Supported > 0 {
		l.Capability = new(s.Supported)
	}
	if s.Partner > 0 {
		l.Partner = new(s.Partner)
	}
	switch s.Duplex {
	case 0:
		l.Duplex = new("half")
	case 1:
		l.Duplex = new("full")
	}
	ports := map[uint8]string{0: "TP", 1: "AUI", 2: "MII", 3: "FIBRE", 4: "BNC", 5: "DA"}
	if name, ok := ports[s.Port]; ok {
		l.Media = &name
	}
	l.AutoNeg = new(s.AutoNeg == 1)
}

// offloadsOf reads the offloads from a device's features by ethtool's names. A
// name that the kernel does not have leaves its fact unknown.
func offloadsOf(on map[string]bool) Offload {
	has := func(names ...string) *bool {
		var known *bool
		for _, n := range names {
			if v, ok := on[n]; ok {
				known = new(v || known != nil && *known)
			}
		}
		return known
	}
	var tx []string
	for name := range on {
		// tx-checksum-ipv4, -ipv6, -ip-generic; not the storage and SCTP ones.
		if strings.HasPrefix(name, "tx-checksum-ip") {
			tx = append(tx, name)
		}
	}
	return Offload{
		TSO: has("tx-tcp-segmentation", "tx-tcp6-segmentation"), GSO: has("tx-generic-segmentation"),
		GRO: has("rx-gro"), GROHW: has("rx-gro-hw"), LRO: has("rx-lro"),
		ChecksumRx: has("rx-checksum"), ChecksumTx: has(tx...), USO: has("tx-udp-segmentation"),
	}
}
