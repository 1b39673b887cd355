package sysinfo

import "encoding/binary"

// The sizes of TCP_INFO_v0 and TCP_INFO_v1 (mstcpip.h).
const (
	tcpInfoV0Size = 88
	tcpInfoV1Size = 136
)

// parseTCPInfo reads the answer of Windows to SIO_TCP_INFO, version 0 or 1 by
// its length. It has no count of segments, only of bytes.
func parseTCPInfo(b []byte) (socketSample, error) {
	if len(b) < tcpInfoV0Size {
		return socketSample{}, because(ParseError, "TCP_INFO of %d bytes", len(b))
	}
	le := binary.LittleEndian
	u32 := func(at int) *int64 { return new(int64(le.Uint32(b[at:]))) }
	s := socketSample{
		MSS:                u32(4),
		Timestamps:         new(b[16] != 0),
		RTT:                u32(20),
		RTTMin:             u32(24),
		SentBytes:          new(int64(le.Uint64(b[48:]))),
		ReceivedBytes:      new(int64(le.Uint64(b[56:]))),
		RetransmittedBytes: u32(68),
	}
	if *s.RTTMin == 1<<32-1 || *s.RTTMin == 0 { // no sample yet
		s.RTTMin = nil
	}
	if len(b) < tcpInfoV1Size {
		return s, nil
	}
	// What limited the sender, in milliseconds: the peer's window, the congestion
	// window, or the sender itself, which is a lack of data as well as of buffer.
	window, congestion, sender := int64(le.Uint32(b[92:])), int64(le.Uint32(b[108:])), int64(le.Uint32(b[124:]))
	s.WindowLimited = new(1000 * window)
	s.Busy = new(1000 * (window + congestion + sender))
	return s, nil
}

// parseTCPStatistics reads a MIB_TCPSTATS (tcpmib.h): the segments that this
// host has sent again.
func parseTCPStatistics(b []byte) (retransmitted int64, err error) {
	if len(b) < 60 {
		return 0, because(ParseError, "MIB_TCPSTATS of %d bytes", len(b))
	}
	return int64(binary.LittleEndian.Uint32(b[44:])), nil
}
