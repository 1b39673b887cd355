package sysinfo

// coreTimes are the cumulated seconds of one core. What a system does not
// tell apart is zero there and counted in User or System.
type coreTimes struct {
	User, System, SoftIRQ, Steal, Idle float64
	// SplitKnown says that SoftIRQ and Steal are told apart.
	SplitKnown bool
}

// socketSample is what the kernel tells about one data connection at one
// moment; nil is not told. Counters are cumulated since the connection began.
type socketSample struct {
	// MSS is the payload of a full segment sent: TCP options are subtracted.
	MSS, MSSAdvertised        *int64 // bytes
	PathMTU                   *int64 // bytes; also for UDP
	Timestamps, WindowScaling *bool
	CongestionControl         *string
	SendBuffer, ReceiveBuffer *int64 // bytes
	RTT, RTTMin               *int64 // microseconds
	DeliveryRate              *int64 // bits per second
	Segments, Retransmits     *int64 // sent ones
	SentBytes, ReceivedBytes  *int64 // sent with retransmissions
	RetransmittedBytes        *int64
	// Busy is the time with data to send, of which WindowLimited waited for
	// the peer's window and BufferLimited for the own send buffer, microseconds.
	Busy, WindowLimited, BufferLimited *int64
	// TTL of the peer's packets (hop limit for IPv6).
	TTL *int64
}

// stackCounters are cumulated counters of the protocol stack; nil is not told.
type stackCounters struct {
	UDPReceiveDrops, UDPSendDrops   *int64
	TCPRetransmits                  *int64
	SoftnetDropped, SoftnetSqueezed *int64
}
