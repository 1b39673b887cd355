package matrix

import (
	"context"
	"errors"
	"strings"
	"testing"
)

// TestUnreachable checks that a plan whose server nobody reaches ends early, and
// only where every way to it was tried.
func TestUnreachable(t *testing.T) {
	refused := &UnreachedError{errors.New("connection refused")}
	broke := errors.New("it broke")
	for _, tc := range []struct {
		about, text string
		fail        func(Step) error
		skip        func(Step) bool
		runs        int // 0: all
	}{
		{about: "no server", text: "parallel: [1, 2]", fail: func(Step) error { return refused }, runs: 3},
		{about: "more ways than that", text: "address: [a, b, c, d]", fail: func(Step) error { return refused }, runs: 4},
		{about: "one way works", text: "address: [a, b, c, d]", fail: func(s Step) error {
			if s.Order == 3 {
				return nil
			}
			return refused
		}},
		{about: "another failure between", text: "parallel: [1]", fail: func(s Step) error {
			if s.Order%3 == 2 {
				return broke
			}
			return refused
		}},
		{about: "other failures", text: "parallel: [1]", fail: func(Step) error { return broke }},
		{about: "lost after a success", text: "parallel: [1]", fail: func(s Step) error {
			if s.Order == 0 {
				return nil
			}
			return refused
		}},
		{about: "a way that cannot be taken", text: "address: [a, b]", fail: func(Step) error { return refused }, skip: func(s Step) bool { return s.Case.Address == "b" }, runs: 3},
	} {
		p, cases, store := stored(t, "order: as-written\nrepeat: 6\npause: 0\naxes:\n  "+tc.text+"\n")
		log, env := testEnv(tc.fail)
		env.Met = func(_ context.Context, s Step) string {
			if tc.skip != nil && tc.skip(s) {
				return "not here"
			}
			return ""
		}
		err := p.Run(t.Context(), cases, store, env)
		if tc.runs == 0 {
			if err != nil || len(*log) != 6*len(cases) {
				t.Errorf("%s: %v after %d runs", tc.about, err, len(*log))
			}
			continue
		}
		if !errors.Is(err, ErrUnreachable) || !strings.HasSuffix(err.Error(), " runs in a row have failed, the last with: connection refused") || len(*log) != tc.runs {
			t.Errorf("%s: %v after %d runs, want %d", tc.about, err, len(*log), tc.runs)
		}
		// What was stored can go on.
		log, env = testEnv(func(Step) error { return nil })
		if err := p.Run(t.Context(), cases, store, env); err != nil || len(*log) != 6*len(cases) {
			t.Errorf("%s: resumed: %v after %d runs", tc.about, err, len(*log))
		}
	}
}
