package main

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"log/slog"
	"net"
	"sync"

	"linkperf/protocol"
	"linkperf/protocol/measure"
	"linkperf/report"
	"linkperf/server"
)

// runServer serves tests until a signal, or the end of -1, and returns the exit
// status. args is the whole command line, for the daemon.
func runServer(ctx context.Context, s *settings, args []string, stdout, stderr io.Writer) (status int) {
	started := func() {}
	if s.daemon {
		pipe, tell, ok := isDaemon()
		if !ok {
			return becomeDaemon(args, stderr)
		}
		stderr, started = pipe, tell
	}
	// A log file that is a pipe is opened when somebody reads it: until then a
	// signal has the system's effect.
	out, err := s.open(measure.Server, stdout, stderr)
	if err != nil {
		out.printLines(stderr, err)
		out.printExiting(stderr)
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
	h := &hall{output: out, ctx: ctx, oneOff: s.server.OneOff}
	srv := s.server
	srv.Version, srv.Observe = version(), out.observe()
	srv.NewSink, srv.OnTestEnd = h.admit, h.leave
	srv.Log = s.logger(stderr)

	ln, err := srv.Listen(ctx)
	if err != nil {
		h.fail(err)
		if s.daemon && (s.logFile != "" || out.Kind != report.Text) {
			out.printLines(stderr, err) // for whoever waits for the daemon to start
		}
		if out.Kind == report.Text {
			out.printExiting(out.errors)
		}
		return 1
	}
	listen := ln.Addr().(*net.TCPAddr)
	h.port = listen.Port
	h.banner(1)
	if srv.AnyPort && (s.daemon || out.Kind != report.Text) {
		fmt.Fprintf(stderr, "Server listening on %d\n", h.port)
	}
	if s.addresses {
		writeAddresses(ctx, stderr, &srv, listen)
	}
	started()
	err = srv.Serve(ctx, ln)
	if cause := context.Cause(ctx); cause != nil {
		if !h.toldInterrupt && !h.documented {
			h.fail(cause)
		}
		return 0
	}
	if err != nil {
		h.fail(err)
		if out.Kind == report.Text {
			out.printExiting(out.errors)
		}
		return 1
	}
	if h.kept != nil {
		if err := h.kept(); err != nil {
			h.printLines(h.warnings, err)
			return 1
		}
	}
	return 0
}

// A hall watches clients come and go, and says between the tests that the
// server listens.
type hall struct {
	*output
	ctx    context.Context
	oneOff bool
	port   int

	mu            sync.Mutex
	running       int
	last          int          // highest number of a test
	toldInterrupt bool         // a test has reported the signal that ends the server
	documented    bool         // the one test has its document
	kept          func() error // prints the document of a set-up that was given up; may be nil
}

// admit makes the sink for a new test.
func (h *hall) admit(info server.TestInfo) measure.Sink {
	h.mu.Lock()
	defer h.mu.Unlock()
	h.running++
	h.last = max(h.last, info.Number)
	sink := h.plainSink(h.reports, h.Options)
	if h.oneOff && h.Kind == report.JSON {
		sink = oneDocument{sink, h}
	}
	return h.completed(sink)
}

// oneDocument keeps the document of a set-up that was given up back until it is
// known that no other comes, so that the output of a server for one test is the
// document of that test.
type oneDocument struct {
	measure.Sink
	h *hall
}

func (s oneDocument) ServerOutput(r *measure.Result) (string, json.RawMessage) {
	return serverOutput(s.Sink, r)
}

func (s oneDocument) End(r *measure.Result, err error) error {
	if errors.Is(err, server.ErrGaveUp) {
		s.h.keep(func() error { return s.Sink.End(r, err) })
		return nil
	}
	s.h.keep(nil)
	s.h.mu.Lock()
	s.h.documented = true
	s.h.mu.Unlock()
	return s.Sink.End(r, err)
}

func (h *hall) keep(document func() error) {
	h.mu.Lock()
	defer h.mu.Unlock()
	h.kept = document
}

// leave reports how a test ended.
func (h *hall) leave(info server.TestInfo, err error) {
	h.mu.Lock()
	defer h.mu.Unlock()
	h.running--
	if err != nil {
		h.complain(err)
		h.because(err)
		var interrupted *report.SignalError
		h.toldInterrupt = h.toldInterrupt || errors.As(err, &interrupted)
	}
	if h.running > 0 {
		return
	}
	h.close()
	// A client that may not log in does not use -1 up, nor does one that starts over.
	if h.ctx.Err() == nil && (!h.oneOff || errors.Is(err, server.ErrGaveUp) || errors.Is(err, protocol.NewError(protocol.CodeAuthTest, nil))) {
		h.banner(h.last + 1)
	}
}

// because says why a test failed where iperf3's text does not: which silence
// was too long, why a login was refused. It is for whoever runs the server.
func (h *hall) because(err error) {
	var failure *protocol.Error
	if !errors.As(err, &failure) || failure.Err == nil || failure.Code.Suffix() || errors.Is(err, io.EOF) {
		return
	}
	fmt.Fprintf(h.warnings, "iperf3: %v\n", failure.Err)
}

// banner says that the server listens, and which test will be the next. The log
// file is closed then, so that it can be moved away before that test.
func (h *hall) banner(test int) {
	report.WriteBanner(h.reports, h.Options, h.port, test)
	h.close()
}

// logger makes the log for -d, and for what a server has to say beside its
// tests.
func (s *settings) logger(w io.Writer) *slog.Logger {
	level := slog.LevelError
	switch {
	case s.debug >= 3:
		level = slog.LevelDebug
	case s.debug == 2 || s.report.Verbose:
		level = slog.LevelWarn
	}
	return slog.New(slog.NewTextHandler(w, &slog.HandlerOptions{Level: level}))
}
