package main

import (
	"bytes"
	"context"
	"errors"
	"io"
	"net"
	"os"
	"os/exec"
	"testing"
	"time"
)

// beProgram makes the test binary be the program itself.
const beProgram = "LINKPERF_TEST_BE_PROGRAM"

func TestMain(m *testing.M) {
	if os.Getenv(beProgram) == "" {
		os.Exit(m.Run())
	}
	// Names are not looked up: tests must not depend on a name service.
	net.DefaultResolver = &net.Resolver{
		PreferGo: true,
		Dial: func(context.Context, string, string) (net.Conn, error) {
			return nil, errors.New("no name service in tests")
		},
	}
	main()
}

// program makes a command that runs this program under the name iperf3.
func program(t *testing.T, args ...string) *exec.Cmd {
	return programNamed(t, "iperf3", args...)
}

func programNamed(t *testing.T, name string, args ...string) *exec.Cmd {
	t.Helper()
	self, err := os.Executable()
	if err != nil {
		t.Fatal(err)
	}
	cmd := exec.CommandContext(t.Context(), self, args...)
	cmd.Args[0] = name
	cmd.Env = append(os.Environ(), beProgram+"=1")
	cmd.WaitDelay = 5 * time.Second
	return cmd
}

// finished is what a finished program left behind.
type finished struct {
	status         int
	stdout, stderr string
}

// finish runs the command to its end.
func finish(t *testing.T, cmd *exec.Cmd) finished {
	t.Helper()
	var stdout, stderr bytes.Buffer
	cmd.Stdout, cmd.Stderr = &stdout, &stderr
	err := cmd.Run()
	var exit *exec.ExitError
	if err != nil && !errors.As(err, &exit) {
		t.Fatal(err)
	}
	return finished{cmd.ProcessState.ExitCode(), stdout.String(), stderr.String()}
}

// call runs the program inside the test.
func call(t *testing.T, args ...string) finished {
	t.Helper()
	var stdout, stderr bytes.Buffer
	status := run(t.Context(), args, eof{}, &stdout, &stderr)
	return finished{status, stdout.String(), stderr.String()}
}

type eof struct{}

func (eof) Read([]byte) (int, error) { return 0, io.EOF }

// freePort returns a TCP port on which nobody listens.
func freePort(t *testing.T) int {
	t.Helper()
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	defer l.Close()
	return l.Addr().(*net.TCPAddr).Port
}
