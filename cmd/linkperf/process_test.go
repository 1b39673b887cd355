package main

import (
	"os/exec"
	"regexp"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"
)

// patience is how long tests wait for what must come.
const patience = 20 * time.Second

// A transcript is what a running program has printed so far.
type transcript struct {
	mu    sync.Mutex
	text  strings.Builder
	grown chan struct{} // closed and replaced at each write
}

func newTranscript() *transcript { return &transcript{grown: make(chan struct{})} }

func (tr *transcript) Write(b []byte) (int, error) {
	tr.mu.Lock()
	defer tr.mu.Unlock()
	tr.text.Write(b)
	close(tr.grown)
	tr.grown = make(chan struct{})
	return len(b), nil
}

func (tr *transcript) read() (string, <-chan struct{}) {
	tr.mu.Lock()
	defer tr.mu.Unlock()
	return tr.text.String(), tr.grown
}

func (tr *transcript) String() string {
	text, _ := tr.read()
	return text
}

// await waits until the pattern is there and returns its groups.
func (tr *transcript) await(t *testing.T, pattern string) []string {
	t.Helper()
	re := regexp.MustCompile(pattern)
	timeout := time.After(patience)
	for {
		text, grown := tr.read()
		if found := re.FindStringSubmatch(text); found != nil {
			return found
		}
		select {
		case <-grown:
		case <-timeout:
			t.Fatalf("%q did not come; so far:\n%s", pattern, text)
		}
	}
}

// A process is a running program.
type process struct {
	*exec.Cmd
	stdout, stderr *transcript
	done           chan struct{} // closed when it has ended
}

// launch starts the command. It is killed when the test ends.
func launch(t *testing.T, cmd *exec.Cmd) *process {
	t.Helper()
	p := &process{cmd, newTranscript(), newTranscript(), make(chan struct{})}
	if cmd.Stdout == nil {
		cmd.Stdout = p.stdout
	}
	cmd.Stderr = p.stderr
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	go func() {
		defer close(p.done)
		cmd.Wait()
	}()
	t.Cleanup(func() {
		cmd.Process.Kill()
		<-p.done
	})
	return p
}

// exit waits for the end and returns the exit status.
func (p *process) exit(t *testing.T) int {
	t.Helper()
	select {
	case <-p.done:
	case <-time.After(patience):
		t.Fatalf("%q does not end; it printed:\n%s\n%s", p.Args, p.stdout, p.stderr)
	}
	return p.ProcessState.ExitCode()
}

// serve starts a server on a port of its own choice and returns the port.
func serve(t *testing.T, args ...string) (*process, string) {
	t.Helper()
	p := launch(t, program(t, append([]string{"-s", "--any-port"}, args...)...))
	where := p.stdout
	if slices.ContainsFunc(args, func(a string) bool { return a == "-J" || a == "--json-stream" }) {
		where = p.stderr
	}
	return p, where.await(t, `Server listening on (\d+)`)[1]
}

// measureWith runs a client to its end.
func measureWith(t *testing.T, port string, args ...string) finished {
	t.Helper()
	return finish(t, program(t, append([]string{"-c", "127.0.0.1", "-p", port}, args...)...))
}
