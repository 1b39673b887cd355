package sysinfo

import "encoding/binary"

// macInterface is what is read of an if_msghdr2 of macOS.
type macInterface struct {
	Index                          uint16
	Type                           byte // IFT_ETHER and so on, net/if_types.h
	MTU                            int
	Up                             bool   // administratively up and running
	Baudrate                       int64  // bits per second; 0 unknown
	InBytes, InPackets, InErrors   uint64 //
	OutBytes, OutPackets           uint64
	OutErrors, InDropped, OutDrops uint64
}

const (
	rtmIfInfo2  = 0x12 // RTM_IFINFO2, net/route.h
	rtmVersion  = 5    // RTM_VERSION
	ifMsg2Size  = 160  // of an if_msghdr2 without the addresses that follow it
	macFlagUp   = 0x1  // IFF_UP
	macFlagRuns = 0x40 // IFF_RUNNING
)

// parseInterfaceList reads macOS's NET_RT_IFLIST2: a list of messages, of which
// those about interfaces have 64-bit counters (struct if_msghdr2, net/if.h).
func parseInterfaceList(b []byte) ([]macInterface, error) {
	var interfaces []macInterface
	le := binary.LittleEndian
	for len(b) >= 4 {
		size := int(le.Uint16(b))
		if size < 4 || size > len(b) {
			return nil, because(ParseError, "interface list: a message of %d bytes in %d", size, len(b))
		}
		m := b[:size]
		b = b[size:]
		if m[2] != rtmVersion || m[3] != rtmIfInfo2 {
			continue
		}
		if size < ifMsg2Size {
			return nil, because(ParseError, "interface list: if_msghdr2 of %d bytes", size)
		}
		flags := le.Uint32(m[8:])
		i := macInterface{
			Index: le.Uint16(m[12:]), Type: m[32],
			Up:       flags&macFlagUp != 0 && flags&macFlagRuns != 0,
			InBytes:  le.Uint64(m[96:]),
			OutBytes: le.Uint64(m[104:]), InPackets: le.Uint64(m[56:]), InErrors: le.Uint64(m[64:]),
			OutPackets: le.Uint64(m[72:]), OutErrors: le.Uint64(m[80:]), InDropped: le.Uint64(m[128:]),
			OutDrops: uint64(le.Uint32(m[24:])),
		}
		i.MTU, _ = knownMTU(le.Uint32(m[40:]))
		i.Baudrate, _ = knownSpeed(le.Uint64(m[48:]))
		interfaces = append(interfaces, i)
	}
	if len(interfaces) == 0 {
		return nil, because(ParseError, "interface list without an interface")
	}
	return interfaces, nil
}

// parseUDPStats reads macOS's net.inet.udp.stats (struct udpstat): datagrams
// that were dropped because a socket's buffer was full.
func parseUDPStats(b []byte) (fullSocket int64, err error) {
	if len(b) < 28 {
		return 0, because(ParseError, "udpstat of %d bytes", len(b))
	}
	return int64(binary.LittleEndian.Uint32(b[24:])), nil
}
