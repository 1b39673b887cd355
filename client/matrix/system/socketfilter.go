package system

import (
	"context"
	"errors"
	"fmt"
	"regexp"
	"strings"
)

// socketfilter is macOS' application firewall. The packet filter pf is left
// alone.
type socketfilter struct{ host *Host }

type socketfilterState struct {
	// Global is the state by Apple's number: 0 off, 1 on, 2 on and nothing is
	// let in.
	Global   int  `json:"global"`
	BlockAll bool `json:"block_all"`
}

var globalState = regexp.MustCompile(`\(State = ([0-2])\)`)

func (f socketfilter) read(ctx context.Context) (s socketfilterState, err error) {
	a, err := f.host.run(ctx, ask("socketfilterfw", "--getglobalstate"))
	if err != nil {
		return s, err
	}
	m := globalState.FindSubmatch(a.stdout)
	if m == nil {
		return s, fmt.Errorf("socketfilterfw --getglobalstate: not understood: %q", firstLine(a.stdout))
	}
	s.Global = int(m[1][0] - '0')
	if a, err = f.host.run(ctx, ask("socketfilterfw", "--getblockall")); err != nil {
		return s, err
	}
	// "Firewall has block all state set to enabled." Releases differ in the
	// words before.
	text := strings.TrimRight(strings.TrimSpace(string(a.stdout)), ".!")
	switch {
	case strings.HasSuffix(text, "enabled"):
		s.BlockAll = true
	case !strings.HasSuffix(text, "disabled"):
		return s, fmt.Errorf("socketfilterfw --getblockall: not understood: %q", firstLine(a.stdout))
	}
	return s, nil
}

func (socketfilter) value(_, now socketfilterState) string { return onOff(now.Global != 0) }

func (f socketfilter) check(_ context.Context, s socketfilterState, _ []string) (string, error) {
	return fmt.Sprintf("firewall off, on: socketfilterfw --setglobalstate (it is %s now)", onOff(s.Global != 0)), nil
}

func (f socketfilter) change(ctx context.Context, s socketfilterState, value string) error {
	if value == On && s.Global != 0 {
		return f.restore(ctx, s)
	}
	want := socketfilterState{}
	if value == On {
		want.Global = 1
	}
	return f.set(ctx, want.Global, func(now socketfilterState) bool { return (now.Global != 0) == (want.Global != 0) })
}

func (f socketfilter) restore(ctx context.Context, s socketfilterState) error {
	if err := f.set(ctx, s.Global, func(now socketfilterState) bool { return (now.Global != 0) == (s.Global != 0) }); err != nil {
		return err
	}
	now, err := f.read(ctx)
	if err != nil || now == s {
		return err
	}
	// Off and on again has lost, or found, the state that lets nothing in.
	if _, err := f.host.run(ctx, tell("socketfilterfw", "--setblockall", onOff(s.BlockAll))); err != nil {
		return err
	}
	if now, err = f.read(ctx); err == nil && now != s {
		err = fmt.Errorf("socketfilterfw: the state is %+v and was %+v", now, s)
	}
	return err
}

func (f socketfilter) set(ctx context.Context, global int, done func(socketfilterState) bool) error {
	c := tell("socketfilterfw", "--setglobalstate", onOff(global != 0))
	a, err := f.host.run(ctx, c)
	if err != nil {
		return err
	}
	// A Mac under management answers with a sentence and exit status 0.
	now, err := f.read(ctx)
	if err == nil && !done(now) {
		err = errors.New(c.String() + " had no effect" + complaint(a))
	}
	return err
}
