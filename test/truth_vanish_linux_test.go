package test

import (
	"fmt"
	"regexp"
	"strings"
	"syscall"
	"testing"
	"time"
)

// Row 1: a client that vanishes does not keep the server from the next one.
var _ = promise(
	truth{row: 1, name: "vanish", run: testVanish},
	truth{row: 1, name: "stopped-UDP-receiver", long: true, run: testStoppedReceiverOfUDP},
)

// testVanish begins everything that has to be waited for, and then waits.
func testVanish(t *testing.T) {
	kinds := []struct {
		name  string
		begin func(t *testing.T) (check func(t *testing.T))
	}{
		{"cable", cutCable},
		{"NAT-forgets", forgetInNAT},
		{"NAT-idle", idleInNAT},
		{"slow", sendSlowly},
		{"half-done", leaveHalfDone},
		{"stopped", stopClients},
	}
	checks := make([]func(*testing.T), len(kinds))
	for i, k := range kinds {
		checks[i] = k.begin(t)
	}
	for i, k := range kinds {
		t.Run(k.name, checks[i])
	}
}

// vanishLimit is the time that a server may take: 10 s, and two for a busy
// machine.
const vanishLimit = 12 * time.Second

// vanishing is a client that has vanished, and the server that has to notice.
// Many of them are waited for at the same time.
type vanishing struct {
	name   string
	server *server
	why    string // what the server says, once
	limit  time.Duration
	least  time.Duration // it must not give up before
	since  time.Time
	freed  chan time.Duration // how long the server took
}

// vanished begins to watch for the server's words that it listens again.
func vanished(name string, s *server, why string, limit time.Duration) *vanishing {
	v := &vanishing{name: name, server: s, why: why, limit: limit, since: time.Now(), freed: make(chan time.Duration, 1)}
	go func() {
		for strings.Count(s.out.String(), "Server listening on") < 2 {
			select {
			case <-s.done:
				return
			case <-time.After(20 * time.Millisecond):
			}
		}
		v.freed <- time.Since(v.since)
	}()
	return v
}

// wait waits for the server to be free, and tells how long that took; 0 if it
// took too long.
func (v *vanishing) wait() (took time.Duration) {
	select {
	case took = <-v.freed: // long ago, maybe
		return took
	default:
	}
	select {
	case took = <-v.freed:
	case <-time.After(time.Until(v.since.Add(v.limit))):
	}
	return took
}

// check asks that the server is free in time, says why in exactly one line,
// and serves the next client.
func (v *vanishing) check(t *testing.T, serves func(*testing.T, *server)) {
	t.Run(v.name, func(t *testing.T) {
		defer v.server.cmd.Process.Kill() // leave the processors to the others
		switch took := v.wait(); {
		case took == 0:
			t.Fatalf("not free after %v: %s %s", time.Since(v.since), clip(v.server.out.String()), v.server.err.String())
		case took > v.limit:
			t.Errorf("free only after %v", took)
		case took < v.least:
			t.Errorf("free already after %v", took)
		}
		if said := regexp.MustCompile(v.why).FindAllString(v.server.err.String(), -1); len(said) != 1 {
			t.Errorf("the server should say %q once: %q", v.why, v.server.err.String())
		}
		serves(t, v.server)
	})
}

// checkAll makes a check of many.
func checkAll(all []*vanishing, serves func(*testing.T, *server)) func(t *testing.T) {
	return func(t *testing.T) {
		for _, v := range all {
			v.check(t, serves)
		}
	}
}

// serves asks a server on this host for a test, as far as its data streams.
func serves(t *testing.T, s *server) {
	t.Helper()
	h := connectByHand(t, s.port)
	defer h.Close()
	if h.untilStreams(plainParams); h.err != nil {
		t.Errorf("the server does not serve the next client: %v", h.err)
	}
}

// servesOn is serves for a server on another host.
func servesOn(h host, client peer) func(t *testing.T, s *server) {
	return func(t *testing.T, s *server) {
		t.Helper()
		if o := s.client(t, h.runs(client), "-n", "1"); o.code != 0 {
			t.Errorf("the server does not serve the next client: %v", o)
		}
	}
}

// listenOpenly starts a server whose words can be read as it says them.
func listenOpenly(t *testing.T, p peer, args ...string) *server {
	t.Helper()
	return startServer(t, p, append([]string{"--forceflush"}, args...)...)
}

// awaitOutput waits until a process has printed what the pattern says, and
// returns the match.
func awaitOutput(t *testing.T, p *process, pattern string) []string {
	t.Helper()
	var found []string
	waitUntil(t, fmt.Sprintf("%v prints %q", p.cmd.Args, pattern), func() bool {
		found = regexp.MustCompile(pattern).FindStringSubmatch(p.out.String())
		return found != nil
	})
	return found
}

// stoppedCases are tests whose client is stopped, as a suspended laptop is, or
// killed, in the middle.
var stoppedCases = []struct {
	short  bool
	args   string
	server string
	signal syscall.Signal
	limit  time.Duration
	why    string
}{
	{args: ""},
	{args: "-R"},
	{short: true, args: "-b 5M"},
	{short: true, args: "-b 1M -R"}, // the rest of which would fit into buffers
	{short: true, args: "-b 1M --bidir"},
	{short: true, args: "-u"},
	{args: "-u --bidir"},
	{args: "-P 4 -b 10M"},
	{args: "--bidir"},
	{short: true, args: "-b 5M", server: "--rcv-timeout 1000", limit: 4 * time.Second},
	{short: true, args: "-b 5M", signal: syscall.SIGKILL, limit: 2 * time.Second, why: "has unexpectedly closed the connection"},
	{args: "-R", signal: syscall.SIGKILL, limit: 2 * time.Second, why: "has unexpectedly closed the connection"},
	{args: "-u -R", signal: syscall.SIGKILL, limit: 2 * time.Second, why: "has unexpectedly closed the connection"},
	{args: "-u --bidir", signal: syscall.SIGKILL, limit: 2 * time.Second, why: "has unexpectedly closed the connection"},
}

const noSign = `no sign of the client for \d+s`

func stopClients(t *testing.T) func(*testing.T) {
	var all []*vanishing
	for _, server := range tried(t) {
		for _, client := range anybody(t) {
			for _, c := range stoppedCases {
				if !c.short && !everything() {
					continue
				}
				if c.signal == 0 {
					c.signal, c.why = syscall.SIGSTOP, noSign
				}
				if c.limit == 0 {
					c.limit = vanishLimit
				}
				s := listenOpenly(t, server, strings.Fields(c.server)...)
				startClient(t, s, client, strings.Fields(c.args)...).cmd.Process.Signal(c.signal)
				name := fmt.Sprintf("%s/%v %s", client.name, c.signal, c.args)
				all = append(all, vanished(name, s, c.why, c.limit))
			}
		}
	}
	return checkAll(all, serves)
}

// leaveHalfDone leaves the server alone, but connected, where the client should
// say something.
func leaveHalfDone(t *testing.T) func(*testing.T) {
	var all []*vanishing
	for _, server := range tried(t) {
		for _, c := range []struct {
			name  string
			leave func(h *byHand)
		}{
			{"before the streams", func(h *byHand) { h.untilStreams(plainParams) }},
			{"before the datagrams", func(h *byHand) { h.untilStreams(plainUDPParams) }},
			{"before the second stream", func(h *byHand) {
				h.untilStreams(strings.Replace(plainParams, `"parallel":1`, `"parallel":2`, 1)).data(t)
			}},
			{"before data", func(h *byHand) { h.untilRunning(t, plainParams) }},
			{"before the results", func(h *byHand) {
				h.untilRunning(t, plainParams)
				h.state(stateTestEnd).expect(stateExchangeResults)
			}},
		} {
			s := listenOpenly(t, server)
			h := connectByHand(t, s.port)
			if c.leave(h); h.err != nil {
				t.Fatalf("%s: %v", c.name, h.err)
			}
			all = append(all, vanished(c.name, s, "iperf3: error - .+", vanishLimit))
		}
	}
	return checkAll(all, serves)
}

// running is a test that must run to a good end.
type running struct {
	name           string
	client, server *process
}

func checkRunning(all []running) func(t *testing.T) {
	return func(t *testing.T) {
		for _, r := range all {
			t.Run(r.name, func(t *testing.T) {
				if o := r.client.within(t, 40*time.Second); o.code != 0 {
					t.Errorf("client: %v", o)
				}
				if o := r.server.within(t, 10*time.Second); o.code != 0 || strings.Contains(o.stderr, "error") {
					t.Errorf("server: %v", o)
				}
			})
		}
	}
}

// sendSlowly sends one block in twelve seconds, and in one second where the
// server has been told to be impatient: that is not silence.
func sendSlowly(t *testing.T) func(*testing.T) {
	var all []running
	for _, server := range tried(t) {
		for _, client := range anybody(t) {
			for _, c := range []struct{ args, server string }{
				{"-b 8K -l 12K -t 11", ""},
				{"-b 8K -l 12K -t 11 -R", ""},
				{"-b 8K -l 12K -t 11 -u", ""},
				{"-b 8K -l 1K -t 4", "--rcv-timeout 300"},
				{"-b 8K -l 1K -t 4 -u", "--rcv-timeout 300"},
				{"-b 8K -l 12K -t 11 --bidir", ""},
				{"-b 8K -l 12K -t 11 -u --bidir", ""},
			} {
				if strings.Contains(c.args, "--bidir") && !everything() {
					continue
				}
				s := startServer(t, server, append([]string{"-1"}, strings.Fields(c.server)...)...)
				args := append([]string{"-c", "127.0.0.1", "-p", s.portArg()}, strings.Fields(c.args)...)
				all = append(all, running{client.name + "/" + c.args, begin(t, client.command(t.Context(), args...)), s.process})
			}
		}
	}
	return checkRunning(all)
}

// testStoppedReceiverOfUDP stops a client that only receives datagrams, which
// nothing shows. The test ends 40 s late; one that has an amount instead of a
// time, 40 s after the amount was sent, or, to a client of iperf3, after the
// time in which it would have arrived on a path that loses nine of ten.
func testStoppedReceiverOfUDP(t *testing.T) {
	const (
		late   = 40 * time.Second
		amount = 250 * 1024 * 8 * time.Second / 1e6 // of 250K at 1M
	)
	var all []*vanishing
	for _, server := range tried(t) {
		for _, client := range anybody(t) {
			byAmount := late + amount
			if !client.ours {
				byAmount += 9 * amount
			}
			for args, takes := range map[string]time.Duration{"-t 2 -O 1": late + 3*time.Second, "-n 250K": byAmount} {
				s := listenOpenly(t, server)
				startClient(t, s, client, append(strings.Fields("-u -R -b 1M -l 1K"), strings.Fields(args)...)...).cmd.Process.Signal(syscall.SIGSTOP)
				v := vanished(client.name+" "+args, s, "server test duration expired", takes+4*time.Second)
				v.least = takes - 4*time.Second
				all = append(all, v)
			}
		}
	}
	checkAll(all, serves)(t)
}
