package main

import (
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"maps"
	"net"
	"net/netip"
	"os/exec"
	"runtime"
	"slices"
	"strconv"
	"strings"
	"time"

	"linkperf/client"
	"linkperf/client/matrix"
	"linkperf/protocol"
	"linkperf/sysinfo"
)

// A place is where a plan's tests go.
type place struct {
	host  string
	port  int
	watch *lookout // shared by all tests, so that slow facts are asked for once

	probed map[string]map[string]string // host to the facts of the path to it
}

// surroundings are what a plan's runs need: a server, the addresses, and leave
// to change the system where the plan asks for it.
type surroundings struct {
	env  matrix.Env
	show *progress
	done func() error // ends the server and undoes the changes
}

func (m *matrixCommand) surroundings(ctx context.Context, plan *matrix.Plan, cases []matrix.Case, stderr io.Writer) (*surroundings, error) {
	pl := &place{watch: &lookout{level: sysinfo.Full, options: sysinfo.Options{Tool: "linkperf", Version: version()}}, probed: map[string]map[string]string{}}
	stopServer := func() error { return nil }
	var err error
	if plan.Server == "" || plan.Server == matrix.Embedded {
		child, err := startServer(ctx, stderr)
		if err != nil {
			return nil, err
		}
		pl.port, stopServer = child.port, child.stop
	} else if pl.host, pl.port, err = splitServer(plan.Server); err != nil {
		return nil, err
	}
	change, undo, err := m.systemChanges(ctx, cases, stderr)
	if err != nil {
		return nil, errors.Join(err, stopServer())
	}
	s := &surroundings{
		show: newProgress(stderr, m.quiet),
		done: func() error { return errors.Join(undo(), stopServer()) },
	}
	s.env = matrix.Env{
		Run: func(ctx context.Context, step matrix.Step) (json.RawMessage, error) {
			host, reason := pl.address(ctx, step.Case)
			if reason != "" {
				return nil, errors.New(reason)
			}
			set, err := clientSettings(host, pl.port, step.Case.Args)
			if err != nil {
				return nil, err
			}
			patience := cmp.Or(time.Duration(plan.Timeout), matrix.DefaultTimeout)
			set.client.RetryBusy = max(set.client.RetryBusy, patience)
			set.client.ConnectTimeout = cmp.Or(set.client.ConnectTimeout, patience)
			doc, err := set.document(ctx, pl.watch, s.show.live())
			if cause := context.Cause(ctx); err != nil && cause != nil {
				err = cause
			}
			if errors.Is(err, protocol.NewError(protocol.CodeConnect, nil)) {
				err = &matrix.UnreachedError{Err: err}
			}
			return doc, err
		},
		Met:     func(ctx context.Context, step matrix.Step) string { return pl.met(ctx, plan.Require, step.Case) },
		Shell:   func(ctx context.Context, command string) error { return shellCommand(ctx, command, stderr) },
		Change:  change,
		Observe: s.show.event,
		Now:     time.Now,
	}
	return s, nil
}

// splitServer reads a plan's server: what splitAddress reads, or embedded.
func splitServer(s string) (host string, port int, err error) {
	if s == "" {
		return "", client.DefaultPort, nil
	}
	if host, port, err = splitAddress(s, client.DefaultPort); err != nil {
		err = fmt.Errorf("server %q; allowed are embedded, HOST and HOST:PORT", s)
	}
	return host, port, err
}

// address is where a case's test goes, or why it cannot.
func (p *place) address(ctx context.Context, c matrix.Case) (host, reason string) {
	switch c.Address {
	case "":
		if p.host != "" {
			return p.host, ""
		}
		return "127.0.0.1", ""
	case matrix.Loopback:
		return "127.0.0.1", ""
	case matrix.Exposed:
		if a, ok := exposed(sysinfo.Addresses(ctx)); ok {
			return a.String(), ""
		}
		return "", "this host has no address that others could reach"
	}
	if a, err := netip.ParseAddr(c.Address); err == nil {
		return a.String(), ""
	}
	for _, a := range sysinfo.Addresses(ctx) {
		if a.Interface == c.Address {
			return a.Address.String(), ""
		}
	}
	return "", fmt.Sprintf("the interface %q is not up or has no address", c.Address)
}

// ownAddresses is an error if cases are for this host's own addresses and the
// server is elsewhere: nothing would answer them.
func ownAddresses(ctx context.Context, plan *matrix.Plan, cases []matrix.Case) error {
	if plan.Server == "" || plan.Server == matrix.Embedded {
		return nil
	}
	i := slices.IndexFunc(cases, func(c matrix.Case) bool { return c.Address == matrix.Loopback || c.Address == matrix.Exposed })
	if i < 0 {
		return nil
	}
	host, _, err := splitServer(plan.Server)
	if err != nil {
		return err
	}
	at, err := net.DefaultResolver.LookupNetIP(ctx, "ip", host)
	if err != nil {
		return nil // the runs will say it
	}
	own := sysinfo.Addresses(ctx)
	for _, a := range at {
		a = a.Unmap().WithZone("")
		if a.IsLoopback() || slices.ContainsFunc(own, func(o sysinfo.AddressInfo) bool { return o.Address.WithZone("") == a }) {
			return nil
		}
	}
	return fmt.Errorf("the axis address has %s, which is this host, and the tests go to %s; leave the axis out (the plan loopback has none) or use the embedded server", cases[i].Address, host)
}

// exposed picks the address that others would use: the fastest interface's,
// not loopback, not link-local.
func exposed(all []sysinfo.AddressInfo) (netip.Addr, bool) {
	for _, a := range all {
		if a.Kind != sysinfo.KindLoopback && !a.LinkLocal && !a.Address.IsLoopback() {
			return a.Address, true
		}
	}
	return netip.Addr{}, false
}

// met reports why a case cannot run, "" if it can.
func (p *place) met(ctx context.Context, require map[string]string, c matrix.Case) string {
	host, reason := p.address(ctx, c)
	if reason != "" || len(require) == 0 {
		return reason
	}
	known, ok := p.probed[host]
	if !ok {
		found := surveyPath(ctx, host, p.port, p.watch.options)
		if found.failure != nil {
			return "the path could not be looked at: " + found.note
		}
		known = map[string]string{}
		for side, r := range map[string]*sysinfo.Record{"": found.client, serverFact: found.server} {
			if r != nil {
				flatFacts(known, side, r)
			}
		}
		p.probed[host] = known
	}
	for _, fact := range slices.Sorted(maps.Keys(require)) {
		want := require[fact]
		got, ok := known[fact]
		if !ok {
			return fmt.Sprintf("%s is not known here; the plan requires %s", fact, want)
		}
		if !sameFact(got, want) {
			return fmt.Sprintf("%s is %s; the plan requires %s", fact, got, want)
		}
	}
	return ""
}

// sameFact compares a fact with what a plan requires: numbers by what they are
// worth.
func sameFact(got, want string) bool {
	a, errA := strconv.ParseFloat(got, 64)
	b, errB := strconv.ParseFloat(want, 64)
	return got == want || errA == nil && errB == nil && a == b
}

// flatFacts lists a record's single values by their path in its JSON.
func flatFacts(to map[string]string, prefix string, r *sysinfo.Record) {
	var tree any
	if json.Unmarshal(r.Tell(sysinfo.Full), &tree) != nil {
		return
	}
	var walk func(path string, v any)
	walk = func(path string, v any) {
		switch v := v.(type) {
		case map[string]any:
			for k, x := range v {
				walk(strings.TrimPrefix(path+"."+k, "."), x)
			}
		case float64:
			to[prefix+path] = strconv.FormatFloat(v, 'f', -1, 64)
		case string, bool:
			to[prefix+path] = fmt.Sprint(v)
		}
	}
	walk("", tree)
}

// shellCommand runs a command of a plan; what it prints goes to w.
func shellCommand(ctx context.Context, command string, w io.Writer) error {
	name, flag := "/bin/sh", "-c"
	if runtime.GOOS == "windows" {
		name, flag = "cmd.exe", "/C"
	}
	c := exec.CommandContext(ctx, name, flag, command)
	c.Stdout, c.Stderr = w, w
	c.WaitDelay = 2 * time.Second
	err := c.Run()
	if interrupted(err) {
		// A terminal's Ctrl-C is for the plan, too, which may not have seen it
		// yet: then this is no failure of the command.
		select {
		case <-ctx.Done():
		case <-time.After(time.Second):
		}
	}
	return err
}

// interrupted reports whether a command, or one that a shell ran, ended by
// SIGINT.
func interrupted(err error) bool {
	var exit *exec.ExitError
	return errors.As(err, &exit) && (exit.ExitCode() == 130 || strings.Contains(exit.String(), "signal: interrupt"))
}
