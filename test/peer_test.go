package test

import (
	"context"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strconv"
	"strings"
	"sync"
	"testing"
	"time"
)

// release is the version of an iperf3, such as {3, 12}.
type release struct{ major, minor int }

func (r release) before(o release) bool {
	return r.major < o.major || r.major == o.major && r.minor < o.minor
}

func (r release) String() string { return fmt.Sprintf("%d.%d", r.major, r.minor) }

// newest is the release whose behaviour linkperf has.
var newest = release{3, 21}

// peer is a program that speaks the protocol: linkperf or a stock iperf3.
type peer struct {
	name    string // in the names of tests
	path    string
	release release
	ours    bool
	prefix  []string // what the command line starts with, such as wine
	env     []string // additions to the environment
}

// in returns the same peer, started by the words of prefix, for example in a
// network namespace.
func (p peer) in(prefix ...string) peer {
	p.prefix = append(append([]string(nil), prefix...), p.prefix...)
	return p
}

func (p peer) command(ctx context.Context, args ...string) *exec.Cmd {
	argv := append(append(append([]string(nil), p.prefix...), p.path), args...)
	cmd := exec.CommandContext(ctx, argv[0], argv[1:]...)
	cmd.Env = append(os.Environ(), p.env...)
	cmd.WaitDelay = 5 * time.Second
	return cmd
}

// linkperf is the program under test.
func linkperf(t testing.TB) peer {
	t.Helper()
	return peer{name: "linkperf", path: build(t), release: newest, ours: true}
}

// stockPeers are the iperf3 programs at hand: the one in PATH, and STOCK.
// Without any, the test is skipped, or fails in CI.
func stockPeers(t testing.TB) []peer {
	t.Helper()
	var peers []peer
	if path, err := exec.LookPath("iperf3"); err == nil {
		peers = append(peers, stockPeer(t, path))
	}
	if path := os.Getenv("STOCK"); path != "" {
		p := stockPeer(t, path)
		if len(peers) > 0 && peers[0].name == p.name {
			p.name += "-STOCK"
		}
		peers = append(peers, p)
	}
	need(t, len(peers) > 0, "no stock iperf3 here: install the package iperf3, or set STOCK=/path/to/iperf3")
	return peers
}

// newestStock is the stock peer closest to linkperf.
func newestStock(t testing.TB) peer {
	t.Helper()
	peers := stockPeers(t)
	best := peers[0]
	for _, p := range peers[1:] {
		if best.release.before(p.release) {
			best = p
		}
	}
	return best
}

var versionLine = regexp.MustCompile(`^iperf (\d+)\.(\d+)`)

func stockPeer(t testing.TB, path string) peer {
	t.Helper()
	path, err := filepath.Abs(path)
	if err != nil {
		t.Fatal(err)
	}
	out, err := exec.Command(path, "-v").Output()
	if err != nil {
		t.Fatalf("%s -v: %v", path, err)
	}
	m := versionLine.FindSubmatch(out)
	if m == nil {
		t.Fatalf("%s -v: no version in %q", path, out)
	}
	major, _ := strconv.Atoi(string(m[1]))
	minor, _ := strconv.Atoi(string(m[2]))
	r := release{major, minor}
	return peer{name: "iperf" + r.String(), path: path, release: r}
}

// outcome is what is left of a process that ended.
type outcome struct {
	command string
	stdout  string
	stderr  string
	code    int // -1 after a signal
	took    time.Duration
	process *process
}

func (o outcome) String() string {
	return fmt.Sprintf("%s\nexit status %d after %.2f s\nstdout: %s\nstderr: %s",
		o.command, o.code, o.took.Seconds(), clip(o.stdout), clip(o.stderr))
}

// work is the processor time that the process has used.
func (o outcome) work() time.Duration {
	state := o.process.cmd.ProcessState
	return state.UserTime() + state.SystemTime()
}

// clip shortens a long output to its two ends.
func clip(s string) string {
	const most = 3000
	if len(s) <= most {
		return s
	}
	return s[:most/2] + "\n[...]\n" + s[len(s)-most/2:]
}

// runDeadline is the time after which a process counts as hung, on top of the
// time of the test that it runs.
const runDeadline = 20 * time.Second

// run runs the peer to its end and returns what it left. A peer that does not
// end in time fails the test.
func run(t testing.TB, p peer, args ...string) outcome {
	t.Helper()
	return runWithin(t, runDeadline, p, args...)
}

func runWithin(t testing.TB, limit time.Duration, p peer, args ...string) outcome {
	t.Helper()
	ctx, cancel := context.WithTimeout(t.Context(), limit)
	defer cancel()
	cmd := p.command(ctx, args...)
	proc := begin(t, cmd)
	o := proc.outcome()
	if ctx.Err() != nil {
		t.Fatalf("did not end within %v: %v", limit, o)
	}
	return o
}

// process is a started program whose output is being gathered.
type process struct {
	cmd     *exec.Cmd
	out     lockedBuffer
	err     lockedBuffer
	started time.Time
	ended   time.Time
	done    chan struct{}
}

// begin starts the command and kills it at the end of the test at the latest.
func begin(t testing.TB, cmd *exec.Cmd) *process {
	t.Helper()
	p := &process{cmd: cmd, done: make(chan struct{}), started: time.Now()}
	cmd.Stdout, cmd.Stderr = &p.out, &p.err
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	go func() {
		cmd.Wait() // the outcome has the status
		p.ended = time.Now()
		close(p.done)
	}()
	t.Cleanup(func() {
		cmd.Process.Kill()
		<-p.done
		if at := broken.FindStringIndex(p.err.String()); at != nil {
			t.Errorf("%s: %s", strings.Join(cmd.Args, " "), clip(p.err.String()[at[0]:]))
		}
	})
	return p
}

// broken is what a program says that races or crashes, whatever became of the
// test: there is no second attempt at that (see again).
var broken = regexp.MustCompile(`WARNING: DATA RACE|(?m:^(panic|fatal error): )`)

// outcome waits for the end of the process.
func (p *process) outcome() outcome {
	<-p.done
	return outcome{
		command: strings.Join(p.cmd.Args, " "),
		stdout:  p.out.String(),
		stderr:  p.err.String(),
		code:    p.cmd.ProcessState.ExitCode(),
		took:    p.ended.Sub(p.started),
		process: p,
	}
}

// within waits for the end of the process and fails the test when it does not
// come in time.
func (p *process) within(t testing.TB, limit time.Duration) outcome {
	t.Helper()
	select {
	case <-p.done:
		return p.outcome()
	case <-time.After(limit):
	}
	p.cmd.Process.Kill()
	t.Fatalf("still running after %v, killed: %v", limit, p.outcome())
	panic("not reached")
}

// server is a peer that listens.
type server struct {
	*process
	peer peer
	port int
}

// portArg is the port as an option value.
func (s *server) portArg() string { return strconv.Itoa(s.port) }

// startServer starts the peer as a server on a free port and returns when it
// listens. The server is killed at the end of the test, if not gone before.
func startServer(t testing.TB, p peer, args ...string) *server {
	t.Helper()
	for range 3 {
		port := freePort(t)
		cmd := p.command(context.Background(), append([]string{"-s", "-p", strconv.Itoa(port)}, args...)...)
		s := &server{process: begin(t, cmd), peer: p, port: port}
		switch err := s.awaitListening(10 * time.Second); {
		case err == nil:
			return s
		case strings.Contains(s.out.String()+s.err.String(), "in use"):
			continue // somebody else was faster to take the port
		default:
			t.Fatalf("start server: %v: %s", err, strings.Join(cmd.Args, " "))
		}
	}
	t.Fatal("start server: three free ports in a row were taken")
	panic("not reached")
}

// awaitListening polls the system's table of sockets: connecting to the server
// to see whether it is there would use up a one-off server's only test.
func (s *server) awaitListening(limit time.Duration) error {
	deadline := time.Now().Add(limit)
	for pause := time.Millisecond; ; pause = min(2*pause, 50*time.Millisecond) {
		yes, err := listening(s.cmd.Process.Pid, s.port)
		if yes || err != nil {
			return err
		}
		select {
		case <-s.done:
			return errors.New("the server ended: " + s.outcome().String())
		case <-time.After(pause):
		}
		if time.Now().After(deadline) {
			s.cmd.Process.Kill()
			return fmt.Errorf("not listening after %v: %v", limit, s.outcome())
		}
	}
}

// stop interrupts the server and returns what it left.
func (s *server) stop(t testing.TB) outcome {
	t.Helper()
	s.cmd.Process.Signal(os.Interrupt)
	return s.within(t, 10*time.Second)
}

// client runs the peer as a client of the server on this host.
func (s *server) client(t testing.TB, p peer, args ...string) outcome {
	t.Helper()
	return run(t, p, append([]string{"-c", "127.0.0.1", "-p", s.portArg()}, args...)...)
}

// lockedBuffer is a buffer that may be read while a process still writes.
type lockedBuffer struct {
	mu sync.Mutex
	b  strings.Builder
}

func (l *lockedBuffer) Write(p []byte) (int, error) {
	l.mu.Lock()
	defer l.mu.Unlock()
	return l.b.Write(p)
}

func (l *lockedBuffer) String() string {
	l.mu.Lock()
	defer l.mu.Unlock()
	return l.b.String()
}
