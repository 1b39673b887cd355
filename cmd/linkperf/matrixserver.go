package main

import (
	"bufio"
	"context"
	"errors"
	"fmt"
	"io"
	"net"
	"os"
	"os/exec"
	"strconv"
	"strings"

	"linkperf/protocol/measure"
	"linkperf/sysinfo"
)

// embeddedCommand is the hidden command under which this program is a plan's
// server.
const embeddedCommand = "matrix-server"

// A childServer is a server in a process of its own: its own scheduler,
// processor account and affinity. It ends when its standard input does, so it
// cannot outlive its parent.
type childServer struct {
	port int
	stop func() error
}

// startServer starts the server, which is stopped if ctx ends before it is
// ready; later that is the caller's to do, who may still be talking to it.
func startServer(ctx context.Context, stderr io.Writer) (*childServer, error) {
	failed := func(err error) error { return fmt.Errorf("start the embedded server: %w", err) }
	self, err := os.Executable()
	if err != nil {
		return nil, failed(err)
	}
	c := exec.Command(self, embeddedCommand)
	c.Stderr = stderr
	in, err := c.StdinPipe()
	if err != nil {
		return nil, failed(err)
	}
	out, err := c.StdoutPipe()
	if err != nil {
		return nil, failed(err)
	}
	detach(c) // a Ctrl-C on the terminal is for the plan, which ends its server
	if err := c.Start(); err != nil {
		return nil, failed(err)
	}
	stop := func() error {
		in.Close()
		return c.Wait()
	}
	ready := context.AfterFunc(ctx, func() { c.Process.Kill() })
	line, err := bufio.NewReader(out).ReadString('\n')
	if !ready() {
		stop() // fails because it was killed
		return nil, failed(context.Cause(ctx))
	}
	port, perr := strconv.Atoi(strings.TrimSpace(line))
	if err != nil || perr != nil {
		return nil, errors.Join(fmt.Errorf("the embedded server did not start: %q", line), err, stop())
	}
	return &childServer{port: port, stop: stop}, nil
}

// runEmbedded is the embedded server's process: it prints its port and serves
// until its standard input ends.
func runEmbedded(ctx context.Context, args []string, stdin io.Reader, stdout, stderr io.Writer) int {
	ctx, cancel := context.WithCancel(ctx)
	defer cancel()
	go func() {
		defer cancel()
		io.Copy(io.Discard, stdin)
	}()
	s := &settings{told: sysinfo.Full}
	out, err := s.open(measure.Server, io.Discard, io.Discard)
	if err != nil {
		fmt.Fprintf(stderr, "embedded server: %v\n", err)
		return 1
	}
	srv := s.server
	srv.AnyPort, srv.Version, srv.Observe = true, version(), out.observe()
	ln, err := srv.Listen(ctx)
	if err != nil {
		fmt.Fprintf(stderr, "embedded server: %v\n", err)
		return 1
	}
	fmt.Fprintln(stdout, ln.Addr().(*net.TCPAddr).Port)
	if err := srv.Serve(ctx, ln); err != nil && ctx.Err() == nil {
		fmt.Fprintf(stderr, "embedded server: %v\n", err)
		return 1
	}
	return 0
}
