package sysinfo

import "encoding/binary"

// tcpConnectionInfoSize is the size of macOS's struct tcp_connection_info.
const tcpConnectionInfoSize = 112

// parseTCPConnectionInfo reads the answer of macOS to TCP_CONNECTION_INFO
// (netinet/tcp.h). Round-trip times there are whole milliseconds, so that one
// of a direct link is 0, which is no measurement.
func parseTCPConnectionInfo(b []byte) (socketSample, error) {
	if len(b) < tcpConnectionInfoSize {
		return socketSample{}, because(ParseError, "tcp_connection_info of %d bytes", len(b))
	}
	le := binary.LittleEndian
	u64 := func(at int) *int64 { return new(int64(le.Uint64(b[at:]))) }
	const timestamps, windowScaling = 0x1, 0x4 // TCPCI_OPT_
	options := le.Uint32(b[4:])
	s := socketSample{
		MSS:                new(int64(le.Uint32(b[16:]))),
		Timestamps:         new(options&timestamps != 0),
		WindowScaling:      new(options&windowScaling != 0),
		Segments:           u64(56),
		SentBytes:          u64(64),
		RetransmittedBytes: u64(72),
		ReceivedBytes:      u64(88),
		Retransmits:        u64(104),
	}
	if rtt := int64(le.Uint32(b[44:])); rtt > 0 {
		s.RTT = new(1000 * rtt)
	}
	return s, nil
}
