package matrix

import (
	"errors"
	"fmt"
	"slices"
	"strings"
)

// ErrUnreachable ends a plan whose runs got no connection to its server: the
// rest would fail in the same way.
var ErrUnreachable = errors.New("no connection could be made to the server")

// UnreachedError is that of a run which got no connection to its server.
type UnreachedError struct{ Err error }

// Error is the error's own text.
func (e *UnreachedError) Error() string { return e.Err.Error() }

// Unwrap returns the error.
func (e *UnreachedError) Unwrap() error { return e.Err }

// hopelessRuns is how many runs without a connection are enough to give up.
const hopelessRuns = 3

// attempts watch whether the runs of a plan reach their server.
type attempts struct {
	reached  bool            // by one run at least
	failed   int             // runs without a connection in a row
	untried  map[string]bool // ways to the server that no run has taken yet
	lastFail error
}

func newAttempts(todo []Step) *attempts {
	a := &attempts{untried: map[string]bool{}}
	for _, s := range todo {
		a.untried[way(s.Case)] = true
	}
	return a
}

// waysApart are the axes on which it depends whether there is a connection.
var waysApart = []string{AxisAddress, AxisFirewall, AxisMTU, "bind", "bind-dev", "cport", "version4", "version6", "connect-timeout"}

// way is what of a case decides whether its server can be reached.
func way(c Case) string {
	var parts []string
	for _, axis := range waysApart {
		parts = append(parts, c.Labels[axis])
	}
	return strings.Join(slices.Concat(parts, c.Before), "\x00")
}

// add takes how a run ended.
func (a *attempts) add(s Step, status string, err error) {
	delete(a.untried, way(s.Case))
	var unreached *UnreachedError
	switch {
	case errors.As(err, &unreached):
		a.failed++
		a.lastFail = unreached
	case status != StatusSkipped:
		a.failed = 0
		a.reached = a.reached || status == StatusOK
	}
}

// hopeless returns an error that wraps [ErrUnreachable] if no run has reached the
// server, whichever way it took, and several in a row have tried.
func (a *attempts) hopeless() error {
	if a.reached || a.failed < hopelessRuns || len(a.untried) > 0 {
		return nil
	}
	return fmt.Errorf("%w: %d runs in a row have failed, the last with: %w", ErrUnreachable, a.failed, a.lastFail)
}
