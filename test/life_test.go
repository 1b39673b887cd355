package test

import (
	"net"
	"os"
	"regexp"
	"slices"
	"strings"
	"testing"
	"time"
)

// This file has what happens beside the course of a test: refusals,
// interruptions, peers that vanish, and the exit statuses that follow.

// refusal is a client that must fail: its options, those of the server, and
// the text of the error.
type refusal struct {
	name           string
	client, server []string
	text           string
	long           bool // takes longer than the others
}

var refusals = []refusal{
	{name: "bitrate limit", client: []string{"-b", "100M"}, server: []string{"--server-bitrate-limit", "10M"},
		text: "total required bandwidth is larger than server limit"},
	{name: "bitrate limit of both directions", client: []string{"-b", "6M", "--bidir"}, server: []string{"--server-bitrate-limit", "10M"},
		text: "total required bandwidth is larger than server limit"},
	{name: "measured bitrate", client: []string{"-t", "10"}, server: []string{"--server-bitrate-limit", "1M/1"},
		text: "total required bandwidth is larger than server limit", long: true},
	{name: "duration", client: []string{"-t", "5"}, server: []string{"--server-max-duration", "2"},
		text: "client's requested duration exceeds the server's maximum permitted limit"},
}

// TestRefusals asks for exit status 1, the text and a JSON document with the
// text, and that the server serves the next client.
func TestRefusals(t *testing.T) {
	ours := linkperf(t)
	for _, c := range refusals {
		if c.long && !everything() {
			continue
		}
		t.Run(c.name, func(t *testing.T) {
			s := startServer(t, ours, c.server...)
			o := s.client(t, ours, c.client...)
			if o.code != 1 || !strings.Contains(o.stderr, c.text) {
				t.Errorf("want exit status 1 and %q: %v", c.text, o)
			}
			o = s.client(t, ours, append([]string{"-J"}, c.client...)...)
			doc := mustDocument(t, ours, o.stdout)
			if o.code != 1 || !strings.Contains(doc.str("error"), c.text) {
				t.Errorf("-J: want exit status 1 and %q: %v", c.text, o)
			}
			for _, stock := range stockPeers(t) {
				o := s.client(t, stock, c.client...)
				if o.code == 0 {
					t.Errorf("%s: exit status 0: %v", stock.name, o)
				}
			}
			mustServe(t, s, "-t", "1", "-b", "500K", "-l", "1K")
		})
	}
}

// mustServe asks the server for a short test, within all limits in use here. A
// server that is still busy has a second to notice that the last client is
// gone.
func mustServe(t *testing.T, s *server, args ...string) {
	t.Helper()
	if args == nil {
		// A stock client looks at the amount once an interval only.
		args = []string{"-n", "20K", "-i", "0.1", "-l", "1K", "-b", "5M"}
	}
	peers := append(stockPeers(t), linkperf(t))
	for _, p := range peers {
		for deadline := time.Now().Add(time.Second); ; time.Sleep(20 * time.Millisecond) {
			o := s.client(t, p, append([]string{"-J"}, args...)...)
			doc := mustDocument(t, p, o.stdout)
			if o.code == 0 && !doc.has("error") {
				break
			}
			if !strings.Contains(doc.str("error"), "busy") || time.Now().After(deadline) {
				t.Errorf("the server did not serve the next client: %v", o)
				break
			}
		}
	}
}

func TestNoServer(t *testing.T) {
	ours := linkperf(t)
	port := target("127.0.0.1", freePort(t))
	host, number, _ := net.SplitHostPort(port)
	const text = "unable to connect to server - server may have stopped running or use a different port, firewall issue, etc.: Connection refused"
	if o := run(t, ours, "-c", host, "-p", number); o.code != 1 || o.stderr != "iperf3: error - "+text+"\n" {
		t.Errorf("refused port: %v", o)
	}
	o := run(t, ours, "-c", host, "-p", number, "-J")
	if doc := mustDocument(t, ours, o.stdout); o.code != 1 || doc.str("error") != text {
		t.Errorf("refused port with -J: %v", o)
	}
	if o := run(t, ours, "-c", "no-such-host.invalid", "-p", number); o.code != 1 || !strings.Contains(o.stderr, "iperf3: error - unable to connect to server") {
		t.Errorf("unknown host: %v", o)
	}
}

func TestPortInUse(t *testing.T) {
	ours := linkperf(t)
	s := startServer(t, ours)
	o := run(t, ours, "-s", "-p", s.portArg())
	if o.code != 1 || !strings.Contains(o.stderr, "iperf3: error - unable to start listener for connections: Address already in use") {
		t.Errorf("second server on the port: %v", o)
	}
}

// startClient starts a long test and returns once its data flow.
func startClient(t *testing.T, s *server, p peer, args ...string) *process {
	t.Helper()
	return startClientTo(t, "127.0.0.1", s, p, args...)
}

// startClientTo is startClient for a server on another host.
func startClientTo(t *testing.T, host string, s *server, p peer, args ...string) *process {
	t.Helper()
	argv := append([]string{"-c", host, "-p", s.portArg(), "-i", "0.1", "--forceflush"}, args...)
	if !slices.Contains(args, "-n") { // else the amount ends it
		argv = append(argv[:2:2], append([]string{"-t", "30"}, argv[2:]...)...)
	}
	c := begin(t, p.command(t.Context(), argv...))
	deadline := time.Now().Add(10 * time.Second)
	for !strings.Contains(c.out.String(), "bits/sec") && !strings.Contains(c.out.String(), `{"event":"interval"`) {
		if time.Now().After(deadline) {
			t.Fatalf("no data after 10 s: %s %s", c.out.String(), c.err.String())
		}
		time.Sleep(10 * time.Millisecond)
	}
	return c
}

// TestBusy sends a second client to a server that is running a test.
func TestBusy(t *testing.T) {
	const text = "the server is busy running a test. try again later"
	ours := linkperf(t)
	for _, p := range append(stockPeers(t), ours) {
		t.Run("server "+p.name, func(t *testing.T) {
			s := startServer(t, p)
			first := startClient(t, s, ours)
			if o := s.client(t, ours, "-t", "1"); o.code != 1 || !strings.Contains(o.stderr, "iperf3: error - "+text) {
				t.Errorf("second client: %v", o)
			}
			if p.ours {
				for _, stock := range stockPeers(t) {
					if o := s.client(t, stock, "-t", "1"); o.code != 1 || !strings.Contains(o.stderr, text) {
						t.Errorf("second client: %v", o)
					}
				}
			}
			first.cmd.Process.Signal(os.Interrupt)
			if o := first.within(t, 10*time.Second); o.code != 0 || !strings.Contains(o.stderr, "interrupt - the client has terminated by signal Interrupt(2)") {
				t.Errorf("first client, interrupted: %v", o)
			}
			if p.ours {
				mustServe(t, s)
			}
		})
	}
}

// TestClientEnds ends a client in the middle of a test, politely or not.
func TestClientEnds(t *testing.T) {
	ours := linkperf(t)
	for _, p := range append(stockPeers(t), ours) {
		for _, c := range []struct {
			name   string
			signal os.Signal
			text   string
		}{
			// linkperf at both ends brings a test to an orderly end.
			{"interrupt", os.Interrupt, "iperf3: the client has terminated"},
			{"kill", os.Kill, "iperf3: the client has unexpectedly closed the connection"},
		} {
			for _, args := range [][]string{nil, {"-R"}, {"-u", "-b", "10M"}} {
				t.Run(p.name+" "+c.name+" "+strings.Join(args, " "), func(t *testing.T) {
					s := startServer(t, ours)
					startClient(t, s, p, args...).cmd.Process.Signal(c.signal)
					mustServe(t, s)
					orderly := p.ours && c.signal == os.Interrupt
					if o := s.stop(t); o.code != 0 || !orderly && !strings.Contains(o.stderr, c.text) {
						t.Errorf("server, want %q: %v", c.text, o)
					}
				})
			}
		}
	}
}

// TestServerEnds ends a server in the middle of a test, politely or not.
func TestServerEnds(t *testing.T) {
	ours := linkperf(t)
	for _, p := range append(stockPeers(t), ours) {
		for _, c := range []struct {
			name   string
			signal os.Signal
			text   string
		}{
			{"interrupt", os.Interrupt, "iperf3: error - the server has terminated"},
			{"kill", os.Kill, "iperf3: error - control socket has closed unexpectedly"},
		} {
			t.Run(p.name+" "+c.name, func(t *testing.T) {
				s := startServer(t, p)
				client := startClient(t, s, ours)
				s.cmd.Process.Signal(c.signal)
				if o := client.within(t, 10*time.Second); o.code != 1 || !strings.Contains(o.stderr, c.text) {
					t.Errorf("client, want exit status 1 and %q: %v", c.text, o)
				}
			})
		}
		t.Run("client "+p.name, func(t *testing.T) {
			s := startServer(t, ours)
			client := startClient(t, s, p)
			if o := s.stop(t); o.code != 0 || !strings.Contains(o.stderr, "interrupt - the server has terminated by signal Interrupt(2)") {
				t.Errorf("server: %v", o)
			}
			// A release with one thread would say something else if it met a closed
			// stream before it looked at the control connection.
			if o := client.within(t, 10*time.Second); o.code != 1 || !strings.Contains(o.stderr, "the server has terminated") {
				t.Errorf("client: %v", o)
			}
		})
	}
}

// TestInterruptAtStart interrupts a client as soon as it says that its test
// begins.
func TestInterruptAtStart(t *testing.T) {
	ours := linkperf(t)
	for _, p := range append(stockPeers(t), ours) {
		t.Run("server "+p.name, func(t *testing.T) {
			s := startServer(t, p)
			for range 5 {
				c := begin(t, ours.command(t.Context(), "-c", "127.0.0.1", "-p", s.portArg(), "-t", "30", "--json-stream"))
				for deadline := time.Now().Add(10 * time.Second); !strings.Contains(c.out.String(), `{"event":"start"`); {
					if time.Now().After(deadline) {
						t.Fatalf("no start event: %s %s", c.out.String(), c.err.String())
					}
					time.Sleep(time.Millisecond)
				}
				c.cmd.Process.Signal(os.Interrupt)
				if o := c.within(t, 10*time.Second); o.code != 0 || !strings.Contains(o.stdout, `{"event":"end"`) {
					t.Fatalf("want an end event and exit status 0: %v", o)
				}
				time.Sleep(50 * time.Millisecond) // a stock server is busy for a moment
			}
		})
	}
}

// TestInterruptedJSON asks for one whole document, with what was measured.
func TestInterruptedJSON(t *testing.T) {
	ours := linkperf(t)
	for _, args := range [][]string{nil, {"-R"}, {"-u", "-b", "10M"}, {"--bidir"}} {
		t.Run(strings.Join(args, " "), func(t *testing.T) {
			s := startServer(t, ours)
			// The events tell when data flow, the document follows them.
			c := startClient(t, s, ours, append([]string{"--json-stream", "--json-stream-full-output"}, args...)...)
			c.cmd.Process.Signal(os.Interrupt)
			o := c.within(t, 10*time.Second)
			doc := mustDocument(t, ours, lastJSON(o.stdout))
			if o.code != 0 || doc.str("error") != "interrupt - the client has terminated by signal Interrupt(2)" {
				t.Errorf("exit status %d, error %q", o.code, doc.str("error"))
			}
			if len(doc.objects("intervals")) == 0 || !doc.has("end.streams") {
				t.Errorf("what was measured is lost: %s", clip(o.stdout))
			}
		})
	}
}

// TestWrongPassword holds the refusal of a login against both kinds of peer.
func TestWrongPassword(t *testing.T) {
	ours := linkperf(t)
	cred := newCredentials(t, t.TempDir())
	for _, p := range append(stockPeers(t), ours) {
		t.Run(p.name, func(t *testing.T) {
			args := cred.serverArgs()
			if p.release.before(release{3, 17}) {
				args = append(args, "--use-pkcs1-padding")
			}
			s := startServer(t, ours, args...)
			wrong, right := p, p
			wrong.env, right.env = []string{"IPERF3_PASSWORD=wrong"}, []string{"IPERF3_PASSWORD=" + cred.password}
			clientArgs := append(cred.clientArgs(), "-t", "1")
			if o := s.client(t, wrong, clientArgs...); o.code != 1 || !strings.Contains(o.stderr, "test authorization failed") {
				t.Errorf("wrong password: %v", o)
			}
			if o := s.client(t, p, "-t", "1"); o.code != 1 || !strings.Contains(o.stderr, "test authorization failed") {
				t.Errorf("no password: %v", o)
			}
			if o := s.client(t, right, clientArgs...); o.code != 0 {
				t.Errorf("right password: %v", o)
			}
		})
	}
}

// TestStrangers sends the server what is not the protocol. Each stranger is
// gone, or its time is over, before the next client comes.
func TestStrangers(t *testing.T) {
	s := startServer(t, linkperf(t))
	cookie := strings.Repeat("a", 36) + "\x00"
	for name, bytes := range map[string]string{
		"nothing":           "",
		"HTTP":              "GET / HTTP/1.1\r\nHost: example.com\r\n\r\n",
		"short cookie":      "abcdefghij",
		"huge parameters":   cookie + "\xff\xff\xff\xff",
		"no parameters":     cookie + "\x00\x00\x00\x00",
		"array":             cookie + "\x00\x00\x00\x02[]",
		"broken JSON":       cookie + "\x00\x00\x00\x05{\"a\":",
		"negative parallel": cookie + "\x00\x00\x00\x16{\"tcp\":1,\"parallel\":-1}",
	} {
		conn, err := net.Dial("tcp", target("127.0.0.1", s.port))
		if err != nil {
			t.Fatalf("%s: %v", name, err)
		}
		conn.Write([]byte(bytes))
		conn.Close()
	}
	mustServe(t, s)
}

// TestNoLeak runs two different tests on one server: what the first client
// asked for must not come to the second.
func TestNoLeak(t *testing.T) {
	ours := linkperf(t)
	s := startServer(t, ours, "-J")
	first := s.client(t, ours, "-J", "-t", "1", "--get-server-output", "--repeating-payload", "-T", "first", "-M", "1000", "-S", "8", "-b", "10M")
	if doc := mustDocument(t, ours, first.stdout); !doc.has("server_output_json") {
		t.Errorf("no server_output_json: %v", first)
	}
	second := s.client(t, ours, "-J", "-t", "1", "-b", "10M")
	if doc := mustDocument(t, ours, second.stdout); doc.has("server_output_json") {
		t.Errorf("server_output_json without --get-server-output")
	}
	documents := strings.Split(s.stop(t).stdout, "\n}\n")
	if len(documents) < 3 {
		t.Fatalf("%d documents, want one for each test", len(documents)-1)
	}
	doc := mustDocument(t, ours, documents[1]+"\n}\n")
	if doc.has("title") || doc.num(t, "start.test_start.tos") != 0 || doc.has("start.tcp_mss") {
		t.Errorf("settings of the first client in the second test: %v", doc["start"])
	}
}

// TestText runs tests without -J. Labels and columns are the report package's
// business; here both sides print what stock prints, line for line, once the
// digits are taken away.
func TestText(t *testing.T) {
	ours, stock := linkperf(t), newestStock(t)
	for _, form := range options([]string{"", "-u -b 10M -l 1000", "--bidir -b 10M"}, []string{"-R", "-b 10M -P 2 -l 8K"}) {
		t.Run(form, func(t *testing.T) {
			args := strings.Fields(form)
			var printed [2][2]string
			for i, p := range []peer{ours, stock} {
				s := startServer(t, p, "-1")
				o := s.client(t, p, append([]string{"-t", "2", "-f", "m"}, args...)...)
				so := s.within(t, 10*time.Second)
				if o.code != 0 || so.code != 0 {
					t.Fatalf("exit statuses: %v, %v", o, so)
				}
				printed[i] = [2]string{skeleton(o.stdout), skeleton(so.stdout)}
			}
			for i, side := range []string{"client", "server"} {
				if printed[0][i] != printed[1][i] {
					t.Errorf("%s prints\n%s\nand stock prints\n%s", side, printed[0][i], printed[1][i])
				}
			}
		})
	}
}

// skeleton replaces every number by a 0 and every run of blanks by one, since
// the width of a column may follow its number, and leaves out a line like the
// one before, since a busy machine makes more or fewer intervals.
func skeleton(text string) string {
	var lines []string
	for line := range strings.Lines(text) {
		line = strings.Join(strings.Fields(line), " ")
		for _, prefix := range []string{"K", "M", "G"} { // they follow the machine's speed
			line = strings.ReplaceAll(line, prefix+"Bytes", "Bytes")
			line = strings.ReplaceAll(line, prefix+"bits", "bits")
		}
		lines = append(lines, digits.ReplaceAllString(line, "0"))
	}
	return strings.Join(slices.Compact(lines), "\n")
}

var digits = regexp.MustCompile(`[0-9.]+`)
