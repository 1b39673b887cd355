package main

import (
	"context"
	"errors"
	"io"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"linkperf/report"
)

// TestUndoneAfterSignal checks that a signal does not hide what was not undone.
func TestUndoneAfterSignal(t *testing.T) {
	signal := &report.SignalError{Name: "Interrupt", Number: 2}
	undo := errors.New("the MTU could not be restored")
	var found *report.SignalError
	if err := unlessUndone(signal, undo); !errors.Is(err, undo) || errors.As(err, &found) {
		t.Errorf("a signal and a failure: %v", err)
	}
	if err := unlessUndone(signal, nil); !errors.As(err, &found) {
		t.Errorf("a signal: %v", err)
	}
	if err := unlessUndone(nil, undo); !errors.Is(err, undo) {
		t.Errorf("a failure: %v", err)
	}
	if err := unlessUndone(nil, nil); err != nil {
		t.Errorf("neither: %v", err)
	}
}

// TestRefusedPlanLeavesNothing checks that a plan whose surroundings cannot be
// had does not leave a directory that looks like a plan that was begun.
func TestRefusedPlanLeavesNothing(t *testing.T) {
	dir := t.TempDir()
	plan, out := filepath.Join(dir, "plan.yaml"), filepath.Join(dir, "out")
	if err := os.WriteFile(plan, []byte("server: 'host:0'\naxes:\n  parallel: [1]\n"), 0o666); err != nil {
		t.Fatal(err)
	}
	got := call(t, "linkperf", "matrix", plan, "-o", out)
	if got.status != 1 || !strings.Contains(got.stderr, `server "host:0"`) {
		t.Errorf("%+v", got)
	}
	if _, err := os.Stat(out); !errors.Is(err, os.ErrNotExist) {
		t.Errorf("the directory is there, or not known to be away: %v", err)
	}
}

// TestServerStartStopped checks that nobody waits for a server that is no
// longer wanted.
func TestServerStartStopped(t *testing.T) {
	t.Setenv(beProgram, "1")
	ctx, cancel := context.WithCancelCause(t.Context())
	interrupted := &report.SignalError{Name: "Interrupt", Number: 2}
	cancel(interrupted)
	if _, err := startServer(ctx, io.Discard); !errors.Is(err, interrupted) {
		t.Errorf("got %v", err)
	}
}
