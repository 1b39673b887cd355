// Package protocol is the iperf3 wire protocol: the states, the cookie and the
// JSON of the control connection, the header of UDP datagrams, the UDP
// handshake, the authentication token and the error numbers with their texts.
//
// It knows bytes only. It opens no sockets, reads no clock, sets no deadlines
// and prints nothing: a caller hands in an io.ReadWriter and the time, and owns
// both. Every read is bounded, and memory grows only with the bytes that have
// really arrived, because the peer is not trusted.
//
// It talks to every iperf3 from 3.1 on. The messages of 3.0 have the same form
// and are understood as well; recorded ones of 3.0.11 are among the tests. What
// old and broken peers do differently (integers printed as 2^64-1 or as floats,
// missing keys, errors of four bytes instead of eight) is absorbed here and
// nowhere else.
//
// Additions of linkperf travel as one extra JSON key, "linkperf", which other
// peers ignore; its value is opaque to this package.
package protocol

// Numbers of the protocol and the limits this implementation keeps.
const (
	// DefaultPort is the server port for control connection and data alike.
	DefaultPort = 5201

	// MaxParamsLength is the longest parameters frame that is read, in bytes.
	MaxParamsLength = 64 << 10
	// MaxParamsSent is the longest parameters frame that is sent, in bytes:
	// servers from 3.18 on refuse more.
	MaxParamsSent = 8192
	// MaxClientResults is the longest results frame read from a client, in bytes.
	MaxClientResults = 1 << 20
	// MaxServerResults is the longest results frame read from a server, in
	// bytes. It is large because a server can put its whole report into it.
	MaxServerResults = 64 << 20

	// MaxStreams is the largest number of streams in one direction.
	MaxStreams = 128
	// MaxTime is the longest test, in seconds.
	MaxTime = 86400
	// MaxOmit is the longest omit period, in seconds.
	MaxOmit = 600
	// MaxMSS is the largest TCP maximum segment size, in bytes.
	MaxMSS = 32767
	// MaxWindow is the largest socket buffer that can be asked for, in bytes.
	MaxWindow = 512 << 20
	// MaxBurst is the largest number of blocks sent for one pacing decision.
	MaxBurst = 1000
	// MaxTOS is the largest IP type of service or traffic class.
	MaxTOS = 255
	// MaxFlowLabel is the largest IPv6 flow label (20 bits, RFC 6437).
	MaxFlowLabel = 1<<20 - 1
	// MaxServerAffinity is the largest CPU index a client can ask for.
	MaxServerAffinity = 1024

	// DefaultTime is how long a test lasts when nothing else ends it, in seconds.
	DefaultTime = 10
	// DefaultPacingTimer is sent by every client, in microseconds.
	DefaultPacingTimer = 1000
	// DefaultTCPLength is the length of a TCP write or read, in bytes.
	DefaultTCPLength = 128 << 10
	// DefaultSCTPLength is the length of an SCTP message, in bytes.
	DefaultSCTPLength = 64 << 10
	// DefaultUDPLength is the length of a datagram when the segment size of the
	// control connection is not known, in bytes.
	DefaultUDPLength = 1460
	// DefaultUDPRate is the rate of a UDP stream, in bits per second.
	DefaultUDPRate = 1 << 20
	// MaxLength is the largest TCP or SCTP length, in bytes.
	MaxLength = 1 << 20
	// MinUDPLength is the smallest datagram, in bytes: a header with a 64-bit counter.
	MinUDPLength = 16
	// MaxUDPLength is the largest UDP payload over IPv4 (RFC 768, RFC 791), in bytes.
	MaxUDPLength = 65507

	// Version is the iperf3 version that is presented to peers.
	Version = "3.21"
)
