package test

import (
	"encoding/binary"
	"fmt"
	"io"
	"math/rand/v2"
	"net"
	"testing"
	"time"
)

// The states of the control connection, as bytes.
const (
	stateTestStart        = 1
	stateTestRunning      = 2
	stateTestEnd          = 4
	stateParamExchange    = 9
	stateCreateStreams    = 10
	stateClientTerminate  = 12
	stateExchangeResults  = 13
	stateDisplayResults   = 14
	stateDone             = 16
	stateServerError      = 0xfe
	stateAccessDenied     = 0xff
	helloUDP, replyUDP    = "9876", "6789"
	cookieSize            = 37
	errorRecvParams       = 114
	errorAuthentication   = 142
	byHandDeadline        = 20 * time.Second
	plainParams           = `{"tcp":true,"omit":0,"time":10,"num":0,"blockcount":0,"parallel":1,"len":131072,"pacing_timer":1000,"client_version":"3.12"}`
	plainUDPParams        = `{"udp":true,"omit":0,"time":10,"num":0,"blockcount":0,"parallel":1,"len":1000,"bandwidth":1000000,"pacing_timer":1000,"client_version":"3.12"}`
	emptyResultsOfAStream = `{"cpu_util_total":0,"cpu_util_user":0,"cpu_util_system":0,"sender_has_retransmits":0,"streams":[{"id":1,"bytes":0,"retransmits":0,"jitter":0,"errors":0,"packets":0}]}`
)

// byHand is one connection of a peer whose every byte the test chooses. What
// goes wrong is kept until the test asks for it.
type byHand struct {
	net.Conn
	cookie string
	err    error
}

// connectByHand opens a connection to a server on this host and says nothing.
func connectByHand(t testing.TB, port int) *byHand {
	t.Helper()
	conn, err := net.DialTimeout("tcp", target("127.0.0.1", port), byHandDeadline)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { conn.Close() })
	conn.SetDeadline(time.Now().Add(byHandDeadline))
	return &byHand{Conn: conn, cookie: newCookie()}
}

func newCookie() string {
	const letters = "abcdefghijklmnopqrstuvwxyz234567"
	cookie := make([]byte, cookieSize)
	for i := range cookieSize - 1 {
		cookie[i] = letters[rand.IntN(len(letters))]
	}
	return string(cookie)
}

// say sends bytes.
func (h *byHand) say(bytes string) *byHand {
	if h.err == nil {
		_, h.err = io.WriteString(h, bytes)
	}
	return h
}

// state sends a state.
func (h *byHand) state(s byte) *byHand { return h.say(string([]byte{s})) }

// frame sends a text as iperf3 sends JSON.
func (h *byHand) frame(text string) *byHand { return h.say(framed(text)) }

func framed(text string) string {
	return string(binary.BigEndian.AppendUint32(nil, uint32(len(text)))) + text
}

// expect receives states.
func (h *byHand) expect(states ...byte) *byHand {
	for _, want := range states {
		var got [1]byte
		if h.err == nil {
			if _, h.err = io.ReadFull(h, got[:]); h.err != nil {
				h.err = fmt.Errorf("instead of state %d: %w", want, h.err)
			}
		}
		if h.err == nil && got[0] != want {
			h.err = fmt.Errorf("got state %d instead of %d", got[0], want)
		}
	}
	return h
}

// expectFrame receives a text and returns it.
func (h *byHand) expectFrame() (text string) {
	var head [4]byte
	if h.err == nil {
		_, h.err = io.ReadFull(h, head[:])
	}
	if h.err == nil {
		body := make([]byte, min(binary.BigEndian.Uint32(head[:]), 1<<20))
		_, h.err = io.ReadFull(h, body)
		text = string(body)
	}
	return text
}

// refusal receives a server's error, and returns its number and whatever
// follows it until the connection ends.
func (h *byHand) refusal() (code int, rest string) {
	h.expect(stateServerError)
	var number [4]byte
	if h.err == nil {
		_, h.err = io.ReadFull(h, number[:])
	}
	if h.err != nil {
		return 0, ""
	}
	after, err := io.ReadAll(h)
	h.err = err
	return int(binary.BigEndian.Uint32(number[:])), string(after)
}

// untilClosed waits until the peer ends the connection, and closes it.
func (h *byHand) untilClosed() {
	io.Copy(io.Discard, h)
	h.Close()
}

// untilStreams introduces the client and gets as far as the data connections.
func (h *byHand) untilStreams(params string) *byHand {
	return h.say(h.cookie).expect(stateParamExchange).frame(params).expect(stateCreateStreams)
}

// data opens a data connection of the same client.
func (h *byHand) data(t testing.TB) *byHand {
	t.Helper()
	d := connectByHand(t, h.RemoteAddr().(*net.TCPAddr).Port)
	d.cookie = h.cookie
	return d.say(d.cookie)
}

// dataUDP opens a UDP stream and returns its socket.
func (h *byHand) dataUDP(t testing.TB) net.Conn {
	t.Helper()
	conn, err := net.Dial("udp", h.RemoteAddr().String())
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { conn.Close() })
	conn.SetDeadline(time.Now().Add(byHandDeadline))
	if _, err := io.WriteString(conn, helloUDP); err != nil {
		t.Fatal(err)
	}
	reply := make([]byte, 64)
	n, err := conn.Read(reply)
	if err != nil || string(reply[:n]) != replyUDP {
		t.Fatalf("reply to a hello: %q, %v", reply[:n], err)
	}
	return conn
}

// untilRunning gets as far as the data of a test with one TCP stream.
func (h *byHand) untilRunning(t testing.TB, params string) (data *byHand) {
	t.Helper()
	h.untilStreams(params)
	data = h.data(t)
	h.expect(stateTestStart, stateTestRunning)
	return data
}

// finish ends a running test as it should.
func (h *byHand) finish() *byHand {
	h.state(stateTestEnd).expect(stateExchangeResults).frame(emptyResultsOfAStream)
	h.expectFrame()
	return h.expect(stateDisplayResults).state(stateDone)
}
