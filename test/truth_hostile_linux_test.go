package test

import (
	"fmt"
	"io"
	"net"
	"strings"
	"sync"
	"syscall"
	"testing"
	"time"
)

// Row 6, the client: it survives whatever a server says, and says what was
// wrong with it.
var _ = promise(truth{row: 6, name: "hostile-server", run: testHostileServers})

// hostile is a server by hand. The first connection of each cookie is given to
// serve; the others are data connections, which read what comes and send what
// flood holds until they are closed.
type hostile struct {
	listener net.Listener
	port     int
	flood    string
	serve    func(*byHand)

	wg      sync.WaitGroup
	mu      sync.Mutex
	conns   []net.Conn
	cookies map[string]bool
}

func startHostile(t *testing.T, flood string, serve func(*byHand)) *hostile {
	t.Helper()
	ln, err := net.Listen("tcp", target("127.0.0.1", 0))
	if err != nil {
		t.Fatal(err)
	}
	h := &hostile{listener: ln, port: ln.Addr().(*net.TCPAddr).Port, flood: flood, serve: serve, cookies: make(map[string]bool)}
	h.wg.Go(h.accept)
	t.Cleanup(func() {
		ln.Close()
		h.mu.Lock()
		for _, c := range h.conns {
			c.Close()
		}
		h.mu.Unlock()
		h.wg.Wait()
	})
	return h
}

func (h *hostile) accept() {
	for {
		conn, err := h.listener.Accept()
		if err != nil {
			return
		}
		conn.SetDeadline(time.Now().Add(byHandDeadline))
		h.mu.Lock()
		h.conns = append(h.conns, conn)
		h.mu.Unlock()
		h.wg.Go(func() { h.welcome(conn) })
	}
}

func (h *hostile) welcome(conn net.Conn) {
	defer conn.Close()
	var b [cookieSize]byte
	if _, err := io.ReadFull(conn, b[:]); err != nil {
		return
	}
	cookie := string(b[:])
	h.mu.Lock()
	known := h.cookies[cookie]
	h.cookies[cookie] = true
	h.mu.Unlock()
	if !known {
		h.serve(&byHand{Conn: conn, cookie: cookie})
		return
	}
	if h.flood != "" {
		h.wg.Go(func() {
			for {
				if _, err := io.WriteString(conn, h.flood); err != nil {
					return
				}
			}
		})
	}
	io.Copy(io.Discard, conn)
}

// The course of a test, as far as a fake server goes along.
func (h *byHand) invited() *byHand { h.state(stateParamExchange).expectFrame(); return h }
func (h *byHand) started() *byHand {
	return h.invited().say(string([]byte{stateCreateStreams, stateTestStart, stateTestRunning}))
}
func (h *byHand) ended() *byHand {
	h.started().expect(stateTestEnd).state(stateExchangeResults).expectFrame()
	return h
}

// serverResults are what a server of a test with one stream says.
const serverResults = `{"cpu_util_total":1,"cpu_util_user":1,"cpu_util_system":0,"sender_has_retransmits":-1,"streams":[{"id":1,"bytes":1000,"retransmits":-1,"jitter":0,"errors":0,"omitted_errors":0,"packets":0,"omitted_packets":0,"start_time":0,"end_time":1}]}`

func changedResults(from, to string) string { return strings.Replace(serverResults, from, to, 1) }

// survivor is a client of a hostile server. All of them run at the same time,
// since most just wait.
type survivor struct {
	name   string
	client *process
	peer   peer
	want   string // text of its error, "" for none
	check  func(t *testing.T, o outcome)
}

func testHostileServers(t *testing.T) {
	t.Parallel()
	var all []survivor
	for _, client := range tried(t) {
		for _, begin := range []func(*testing.T, peer) []survivor{meetHostile, meetOddResults, meetHostileUDP} {
			all = append(all, begin(t, client)...)
		}
	}
	for _, s := range all {
		t.Run(s.name, func(t *testing.T) { s.survive(t) })
	}
}

// meet starts a client of the server on the port.
func meet(t *testing.T, client peer, port int, args ...string) *process {
	t.Helper()
	args = append([]string{"-c", "127.0.0.1", "-p", fmt.Sprint(port), "-t", "1", "-b", "1M"}, args...)
	if client.ours {
		args = append(args, "--deadline", "10")
	}
	return begin(t, client.command(t.Context(), args...))
}

// survive asks that the client ends in time, in little memory, and with a
// document that says what was wrong.
func (s *survivor) survive(t *testing.T) {
	o := s.client.within(t, 25*time.Second)
	doc := mustDocument(t, s.peer, o.stdout)
	failed := 0
	if s.want != "" {
		failed = 1
	}
	if o.code != failed || doc.has("error") != (failed == 1) || !strings.Contains(doc.str("error"), s.want) {
		t.Errorf("want exit status %d and error %q: %v", failed, s.want, o)
	}
	if strings.Contains(doc.str("error"), "receive results") && len(doc.objects("intervals")) == 0 {
		t.Error("what was measured is lost")
	}
	if s.check != nil {
		s.check(t, o)
	}
	usage, ok := o.process.cmd.ProcessState.SysUsage().(*syscall.Rusage)
	if !ok || usage.Maxrss<<10 > memoryLimit {
		t.Errorf("took %d KiB of memory", usage.Maxrss)
	}
}

// meetHostile has the servers that make a test fail.
func meetHostile(t *testing.T, client peer) (all []survivor) {
	const closed, message, results = "control socket has closed unexpectedly", "received an unknown control message", "unable to receive results"
	stay := func(h *byHand) { io.Copy(io.Discard, h) }
	for _, c := range []struct {
		name, want string
		serve      func(h *byHand)
	}{
		{"says nothing", deadlineText, stay},
		{"closes", closed, func(h *byHand) {}},
		{"HTTP", message, func(h *byHand) { h.say("HTTP/1.1 400 Bad Request\r\nConnection: close\r\n\r\n<html>") }},
		{"states for ever", message, func(h *byHand) {
			for h.err == nil {
				h.say(strings.Repeat("\x09", 1000))
			}
		}},
		{"unknown state", message, func(h *byHand) { h.state(77); stay(h) }},
		{"streams before parameters", message, func(h *byHand) { h.state(stateCreateStreams); stay(h) }},
		{"results before the test", message, func(h *byHand) { h.invited().state(stateExchangeResults); stay(h) }},
		{"closes after the parameters", closed, func(h *byHand) { h.invited() }},
		{"closes in the test", closed, func(h *byHand) { h.started() }},
		{"nothing after the parameters", deadlineText, func(h *byHand) { h.invited(); stay(h) }},
		{"nothing after the end", deadlineText, func(h *byHand) { h.started(); stay(h) }},
		{"busy in the test", "busy", func(h *byHand) { h.started().state(stateAccessDenied); stay(h) }},
		{"unknown error", "int_errno=12345", func(h *byHand) { h.invited().say("\xfe\x00\x00\x30\x39\x00\x00\x00\x00"); stay(h) }},
		{"negative error", "int_errno=-1", func(h *byHand) { h.invited().say("\xfe\xff\xff\xff\xff\xff\xff\xff\xff"); stay(h) }},
		{"error without number", closed, func(h *byHand) { h.invited().state(stateServerError) }},
		{"error without end", closed, func(h *byHand) { h.invited().state(stateServerError); stay(h) }},
		{"end of the test", message, func(h *byHand) { h.started().state(stateExchangeResults); stay(h) }},
		{"results of no length", results, func(h *byHand) { h.ended().say("\x00\x00\x00\x00"); stay(h) }},
		{"results over the cap", results, func(h *byHand) { h.ended().say("\x04\x00\x00\x01"); stay(h) }},
		{"results of 0xffffffff", results, func(h *byHand) { h.ended().say("\xff\xff\xff\xff"); stay(h) }},
		{"results that are announced", deadlineText, func(h *byHand) { h.ended().say("\x03\xff\xff\xff{"); stay(h) }},
		{"array", results, func(h *byHand) { h.ended().frame("[]"); stay(h) }},
		{"unfinished", results, func(h *byHand) { h.ended().frame("{"); stay(h) }},
		{"NaN", results, func(h *byHand) { h.ended().frame(changedResults(`"jitter":0`, `"jitter":NaN`)); stay(h) }},
		{"bad escape", results, func(h *byHand) { h.ended().frame(changedResults("{", `{"congestion_used":"\uQQQQ",`)); stay(h) }},
		{"deep", results, func(h *byHand) { h.ended().frame(strings.Repeat(`{"a":`, 100000)); stay(h) }},
		{"another stream", "stream", func(h *byHand) { h.ended().frame(changedResults(`"id":1`, `"id":2`)); stay(h) }},
		{"no streams", results, func(h *byHand) { h.ended().frame(changedResults(`"streams"`, `"dreams"`)); stay(h) }},
		{"streams are numbers", results, func(h *byHand) { h.ended().frame(changedResults(`"streams":[`, `"streams":[7,`)); stay(h) }},
		{"nothing after the results", deadlineText, func(h *byHand) { h.ended().frame(serverResults); stay(h) }},
		{"closes after the results", closed, func(h *byHand) { h.ended().frame(serverResults) }},
	} {
		s := startHostile(t, "", c.serve)
		all = append(all, survivor{name: c.name, client: meet(t, client, s.port, "-J"), peer: client, want: c.want})
	}
	return all
}

// meetOddResults lets a test end well with results that no server has: the
// document must be one all the same, and text must be text.
func meetOddResults(t *testing.T, client peer) (all []survivor) {
	for _, c := range []struct{ name, results string }{
		{"huge", changedResults(`"bytes":1000`, `"bytes":1e300`)},
		{"negative", changedResults(`"bytes":1000`, `"bytes":-5`)},
		{"times", changedResults(`"start_time":0,"end_time":1`, `"start_time":1e300,"end_time":-1e300`)},
		{"processor time", changedResults(`"cpu_util_total":1`, `"cpu_util_total":1e308`)},
		{"streams twice", changedResults(`"streams":[`, `"streams":[{"id":1,"bytes":7,"retransmits":0,"jitter":0,"errors":0,"packets":0},`)},
		{"none", changedResults(serverResults[strings.Index(serverResults, `[`):], `[]}`)},
		{"text instead of JSON", changedResults("{", `{"server_output_text":"`+strings.Repeat("long ", 100000)+`",`)},
		{"keys twice", changedResults("{", `{"server_output_json":{"a":1,"a":2},"server_output_text":"both",`)},
		{"record of another kind", changedResults("{", `{"linkperf":[1,2,3],`)},
		{"long record", changedResults("{", `{"linkperf":{"record":"`+strings.Repeat("x", 200000)+`"},`)},
		{"deep record", changedResults("{", `{"linkperf":{"record":`+strings.Repeat("[", 9000)+strings.Repeat("]", 9000)+`},`)},
		{"controls in texts", changedResults("{", `{"congestion_used":"\u001b[31m\u0000\ud800",`)},
	} {
		s := startHostile(t, "", func(h *byHand) {
			h.ended().frame(c.results).state(stateDisplayResults)
			io.Copy(io.Discard, h)
		})
		text := meet(t, client, s.port, "-V")
		all = append(all, survivor{name: c.name, client: meet(t, client, s.port, "-J"), peer: client, check: func(t *testing.T, o outcome) {
			if doc := mustDocument(t, client, o.stdout); doc.num(t, "end.sum_sent.bytes") == 0 {
				t.Errorf("the test is lost: %v", o)
			}
			o = text.within(t, 20*time.Second)
			if o.code != 0 || strings.ContainsAny(o.stdout+o.stderr, "\x1b\x00") {
				t.Errorf("as text: %v", o)
			}
		}})
	}
	return all
}

// meetHostileUDP answers hellos with junk, and floods the data connection of a
// test in which the server has nothing to send.
func meetHostileUDP(t *testing.T, client peer) (all []survivor) {
	junk := startHostile(t, "", func(h *byHand) {
		h.invited().state(stateCreateStreams)
		io.Copy(io.Discard, h)
	})
	udp, err := net.ListenUDP("udp4", &net.UDPAddr{IP: net.IPv4(127, 0, 0, 1), Port: junk.port})
	if err == nil { // else somebody has the port
		done := make(chan struct{})
		go func() {
			defer close(done)
			b := make([]byte, 100)
			for {
				_, from, err := udp.ReadFromUDP(b)
				if err != nil {
					return
				}
				for range 100 {
					udp.WriteToUDP([]byte("junk"), from)
					udp.WriteToUDP(make([]byte, 2000), from)
				}
			}
		}()
		t.Cleanup(func() {
			udp.Close()
			<-done
		})
		all = append(all, survivor{name: "junk for a reply", client: meet(t, client, junk.port, "-J", "-u"), peer: client, want: "UDP port"})
	}
	flood := startHostile(t, strings.Repeat("f", 100000), func(h *byHand) {
		h.ended().frame(serverResults).state(stateDisplayResults)
		io.Copy(io.Discard, h)
	})
	return append(all, survivor{name: "data that nobody wants", client: meet(t, client, flood.port, "-J"), peer: client})
}
