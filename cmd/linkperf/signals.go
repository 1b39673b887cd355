package main

import (
	"context"
	"errors"
	"os"
	"os/signal"
	"syscall"

	"linkperf/report"
)

// signalNames are the names that iperf3 prints, with the numbers that Linux
// has for them.
var signalNames = map[os.Signal]report.SignalError{
	syscall.SIGHUP:  {Name: "Hangup", Number: 1},
	syscall.SIGINT:  {Name: "Interrupt", Number: 2},
	syscall.SIGTERM: {Name: "Terminated", Number: 15},
}

// untilSignal returns a context that ends at the first SIGINT, SIGTERM or
// SIGHUP, with a *report.SignalError as its cause. The second signal has the
// system's effect and ends the program at once.
func untilSignal(parent context.Context) (ctx context.Context, stop func()) {
	ctx, cancel := context.WithCancelCause(parent)
	received := make(chan os.Signal, 1)
	signal.Notify(received, syscall.SIGINT, syscall.SIGTERM, syscall.SIGHUP)
	go func() {
		select {
		case sig := <-received:
			signal.Stop(received)
			cause := signalNames[sig]
			cancel(&cause)
		case <-ctx.Done():
		}
	}()
	return ctx, func() {
		signal.Stop(received)
		cancel(nil)
	}
}

// ignoreBrokenPipes lets a test run to its end when nobody reads its output
// any more.
func ignoreBrokenPipes() { signal.Ignore(syscall.SIGPIPE) }

// brokenPipe reports whether a write failed because the reader is gone.
func brokenPipe(err error) bool { return errors.Is(err, syscall.EPIPE) }
