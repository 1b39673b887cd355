package client

import (
	"context"
	"crypto/rsa"
	"net"
	"time"

	"linkperf/protocol"
	"linkperf/protocol/measure"
)

// The defaults that iperf3 uses where a field of [Config] is zero.
const (
	DefaultPort      = 5201
	DefaultTime      = 10 * time.Second
	DefaultInterval  = time.Second
	DefaultUDPRate   = 1 << 20 // bit/s; not 10⁶
	DefaultUDPLength = 1460    // bytes, where the control connection's segment size is unknown
	// DefaultReceiveTimeout ends a test in which nothing at all is received.
	DefaultReceiveTimeout = 120 * time.Second
)

// Config is one test as the client asks for it. The zero value of every field
// but Host is iperf3's default; Host alone makes a complete configuration.
type Config struct {
	// Host is a name or an address: 192.0.2.1, 2001:db8::1, fe80::1%eth0, the
	// last two also in brackets. Every address of a name is tried in turn.
	Host string
	Port int // 1 to 65535; 0 means 5201
	// LastPort, if above Port, makes the client try the ports from Port to
	// LastPort in turn until one has a server that is not busy.
	LastPort int

	IPv4Only, IPv6Only bool
	Bind               string // local address of all connections
	BindDevice         string // interface of all connections
	// ClientPort is the local port of the first data connection; the i-th uses
	// ClientPort+i. 0 leaves it to the system.
	ClientPort int

	Transport protocol.Transport // one of protocol.TCP, UDP and SCTP; "" means TCP
	MPTCP     bool               // data connections use Multipath TCP

	Reverse       bool // the server sends
	Bidirectional bool // both send, on streams of their own
	Parallel      int  // streams per direction, 1 to 128; 0 means 1

	// One of Time, Bytes and Blocks ends the test; Time is 10 s if none is
	// given. With TimeSet a Time of 0 runs until the context ends. Whole
	// seconds up to 86400.
	Time    time.Duration
	TimeSet bool
	Bytes   int64         // sum over the streams of a direction
	Blocks  int64         // likewise, in writes or datagrams of Length bytes
	Omit    time.Duration // not counted at the start; whole seconds up to 600

	Length int    // bytes of a write or datagram; 0 means the transport's default
	Rate   uint64 // bit/s of each stream; 0 means the transport's default, or unlimited with RateSet
	// RateSet makes a Rate of 0 mean unlimited, also for UDP.
	RateSet     bool
	Burst       int    // blocks sent without a look at the rate, 0 to 1000
	FQRate      uint64 // bit/s; pacing by the kernel
	PacingTimer int    // µs, for servers before 3.18; 0 means 1000

	Window     int    // bytes; socket buffers of the data connections
	MSS        int    // bytes; TCP maximum segment size
	NoDelay    bool   // TCP_NODELAY on the data connections
	Congestion string // TCP congestion control algorithm, on both sides
	TOS        int    // IP TOS or IPv6 traffic class byte of the data
	FlowLabel  int    // IPv6 flow label of the data, 1 to 1048575; 0 means none

	ZeroCopy         bool // send without copying
	SkipRxCopy       bool // receive without copying
	GSRO             bool // UDP segmentation and receive offload, where available
	UDPCounters64    bool
	RepeatingPayload bool
	DontFragment     bool   // UDP over IPv4
	File             string // what is sent comes from this file, what is received goes there

	XBind       []string // SCTP: local addresses
	SCTPStreams int      // SCTP: outgoing streams; 0 leaves it to the system

	Title           string
	ExtraData       string
	GetServerOutput bool // ask for what the server printed

	Affinity       *int // CPU that this process uses
	ServerAffinity *int // CPU that the server is asked to use

	// Username, Password and PublicKey go together. PKCS1Padding is for servers
	// before 3.17.
	Username     string
	Password     string
	PublicKey    *rsa.PublicKey
	PKCS1Padding bool

	// Interval is the time between reports, 0.1 s to 60 s; 0 means 1 s, or with
	// IntervalSet a single report at the end.
	Interval    time.Duration
	IntervalSet bool

	ConnectTimeout time.Duration // of the control connection; 0 leaves it to the system
	// ReceiveTimeout ends a test in which the client receives and nothing comes
	// for so long; 0 means 120 s.
	ReceiveTimeout time.Duration
	SendTimeout    time.Duration // TCP_USER_TIMEOUT of all connections; 0 leaves it to the system
	// ControlKeepalive replaces the keepalive that the control connection has
	// by default. Parts that are 0 keep the system's values.
	ControlKeepalive *measure.Keepalive

	// RetryBusy makes a client that finds the server busy wait its turn for so
	// long; 0 gives up at once.
	RetryBusy time.Duration
	// Deadline ends a test that is stuck, whatever it waits for, with what was
	// measured and [ErrDeadline]. It counts for each attempt anew. 0 means
	// Omit + Time + 30 s; for a test without Time it means 30 s for set-up, 30 s
	// for the exchange of results and 30 s in which no byte moves in between.
	// Negative means none.
	Deadline time.Duration

	// Observe watches the test from outside the data path; may be nil.
	Observe measure.Observe
	// Version names this program to a linkperf server; "" says nothing.
	Version string

	// DialControl makes the control connection; nil means TCP as configured by
	// the fields above. The data connections go to the address that its
	// connection reports as remote.
	DialControl func(ctx context.Context, network, address string) (net.Conn, error)

	// kernelSCTP asks this host's kernel for an SCTP socket; nil asks the real one,
	// of which tests have one only.
	kernelSCTP func() error
}
