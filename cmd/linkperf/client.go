package main

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"os"

	"golang.org/x/term"

	"linkperf/client"
	"linkperf/protocol/measure"
	"linkperf/report"
)

// runClient runs one test as a client and returns the exit status.
func runClient(ctx context.Context, s *settings, stdout, stderr io.Writer) (status int) {
	// A log file that is a pipe is opened when somebody reads it: until then a
	// signal has the system's effect.
	out, err := s.open(measure.Client, stdout, stderr)
	if err != nil {
		out.printLines(stderr, err)
		return 1
	}
	defer func() { status = out.end(status) }()
	ctx, stop := untilSignal(ctx)
	defer stop()
	if s.pidFile != "" {
		remove, err := writePIDFile(s.pidFile)
		if err != nil {
			out.failPIDFile(err)
			return 1
		}
		defer remove()
	}
	if s.csvFile != "" {
		if err := openTable(s.csvFile); err != nil {
			out.fail(err)
			return 1
		}
	}
	cfg := s.client
	cfg.Version, cfg.Observe = version(), out.observe()
	var document bytes.Buffer
	_, err = client.Run(ctx, cfg, out.sinkAnd(s.csvFile != "", &document))
	if err != nil {
		out.complain(err)
		var interrupted *report.SignalError
		if !errors.As(err, &interrupted) {
			status = 1
		}
	}
	if s.csvFile != "" {
		if err := appendCSV(s.csvFile, &document); err != nil {
			out.printLines(stderr, err)
			status = 1
		}
	}
	return status
}

// password finds the password of --username: in the environment, or by asking
// on a terminal.
func password(stdin io.Reader, stderr io.Writer) (string, error) {
	if p := os.Getenv("IPERF3_PASSWORD"); p != "" {
		return p, nil
	}
	f, ok := stdin.(*os.File)
	if !ok || !term.IsTerminal(int(f.Fd())) {
		return "", errors.New("it is not in IPERF3_PASSWORD, and there is no terminal to ask for it")
	}
	fmt.Fprint(stderr, "Password: ")
	p, err := term.ReadPassword(int(f.Fd()))
	fmt.Fprintln(stderr)
	return string(p), err
}
