package server

import (
	"crypto/rsa"
	"encoding/json"
	"log/slog"
	"time"

	"linkperf/protocol"
	"linkperf/protocol/measure"
)

// The defaults of a [Server] whose fields are zero.
const (
	DefaultPort     = 5201
	DefaultInterval = time.Second
	DefaultTimeSkew = protocol.DefaultSkew
	// DefaultReceiveTimeout is how long a client may be silent before the
	// server turns to the next one. iperf3 waits 120 s.
	DefaultReceiveTimeout = 8 * time.Second
	DefaultBitrateAverage = 5 * time.Second
)

// A Server serves iperf3's clients. The zero value is iperf3's default server.
// Its fields must not be changed while it serves.
type Server struct {
	Port       int  // 1 to 65535; 0 means 5201
	AnyPort    bool // let the system choose the port
	IPv4Only   bool
	IPv6Only   bool
	Bind       string // address to listen on; "" means every address
	BindDevice string // interface to listen on
	XBind      []string

	// MaxTests is how many tests may run at once; 0 means 1. A client that
	// comes when all are taken is told that the server is busy.
	MaxTests int
	OneOff   bool // Serve returns after one test
	// IdleTimeout makes Serve return after so long without a client when OneOff
	// is set; otherwise it has no effect, since the listener is never closed.
	IdleTimeout time.Duration

	// Interval is the time between reports, 0.1 s to 60 s; 0 means 1 s, or with
	// IntervalSet a single report at the end of a test.
	Interval    time.Duration
	IntervalSet bool

	File     string // what is received goes to this file, what is sent comes from it
	Affinity *int   // CPU that the process uses

	BitrateLimit   uint64        // bit/s, sum of all streams of a test; 0 means no limit
	BitrateAverage time.Duration // the limit holds for the mean over this time, 0.1 s to 60 s; 0 means 5 s
	MaxDuration    time.Duration // longest time + omit that a client may ask for; 0 means no limit

	// ReceiveTimeout ends a test whose data streams show no sign of the client
	// for so long, but never before three of its blocks were due; 0 means 8 s.
	ReceiveTimeout time.Duration
	SendTimeout    time.Duration // TCP_USER_TIMEOUT of all connections; 0 leaves it to the system
	// ControlKeepalive replaces the keepalive that control connections have by
	// default. Parts that are 0 keep the system's values.
	ControlKeepalive *measure.Keepalive

	// PrivateKey and Credentials make clients authenticate. Credentials is
	// called for each client, so that it can read a file anew.
	PrivateKey   *rsa.PrivateKey
	Credentials  func() (protocol.Credentials, error)
	TimeSkew     time.Duration // accepted difference of the clocks; 0 means 10 s
	PKCS1Padding bool          // accept the padding of clients before 3.17 only

	// Observe watches each test from outside the data path; may be nil.
	Observe measure.Observe
	// Version names this program to linkperf clients; "" says nothing.
	Version string

	// NewSink makes the sink for one test; it may be nil and may return nil. It
	// is called when a client has been given a place, before Sink.Connect, from
	// the goroutine that serves the test. A sink that also implements
	// [OutputSink] provides what clients get for --get-server-output.
	NewSink func(TestInfo) measure.Sink
	// OnTestEnd, if not nil, is called when a test is over and its data
	// connections are closed, from the goroutine that served it.
	OnTestEnd func(TestInfo, error)
	// Log gets what is not part of a test's result: strangers, the reason of a
	// failed authentication. nil means silence.
	Log *slog.Logger
}

// TestInfo tells which test a sink is for.
type TestInfo struct {
	// Number counts the tests of this server from 1.
	Number int
	Peer   measure.Endpoint // the client's control connection
	Cookie string
	Time   time.Time // when the client had been given its place
}

// An OutputSink is a [measure.Sink] that can say what it prints. ServerOutput is
// called for a client that asked for it, with what End will bring, before the
// results are sent. At most one of text and document should be set.
type OutputSink interface {
	measure.Sink
	ServerOutput(*measure.Result) (text string, document json.RawMessage)
}
