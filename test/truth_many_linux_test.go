package test

import (
	"encoding/json"
	"fmt"
	"net"
	"regexp"
	"slices"
	"strings"
	"syscall"
	"testing"
	"time"
)

// Row 3: several tests at once on one port, and many in a row.
var _ = promise(
	truth{row: 3, name: "text", run: testManyInText},
	truth{row: 3, name: "documents", run: testManyDocuments},
	truth{row: 3, name: "turns", run: testTurnsOfUDP},
	truth{row: 3, name: "foreign-hello", run: testForeignHello},
	truth{row: 3, name: "in-a-row", run: testManyInARow},
)

// manyCases are tests that run at the same time, each with a length that no
// other has.
var manyCases = []struct {
	args   string
	length int
}{
	{"-b 5M -l 3000", 3000},
	{"-u -b 5M -l 1111 -R", 1111},
	{"-u -b 5M -l 1222 -P 2", 1222},
	{"-b 5M -l 4000 --bidir", 4000},
}

// startMany starts all cases at once, the clients taking turns.
func startMany(t *testing.T, s *server, seconds string) []*process {
	t.Helper()
	peers := anybody(t)
	var clients []*process
	for i, c := range manyCases {
		args := append([]string{"-c", "127.0.0.1", "-p", s.portArg(), "-J", "-t", seconds}, strings.Fields(c.args)...)
		clients = append(clients, begin(t, peers[i%len(peers)].command(t.Context(), args...)))
	}
	return clients
}

// testManyInText asks that every line says to which test it belongs, and that
// one client too many is told that the server is busy.
func testManyInText(t *testing.T) {
	t.Parallel()
	s := startServer(t, linkperf(t), "--max-tests", fmt.Sprint(len(manyCases)), "--forceflush")
	clients := startMany(t, s, "4")
	for i := range manyCases {
		awaitOutput(t, s.process, fmt.Sprintf(`(?m)^#%d:  \[.*bits/sec`, i+1))
	}
	h := connectByHand(t, s.port)
	if h.say(h.cookie).expect(stateAccessDenied); h.err != nil {
		t.Errorf("one client too many: %v", h.err)
	}
	for _, c := range clients {
		if o := c.within(t, runDeadline); o.code != 0 {
			t.Errorf("client: %v", o)
		}
	}
	awaitOutput(t, s.process, `\(test #5\)`)
	text := s.out.String()
	for line := range strings.Lines(text) {
		if strings.Contains(line, "sec") && !regexp.MustCompile(`^#[1-4]:  `).MatchString(line) {
			t.Errorf("whose line is %q?", line)
		}
	}
	for i := range manyCases {
		summary := regexp.MustCompile(fmt.Sprintf(`(?m)^#%d:  .* (sender|receiver)\s*$`, i+1))
		if !summary.MatchString(text) {
			t.Errorf("no summary of test %d in:\n%s", i+1, text)
		}
	}
}

// documents reads all JSON documents of a text.
func documents(t *testing.T, text string) []document {
	t.Helper()
	var docs []document
	d := json.NewDecoder(strings.NewReader(text))
	d.UseNumber()
	for d.More() {
		var doc document
		if err := d.Decode(&doc); err != nil {
			t.Fatalf("%v in %s", err, clip(text))
		}
		docs = append(docs, doc)
	}
	return docs
}

// testManyDocuments asks for one document for each test, with that test's
// numbers and nobody else's.
func testManyDocuments(t *testing.T) {
	t.Parallel()
	s := startServer(t, linkperf(t), "--max-tests", fmt.Sprint(len(manyCases)), "-J")
	var outcomes []outcome
	for _, c := range startMany(t, s, "4") {
		outcomes = append(outcomes, c.within(t, runDeadline))
	}
	servers := make(map[string]document)
	for _, doc := range documents(t, s.stop(t).stdout) {
		if cookie := doc.str("start.cookie"); cookie != "" {
			servers[cookie] = doc
		}
	}
	if len(servers) != len(manyCases) {
		t.Errorf("%d documents of %d tests", len(servers), len(manyCases))
	}
	for i, c := range manyCases {
		t.Run(c.args, func(t *testing.T) {
			o := outcomes[i]
			cdoc, err := parseDocument(o.stdout)
			if err != nil || o.code != 0 || cdoc.has("error") {
				t.Fatalf("client: %v, %v", err, o)
			}
			sdoc := servers[cdoc.str("start.cookie")]
			if sdoc == nil || sdoc.has("error") {
				t.Fatalf("server: %v", sdoc.get("error"))
			}
			if got := sdoc.num(t, "start.test_start.blksize"); got != float64(c.length) {
				t.Errorf("the server's test has blocks of %v bytes, want %d", got, c.length)
			}
			if a, b := ports(t, cdoc, "local_port"), ports(t, sdoc, "remote_port"); !slices.Equal(a, b) {
				t.Errorf("the client's ports are %v, the server sees %v", a, b)
			}
			for _, f := range flows(mode{dir: directionOf(strings.Fields(c.args))}, true) {
				sent, received := sdoc.num(t, f.sent+".bytes"), sdoc.num(t, f.received+".bytes")
				if received <= 0 || received > sent {
					t.Errorf("%s: received %.0f of %.0f bytes", f.name, received, sent)
				}
				if want := 4 * 5e6 / 8 * float64(len(sdoc.objects("start.connected"))); sent > 1.5*want {
					t.Errorf("%s: %.0f bytes sent, want %.0f: are they of one test?", f.name, sent, want)
				}
			}
			// The processor time of a process is not that of one of its tests.
			if cpu, ok := sdoc.object("end.cpu_utilization_percent")["host_total"]; cpu != nil || !ok {
				t.Errorf("the server puts %v %% of its processor time down to this test", cpu)
			}
		})
	}
}

// testTurnsOfUDP lets clients open UDP streams at once. Their hellos do not say
// whose they are, so that they have to wait for each other.
func testTurnsOfUDP(t *testing.T) {
	t.Parallel()
	s := startServer(t, linkperf(t), "--max-tests", "8", "-J")
	slow := connectByHand(t, s.port)
	slow.untilStreams(plainUDPParams) // and says nothing for a while
	if slow.err != nil {
		t.Fatal(slow.err)
	}
	peers := anybody(t)
	var clients []*process
	for i := range 4 {
		args := []string{"-c", "127.0.0.1", "-p", s.portArg(), "-J", "-t", "1", "-u", "-b", "2M", "-l", "1000", "-P", "4"}
		if i%2 == 1 {
			args = append(args, "-R")
		}
		clients = append(clients, begin(t, peers[i%len(peers)].command(t.Context(), args...)))
	}
	// TCP has nobody to wait for.
	begin := time.Now()
	other := connectByHand(t, s.port)
	if other.untilRunning(t, plainParams); other.err != nil || time.Since(begin) > 2*time.Second {
		t.Errorf("TCP meanwhile: %v after %v", other.err, time.Since(begin))
	}
	other.finish()
	slow.dataUDP(t)
	if slow.expect(stateTestStart, stateTestRunning); slow.err != nil {
		t.Errorf("the slow one: %v", slow.err)
	}
	slow.state(stateClientTerminate)
	var outcomes []outcome
	for _, c := range clients {
		outcomes = append(outcomes, c.within(t, runDeadline))
	}
	servers := make(map[string]document)
	for _, doc := range documents(t, s.stop(t).stdout) {
		servers[doc.str("start.cookie")] = doc
	}
	for _, o := range outcomes {
		cdoc, err := parseDocument(o.stdout)
		if err != nil || o.code != 0 {
			t.Errorf("client: %v, %v", err, o)
			continue
		}
		sdoc := servers[cdoc.str("start.cookie")]
		if a, b := ports(t, cdoc, "local_port"), ports(t, sdoc, "remote_port"); !slices.Equal(a, b) {
			t.Errorf("the client's ports are %v, the server sees %v", a, b)
		}
	}
}

// testForeignHello sends a hello from an address that is not the client's.
func testForeignHello(t *testing.T) {
	for _, server := range tried(t) {
		t.Run(server.name, func(t *testing.T) {
			s := startServer(t, server)
			h := connectByHand(t, s.port)
			if h.untilStreams(plainUDPParams); h.err != nil {
				t.Fatal(h.err)
			}
			foreign, err := net.DialUDP("udp4", &net.UDPAddr{IP: net.IPv4(127, 0, 0, 2)}, &net.UDPAddr{IP: net.IPv4(127, 0, 0, 1), Port: s.port})
			if err != nil {
				t.Fatal(err)
			}
			defer foreign.Close()
			foreign.Write([]byte(helloUDP))
			h.dataUDP(t) // comes after the foreign one
			foreign.SetReadDeadline(time.Now().Add(200 * time.Millisecond))
			if n, err := foreign.Read(make([]byte, 64)); err == nil {
				t.Errorf("the server answers a foreign hello with %d bytes", n)
			}
			if h.expect(stateTestStart, stateTestRunning); h.err != nil {
				t.Error(h.err)
			}
		})
	}
}

// smallTest runs a whole test by hand.
func smallTest(t *testing.T, port, number int) {
	t.Helper()
	h := connectByHand(t, port)
	defer h.Close()
	var data net.Conn
	switch number % 3 {
	case 0:
		data = h.untilRunning(t, plainParams)
		data.Write(make([]byte, 10000))
	case 1:
		h.untilStreams(plainUDPParams)
		if h.err == nil {
			data = h.dataUDP(t)
			h.expect(stateTestStart, stateTestRunning)
			data.Write(make([]byte, 1000))
		}
	case 2:
		data = h.untilRunning(t, strings.Replace(plainParams, `"tcp":true`, `"tcp":true,"reverse":true,"len":1000`, 1))
		data.Read(make([]byte, 1000))
	}
	if data != nil {
		defer data.Close()
	}
	if h.finish(); h.err != nil {
		t.Fatalf("test %d: %v", number, h.err)
	}
	h.untilClosed()
}

// testManyInARow asks that many tests leave nothing behind. Looking at the host
// before and after each test takes its time, so that most do without.
func testManyInARow(t *testing.T) {
	for _, c := range []struct {
		name       string
		args       []string
		first, all int
		long       bool
	}{
		{"plain", []string{"--sysinfo=off"}, 100, 500, false},
		{"observed", nil, 20, 50, false},
		{"long observed", nil, 100, 500, true},
	} {
		if c.long && !everything() {
			continue
		}
		t.Run(c.name, func(t *testing.T) { manyInARow(t, c.args, c.first, c.all) })
	}
}

func manyInARow(t *testing.T, args []string, first, all int) {
	ours := linkperf(t)
	ours.env = append(ours.env, "GOTRACEBACK=all")
	args = append(args, "--logfile", "/dev/null")
	s := startServer(t, ours, args...)
	var before, after footprint
	for i := range all {
		if i == first {
			before = s.footprint(t)
		}
		smallTest(t, s.port, i)
	}
	// The server lets go of the last client a moment later.
	for deadline := time.Now().Add(5 * time.Second); ; time.Sleep(20 * time.Millisecond) {
		after = s.footprint(t)
		if after.descriptors <= before.descriptors || time.Now().After(deadline) {
			break
		}
	}
	t.Logf("after %d tests: %v", first, before)
	t.Logf("after %d tests: %v", all, after)
	if after.descriptors > before.descriptors || after.resident > before.resident+12<<20 || after.threads > before.threads+8 {
		t.Errorf("%v after %d tests, %v after %d", before, first, after, all)
	}
	fresh := startServer(t, ours, args...)
	for i := range 3 {
		smallTest(t, fresh.port, i)
	}
	want, _ := fresh.goroutines(t)
	got, dump := s.goroutines(t)
	t.Logf("%d goroutines, %d in a fresh server", got, want)
	if got == 0 || got > want+5 {
		t.Errorf("%d goroutines, %d in a fresh server: %s", got, want, dump)
	}
}

// goroutines ends a linkperf and counts what ran in it beside main and the
// runtime's own.
func (s *server) goroutines(t *testing.T) (n int, dump string) {
	t.Helper()
	time.Sleep(100 * time.Millisecond) // so that the last client is gone
	s.cmd.Process.Signal(syscall.SIGQUIT)
	dump = s.within(t, 10*time.Second).stderr
	return strings.Count(dump, "\ncreated by ") - strings.Count(dump, "\ncreated by runtime."), dump
}
