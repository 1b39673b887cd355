package main

import (
	"bytes"
	"context"
	"errors"
	"os"
	"path/filepath"
	"strings"
	"syscall"
	"testing"

	"linkperf/protocol/measure"
	"linkperf/report"
	"linkperf/server"
)

// fullDisk takes nothing.
type fullDisk struct{}

func (fullDisk) Write([]byte) (int, error) { return 0, syscall.ENOSPC }

// TestLostOutput checks that output that cannot be written is told, and that
// the exit status says so.
func TestLostOutput(t *testing.T) {
	t.Parallel()
	_, port := serve(t)
	for line, want := range map[string]string{
		"-v":                               "a part of the output was lost",
		"version":                          "a part of the output was lost",
		"help":                             "a part of the output was lost",
		"--help":                           "a part of the output was lost",
		"sysinfo --help":                   "a part of the output was lost",
		"-s -J -p " + port:                 "unable to start listener",
		"-s --json-stream -p " + port:      "unable to start listener",
		"-c 127.0.0.1 -n 1K -p " + port:    syscall.ENOSPC.Error(),
		"-c 127.0.0.1 -n 1K -Jp " + port:   syscall.ENOSPC.Error(),
		"-c 127.0.0.1 --csv / -Jp " + port: "--csv",
	} {
		var stderr bytes.Buffer
		status := run(t.Context(), append([]string{"linkperf"}, strings.Fields(line)...), eof{}, fullDisk{}, &stderr)
		if status != 1 || !strings.Contains(stderr.String(), want) {
			t.Errorf("%q: status %d, %q; want %q", line, status, stderr.String(), want)
		}
	}
}

// onWrite is called with what is written.
type onWrite func(string)

func (f onWrite) Write(b []byte) (int, error) { f(string(b)); return len(b), nil }

// TestLostLastDocument checks the document of a server that is told to end.
func TestLostLastDocument(t *testing.T) {
	t.Parallel()
	for _, form := range []string{"-J", "--json-stream"} {
		ctx, cancel := context.WithCancelCause(t.Context())
		var stderr strings.Builder
		status := run(ctx, []string{"linkperf", "-s", "--any-port", "-B", "127.0.0.1", form}, eof{}, fullDisk{}, onWrite(func(text string) {
			stderr.WriteString(text)
			if strings.Contains(text, "Server listening") {
				cancel(&report.SignalError{Name: "Interrupt", Number: 2})
			}
		}))
		if status != 1 || !strings.Contains(stderr.String(), "interrupt - the server has terminated") || !strings.Contains(stderr.String(), syscall.ENOSPC.Error()) {
			t.Errorf("%s: status %d, %q", form, status, stderr.String())
		}
	}
}

// TestLostKeptDocument checks that the document of a set-up that was given up is
// kept, and that its failure comes back when it is printed after all.
func TestLostKeptDocument(t *testing.T) {
	for name, w := range map[string]*deaf{"kept": {w: &bytes.Buffer{}}, "lost": {w: fullDisk{}}} {
		h := &hall{output: &output{Options: report.Options{Kind: report.JSON, Side: measure.Server}, reports: w, errors: w, warnings: &bytes.Buffer{}}, oneOff: true}
		if err := h.admit(server.TestInfo{}).End(&measure.Result{}, server.ErrGaveUp); err != nil || h.kept == nil {
			t.Fatalf("%s: %v", name, err)
		}
		if err := h.kept(); errors.Is(err, syscall.ENOSPC) != (name == "lost") || !errors.Is(err, w.lost()) {
			t.Errorf("%s: %v, %v", name, err, w.lost())
		}
	}
}

// TestLostLog checks the status and the complaint of a log file that does not
// take everything.
func TestLostLog(t *testing.T) {
	path := filepath.Join(t.TempDir(), "log")
	if err := os.WriteFile(path, nil, 0o600); err != nil {
		t.Fatal(err)
	}
	f, err := os.Open(path) // for reading alone
	if err != nil {
		t.Fatal(err)
	}
	log := &logFile{path: path, file: f}
	var stderr bytes.Buffer
	o := &output{reports: log, errors: log, warnings: &stderr, log: log}
	if _, err := o.reports.Write([]byte("a line\n")); err == nil || !errors.Is(o.lost(), err) {
		t.Errorf("%v, kept %v", err, o.lost())
	}
	if status := o.end(0); status != 1 || !strings.Contains(stderr.String(), path) {
		t.Errorf("status %d, %q", status, stderr.String())
	}
}
