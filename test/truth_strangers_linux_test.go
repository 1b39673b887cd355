package test

import (
	"net"
	"strings"
	"testing"
	"time"
)

// Row 2: connections that are not a client's never delay the next client, never
// end a server of one test, and cost bounded memory.
var _ = promise(
	truth{row: 2, name: "delay", run: testStrangersDelayNobody},
	truth{row: 2, name: "one-off", run: testStrangersEndNoServer},
	truth{row: 2, name: "during-a-test", run: testStrangersDuringATest},
	truth{row: 2, name: "memory", run: testStrangersMemory},
	truth{row: 2, name: "gone", long: true, run: testStrangersAreSentAway},
)

// knock opens a connection, says something and holds it.
func knock(t *testing.T, port int, bytes string) net.Conn {
	t.Helper()
	h := connectByHand(t, port)
	h.say(bytes) // which the server may refuse to hear
	return h.Conn
}

// strangers are words that no client says, or the beginning of words that
// never end.
var strangers = []string{
	"",
	"ten bytes.",
	newCookie(),
	newCookie() + "\x00\x00",
	newCookie() + "\x00\x00\x00\x10" + `{"tcp":`,
	"GET / HTTP/1.1\r\nHost: example.org\r\nUser-Agent: somebody\r\nAccept: */*\r\n\r\n",
	"\x16\x03\x01\x02\x00\x01\x00\x01\xfc\x03\x03" + strings.Repeat("\xaa", 506), // TLS
	"SSH-2.0-OpenSSH_9.9\r\n",
	strings.Repeat("\x00", 5000),
}

// besiege lets all strangers come, beside 200 connections that say nothing, and
// a port scan.
func besiege(t *testing.T, port int) {
	t.Helper()
	for range 200 {
		knock(t, port, "")
	}
	for _, words := range strangers {
		knock(t, port, words)
	}
	for i := range 20 {
		c := knock(t, port, "")
		if i%2 == 0 {
			c.(*net.TCPConn).SetLinger(0) // ends in a reset
		}
		c.Close()
	}
}

// served returns how long the server takes until it wants a client's streams,
// at best of several times.
func served(t *testing.T, port int) time.Duration {
	t.Helper()
	best := time.Hour
	for range 7 {
		begin := time.Now()
		h := connectByHand(t, port)
		if h.untilStreams(plainParams); h.err != nil {
			t.Fatalf("the server does not serve a client: %v", h.err)
		}
		best = min(best, time.Since(begin))
		h.state(stateClientTerminate)
		h.untilClosed()
	}
	return best
}

func testStrangersDelayNobody(t *testing.T) {
	for _, server := range tried(t) {
		t.Run(server.name, func(t *testing.T) {
			s := startServer(t, server)
			quiet := served(t, s.port)
			besiege(t, s.port)
			if besieged := served(t, s.port); besieged > quiet+100*time.Millisecond {
				t.Errorf("a client waits %v among strangers, %v without", besieged, quiet)
			}
			if f := s.footprint(t); f.peak > memoryLimit {
				t.Errorf("the server takes %v", f)
			}
			for _, client := range anybody(t) {
				if o := s.client(t, client, "-n", "1M"); o.code != 0 {
					t.Errorf("client among strangers: %v", o)
				}
			}
		})
	}
}

func testStrangersEndNoServer(t *testing.T) {
	for _, server := range tried(t) {
		for _, client := range anybody(t) {
			t.Run(client.name+"->"+server.name, func(t *testing.T) {
				s := startServer(t, server, "-1")
				besiege(t, s.port)
				if o := s.client(t, client, "-n", "1M"); o.code != 0 {
					t.Errorf("client: %v", o)
				}
				if o := s.within(t, 10*time.Second); o.code != 0 {
					t.Errorf("server: %v", o)
				}
			})
		}
	}
}

func testStrangersDuringATest(t *testing.T) {
	for _, server := range tried(t) {
		for _, client := range anybody(t) {
			t.Run(client.name+"->"+server.name, func(t *testing.T) {
				t.Parallel()
				s := startServer(t, server, "-1")
				c := startClient(t, s, client, "-t", "2", "-b", "5M", "-P", "2")
				besiege(t, s.port)
				if o := c.within(t, runDeadline); o.code != 0 {
					t.Errorf("client: %v", o)
				}
				if o := s.within(t, 10*time.Second); o.code != 0 || strings.Contains(o.stderr, "error") {
					t.Errorf("server: %v", o)
				}
			})
		}
	}
}

// testStrangersMemory sends parameters that never end, or make no sense, as many
// and as long as the server takes.
func testStrangersMemory(t *testing.T) {
	for _, server := range tried(t) {
		for name, params := range map[string]string{
			"endless":   "\x00\x01\x00\x00" + `{"title":"` + strings.Repeat("x", 65000),
			"deep":      framed(`{"a":` + strings.Repeat("[", 65000)),
			"many keys": framed(`{"a":1` + strings.Repeat(`,"b":1`, 10000)),
			"not long":  framed(`{"a":1` + strings.Repeat(`,"b":1`, 1300)),
		} {
			t.Run(server.name+"/"+name, func(t *testing.T) {
				s := startServer(t, server)
				for _, client := range anybody(t) {
					if o := s.client(t, client, "-n", "10M", "-P", "8"); o.code != 0 {
						t.Fatalf("client: %v", o)
					}
				}
				for range 600 {
					knock(t, s.port, newCookie()+params)
				}
				served(t, s.port)
				f := s.footprint(t)
				if t.Log(f); f.resident > memoryLimit || f.descriptors > 400 {
					t.Errorf("the server takes %v", f)
				}
			})
		}
	}
}

// testStrangersAreSentAway waits until the server has had enough of everybody.
func testStrangersAreSentAway(t *testing.T) {
	for _, server := range tried(t) {
		t.Run(server.name, func(t *testing.T) {
			s := startServer(t, server)
			served(t, s.port)
			before := s.footprint(t)
			besiege(t, s.port)
			var after footprint
			for deadline := time.Now().Add(20 * time.Second); time.Now().Before(deadline); time.Sleep(100 * time.Millisecond) {
				if after = s.footprint(t); after.descriptors <= before.descriptors {
					return
				}
			}
			t.Errorf("strangers stay: %v before, %v after", before, after)
		})
	}
}
