package matrix

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"math"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"
)

// clientOptions is a small part of the client's options with a real check.
type clientOptions map[string]bool

var someOptions = clientOptions{"parallel": true, "length": true, "bitrate": true, "zerocopy": false, "udp": false, "congestion": true, "time": true, "omit": true}

func (o clientOptions) Option(name string) (takesValue, ok bool) { v, ok := o[name]; return v, ok }
func (o clientOptions) Names() []string                          { return []string{"parallel", "zerocopy"} }
func (o clientOptions) Check(args []string) error {
	for _, a := range args {
		if a == "--parallel=999" {
			return errors.New("invalid number of parallel streams (min = 1, max = 128)")
		}
	}
	return nil
}

func (o clientOptions) CheckAddress(value string) error {
	if value == "exposd" {
		return errors.New("there is no interface \"exposd\"")
	}
	return nil
}

func (o clientOptions) CheckFact(name, value string) error {
	if name != "path.kind" {
		return fmt.Errorf("there is no fact %q", name)
	}
	return nil
}

func TestPlanErrors(t *testing.T) {
	for _, tc := range []struct{ name, text, want string }{
		{"unknown key", "repeat: 3\nrepeet: 4\n", "p.yaml: line 2, column 1: unknown field \"repeet\"; allowed are name, server, duration"},
		{"duplicate key", "repeat: 3\nrepeat: 4\n", "p.yaml: line 2, column 1: "},
		{"wrong type", "repeat: often\n", "p.yaml: line 1, column 9: repeat has a value of the wrong kind; allowed is 1 to 10000"},
		{"list for a map", "axes:\n  parallel: 4\n", "line 2, column 13: axes has a value of the wrong kind; allowed is axis: [value, …]"},
		{"map for a list", "repeat: 3\nbefore: x\n", "line 2, column 9: before has a value of the wrong kind; allowed is [command, …]"},
		{"syntax", "axes: [1,\n", "p.yaml: line "},
		{"time", "duration: soon\n", "is not a time; allowed are 0 to 24h"},
		{"part of a second", "duration: 1500ms\n", "p.yaml: line 1, column 11: duration is 1.5s; allowed are whole seconds"},
		{"order", "order: random\n", "p.yaml: line 1, column 8: order is \"random\"; allowed are interleaved and as-written"},
		{"no such axis", "axes:\n  paralel: [1]\n", "line 2, column 13: there is no axis \"paralel\" (did you mean parallel?); allowed are address, direction, firewall, mtu and the client options parallel, zerocopy"},
		{"direction", "axes:\n  direction: [forward, up]\n", "line 2, column 24: direction \"up\"; allowed are forward, reverse, bidir"},
		{"address", "axes:\n  address: [loopback, exposd]\n", "line 2, column 23: there is no interface \"exposd\""},
		{"address to add", "include:\n  - {address: exposd}\n", "line 2, column 15: there is no interface \"exposd\""},
		{"flag", "axes:\n  zerocopy: [yes]\n", "zerocopy \"yes\"; allowed are true and false"},
		{"mtu", "axes:\n  mtu: [9000]\n", "mtu \"9000\"; allowed is BYTES@INTERFACE"},
		{"reserved", "axes:\n  reverse: [true]\n", "\"reverse\" cannot be an axis; use \"direction\""},
		{"twice", "axes:\n  parallel: [1, 1]\n", "line 2, column 17: value \"1\" of axis \"parallel\" stands twice"},
		{"client's own check", "axes:\n  parallel: [1, 999]\n", "case parallel=999: invalid number of parallel streams"},
		{"nothing left", "axes:\n  parallel: [1]\nexclude:\n  - parallel: 1\n", "nothing is left to run"},
		{"tab", "axes:\n\tparallel: [1]\n", "line 2, column 1: a tab cannot indent a line in YAML; use spaces"},
		{"no mapping", "parallel\n", "line 1, column 1: a plan has lines of the form KEY: VALUE, where KEY is one of name, server"},
		{"UTF-16", "\xff\xfer\x00e\x00", "p.yaml: this is not text in UTF-8"},
		{"two documents", "repeat: 3\n---\nrepeat: 4\n", "p.yaml: a plan is one YAML document"},
		{"after a byte order mark", "\ufeffrepeat: 0\n", "line 1, column 9: repeat is 0"},
		{"too many cases", "axes:\n  bitrate: [1, 2, 3, 4, 5, 6, 7, 8, 9, 10]\n  length: [1, 2, 3, 4, 5, 6, 7, 8, 9, 10]\n  parallel: [1, 2, 3, 4, 5, 6, 7, 8, 9, 10]\n  congestion: [a, b, c, d, e, f, g, h, i, j]\n  direction: [forward, reverse]\n",
			"the axes have more than 10000 combinations"},
		{"too many runs", "repeat: 10000\naxes:\n  bitrate: [1, 2, 3, 4, 5, 6, 7, 8, 9, 10]\n  length: [1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11]\n", "110 cases in 10000 rounds are more than 1000000 runs"},
		{"infinite time", "name: x\nduration: .inf\n", "p.yaml: line 2, column 11: duration: \"+Inf\" is not a time"},
		{"infinite number", "repeat: .inf\n", "line 1, column 9: repeat has a value of the wrong kind; allowed is 1 to 10000"},
		{"no rounds", "repeat: 0\n", "line 1, column 9: repeat is 0; allowed is 1 to 10000"},
		{"less than no rounds", "repeat: -0\n", "line 1, column 9: repeat is 0; allowed is 1 to 10000"},
		{"part of a round", "repeat: 2.7\n", "line 1, column 9: repeat is 2.7; allowed is 1 to 10000"},
		{"less than a round", "repeat: 0.4\n", "line 1, column 9: repeat is 0.4; allowed is 1 to 10000"},
		{"no time", "duration: 0s\n", "line 1, column 11: duration is 0s; allowed is 1s to 24h"},
		{"no seed", "seed: 0\n", "line 1, column 7: seed is 0; allowed is 1 to 2^64-1"},
		{"no timeout", "timeout: 0\n", "line 1, column 10: timeout is 0; allowed is 1s to 24h"},
		{"misspelt key of a value", "axes:\n  parallel: [{value: 1, befor: [x]}]\n", "line 2, column 14: axes has a value of the wrong kind; allowed is axis: [value, …], where a value is a plain one or a mapping of value, before, after"},
		{"empty value", "axes:\n  parallel: [1, null]\n", "line 2, column 17: axis \"parallel\" has an empty value"},
		{"no such fact", "require:\n  path.kind: x\n  path.knid: thunderbolt\n", "line 3, column 14: require: there is no fact \"path.knid\""},
		{"no such fact to speak of", "require:\n  'a b': x\n", "line 2, column 8: require: there is no fact \"a b\""},
		{"exclude without its axis", "axes:\n  parallel: [1]\nexclude:\n  - {zerocopy: true}\n", "line 4, column 16: exclude: there is no axis \"zerocopy\" in this plan; there are parallel"},
		{"empty axis", "axes:\n  parallel: []\n", "axis \"parallel\" has no values"},
	} {
		t.Run(tc.name, func(t *testing.T) {
			p, err := Parse("p.yaml", []byte(tc.text))
			if err == nil {
				_, err = p.Cases(someOptions, "p.yaml", []byte(tc.text))
			}
			var e *Error
			if !errors.As(err, &e) {
				t.Fatalf("error %v (%T)", err, err)
			}
			if !strings.Contains(err.Error(), tc.want) {
				t.Errorf("got\n%v\nwant\n%s", err, tc.want)
			}
		})
	}
}

// TestPlanText checks that what editors do to a text file is not seen.
func TestPlanText(t *testing.T) {
	for _, text := range []string{"\ufeffrepeat: 3\naxes:\n  parallel: [1, 4]\n", "repeat: 3\r\naxes:\r\n  parallel: [1, 4]\r\n", "---\nrepeat: 3\naxes:\n  parallel: [1, 4]\n...\n"} {
		p, err := Parse("p.yaml", []byte(text))
		if err != nil || p.Repeat != 3 || len(p.Axes) != 1 || len(p.Axes[0].Values) != 2 || p.Axes[0].Values[1].Value != "4" {
			t.Errorf("%q: %v %+v", text, err, p)
		}
	}
}

// TestEstimate checks that cases with a time of their own count with it, and
// that no plan is too long to be estimated.
func TestEstimate(t *testing.T) {
	for text, want := range map[string]time.Duration{
		"repeat: 2\npause: 1s\n":                                                             2 * (2*time.Second + setUp),
		"repeat: 1\npause: 0\nomit: 1s\naxes:\n  time: [10, 20]\n":                           32*time.Second + 2*setUp,
		"repeat: 10000\nduration: 24h\naxes:\n  parallel: [1,2,3,4,5,6,7,8,9,10,11,12,13]\n": math.MaxInt64,
	} {
		p, err := Parse("", []byte(text))
		if err != nil {
			t.Fatal(err)
		}
		cases, err := p.Cases(someOptions, "", nil)
		if err != nil {
			t.Fatal(err)
		}
		if got := p.Estimate(p.Schedule(cases)); got != want {
			t.Errorf("%q: %v, want %v", text, got, want)
		}
	}
}

// TestIdleExclude checks that an entry which leaves out nothing is told.
func TestIdleExclude(t *testing.T) {
	for text, want := range map[string]string{
		"axes:\n  parallel: [1, 4]\nexclude:\n  - {parallel: 5}\n": "p.yaml: line 4, column 16: exclude: axis \"parallel\" has no value \"5\"; it has 1, 4",
		"axes:\n  parallel: [1, 4]\nexclude:\n  - {parallel: 4}\n": "",
	} {
		p, err := Parse("p.yaml", []byte(text))
		if err != nil {
			t.Fatal(err)
		}
		if err := p.IdleExclude("p.yaml", []byte(text)); (err == nil) != (want == "") || err != nil && !strings.HasPrefix(err.Error(), want) {
			t.Errorf("got %v, want %s", err, want)
		}
	}
}

const plan = `
duration: 2s
omit: 1s
repeat: 3
warmup: 1
seed: 7
axes:
  parallel: [1, {value: 4, before: [up], after: [down]}]
  zerocopy: [false, true]
  direction: [forward, reverse]
exclude:
  - {parallel: 4, zerocopy: true}
include:
  - {parallel: 8, direction: bidir, bitrate: 10M}
`

func TestCases(t *testing.T) {
	p, err := Parse("", []byte(plan))
	if err != nil {
		t.Fatal(err)
	}
	cases, err := p.Cases(someOptions, "", nil)
	if err != nil {
		t.Fatal(err)
	}
	var got []string
	for _, c := range cases {
		got = append(got, c.ID+" | "+strings.Join(c.Args, " ")+" | "+strings.Join(append(c.Before, c.After...), ","))
	}
	want := []string{
		"parallel=1 zerocopy=false direction=forward | --parallel=1 --time=2 --omit=1 | ",
		"parallel=1 zerocopy=false direction=reverse | --parallel=1 --reverse --time=2 --omit=1 | ",
		"parallel=1 zerocopy=true direction=forward | --parallel=1 --zerocopy --time=2 --omit=1 | ",
		"parallel=1 zerocopy=true direction=reverse | --parallel=1 --zerocopy --reverse --time=2 --omit=1 | ",
		"parallel=4 zerocopy=false direction=forward | --parallel=4 --time=2 --omit=1 | up,down",
		"parallel=4 zerocopy=false direction=reverse | --parallel=4 --reverse --time=2 --omit=1 | up,down",
		"parallel=8 direction=bidir bitrate=10M | --parallel=8 --bidir --bitrate=10M --time=2 --omit=1 | ",
	}
	if !slices.Equal(got, want) {
		t.Errorf("cases:\n%s\nwant:\n%s", strings.Join(got, "\n"), strings.Join(want, "\n"))
	}
}

// A case that is longer than the plan's tests gets its time.
func TestLength(t *testing.T) {
	p, err := Parse("p.yaml", []byte("duration: 5s\nomit: 1s\naxes:\n  time: [7, 60]\n"))
	if err != nil {
		t.Fatal(err)
	}
	cases, err := p.Cases(someOptions, "p.yaml", nil)
	if err != nil || len(cases) != 2 {
		t.Fatal(cases, err)
	}
	for i, want := range []time.Duration{8 * time.Second, 61 * time.Second} {
		if got := p.length(cases[i]); got != want {
			t.Errorf("%s: %v, want %v", cases[i].ID, got, want)
		}
	}
	if got := p.length(Case{Labels: Labels{"parallel": "4"}}); got != 6*time.Second {
		t.Errorf("without an axis of its own: %v", got)
	}
}

// The commands of one case are not those of another that shares a value with it.
func TestCommandsOfCases(t *testing.T) {
	after := append(make([]string, 0, 2), "both")
	p := &Plan{Axes: Axes{
		{Name: "parallel", Values: []Value{{Value: "1", After: []string{"one"}}, {Value: "2", After: []string{"two"}}}},
		{Name: "length", Values: []Value{{Value: "1000", After: after}}},
	}}
	cases, err := p.Cases(someOptions, "p.yaml", nil)
	if err != nil || len(cases) != 2 {
		t.Fatal(cases, err)
	}
	for i, own := range []string{"one", "two"} {
		if want := []string{"both", own}; !slices.Equal(cases[i].After, want) {
			t.Errorf("%s: after it %q, want %q", cases[i].ID, cases[i].After, want)
		}
	}
}

func TestSchedule(t *testing.T) {
	p, _ := Parse("", []byte(plan))
	cases, err := p.Cases(someOptions, "", nil)
	if err != nil {
		t.Fatal(err)
	}
	steps := p.Schedule(cases)
	if len(steps) != 4*len(cases) {
		t.Fatalf("%d steps", len(steps))
	}
	orders := map[string]bool{}
	for round := 0; round <= 3; round++ {
		ids := []string{}
		for i, s := range steps {
			if s.Order != i || s.Warmup != (s.Round < 1) {
				t.Errorf("step %d: %+v", i, s)
			}
			if s.Round == round {
				ids = append(ids, s.Case.ID)
			}
		}
		orders[strings.Join(ids, ";")] = true
		sorted := slices.Sorted(slices.Values(ids))
		if len(slices.Compact(sorted)) != len(cases) || len(ids) != len(cases) {
			t.Errorf("round %d runs %v", round, ids)
		}
	}
	if len(orders) < 2 {
		t.Error("every round has the same order")
	}
	again := p.Schedule(cases)
	p.Seed = 8
	other := p.Schedule(cases)
	same := 0
	for i := range steps {
		if steps[i].Case.ID != again[i].Case.ID {
			t.Fatal("the same seed gives another order")
		}
		if steps[i].Case.ID == other[i].Case.ID {
			same++
		}
	}
	if same == len(steps) {
		t.Error("another seed gives the same order")
	}
}

func testEnv(fail func(Step) error) (*[]string, Env) {
	var log []string
	return &log, Env{
		Run: func(_ context.Context, s Step) (json.RawMessage, error) {
			log = append(log, fmt.Sprintf("%d %s", s.Round, s.Case.ID))
			return json.RawMessage(`{"start":{},"end":{"x":1.50},"linkperf":{"schema":1}}`), fail(s)
		},
		Met:   func(context.Context, Step) string { return "" },
		Shell: func(_ context.Context, c string) error { log = append(log, "$ "+c); return nil },
		Now:   func() time.Time { return time.Date(2026, 11, 30, 12, 0, 0, 0, time.UTC) },
	}
}

// A plan that is stopped in the middle of a run goes on with that run; one
// that was killed while it wrote loses only the torn line.
func TestResume(t *testing.T) {
	dir := filepath.Join(t.TempDir(), "out")
	p, _ := Parse("", []byte("seed: 3\nrepeat: 3\npause: 1ms\naxes:\n  parallel: [1, 2]\nbefore: [first]\nafter: [last]\n"))
	cases, err := p.Cases(someOptions, "", nil)
	if err != nil {
		t.Fatal(err)
	}
	store, err := Create(dir, p)
	if err != nil {
		t.Fatal(err)
	}
	ctx, cancel := context.WithCancel(t.Context())
	n := 0
	log, env := testEnv(func(Step) error {
		if n++; n == 4 {
			cancel()
		}
		if n == 2 {
			return errors.New("it broke")
		}
		return nil
	})
	if err := p.Run(ctx, cases, store, env); !errors.Is(err, context.Canceled) {
		t.Fatalf("stopped plan: %v", err)
	}
	store.Close()
	if first := (*log)[0]; first != "$ first" || (*log)[len(*log)-1] != "$ last" {
		t.Errorf("commands: %v", *log)
	}
	runs := filepath.Join(dir, RunsFile)
	f, err := os.OpenFile(runs, os.O_APPEND|os.O_WRONLY, 0)
	if err != nil {
		t.Fatal(err)
	}
	f.WriteString(`{"start":{},"linkperf":{"run":{"case":"paral`)
	f.Close()
	if _, err := Create(dir, p); !errors.Is(err, ErrExists) {
		t.Errorf("create again: %v", err)
	}
	store, stored, err := Resume(dir)
	if err != nil {
		t.Fatal(err)
	}
	defer store.Close()
	cases, err = stored.Cases(someOptions, "", nil)
	if err != nil {
		t.Fatal(err)
	}
	log, env = testEnv(func(Step) error { return nil })
	if err := stored.Run(t.Context(), cases, store, env); err != nil {
		t.Fatal(err)
	}
	if len(*log) != 2+4 {
		t.Errorf("after the third run three are left, and the failed one: %v", *log)
	}
	text, err := os.ReadFile(runs)
	if err != nil {
		t.Fatal(err)
	}
	lines := strings.Split(strings.TrimSuffix(string(text), "\n"), "\n")
	seen := map[string]string{}
	for i, l := range lines {
		r, ok := RecordOf([]byte(l))
		if want := []int{0, 1, 2, 1, 3, 4, 5}; !ok || i >= len(want) || r.Order != want[i] {
			t.Fatalf("line %d: %s", i+1, l)
		}
		seen[runKey(r.Case, r.Round)] = r.Status
		if !strings.HasPrefix(l, `{"start":{},"end":{"x":1.50},"linkperf":{"schema":1,"run":{"case":`) {
			t.Errorf("the document changed: %s", l)
		}
	}
	if len(lines) != 7 || len(seen) != 6 {
		t.Errorf("%d lines, %d different runs", len(lines), len(seen))
	}
	for run, status := range seen {
		if status != StatusOK {
			t.Errorf("%s: %s", run, status)
		}
	}
	if err := stored.Run(t.Context(), cases, store, env); err != nil || len(*log) != 6 {
		t.Errorf("a finished plan runs nothing: %v %v", err, *log)
	}
}

// stored makes a directory for the runs of a plan, which is closed after the
// test.
func stored(t *testing.T, text string) (*Plan, []Case, *Store) {
	t.Helper()
	p, err := Parse("", []byte(text))
	if err != nil {
		t.Fatal(err)
	}
	cases, err := p.Cases(someOptions, "", nil)
	if err != nil {
		t.Fatal(err)
	}
	store, err := Create(t.TempDir(), p)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { store.Close() })
	return p, cases, store
}

// TestStoppedCommand checks that a plan which is stopped while a command of its
// own runs was stopped, and has no failed run.
func TestStoppedCommand(t *testing.T) {
	for _, text := range []string{"before: [x]\n", "axes:\n  parallel: [{value: 1, before: [x]}]\n"} {
		p, cases, store := stored(t, text)
		stopped := errors.New("stopped")
		ctx, cancel := context.WithCancelCause(t.Context())
		log, env := testEnv(func(Step) error { return nil })
		env.Shell = func(context.Context, string) error { cancel(stopped); return errors.New("signal: killed") }
		if err := p.Run(ctx, cases, store, env); err == nil || err.Error() != "stopped" || len(*log) != 0 || store.Done(p.Schedule(cases)[0]) {
			t.Errorf("%q: %v %v", text, err, *log)
		}
	}
}

// TestForeignPlan checks that a plan which its author keeps in the directory is
// not overwritten, and that one that was stored and did not begin may be.
func TestForeignPlan(t *testing.T) {
	dir := t.TempDir()
	name := filepath.Join(dir, PlanFile)
	if err := os.WriteFile(name, []byte("# mine\n"), 0o666); err != nil {
		t.Fatal(err)
	}
	if _, err := Create(dir, &Plan{}); !errors.Is(err, ErrForeign) || !errors.Is(Vacant(dir), ErrForeign) {
		t.Errorf("got %v", err)
	}
	if text, err := os.ReadFile(name); err != nil || string(text) != "# mine\n" {
		t.Errorf("%v %q", err, text)
	}
	dir = filepath.Join(dir, "out")
	for range 2 {
		store, err := Create(dir, &Plan{})
		if err != nil {
			t.Fatal(err)
		}
		store.Close()
	}
}

// TestResumeChanged checks that a stored plan goes on only as the one that its
// runs are of; more rounds may be added.
func TestResumeChanged(t *testing.T) {
	for _, tc := range []struct{ name, from, to, want string }{
		{"more rounds", "repeat: 1", "repeat: 2", ""},
		{"another duration", "duration: 2s", "duration: 3s", "run 1 (parallel=1, round 1) was made with --parallel=1 --time=2, and the plan says --parallel=1 --time=3"},
		{"the same server by its default", "duration: 2s", "server: embedded\nduration: 2s", ""},
		{"another server", "duration: 2s", "server: 192.0.2.1\nduration: 2s", "run 1 (parallel=1, round 1) was made with the server embedded, and the plan says 192.0.2.1"},
		{"another axis", "- \"1\"", "- \"2\"", "run 1 (parallel=1, round 1) is not in the plan"},
	} {
		t.Run(tc.name, func(t *testing.T) {
			dir := t.TempDir()
			p, _ := Parse("", []byte("seed: 3\nduration: 2s\nrepeat: 1\npause: 1ms\naxes:\n  parallel: [1]\n"))
			cases, err := p.Cases(someOptions, "", nil)
			if err != nil {
				t.Fatal(err)
			}
			store, err := Create(dir, p)
			if err != nil {
				t.Fatal(err)
			}
			_, env := testEnv(func(Step) error { return nil })
			if err := errors.Join(p.Run(t.Context(), cases, store, env), store.Close()); err != nil {
				t.Fatal(err)
			}
			name := filepath.Join(dir, PlanFile)
			text, err := os.ReadFile(name)
			if err != nil {
				t.Fatal(err)
			}
			changed := strings.Replace(string(text), tc.from, tc.to, 1)
			if changed == string(text) {
				t.Fatalf("%q is not in\n%s", tc.from, text)
			}
			if err := os.WriteFile(name, []byte(changed), 0o666); err != nil {
				t.Fatal(err)
			}
			store, p, err = Resume(dir)
			if err != nil {
				t.Fatal(err)
			}
			defer store.Close()
			if cases, err = p.Cases(someOptions, "", nil); err != nil {
				t.Fatal(err)
			}
			err = store.Fits(p, cases)
			if tc.want == "" && err != nil || tc.want != "" && (!errors.Is(err, ErrChanged) || !strings.Contains(err.Error(), tc.want)) {
				t.Errorf("got %v, want %q", err, tc.want)
			}
		})
	}
}

func TestSkipAndRequire(t *testing.T) {
	p, cases, store := stored(t, "repeat: 1\naxes:\n  address: [loopback, exposed]\n")
	log, env := testEnv(func(Step) error { return nil })
	env.Met = func(_ context.Context, s Step) string {
		if s.Case.Address == "exposed" {
			return "this host has no exposed address"
		}
		return ""
	}
	var skipped []Record
	env.Observe = func(e Event) {
		if e.Kind == RunDone && e.Record.Status == StatusSkipped {
			skipped = append(skipped, e.Record)
		}
	}
	if err := p.Run(t.Context(), cases, store, env); err != nil {
		t.Fatal(err)
	}
	text, err := os.ReadFile(filepath.Join(store.Dir(), RunsFile))
	if err != nil || !strings.Contains(string(text), `{"start":{},"intervals":[],"end":{},"error":"this host has no exposed address","linkperf":{"run":`) {
		t.Errorf("a run that did not begin is a document too: %v\n%s", err, text)
	}
	if len(*log) != 1 || len(skipped) != 1 || skipped[0].Reason != "this host has no exposed address" {
		t.Errorf("ran %v, skipped %v", *log, skipped)
	}
	// What was skipped is tried again, and stored again only if that tells more.
	if err := p.Run(t.Context(), cases, store, env); err != nil || len(*log) != 1 || len(skipped) != 2 {
		t.Errorf("skipped again: %v, ran %v, skipped %v", err, *log, skipped)
	}
	if again, err := os.ReadFile(filepath.Join(store.Dir(), RunsFile)); err != nil || string(again) != string(text) {
		t.Errorf("%v\n%s", err, again)
	}
	env.Met = func(context.Context, Step) string { return "" }
	if err := p.Run(t.Context(), cases, store, env); err != nil || len(*log) != 2 || !store.Done(p.Schedule(cases)[0]) || !store.Done(p.Schedule(cases)[1]) {
		t.Errorf("no longer skipped: %v, ran %v", err, *log)
	}
}

func TestReadyPlans(t *testing.T) {
	all := clientOptions{"parallel": true, "length": true, "bitrate": true, "zerocopy": false, "udp": false}
	names, about := ReadyNames()
	for _, want := range []string{"default", "loopback", "firewall", "mtu", "thunderbolt", "udp-loss"} {
		if !slices.Contains(names, want) {
			t.Errorf("no plan %s in %v", want, names)
		}
	}
	for i, n := range names {
		source, ok := Ready(n)
		if !ok || about[i] == "" {
			t.Fatalf("%s: %v %q", n, ok, about[i])
		}
		p, err := Parse(n, source)
		if err != nil {
			t.Fatal(err)
		}
		_, err = p.Cases(all, n, source)
		if n == "mtu" { // has nothing to vary until the interface is named
			if err == nil || !strings.Contains(err.Error(), "--axis mtu=") {
				t.Errorf("mtu: %v", err)
			}
			continue
		}
		if err != nil {
			t.Error(err)
		}
	}
}

// A plan that was written and read back is the same plan.
func TestPlanRoundTrip(t *testing.T) {
	p, _ := Parse("", []byte(plan))
	p.Pause = new(Duration(0)) // none, which is not the default
	dir := t.TempDir()
	s, err := Create(dir, p)
	if err != nil {
		t.Fatal(err)
	}
	s.Close()
	s, q, err := Resume(dir)
	if err != nil {
		t.Fatal(err)
	}
	defer s.Close()
	a, err := p.Cases(someOptions, "", nil)
	if err != nil {
		t.Fatal(err)
	}
	b, err := q.Cases(someOptions, "", nil)
	if err != nil || fmt.Sprint(a) != fmt.Sprint(b) || q.Seed != 7 || q.Warmup != 1 {
		t.Errorf("%v\n%v\n%v", a, b, err)
	}
	if q.Pause == nil || *q.Pause != 0 {
		t.Errorf("the pause is %v, want 0", q.Pause)
	}
}

func FuzzParse(f *testing.F) {
	f.Add([]byte(plan))
	f.Add([]byte("axes:\n  mtu: [9000@eth0]\n"))
	f.Fuzz(func(t *testing.T, source []byte) {
		p, err := Parse("f", source)
		if err != nil || p.Repeat > 10 || len(p.Axes) > 4 {
			return
		}
		n := 1
		for _, a := range p.Axes {
			n *= max(1, len(a.Values))
		}
		if n < 1000 {
			p.Cases(someOptions, "f", source)
		}
	})
}
