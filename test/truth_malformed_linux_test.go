package test

import (
	"fmt"
	"io"
	"net"
	"strings"
	"testing"
	"time"
)

// Row 6, the server: whatever a client says is refused with the number that
// stock understands, costs little, and does not keep the next client waiting.
var _ = promise(
	truth{row: 6, name: "parameters", run: testMalformedParameters},
	truth{row: 6, name: "tokens", run: testMalformedTokens},
	truth{row: 6, name: "states", run: testMalformedStates},
	truth{row: 6, name: "results", run: testMalformedResults},
	truth{row: 6, name: "connections", run: testForeignConnections},
	truth{row: 6, name: "datagrams", run: testJunkDatagrams},
)

// malformedParams are the bytes that follow the cookie, and the number of the
// error that must answer them.
func malformedParams() []malformed {
	list := []malformed{
		{"no length", "\x00\x00\x00\x00", errorRecvParams},
		{"length over the cap", "\x00\x01\x00\x01", errorRecvParams},
		{"length 0x7fffffff", "\x7f\xff\xff\xff", errorRecvParams},
		{"length 0xffffffff", "\xff\xff\xff\xff", errorRecvParams},
		{"blanks", framed("   "), errorRecvParams},
		{"array", framed("[]"), errorRecvParams},
		{"array of parameters", framed("[" + plainParams + "]"), errorRecvParams},
		{"string", framed(`"tcp"`), errorRecvParams},
		{"null", framed("null"), errorRecvParams},
		{"text", framed("hello"), errorRecvParams},
		{"unfinished", framed(`{"tcp":true`), errorRecvParams},
		{"something after it", framed(plainParams + "x"), errorRecvParams},
		{"bad escape", framed(`{"title":"\uZZZZ"}`), errorRecvParams},
		{"short escape", framed(`{"title":"\u00"}`), errorRecvParams},
		{"unknown escape", framed(`{"title":"\x41"}`), errorRecvParams},
		{"NaN", framed(`{"time":NaN}`), errorRecvParams},
		{"infinity", framed(`{"time":Infinity}`), errorRecvParams},
		{"hexadecimal", framed(`{"time":0x10}`), errorRecvParams},
		{"deep", framed(strings.Repeat(`{"a":`, 12000)), errorRecvParams},
		{"deep arrays", framed(`{"a":` + strings.Repeat("[", 60000)), errorRecvParams},
	}
	for _, n := range []struct {
		key  string
		code int
		udp  bool
		bad  string
	}{
		{"parallel", 6, false, "0 -1 129 2147483648 1e300"},
		{"len", 7, false, "0 -1 1048577 4294967296 -1e300"},
		{"len", 20, true, "0 -1 15 65508 1e10"},
		{"time", 5, false, "-1 86401 1e300"},
		{"omit", 12, false, "-1 601 1e300"},
		{"num", errorRecvParams, false, "-1 -1e300"},
		{"blockcount", errorRecvParams, false, "-1 -1e300"},
		{"MSS", 10, false, "-1 32768 1e300"},
		{"window", 8, false, "-1 536870913 1e300"},
		{"burst", 15, false, "-1 1001"},
		{"TOS", 21, false, "-1 256"},
		{"flowlabel", 127, false, "-1 1048576"},
		{"server_affinity", 132, false, "-1 1025 1e300"},
		{"pacing_timer", errorRecvParams, false, "-1"},
		{"bandwidth", errorRecvParams, false, "-1 -1e300"},
		{"fqrate", errorRecvParams, false, "-1"},
		{"gso", errorRecvParams, true, "-1"},
		{"gso_dg_size", errorRecvParams, true, "-1"},
		{"gso_bf_size", errorRecvParams, true, "-1"},
		{"gro", errorRecvParams, true, "-1 2"},
		{"gro_bf_size", errorRecvParams, true, "-1"},
	} {
		for bad := range strings.FieldsSeq(n.bad) {
			transport := "tcp"
			if n.udp {
				transport = "udp"
			}
			text := fmt.Sprintf(`{"%s":true,"%s":%s}`, transport, n.key, bad)
			list = append(list, malformed{text, framed(text), n.code})
		}
	}
	return list
}

// malformed is something that a peer says although it must not.
type malformed struct {
	name, bytes string
	code        int
}

// small checks that a server without a test is small, and lives.
func small(t *testing.T, s *server) {
	t.Helper()
	served(t, s.port)
	if f := s.footprint(t); f.resident > memoryLimit {
		t.Errorf("the server takes %v", f)
	}
}

func testMalformedParameters(t *testing.T) {
	for _, server := range tried(t) {
		s := startServer(t, server)
		for _, c := range malformedParams() {
			t.Run(c.name, func(t *testing.T) {
				h := connectByHand(t, s.port)
				code, _ := h.say(h.cookie).expect(stateParamExchange).say(c.bytes).refusal()
				if h.err != nil || code != c.code {
					t.Errorf("answered with error %d, want %d: %v", code, c.code, h.err)
				}
			})
		}
		small(t, s)
		for _, client := range anybody(t) {
			if o := s.client(t, client, "-n", "1"); o.code != 0 {
				t.Errorf("the next client: %v", o)
			}
		}
	}
}

// testMalformedTokens logs in in ways that stock was seen to die of.
func testMalformedTokens(t *testing.T) {
	t.Parallel()
	for _, server := range tried(t) {
		cred := newCredentials(t, t.TempDir())
		s := startServer(t, server, cred.serverArgs()...)
		tokens := wrongTokens(t, cred)
		tokens["64 KiB"] = strings.Repeat("QUFB", 16000)
		for name, token := range tokens {
			t.Run(name, func(t *testing.T) {
				h := connectByHand(t, s.port)
				code, _ := h.say(h.cookie).expect(stateParamExchange).frame(withToken(plainParams, token)).refusal()
				if h.err != nil || code != errorAuthentication {
					t.Errorf("answered with error %d: %v", code, h.err)
				}
			})
		}
		if f := s.footprint(t); f.resident > memoryLimit {
			t.Errorf("the server takes %v", f)
		}
		good := loginToken(t, cred.publicKey(t), login(cred.name, cred.password, time.Now()), false)
		h := connectByHand(t, s.port)
		h.untilRunning(t, withToken(plainParams, good))
		if h.finish(); h.err != nil {
			t.Errorf("the next client: %v", h.err)
		}
	}
}

const errorMessage = 110

// testMalformedStates says what does not come next.
func testMalformedStates(t *testing.T) {
	for _, server := range tried(t) {
		s := startServer(t, server)
		for _, when := range []struct {
			name string
			get  func(t *testing.T) *byHand
			ends []byte // states that end a test there
			next []byte // states that are in order there
		}{
			{"before the streams", func(t *testing.T) *byHand {
				return connectByHand(t, s.port).untilStreams(plainParams)
			}, []byte{stateClientTerminate, stateDone}, []byte{stateTestStart}},
			{"in the test", func(t *testing.T) *byHand {
				h := connectByHand(t, s.port)
				h.untilRunning(t, plainParams)
				return h
			}, []byte{stateClientTerminate, stateDone}, []byte{stateTestStart, stateTestEnd}},
		} {
			for _, state := range []byte{0, stateTestRunning, 3, stateTestEnd, stateParamExchange, stateCreateStreams, 11, stateExchangeResults, stateDisplayResults, 15, 17, 99, 128, stateServerError, stateAccessDenied} {
				if strings.IndexByte(string(when.next), state) >= 0 || strings.IndexByte(string(when.ends), state) >= 0 {
					continue
				}
				t.Run(fmt.Sprintf("%d %s", state, when.name), func(t *testing.T) {
					h := when.get(t)
					if code, _ := h.state(state).refusal(); h.err != nil || code != errorMessage {
						t.Errorf("answered with error %d, want %d: %v", code, errorMessage, h.err)
					}
				})
			}
		}
		small(t, s)
	}
}

// testMalformedResults ends a test in order and then says nonsense.
func testMalformedResults(t *testing.T) {
	const recvResults, streamID = 117, 208
	results := func(from, to string) string { return framed(strings.Replace(emptyResultsOfAStream, from, to, 1)) }
	for _, server := range tried(t) {
		s := startServer(t, server)
		for _, c := range []malformed{
			{"no length", "\x00\x00\x00\x00", recvResults},
			{"length over the cap", "\x00\x10\x00\x01", recvResults},
			{"length 0xffffffff", "\xff\xff\xff\xff", recvResults},
			{"array", framed("[]"), recvResults},
			{"unfinished", framed("{"), recvResults},
			{"empty", framed("{}"), recvResults},
			{"NaN", results(`"jitter":0`, `"jitter":NaN`), recvResults},
			{"bad escape", results("{", `{"congestion_used":"\uXYZW",`), recvResults},
			{"no streams", results(`"streams"`, `"dreams"`), recvResults},
			{"streams of numbers", results(`"streams":[`, `"streams":[1,`), recvResults},
			{"another stream", results(`"id":1`, `"id":3`), streamID},
			{"negative stream", results(`"id":1`, `"id":-1`), streamID},
		} {
			t.Run(c.name, func(t *testing.T) {
				h := connectByHand(t, s.port)
				h.untilRunning(t, plainParams)
				code, _ := h.state(stateTestEnd).expect(stateExchangeResults).say(c.bytes).refusal()
				if h.err != nil || code != c.code {
					t.Errorf("answered with error %d, want %d: %v", code, c.code, h.err)
				}
			})
		}
		small(t, s)
	}
}

// testForeignConnections opens more data connections than were asked for, and
// some with another cookie.
func testForeignConnections(t *testing.T) {
	for _, server := range tried(t) {
		t.Run(server.name, func(t *testing.T) {
			s := startServer(t, server)
			denied := func(t *testing.T, what string, c *byHand) {
				t.Helper()
				if got, err := io.ReadAll(c); err != nil || string(got) != "\xff" {
					t.Errorf("%s: got %q, %v", what, got, err)
				}
			}
			h := connectByHand(t, s.port)
			h.untilStreams(strings.Replace(plainParams, `"parallel":1`, `"parallel":2`, 1))
			h.data(t)
			foreign := connectByHand(t, s.port)
			denied(t, "foreign cookie before the test", foreign.say(foreign.cookie))
			h.data(t)
			if h.expect(stateTestStart, stateTestRunning); h.err != nil {
				t.Fatal(h.err)
			}
			for range 20 {
				denied(t, "a third connection", h.data(t))
			}
			foreign = connectByHand(t, s.port)
			denied(t, "foreign cookie in the test", foreign.say(foreign.cookie))
			h.state(stateTestEnd).expect(stateExchangeResults)
			h.frame(strings.Replace(emptyResultsOfAStream, `]}`, `,{"id":3,"bytes":0,"retransmits":0,"jitter":0,"errors":0,"packets":0}]}`, 1))
			h.expectFrame()
			if h.expect(stateDisplayResults); h.err != nil {
				t.Errorf("the test itself: %v", h.err)
			}
			h.state(stateDone)
			small(t, s)
		})
	}
}

// testJunkDatagrams floods the port before and during tests with datagrams of
// others.
func testJunkDatagrams(t *testing.T) {
	for _, server := range tried(t) {
		for _, client := range anybody(t) {
			for _, args := range []string{"", "-R"} {
				t.Run(client.name+"->"+server.name+args, func(t *testing.T) {
					s := startServer(t, server, "-1", "-J")
					stop := flood(t, s.port)
					argv := append([]string{"-J", "-u", "-k", "400", "-l", "1000", "-b", "4M"}, strings.Fields(args)...)
					o := s.client(t, client, argv...)
					stop()
					doc := mustDocument(t, client, o.stdout)
					if o.code != 0 || doc.has("error") {
						t.Fatalf("client: %v", o)
					}
					so := s.within(t, 10*time.Second)
					sdoc := mustDocument(t, server, so.stdout)
					if so.code != 0 || sdoc.has("error") {
						t.Fatalf("server: %v", so)
					}
					view := sdoc
					if args == "-R" {
						view = doc
					}
					stream := view.object("end.streams.0.udp")
					if stream.num(t, "out_of_order") != 0 || stream.num(t, "lost_packets") != 0 || stream.num(t, "packets") < 400 {
						t.Errorf("strangers count: %v", stream)
					}
				})
			}
		}
	}
}

// flood sends all kinds of datagrams to a port until it is stopped, about two
// thousand a second.
func flood(t *testing.T, port int) (stop func()) {
	t.Helper()
	var conns []net.Conn
	for range 4 {
		conn, err := net.Dial("udp", target("127.0.0.1", port))
		if err != nil {
			t.Fatal(err)
		}
		conns = append(conns, conn)
	}
	quit, done := make(chan struct{}), make(chan struct{})
	// No hello is among them: one from the client's own address counts.
	junk := []string{"", "x", "1234", "9876more", strings.Repeat("\xff", 1000), strings.Repeat("\x00", 16), strings.Repeat("j", 60000)}
	go func() {
		defer close(done)
		tick := time.NewTicker(2 * time.Millisecond)
		defer tick.Stop()
		for i := 0; ; i++ {
			select {
			case <-quit:
				return
			case <-tick.C:
				for k, conn := range conns {
					io.WriteString(conn, junk[(i+k)%len(junk)])
				}
			}
		}
	}()
	stop = func() {
		close(quit)
		<-done
		for _, conn := range conns {
			conn.Close()
		}
	}
	return stop
}
