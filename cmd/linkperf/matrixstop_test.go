//go:build unix

package main

import (
	"context"
	"io"
	"path/filepath"
	"syscall"
	"testing"
	"time"
)

// TestMatrixStoppedEarly interrupts a plan before its first run: that is no
// failure, and it says how to go on.
func TestMatrixStoppedEarly(t *testing.T) {
	t.Parallel()
	dir := filepath.Join(t.TempDir(), "out")
	p := launch(t, programNamed(t, "linkperf", "matrix", "--axis", "parallel=1", "-o", dir, "--before", "echo ready >&2; exec sleep 60"))
	p.stderr.await(t, "ready")
	p.Process.Signal(syscall.SIGINT)
	want := "ready\nlinkperf matrix: stopped by signal Interrupt(2)\nWhat is left: linkperf matrix --resume " + dir + "\n"
	if status := p.exit(t); status != 0 || p.stderr.String() != want || p.stdout.String() != "" {
		t.Errorf("status %d\n%s\nwant\n%s", status, p.stderr, want)
	}
}

// TestInterruptedCommand has a command that a terminal's Ctrl-C ends before the
// plan has heard of it.
func TestInterruptedCommand(t *testing.T) {
	for _, command := range []string{"kill -INT $$", "exit 130"} {
		ctx, cancel := context.WithCancel(t.Context())
		time.AfterFunc(100*time.Millisecond, cancel)
		if err := shellCommand(ctx, command, io.Discard); err == nil || ctx.Err() == nil {
			t.Errorf("%s: %v, and the plan would not know of it", command, err)
		}
	}
}
