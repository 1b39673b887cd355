package test

import (
	"fmt"
	"regexp"
	"strconv"
	"strings"
	"syscall"
	"testing"
	"time"
)

// Row 4: a client waits its turn, finds a server, and ends when it is stuck.
var _ = promise(
	truth{row: 4, name: "retry-busy", run: testRetryBusy},
	truth{row: 4, name: "port-range", run: testPortRange},
	truth{row: 4, name: "any-port", run: testAnyPort},
	truth{row: 4, name: "deadline", run: testDeadline},
	truth{row: 4, name: "default-deadline", long: true, run: testDefaultDeadline},
)

const busyText = "the server is busy running a test"

func testRetryBusy(t *testing.T) {
	t.Parallel()
	ours := linkperf(t)
	for _, server := range anybody(t) {
		t.Run(server.name, func(t *testing.T) {
			t.Parallel()
			s := startServer(t, server)
			first := startClient(t, s, ours, "-b", "5M")
			var waiting []*process
			for range 2 {
				waiting = append(waiting, begin(t, ours.command(t.Context(),
					"-c", "127.0.0.1", "-p", s.portArg(), "-n", "100K", "--retry-busy=30")))
			}
			if o := s.client(t, ours, "-n", "1"); o.code != 1 || !strings.Contains(o.stderr, busyText) {
				t.Errorf("without --retry-busy: %v", o)
			}
			o := s.client(t, ours, "-n", "1", "--retry-busy=0.5")
			if o.code != 1 || !strings.Contains(o.stderr, busyText) || o.took < 500*time.Millisecond {
				t.Errorf("with --retry-busy=0.5: %v", o)
			}
			first.cmd.Process.Signal(syscall.SIGINT)
			first.within(t, 10*time.Second)
			for _, w := range waiting {
				if o := w.within(t, 35*time.Second); o.code != 0 {
					t.Errorf("waiting: %v", o)
				}
			}
		})
	}
}

// testPortRange has three ports in a row: nobody listens on the first, the
// server on the second is busy.
func testPortRange(t *testing.T) {
	t.Parallel()
	ours := linkperf(t)
	for _, server := range anybody(t) {
		t.Run(server.name, func(t *testing.T) {
			busy, free := startNeighbours(t, server)
			first := startClient(t, busy, ours, "-b", "5M")
			try := func(from, to int) outcome {
				return run(t, ours, "-c", "127.0.0.1", "--port-range", fmt.Sprintf("%d-%d", from, to), "-n", "1", "-J")
			}
			o := try(busy.port-1, free.port)
			doc := mustDocument(t, ours, o.stdout)
			if o.code != 0 || doc.num(t, "start.connecting_to.port") != float64(free.port) {
				t.Errorf("want port %d: %v", free.port, o)
			}
			if o := try(busy.port-1, busy.port); o.code != 1 || !strings.Contains(o.stdout, busyText) {
				t.Errorf("all are busy: %v", o)
			}
			if o := try(busy.port-1, busy.port-1); o.code != 1 || !strings.Contains(o.stdout, "Connection refused") {
				t.Errorf("there is none: %v", o)
			}
			first.cmd.Process.Kill()
		})
	}
}

// startNeighbours starts two servers on ports that follow each other and a
// third port on which nobody listens.
func startNeighbours(t *testing.T, p peer) (second, third *server) {
	t.Helper()
	for range 20 {
		port := freePort(t)
		if !portIsFree(port+1) || !portIsFree(port+2) {
			continue
		}
		start := func(port int) *server {
			s := &server{process: begin(t, p.command(t.Context(), "-s", "-p", strconv.Itoa(port))), peer: p, port: port}
			if err := s.awaitListening(10 * time.Second); err != nil {
				t.Fatal(err)
			}
			return s
		}
		return start(port + 1), start(port + 2)
	}
	t.Fatal("no three free ports in a row")
	return nil, nil
}

func testAnyPort(t *testing.T) {
	ours := linkperf(t)
	seen := make(map[string]bool)
	for _, args := range [][]string{nil, {"-J"}, {"--json-stream"}} {
		t.Run(strings.Join(args, " "), func(t *testing.T) {
			p := begin(t, ours.command(t.Context(), append([]string{"-s", "-1", "--any-port", "--forceflush"}, args...)...))
			where := &p.err // the documents stand alone
			if args == nil {
				where = &p.out
			}
			port := ""
			waitUntil(t, "the server names its port", func() bool {
				if m := regexp.MustCompile(`Server listening on (\d+)`).FindStringSubmatch(where.String()); m != nil {
					port = m[1]
				}
				return port != ""
			})
			if seen[port] {
				t.Errorf("port %s again", port)
			}
			seen[port] = true
			for _, client := range anybody(t)[:1] {
				if o := run(t, client, "-c", "127.0.0.1", "-p", port, "-n", "1"); o.code != 0 {
					t.Errorf("client: %v", o)
				}
			}
			o := p.within(t, 10*time.Second)
			if o.code != 0 || args != nil && len(documents(t, o.stdout)) == 0 {
				t.Errorf("server: %v", o)
			}
		})
	}
}

// waitUntil waits for something that happens in another process.
func waitUntil(t *testing.T, what string, happened func() bool) {
	t.Helper()
	for deadline := time.Now().Add(10 * time.Second); !happened(); time.Sleep(10 * time.Millisecond) {
		if time.Now().After(deadline) {
			t.Fatalf("not within 10 s: %s", what)
		}
	}
}

const deadlineText = "the test did not end in time"

// testDeadline stops the server in the middle of a test, or before it.
func testDeadline(t *testing.T) {
	t.Parallel()
	type stuck struct {
		name   string
		client *process
		middle bool
	}
	var all []stuck
	ours := linkperf(t)
	for _, server := range anybody(t) {
		for _, args := range []string{"", "-R", "-u", "-u -R", "--bidir"} {
			s := startServer(t, server)
			c := startClient(t, s, ours, append(strings.Fields(args), "-b", "5M", "-t", "2", "--deadline", "5", "--json-stream", "--json-stream-full-output")...)
			s.cmd.Process.Signal(syscall.SIGSTOP)
			all = append(all, stuck{server.name + "/" + args, c, true})
		}
		s := startServer(t, server)
		s.cmd.Process.Signal(syscall.SIGSTOP)
		c := begin(t, ours.command(t.Context(), "-c", "127.0.0.1", "-p", s.portArg(), "-t", "2", "--deadline", "3", "-J"))
		all = append(all, stuck{server.name + "/before", c, false})
	}
	for _, c := range all {
		t.Run(c.name, func(t *testing.T) {
			o := c.client.within(t, 20*time.Second)
			if o.took > 10*time.Second {
				t.Errorf("took %v", o.took)
			}
			doc := mustDocument(t, ours, lastJSON(o.stdout))
			if o.code != 1 || !strings.Contains(doc.str("error"), deadlineText) {
				t.Errorf("want exit status 1 and %q: %v", deadlineText, o)
			}
			if !c.middle {
				return
			}
			// What was measured is kept, what was not is not made up.
			moved := 0.0
			for _, interval := range doc.objects("intervals") {
				moved += interval.num(t, "sum.bytes")
			}
			if moved == 0 || !doc.has("end.streams.0") {
				t.Errorf("what was measured is lost: %s", clip(o.stdout))
			}
			for _, f := range flows(mode{dir: directionOf(o.process.cmd.Args)}, true) {
				if own := doc.num(t, f.own()+".bytes"); own == 0 {
					t.Errorf("%s.bytes is 0", f.own())
				}
			}
		})
	}
}

// testDefaultDeadline does without the option: the client ends 30 s late.
func testDefaultDeadline(t *testing.T) {
	type stuck struct {
		name   string
		client *process
	}
	var all []stuck
	for _, client := range tried(t) {
		for _, server := range anybody(t) {
			for _, args := range []string{"", "-u", "-R"} {
				s := startServer(t, server)
				c := startClient(t, s, client, append(strings.Fields(args), "-b", "5M", "-t", "2")...)
				s.cmd.Process.Signal(syscall.SIGSTOP)
				all = append(all, stuck{server.name + "/" + args, c})
			}
		}
	}
	for _, c := range all {
		t.Run(c.name, func(t *testing.T) {
			o := c.client.within(t, 45*time.Second)
			if o.code != 1 || !strings.Contains(o.stderr, deadlineText) || o.took < 31*time.Second {
				t.Errorf("want exit status 1 and %q after 32 s: %v", deadlineText, o)
			}
		})
	}
}
