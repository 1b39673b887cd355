package protocol

import (
	"cmp"
	"encoding/json"
	"errors"
	"fmt"
	"math"
)

// A Transport is what carries the data of a test, in the words of iperf3's JSON
// (start.test_start.protocol).
type Transport string

// The transports. MPTCP is TCP with Params.MPTCP.
const (
	TCP  Transport = "TCP"
	UDP  Transport = "UDP"
	SCTP Transport = "SCTP"
)

// Params is what a client asks of a server: the frame that answers
// ParamExchange. Fields at 0, "" or false are not sent unless their comment says
// so, because to iperf3 a key that is there means yes.
type Params struct {
	// Transport is TCP, UDP or SCTP; "" is TCP.
	Transport Transport
	// Omit is how long to measure without counting, in seconds, 0 to MaxOmit.
	// It is always sent.
	Omit int
	// Time is the length of the test, in seconds, 0 to MaxTime; 0 is without
	// limit. It is always sent. Parsed, an absent one is DefaultTime, or 0 if
	// Bytes or Blocks is set (clients before 3.3 leave it out then).
	Time int
	// Bytes ends the test after so many bytes on all streams together; 0 does
	// not. It is always sent.
	Bytes int64
	// Blocks ends the test after so many blocks of Length on all streams
	// together; 0 does not. It is always sent.
	Blocks int64
	// MSS is the TCP maximum segment size in bytes, up to MaxMSS.
	MSS int
	// NoDelay sets TCP_NODELAY on data connections.
	NoDelay bool
	// Parallel is the number of streams in each direction, 1 to MaxStreams; 0
	// is 1. It is always sent.
	Parallel int
	// Reverse lets the server send, Bidirectional both; parsed, not both are set.
	Reverse, Bidirectional bool
	// MPTCP makes the TCP data connections multipath ones.
	MPTCP bool
	// Window is the socket buffer in bytes, up to MaxWindow.
	Window int
	// Length is the number of bytes of one write, read or datagram. Parsed, it
	// is never 0.
	Length int
	// Rate is what each stream sends at most, in bits of payload per second; 0
	// is without limit.
	Rate uint64
	// FQRate is the kernel's pacing of each stream, in bits per second; 0 is none.
	FQRate uint64
	// PacingTimer is a hint for servers before 3.18, in microseconds. Clients
	// send DefaultPacingTimer, which parsed also stands for 0.
	PacingTimer int
	// Burst is the number of blocks sent for one pacing decision, up to
	// MaxBurst; 0 leaves it to the sender.
	Burst int
	// GSO and GRO allow the server to offload segmentation and reassembly of
	// datagrams. Both are always sent for UDP, with the three sizes.
	GSO, GRO bool
	// GSODatagramSize, GSOBufferSize and GROBufferSize are in bytes, at most
	// MaxUDPLength. What is 0 is sent as iperf3 would compute it.
	GSODatagramSize, GSOBufferSize, GROBufferSize int
	// TOS is the IP type of service or traffic class, up to MaxTOS.
	TOS int
	// FlowLabel is the client's IPv6 flow label, up to MaxFlowLabel.
	FlowLabel int
	// Title and ExtraData appear in both sides' JSON.
	Title, ExtraData string
	// Congestion is the name of a TCP congestion control algorithm.
	Congestion string
	// GetServerOutput asks for the server's report in its results.
	GetServerOutput bool
	// UDPCounters64 widens the counters of datagrams to 64 bits.
	UDPCounters64 bool
	// RepeatingPayload fills blocks with digits instead of random bytes.
	RepeatingPayload bool
	// ZeroCopy lets the server send with sendfile or the like.
	ZeroCopy bool
	// DontFragment forbids fragmentation of IPv4 datagrams.
	DontFragment bool
	// SkipRxCopy lets a TCP receiver drop the payload within the kernel. It is
	// not sent for UDP, where servers of 3.19 to 3.21 miscount with it.
	SkipRxCopy bool
	// AuthToken is the result of EncryptToken.
	AuthToken string
	// ServerAffinity is the CPU for the server, up to MaxServerAffinity, or nil.
	ServerAffinity *int
	// ClientVersion is the client's iperf3 version. "" sends Version; parsed,
	// it is "" for clients of 3.0.
	ClientVersion string
	// Linkperf is the value of the key "linkperf": any JSON, or nil.
	Linkperf json.RawMessage
}

// Streams returns the number of data connections: Parallel, or twice as many if
// both sides send.
func (p *Params) Streams() int {
	n := max(p.Parallel, 1)
	if p.Bidirectional {
		n *= 2
	}
	return n
}

// StreamID returns the id of the k-th stream in the order of creation, counted
// from 0: 1, 3, 4, 5 and so on. There is no 2.
func StreamID(k int) int {
	if k == 0 {
		return 1
	}
	return k + 2
}

// DefaultLength returns the Length a transport has when nobody chose one. For
// UDP that is what is used when the segment size of the path is unknown.
func (t Transport) DefaultLength() int {
	switch t {
	case UDP:
		return DefaultUDPLength
	case SCTP:
		return DefaultSCTPLength
	}
	return DefaultTCPLength
}

// GSOBuffer returns the largest multiple of a datagram length that one send
// with segmentation offload can carry, in bytes; at most 128 datagrams, which
// is UDP_MAX_SEGMENTS of Linux.
func GSOBuffer(length int) int {
	if length <= 0 || length > MaxUDPLength {
		return MaxUDPLength
	}
	return min(MaxUDPLength/length, 128) * length
}

// Marshal returns the frame's JSON with iperf3's keys in iperf3's order. It
// fails with CodeSendParams when that is longer than MaxParamsSent, or when
// Linkperf is not JSON.
func (p *Params) Marshal() ([]byte, error) {
	var w objectWriter
	number := func(key string, n int) {
		if n != 0 {
			w.integer(key, int64(n))
		}
	}
	yes := func(key string, on bool) {
		if on {
			w.yes(key)
		}
	}
	one := func(key string, on bool) {
		if on {
			w.integer(key, 1)
		}
	}
	text := func(key, s string) {
		if s != "" {
			w.text(key, s)
		}
	}
	rate := func(key string, n uint64) {
		if n != 0 {
			w.rate(key, n)
		}
	}

	switch p.Transport {
	case TCP, "":
		w.yes("tcp")
	case UDP:
		w.yes("udp")
	case SCTP:
		w.yes("sctp")
	default:
		return nil, NewError(CodeSendParams, fmt.Errorf("unknown transport %q", p.Transport))
	}
	w.integer("omit", int64(p.Omit))
	if p.ServerAffinity != nil {
		w.integer("server_affinity", int64(*p.ServerAffinity))
	}
	w.integer("time", int64(p.Time))
	w.integer("num", p.Bytes)
	w.integer("blockcount", p.Blocks)
	number("MSS", p.MSS)
	yes("nodelay", p.NoDelay)
	w.integer("parallel", int64(max(p.Parallel, 1)))
	yes("reverse", p.Reverse)
	yes("bidirectional", p.Bidirectional)
	yes("mptcp", p.MPTCP)
	number("window", p.Window)
	number("len", p.Length)
	rate("bandwidth", p.Rate)
	rate("fqrate", p.FQRate)
	number("pacing_timer", p.PacingTimer)
	number("burst", p.Burst)
	if p.Transport == UDP {
		p.marshalOffload(&w)
	}
	number("TOS", p.TOS)
	number("flowlabel", p.FlowLabel)
	text("title", p.Title)
	text("extra_data", p.ExtraData)
	text("congestion", p.Congestion)
	one("get_server_output", p.GetServerOutput)
	one("udp_counters_64bit", p.UDPCounters64)
	one("repeating_payload", p.RepeatingPayload)
	one("zerocopy", p.ZeroCopy)
	one("dont_fragment", p.DontFragment)
	text("authtoken", p.AuthToken)
	one("skip_rx_copy", p.SkipRxCopy && p.Transport != UDP)
	w.text("client_version", cmp.Or(p.ClientVersion, Version))
	if p.Linkperf != nil {
		w.raw("linkperf", p.Linkperf)
	}
	b, err := w.end()
	if err != nil {
		return nil, NewError(CodeSendParams, err)
	}
	if len(b) > MaxParamsSent {
		return nil, NewError(CodeSendParams,
			fmt.Errorf("%d bytes of title, extra data and the like, servers accept %d in all", len(b), MaxParamsSent))
	}
	return b, nil
}

// marshalOffload writes the five keys that are always sent for UDP, because a
// server of 3.21 would otherwise keep an earlier client's.
func (p *Params) marshalOffload(w *objectWriter) {
	datagram, buffer, receive := p.GSODatagramSize, p.GSOBufferSize, p.GROBufferSize
	if p.GSO && datagram == 0 {
		datagram = p.Length
	}
	if buffer == 0 {
		buffer = MaxUDPLength
		if p.GSO {
			buffer = GSOBuffer(p.Length)
		}
	}
	if receive == 0 {
		receive = MaxUDPLength
	}
	bit := map[bool]int64{true: 1}
	w.integer("gso", bit[p.GSO])
	w.integer("gso_dg_size", int64(datagram))
	w.integer("gso_bf_size", int64(buffer))
	w.integer("gro", bit[p.GRO])
	w.integer("gro_bf_size", int64(receive))
}

// ErrRange is wrapped by the error of a number that is out of range: somebody
// who speaks iperf3's protocol wants what cannot be.
var ErrRange = errors.New("out of range")

// ParseParams reads the client's parameters as a server does. Absent keys get
// the server's defaults; a key of the wrong type counts as absent and gives a
// Warning; unknown keys are ignored. A value out of range fails with the Code
// that belongs to it and wraps [ErrRange], everything else with CodeRecvParams;
// Params then holds what was understood before.
func ParseParams(b []byte) (Params, []Warning, error) {
	var warnings []Warning
	o, err := parseObject(b, "", &warnings)
	if err != nil {
		return Params{}, nil, NewError(CodeRecvParams, err)
	}
	p, err := parseParams(o)
	return p, warnings, err
}

func parseParams(o object) (Params, error) {
	r := rangeChecker{object: o}
	p := Params{Transport: TCP}
	// Of several, iperf3 takes the last in this order.
	o.present("tcp", kindBoolean)
	if o.present("udp", kindBoolean) {
		p.Transport = UDP
	}
	if o.present("sctp", kindBoolean) {
		p.Transport = SCTP
	}
	p.Omit = r.integer("omit", 0, 0, MaxOmit, CodeOmit)
	if raw, ok := o.get("server_affinity", kindNumber); ok {
		cpu := int(r.check("server_affinity", raw, 0, MaxServerAffinity, CodeAffinity))
		p.ServerAffinity = &cpu
	}
	p.Bytes = r.count("num", math.MaxInt64)
	p.Blocks = r.count("blockcount", math.MaxInt64)
	p.Time = DefaultTime
	if p.Bytes > 0 || p.Blocks > 0 {
		p.Time = 0
	}
	p.Time = r.integer("time", p.Time, 0, MaxTime, CodeDuration)
	p.MSS = r.integer("MSS", 0, 0, MaxMSS, CodeMSS)
	p.NoDelay = o.present("nodelay", kindBoolean)
	p.Parallel = r.integer("parallel", 1, 1, MaxStreams, CodeNumStreams)
	p.Bidirectional = o.present("bidirectional", kindBoolean)
	p.Reverse = o.present("reverse", kindBoolean) && !p.Bidirectional
	p.MPTCP = o.present("mptcp", kindBoolean) && p.Transport == TCP
	p.Window = r.integer("window", 0, 0, MaxWindow, CodeBufSize)
	switch p.Transport {
	case UDP:
		p.Length = r.integer("len", DefaultUDPLength, MinUDPLength, MaxUDPLength, CodeUDPBlockSize)
	default:
		p.Length = r.integer("len", DefaultTCPLength, 1, MaxLength, CodeBlockSize)
	}
	p.Rate = r.rate("bandwidth")
	p.FQRate = r.rate("fqrate")
	p.PacingTimer = cmp.Or(int(r.count("pacing_timer", math.MaxInt32)), DefaultPacingTimer)
	p.Burst = r.integer("burst", 0, 0, MaxBurst, CodeBurst)
	if p.Transport == UDP {
		p.GSO = r.count("gso", math.MaxInt32) != 0
		p.GSODatagramSize = int(r.count("gso_dg_size", MaxUDPLength))
		p.GSOBufferSize = int(r.count("gso_bf_size", MaxUDPLength))
		p.GRO = r.integer("gro", 0, 0, 1, CodeRecvParams) != 0
		p.GROBufferSize = int(r.count("gro_bf_size", MaxUDPLength))
	}
	p.TOS = r.integer("TOS", 0, 0, MaxTOS, CodeBadTOS)
	p.FlowLabel = r.integer("flowlabel", 0, 0, MaxFlowLabel, CodeSetFlow)
	p.Title = o.text("title")
	p.ExtraData = o.text("extra_data")
	p.Congestion = o.text("congestion")
	p.GetServerOutput = o.present("get_server_output", kindNumber)
	p.UDPCounters64 = o.present("udp_counters_64bit", kindNumber)
	p.RepeatingPayload = o.present("repeating_payload", kindNumber)
	p.ZeroCopy = o.nonzero("zerocopy")
	p.DontFragment = o.nonzero("dont_fragment")
	p.AuthToken = o.text("authtoken")
	p.SkipRxCopy = o.nonzero("skip_rx_copy")
	p.ClientVersion = o.text("client_version")
	p.Linkperf = o.raw("linkperf")
	return p, r.err
}

// A rangeChecker reads numbers and keeps the first that is out of range.
type rangeChecker struct {
	object
	err error
}

// check returns the value of a number, or low if it is out of range.
func (r *rangeChecker) check(key string, raw json.RawMessage, low, high int64, code Code) int64 {
	n, ok := parseCount(raw)
	if ok && n >= low && n <= high {
		return n
	}
	if r.err == nil {
		r.err = NewError(code, fmt.Errorf("%s is %.40s, not %d to %d: %w", key, raw, low, high, ErrRange))
	}
	return low
}

func (r *rangeChecker) integer(key string, absent, low, high int, code Code) int {
	raw, ok := r.get(key, kindNumber)
	if !ok {
		return absent
	}
	return int(r.check(key, raw, int64(low), int64(high), code))
}

// count returns a number that may not be negative, at most limit; absent is 0.
func (r *rangeChecker) count(key string, limit int64) int64 {
	raw, ok := r.get(key, kindNumber)
	if !ok {
		return 0
	}
	return min(r.check(key, raw, 0, math.MaxInt64, CodeRecvParams), limit)
}

func (r *rangeChecker) rate(key string) uint64 {
	raw, ok := r.get(key, kindNumber)
	if !ok {
		return 0
	}
	n, ok := parseRate(raw)
	if !ok && r.err == nil {
		r.err = NewError(CodeRecvParams, fmt.Errorf("%s is negative: %w", key, ErrRange))
	}
	return n
}
