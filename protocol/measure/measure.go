// Package measure is the vocabulary of a measurement: what one test between
// one client and one server counted, interval by interval and in total, and
// the [Sink] that is told about it. It knows neither how bytes move nor how
// results look.
//
// A test is a sequence of events: Connect once the parameters are agreed,
// Start once every stream exists, any number of Intervals, and End exactly
// once, whatever happened. A [Result] is what has been gathered when End
// arrives.
package measure

import (
	"encoding/json"
	"net/netip"
	"time"

	"linkperf/protocol"
)

// Side says which end of the control connection this program is.
type Side int8

// The two sides. The client opens the control connection; which way data
// flows is a property of each stream, not of the side.
const (
	Client Side = iota
	Server
)

// String returns "client" or "server".
func (s Side) String() string {
	if s == Server {
		return "server"
	}
	return "client"
}

// Endpoint is a host as the user wrote it, or an address as the kernel
// reported it, with a port.
type Endpoint struct {
	Host string
	Port int
}

// StreamInfo describes one data stream: one direction of one data connection.
type StreamInfo struct {
	ID     int  // number on the wire: 1, 3, 4, 5, … (spec: 2 is never used)
	Socket int  // number shown to people and in JSON as "socket"; distinct within a test
	Sender bool // whether this side sends on the stream

	Local, Remote netip.AddrPort // unmapped: IPv4-mapped IPv6 addresses are shown as IPv4

	// DataPath names how bytes move on this side, for example "net",
	// "rawfd" or "sendmmsg+gso".
	DataPath string
}

// ToServer reports whether the stream carries data from client to server,
// seen from the given side.
func (s *StreamInfo) ToServer(side Side) bool { return s.Sender == (side == Client) }

// Start is what is known about a test before data flows. At Sink.Connect the
// stream list is empty; at Sink.Start it is complete.
type Start struct {
	Side   Side
	Number int // of the test on a server that serves several at once; 0 when tests need no label

	Params protocol.Params // as agreed; on a client AuthToken is empty
	Cookie string          // the 36 characters that identify the test
	Time   time.Time       // when the parameters had been exchanged

	// Peer is the server as the user named it (client), or the client's
	// control connection as the kernel reported it (server).
	Peer Endpoint

	Interval time.Duration // between reports; 0 = one report for the whole test

	// ControlMSS is the TCP maximum segment size of the control connection in
	// bytes, 0 if unknown. Servers report 0, as iperf3 does.
	ControlMSS int
	// ControlKeepalive is the control connection's keepalive as read back,
	// nil when --cntl-ka was not asked for.
	ControlKeepalive *Keepalive

	SendBuffer, ReceiveBuffer int // bytes, of the first stream as read back from the kernel

	// DefaultLength is true on a client that chose Params.Length itself,
	// because none was asked for.
	DefaultLength bool

	Streams []StreamInfo // in order of creation
}

// Keepalive holds TCP keepalive settings: idle time and retry interval in
// seconds, and the number of retries.
type Keepalive struct{ Idle, Interval, Count int }

// What Linux takes (tcp(7); MAX_TCP_KEEPIDLE,
// MAX_TCP_KEEPINTVL and MAX_TCP_KEEPCNT of its tcp.h).
const (
	MaxKeepaliveTime  = 32767 // seconds, of the idle time and of the interval
	MaxKeepaliveCount = 127
)

// Valid reports whether there can be such settings: none is negative or above
// its limit, and the idle time, unless it is 0, is longer than all retries take.
func (k *Keepalive) Valid() bool {
	return k.Idle >= 0 && k.Idle <= MaxKeepaliveTime && k.Interval >= 0 && k.Interval <= MaxKeepaliveTime &&
		k.Count >= 0 && k.Count <= MaxKeepaliveCount && (k.Idle == 0 || k.Idle > k.Interval*k.Count)
}

// TCPInfo is what the kernel knows about one TCP connection at one instant
// (Linux tcp(7) TCP_INFO, macOS TCP_CONNECTION_INFO).
type TCPInfo struct {
	Retransmits int64 // segments retransmitted so far; within an interval: in that interval
	SndCwnd     int64 // congestion window, bytes
	SndWnd      int64 // peer's advertised window, bytes; -1 if the kernel does not tell
	RTT, RTTVar int64 // smoothed round-trip time and its mean deviation, µs
	PMTU        int64 // path MTU, bytes; -1 outside Linux
	Reorder     int64 // reordering events seen so far; -1 outside Linux
	MSS         int64 // sending maximum segment size, bytes
}

// UDPStats counts datagrams over a period. A sender has only Packets.
type UDPStats struct {
	Packets    int64   // sent, or (receiver) advance of the highest counter seen
	Lost       int64   // receiver: missing counters; can be negative in an interval in which late datagrams arrive
	OutOfOrder int64   // receiver: datagrams with a counter not above the highest seen before, duplicates not included; -1 where unknown (a stock peer does not tell)
	Duplicates int64   // receiver: datagrams whose counter had been received already; -1 where unknown
	Dropped    int64   // receiver: datagrams this host's own socket buffer dropped (SO_RXQ_OVFL); -1 where unknown
	Jitter     float64 // receiver: smoothed interarrival jitter in seconds (RFC 3550 appendix A.8) at the end of the period

	// DroppedAtLeast says that Dropped is a lower bound: the system puts
	// datagrams together for this receiver (UDP_GRO), and what it puts together
	// and drops counts as one.
	DroppedAtLeast bool
}

// StreamInterval is one stream's part of an [Interval].
type StreamInterval struct {
	Stream     *StreamInfo
	Start, End time.Duration // since the start of the measured part (within the omit period: since the start of the test)
	Omitted    bool
	Bytes      int64     // payload moved by this side
	TCP        *TCPInfo  // sending side, where the kernel tells; otherwise nil
	UDP        *UDPStats // UDP only
}

// Seconds returns the length of the interval in seconds.
func (i *StreamInterval) Seconds() float64 { return (i.End - i.Start).Seconds() }

// BitsPerSecond returns the payload rate, 0 for an interval without length.
func (i *StreamInterval) BitsPerSecond() float64 { return Rate(i.Bytes, i.End-i.Start) }

// Rate returns bytes over a period as bits per second; 0 if d is not positive.
func Rate(bytes int64, d time.Duration) float64 {
	if d <= 0 {
		return 0
	}
	return float64(bytes) * 8 / d.Seconds()
}

// Interval is one report: what every stream moved between two samples taken
// at the same instant.
type Interval struct {
	Time       time.Time // wall-clock time of the end of the interval
	Start, End time.Duration
	Omitted    bool
	Last       bool             // taken when the test ended
	Streams    []StreamInterval // this side's order of creation
}

// Sum adds up the streams of one direction (sender: those on which this side
// sends). In the last interval, in which receivers can go on longer than
// senders, it ends with the last of those streams. The jitter is the mean over the streams; TCP holds only the sum of
// retransmits and is nil if no stream had them. ok is false when there is no
// such stream.
func (iv *Interval) Sum(sender bool) (sum StreamInterval, ok bool) {
	sum = StreamInterval{Start: iv.Start, End: iv.End, Omitted: iv.Omitted}
	if iv.Last {
		sum.End = iv.Start
	}
	n := 0
	for i := range iv.Streams {
		s := &iv.Streams[i]
		if s.Stream.Sender != sender {
			continue
		}
		n++
		if iv.Last {
			sum.End = max(sum.End, s.End)
		}
		sum.Bytes += s.Bytes
		if s.TCP != nil {
			if sum.TCP == nil {
				sum.TCP = &TCPInfo{}
			}
			sum.TCP.Retransmits += s.TCP.Retransmits
		}
		if s.UDP != nil {
			if sum.UDP == nil {
				sum.UDP = &UDPStats{}
			}
			sum.UDP.add(s.UDP)
		}
	}
	if sum.UDP != nil {
		sum.UDP.Jitter /= float64(n)
	}
	return sum, n > 0
}

func (u *UDPStats) add(o *UDPStats) {
	u.Packets += o.Packets
	u.Lost += o.Lost
	addKnown(&u.OutOfOrder, o.OutOfOrder)
	addKnown(&u.Duplicates, o.Duplicates)
	addKnown(&u.Dropped, o.Dropped)
	u.DroppedAtLeast = u.DroppedAtLeast || o.DroppedAtLeast
	u.Jitter += o.Jitter
}

// addKnown adds n to sum; what is unknown in one part is unknown in the sum.
func addKnown(sum *int64, n int64) {
	if *sum < 0 || n < 0 {
		*sum = -1
		return
	}
	*sum += n
}

// Totals is what one side of one stream counted over the measured part of a
// test (without the omit period).
type Totals struct {
	Bytes       int64
	Duration    time.Duration // on that side's clock; a receiver's ends at the last byte counted
	Retransmits int64         // -1 if that side did not count them
	Reorder     int64         // -1 if unknown

	// Kept by the sender itself over its interval samples; 0 when the figures
	// come from the other side.
	MaxSndCwnd, MaxSndWnd   int64 // bytes
	MaxRTT, MinRTT, MeanRTT int64 // µs

	UDP *UDPStats // UDP only; Packets of a receiver is the advance of the highest counter

	// LossUnknown marks a receiver that cannot tell the losses of the omit
	// period from the others (iperf3 before 3.14 with -O).
	LossUnknown bool
}

// BitsPerSecond returns the payload rate.
func (t *Totals) BitsPerSecond() float64 { return Rate(t.Bytes, t.Duration) }

// File is what a stream did with the file of -F. Sizes in bytes.
type File struct {
	Name     string
	Size     int64 // size of the file at the end of the test
	Sent     int64
	Received int64
}

// StreamResult is one stream when the test is over. Sent and Received are the
// two ends' figures, whichever side this is; nil means not measured (the
// other side did not report).
type StreamResult struct {
	Stream         *StreamInfo
	Sent, Received *Totals
	File           *File // this side used -F
}

// CPU is processor time used during a test, in percent of one core.
type CPU struct{ Total, User, System float64 }

// Result is a finished test as data.
type Result struct {
	Start     *Start     // nil if the test failed before the parameters were agreed
	Intervals []Interval // filled by a recording sink only
	Streams   []StreamResult

	// Duration is the length of the measured part on this side's clock.
	Duration time.Duration

	LocalCPU  *CPU // nil: not measured (for example several tests in one process)
	RemoteCPU *CPU // nil: not reported

	// Congestion control algorithms, empty where unknown.
	SenderCongestion, ReceiverCongestion string

	// Exchanged is true once both sides' results were exchanged.
	Exchanged bool

	ServerOutputText string          // what the server printed, when it was asked for
	ServerOutputJSON json.RawMessage // likewise, when the server prints JSON

	Warnings []string

	// LocalRecord and PeerRecord are the observers' opaque JSON values of both
	// ends, nil if there is none. PeerLinkperf tells a linkperf peer from a
	// stock one.
	LocalRecord, PeerRecord json.RawMessage
	PeerLinkperf            bool
	PeerVersion             string // of a linkperf peer
}

// Sum adds up one side's totals over the streams of one direction (toServer:
// client to server). The duration is the longest; the jitter the mean. ok is
// false unless every stream of that direction has them: part of a sum is none.
func (r *Result) Sum(toServer, sent bool) (sum Totals, ok bool) {
	sum.Retransmits, sum.Reorder = -1, -1
	n, missing := 0, false
	for i := range r.Streams {
		sr := &r.Streams[i]
		if sr.Stream.ToServer(r.Start.Side) != toServer {
			continue
		}
		t := sr.Received
		if sent {
			t = sr.Sent
		}
		if t == nil {
			missing = true
			continue
		}
		n++
		sum.Bytes += t.Bytes
		sum.Duration = max(sum.Duration, t.Duration)
		if t.Retransmits >= 0 {
			sum.Retransmits = max(sum.Retransmits, 0) + t.Retransmits
		}
		if t.UDP != nil {
			if sum.UDP == nil {
				sum.UDP = &UDPStats{}
			}
			sum.UDP.add(t.UDP)
		}
		sum.LossUnknown = sum.LossUnknown || t.LossUnknown
	}
	if sum.UDP != nil && n > 0 {
		sum.UDP.Jitter /= float64(n)
	}
	return sum, n > 0 && !missing
}
