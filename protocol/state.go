package protocol

import "strconv"

// A State is the signed byte that drives the control connection.
type State int8

// The states that travel. Their order in a good test is ParamExchange,
// CreateStreams, TestStart, TestRunning, TestEnd, ExchangeResults,
// DisplayResults, IperfDone.
const (
	// TestStart is sent by the server when all streams exist: counters and
	// timers start now.
	TestStart State = 1
	// TestRunning is sent by the server right after TestStart: data moves now.
	TestRunning State = 2
	// TestEnd is sent by the client: the test is over, in every direction.
	TestEnd State = 4
	// ParamExchange is sent by the server when it has accepted the cookie; the
	// client answers with its parameters.
	ParamExchange State = 9
	// CreateStreams is sent by the server when it has accepted the parameters
	// and listens for data connections.
	CreateStreams State = 10
	// ServerTerminate is sent by a server that is stopped by a signal.
	ServerTerminate State = 11
	// ClientTerminate is sent by a client that is stopped by a signal.
	ClientTerminate State = 12
	// ExchangeResults is sent by the server; the client sends its results and
	// then reads the server's.
	ExchangeResults State = 13
	// DisplayResults is sent by the server after its results.
	DisplayResults State = 14
	// IperfStart is the state of an idle server. It is never sent.
	IperfStart State = 15
	// IperfDone is sent by a client that is finished or gives up.
	IperfDone State = 16
	// AccessDenied is sent by a server that is busy, and on a data connection
	// with a wrong cookie. The server closes.
	AccessDenied State = -1
	// ServerError is sent by a server that fails; Conn.ReadServerError reads
	// what follows.
	ServerError State = -2
)

var stateNames = map[State]string{
	TestStart:       "TEST_START",
	TestRunning:     "TEST_RUNNING",
	TestEnd:         "TEST_END",
	ParamExchange:   "PARAM_EXCHANGE",
	CreateStreams:   "CREATE_STREAMS",
	ServerTerminate: "SERVER_TERMINATE",
	ClientTerminate: "CLIENT_TERMINATE",
	ExchangeResults: "EXCHANGE_RESULTS",
	DisplayResults:  "DISPLAY_RESULTS",
	IperfStart:      "IPERF_START",
	IperfDone:       "IPERF_DONE",
	AccessDenied:    "ACCESS_DENIED",
	ServerError:     "SERVER_ERROR",
}

// String returns iperf3's name of the state, such as "TEST_START", or
// "state N" for a number that has none.
func (s State) String() string {
	if name, ok := stateNames[s]; ok {
		return name
	}
	return "state " + strconv.Itoa(int(s))
}
