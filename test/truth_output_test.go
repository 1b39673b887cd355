package test

import (
	"encoding/json"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"
)

// Row 15: what a program reads can be read, however a test ends.
var _ = promise(
	truth{row: 15, name: "client", run: testClientOutput},
	truth{row: 15, name: "server", run: testServerOutput},
	truth{row: 15, name: "two tests in a file", run: testTwoTestsInAFile},
)

// kind is a way to ask for output that a program reads.
type kind struct {
	name string
	args []string
	file bool // into a file
}

var kinds = []kind{
	{name: "-J", args: []string{"-J"}},
	{name: "--json-stream", args: []string{"--json-stream"}},
	{name: "-J --logfile", args: []string{"-J"}, file: true},
	{name: "--json-stream --logfile", args: []string{"--json-stream"}, file: true},
}

// kindsOf are the kinds that a peer knows; the short subset has those with
// everything in them.
func kindsOf(p peer) (list []kind) {
	for _, k := range kinds {
		if p.release.before(release{3, 17}) && k.args[0] == "--json-stream" {
			continue
		}
		if !everything() && k.name == "--json-stream --logfile" {
			continue
		}
		list = append(list, k)
	}
	return list
}

// in completes the kind's arguments; output returns what was written.
func (k kind) in(t *testing.T) (args []string, output func(o outcome) string) {
	if !k.file {
		return k.args, func(o outcome) string { return o.stdout }
	}
	path := filepath.Join(t.TempDir(), "log")
	return append(slices.Clone(k.args), "--logfile", path), func(o outcome) string {
		if o.stdout != "" {
			t.Errorf("%q beside the log file", o.stdout)
		}
		text, err := os.ReadFile(path)
		if err != nil {
			t.Error(err)
		}
		return string(text)
	}
}

// read makes one document of an output of this kind, which must be nothing but
// a valid one.
func (k kind) read(t *testing.T, p peer, text string) document {
	t.Helper()
	if !strings.HasSuffix(text, "}\n") || strings.HasPrefix(strings.TrimLeft(text, " \t\r\n"), "}") {
		t.Errorf("not exactly a document and a line feed: %q", clip(text))
	}
	if k.args[0] == "-J" {
		return mustDocument(t, p, text)
	}
	doc := document{"start": map[string]any{}}
	var intervals []any
	for _, e := range events(t, text) {
		d := json.NewDecoder(strings.NewReader(string(e.Data)))
		d.UseNumber()
		var v any
		if err := d.Decode(&v); err != nil {
			t.Fatalf("%s: %v", e.Event, err)
		}
		if e.Event == "interval" {
			intervals = append(intervals, v)
			continue
		}
		if doc[e.Event] != nil && e.Event != "start" {
			t.Errorf("two events %s", e.Event)
		}
		doc[e.Event] = v
	}
	if n := strings.Count(text, "\n"); n != len(events(t, text)) {
		t.Errorf("%d lines, %d events", n, len(events(t, text)))
	}
	doc["intervals"] = intervals
	return doc
}

// ending is a way in which a test of one side can end.
type ending struct {
	name   string
	short  bool
	args   []string // of the client
	server []string // options of the server
	absent bool     // there is no server
	busy   bool     // the server runs another client's test
	// midway happens when both sides have measured for a while; nil for a test
	// that ends by itself.
	midway func(client, server *process)
	error  string // what the document says, "" for nothing
	status int
	broken bool // measured for a while, then broken off
}

func signalClient(s os.Signal) func(client, server *process) {
	return func(client, _ *process) { client.cmd.Process.Signal(s) }
}

func signalServer(s os.Signal) func(client, server *process) {
	return func(_, server *process) { server.cmd.Process.Signal(s) }
}

var clientEndings = []ending{
	{name: "tcp", short: true, args: []string{"-n", "1M"}},
	{name: "tcp-R", args: []string{"-n", "1M", "-R"}},
	{name: "tcp-bidir", args: []string{"-t", "1", "--bidir", "-b", "20M", "-P", "2", "-l", "16K"}},
	{name: "udp", args: []string{"-u", "-k", "100", "-b", "8M", "-l", "1000"}},
	{name: "udp-R", short: true, args: []string{"-u", "-t", "1", "-b", "8M", "-l", "1000", "-R"}},
	{name: "omit", args: []string{"-O", "1", "-t", "1", "-b", "20M", "-l", "16K"}},
	{name: "server output", args: []string{"-n", "1M", "--get-server-output"}},
	{name: "text of any kind", args: []string{"-n", "1M", "-T", "a \"title\"\n\x01\xff\\", "--extra-data", "{\"a\":\t1}"}},
	{name: "no server", short: true, absent: true, error: "unable to connect to server", status: 1},
	{name: "busy", busy: true, error: "the server is busy running a test", status: 1},
	{name: "interrupt", short: true, midway: signalClient(os.Interrupt), broken: true, error: "interrupt - the client has terminated"},
	{name: "interrupt udp -R", args: []string{"-u", "-b", "8M", "-l", "1000", "-R"}, midway: signalClient(os.Interrupt), broken: true, error: "interrupt - the client has terminated"},
	{name: "server killed", short: true, midway: signalServer(os.Kill), broken: true, error: "control socket has closed unexpectedly", status: 1},
	{name: "server killed -R", args: []string{"-R"}, midway: signalServer(os.Kill), broken: true, error: "", status: 1},
	{name: "server killed udp --bidir", args: []string{"-u", "-b", "8M", "-l", "1000", "--bidir"}, midway: signalServer(os.Kill), broken: true, error: "control socket has closed unexpectedly", status: 1},
	{name: "server interrupted", midway: signalServer(os.Interrupt), broken: true, error: "the server has terminated", status: 1},
	{name: "no file", args: []string{"-F", "/nonexistent"}, error: "unable to open -F file", status: 1},
	{name: "limit", server: []string{"--server-bitrate-limit", "10M"}, args: []string{"-b", "100M"}, error: "", status: 1},
}

// testClientOutput reads what a client prints, however its test ends.
func testClientOutput(t *testing.T) {
	for _, c := range clientEndings {
		if !c.short && !everything() {
			continue
		}
		t.Run(c.name, func(t *testing.T) {
			eachQuietPair(t, theClient, func(t *testing.T, client, server peer) {
				for _, k := range kindsOf(client) {
					t.Run(k.name, func(t *testing.T) {
						o, text := c.perform(t, k, true, client, server)
						c.check(t, k, view{client, true, k.read(t, client, text)}, o)
					})
				}
			})
		})
	}
}

// perform lets the test of one side end. It returns what is left of that side,
// and what it has written.
func (c ending) perform(t *testing.T, k kind, ofClient bool, client, server peer) (o outcome, text string) {
	t.Helper()
	own, output := k.in(t)
	clientArgs, serverArgs := []string{"-i", "0.1"}, append([]string{"-1", "-i", "0.1"}, c.server...)
	if c.midway != nil {
		clientArgs = append(clientArgs, "-t", "30")
		if !slices.Contains(c.args, "-b") {
			clientArgs = append(clientArgs, "-b", "50M", "-l", "16K")
		}
	}
	clientArgs = append(clientArgs, c.args...)
	if ofClient {
		clientArgs, serverArgs = append(clientArgs, own...), append(serverArgs, "--forceflush")
	} else {
		clientArgs, serverArgs = append(clientArgs, "--forceflush"), append(serverArgs, own...)
	}
	port := ""
	var s, other *process
	if c.absent {
		_, port, _ = strings.Cut(target("127.0.0.1", freePort(t)), ":")
	} else {
		started := startServer(t, server, serverArgs...)
		s, port = started.process, started.portArg()
		if c.busy {
			other = startClient(t, started, client)
		}
	}
	cp := begin(t, client.command(t.Context(), append([]string{"-c", "127.0.0.1", "-p", port}, clientArgs...)...))
	if c.midway != nil {
		// The other side prints text, line by line.
		shows := cp
		if ofClient {
			shows = s
		}
		for deadline := time.Now().Add(20 * time.Second); strings.Count(shows.out.String(), "bits/sec") < 4; time.Sleep(10 * time.Millisecond) {
			if time.Now().After(deadline) {
				t.Fatalf("no data: %s %s", shows.out.String(), shows.err.String())
			}
		}
		c.midway(cp, s)
	}
	if ofClient {
		o = cp.within(t, 20*time.Second)
	} else {
		cp.within(t, 20*time.Second)
		o = s.within(t, 20*time.Second)
	}
	if other != nil {
		other.cmd.Process.Kill()
	}
	t.Cleanup(func() {
		if t.Failed() {
			t.Log(o)
		}
	})
	return o, output(o)
}

// check holds what is left of a side against the way in which its test ended.
func (c ending) check(t *testing.T, k kind, v view, o outcome) {
	t.Helper()
	if o.code != c.status {
		t.Errorf("exit status %d, want %d", o.code, c.status)
	}
	if o.stderr != "" && k.args[0] == "-J" {
		t.Errorf("beside the document: %q", o.stderr)
	}
	failed := c.error != "" || c.status != 0
	if failed != v.doc.has("error") || !strings.Contains(v.doc.str("error"), c.error) {
		t.Errorf("error %q, want %q", v.doc.get("error"), c.error)
	}
	if _, ok := v.doc.get("end").(map[string]any); !ok {
		t.Errorf("no end: %v", v.doc.get("end"))
	}
	if _, ok := v.doc.get("start").(map[string]any); !ok {
		t.Errorf("no start: %v", v.doc.get("start"))
	}
	if c.broken || !failed {
		if len(v.doc.objects("intervals")) == 0 || len(v.doc.objects("end.streams")) == 0 {
			t.Errorf("what was measured is lost: %d intervals, %d streams", len(v.doc.objects("intervals")), len(v.doc.objects("end.streams")))
			return
		}
		for _, f := range v.flows(c.args) {
			checkSums(t, v, f)
		}
	}
	// Nobody takes something unknown for a zero.
	for _, f := range v.flows(c.args) {
		for _, sum := range []string{f.sent, f.received} {
			if bytes, known := v.doc.float(sum + ".bytes"); known && bytes == 0 && c.broken {
				t.Errorf("%s.bytes is 0", sum)
			}
		}
	}
}

var serverEndings = []ending{
	{name: "tcp", short: true, args: []string{"-n", "1M"}},
	{name: "tcp-R", args: []string{"-n", "1M", "-R"}},
	{name: "tcp-bidir", args: []string{"-t", "1", "--bidir", "-b", "20M", "-P", "2", "-l", "16K"}},
	{name: "udp", short: true, args: []string{"-u", "-k", "100", "-b", "8M", "-l", "1000"}},
	{name: "udp-R", args: []string{"-u", "-t", "1", "-b", "8M", "-l", "1000", "-R"}},
	{name: "omit", args: []string{"-O", "1", "-t", "1", "-b", "20M", "-l", "16K"}},
	{name: "server output", args: []string{"-n", "1M", "--get-server-output"}},
	{name: "client killed", short: true, midway: signalClient(os.Kill), broken: true, error: "the client has unexpectedly closed the connection"},
	{name: "client killed udp -R", args: []string{"-u", "-b", "8M", "-l", "1000", "-R"}, midway: signalClient(os.Kill), broken: true, error: "the client has unexpectedly closed the connection"},
	{name: "interrupt", short: true, midway: signalServer(os.Interrupt), broken: true, error: "interrupt - the server has terminated"},
	{name: "interrupt --bidir", args: []string{"--bidir"}, midway: signalServer(os.Interrupt), broken: true, error: "interrupt - the server has terminated"},
	{name: "limit", server: []string{"--server-bitrate-limit", "10M"}, args: []string{"-b", "100M"}, error: "total required bandwidth is larger than server limit"},
}

// testServerOutput reads what a server prints, however its test ends. The exit
// status of a one-off server is 0 in any case.
func testServerOutput(t *testing.T) {
	for _, c := range serverEndings {
		if !c.short && !everything() {
			continue
		}
		t.Run(c.name, func(t *testing.T) {
			eachQuietPair(t, theServer, func(t *testing.T, client, server peer) {
				for _, k := range kindsOf(server) {
					t.Run(k.name, func(t *testing.T) {
						o, text := c.perform(t, k, false, client, server)
						c.check(t, k, view{server, false, k.read(t, server, text)}, o)
					})
				}
			})
		})
	}
}

// testTwoTestsInAFile runs two tests into one log file of a client, and of a
// server. Each document, or event, can be read after the other.
func testTwoTestsInAFile(t *testing.T) {
	ours := linkperf(t)
	for _, k := range kindsOf(ours) {
		if !k.file {
			continue
		}
		t.Run(k.name, func(t *testing.T) {
			dir := t.TempDir()
			files := []string{filepath.Join(dir, "client"), filepath.Join(dir, "server")}
			s := startServer(t, ours, append(slices.Clone(k.args), "--logfile", files[1])...)
			for _, args := range [][]string{{"-n", "1M"}, {"-n", "1M", "-R"}} {
				args = append(append(args, "--logfile", files[0]), k.args...)
				if o := s.client(t, ours, args...); o.code != 0 || o.stdout+o.stderr != "" {
					t.Fatalf("exit status, or output beside the file: %v", o)
				}
			}
			s.stop(t)
			for i, file := range files {
				text, err := os.ReadFile(file)
				if err != nil {
					t.Fatal(err)
				}
				d := json.NewDecoder(strings.NewReader(string(text)))
				values := 0
				for d.More() {
					var v map[string]any
					if err := d.Decode(&v); err != nil {
						t.Fatalf("%s: %v", file, err)
					}
					if _, ok := v["event"]; !ok || v["event"] == "end" {
						values++
					}
				}
				// The server says in one more that it was interrupted.
				if want := 2 + i; values != want {
					t.Errorf("%s: %d tests, want %d", file, values, want)
				}
				if o := run(t, ours, "report", file, "--csv"); o.code != 0 || strings.Count(o.stdout, "\n") < 3 {
					t.Errorf("report does not show two tests: %v", o)
				}
			}
		})
	}
}
