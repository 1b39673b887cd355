package sysinfo

import (
	"encoding/binary"
	"unicode/utf16"
)

// ifRow2 is what is read of a MIB_IF_ROW2 of Windows' IP Helper.
type ifRow2 struct {
	Index         uint32
	GUID          string // of the adapter, as the registry writes it
	Alias         string // "Ethernet 3", in the user's language
	Description   string // the driver's name for the adapter
	MTU           int    // of the link; 0 unknown
	Type          uint32 // IANA ifType
	TunnelType    uint32
	Medium        uint32 // NDIS_PHYSICAL_MEDIUM
	Hardware      bool
	Connector     bool
	Up            bool // operational
	Connected     bool // the medium is
	NetworkGUID   string
	SpeedTx       int64 // bits per second; 0 unknown
	SpeedRx       int64 // bits per second; 0 unknown
	InOctets      uint64
	InPackets     uint64
	InDiscards    uint64
	InErrors      uint64
	OutOctets     uint64
	OutPackets    uint64
	OutDiscards   uint64
	OutErrors     uint64
	PhysicalBytes int // length of the hardware address; 0: it has none
}

// ifRow2Size is the size of a MIB_IF_ROW2, the same on all 64-bit systems.
const ifRow2Size = 1352

// parseIfRow2 reads a MIB_IF_ROW2 (netioapi.h). Speeds of all ones are unknown.
func parseIfRow2(b []byte) (ifRow2, error) {
	if len(b) < ifRow2Size {
		return ifRow2{}, because(ParseError, "MIB_IF_ROW2 of %d bytes", len(b))
	}
	le := binary.LittleEndian
	flags := b[1152]
	r := ifRow2{
		Index: le.Uint32(b[8:]), GUID: windowsGUID(b[12:28]),
		Alias: utf16Text(b[28:542]), Description: utf16Text(b[542:1056]),
		Type: le.Uint32(b[1128:]), TunnelType: le.Uint32(b[1132:]), Medium: le.Uint32(b[1140:]),
		Hardware: flags&1 != 0, Connector: flags&4 != 0,
		Up: le.Uint32(b[1156:]) == 1, Connected: le.Uint32(b[1164:]) == 1,
		NetworkGUID: windowsGUID(b[1168:1184]),
		InOctets:    le.Uint64(b[1208:]), InPackets: le.Uint64(b[1216:]) + le.Uint64(b[1224:]),
		InDiscards: le.Uint64(b[1232:]), InErrors: le.Uint64(b[1240:]),
		OutOctets: le.Uint64(b[1280:]), OutPackets: le.Uint64(b[1288:]) + le.Uint64(b[1296:]),
		OutDiscards: le.Uint64(b[1304:]), OutErrors: le.Uint64(b[1312:]),
		PhysicalBytes: int(min(le.Uint32(b[1056:]), 32)),
	}
	r.MTU, _ = knownMTU(le.Uint32(b[1124:]))
	r.SpeedTx, _ = knownSpeed(le.Uint64(b[1192:]))
	r.SpeedRx, _ = knownSpeed(le.Uint64(b[1200:]))
	return r, nil
}

// windowsGUID writes 16 bytes as Windows does; "" for a GUID of zeros.
func windowsGUID(b []byte) string {
	if len(b) < 16 || [16]byte(b) == [16]byte{} {
		return ""
	}
	le := binary.LittleEndian
	return formatGUID(le.Uint32(b), le.Uint16(b[4:]), le.Uint16(b[6:]), [8]byte(b[8:16]))
}

// utf16Text reads a text that ends at the first zero.
func utf16Text(b []byte) string {
	units := make([]uint16, 0, len(b)/2)
	for i := 0; i+1 < len(b); i += 2 {
		u := binary.LittleEndian.Uint16(b[i:])
		if u == 0 {
			break
		}
		units = append(units, u)
	}
	return string(utf16.Decode(units))
}
