package main

import (
	"errors"
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
