package matrix

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"math"
	"strconv"
	"time"
)

// Env is what a plan needs from its surroundings.
type Env struct {
	// Run makes one test and returns its document, also when it failed. The
	// context ends when the run takes too long or the plan is stopped. An
	// [UnreachedError] says that there was no connection.
	Run func(ctx context.Context, s Step) (json.RawMessage, error)
	// Met reports why a case cannot run here (a fact that the plan requires
	// does not hold, an address that this host does not have); "" if it can.
	Met func(ctx context.Context, s Step) (reason string)
	// Shell runs a command of the plan.
	Shell func(ctx context.Context, command string) error
	// Change switches the system to what a case needs (firewall, MTU) before
	// the run; nil if the plan has no such axis.
	Change func(ctx context.Context, c Case) error
	// Observe is told about every event; may be nil.
	Observe func(Event)
	// Now is the clock of the records.
	Now func() time.Time
}

// Event is one thing that happened while a plan runs.
type Event struct {
	Kind   EventKind
	Step   Step
	Record Record          // RunDone only
	Result json.RawMessage // RunDone only: the document
	Left   int             // runs still to do, this one included
	Total  int
	Err    error // of a run that failed
}

// EventKind is the kind of an [Event].
type EventKind int

// The kinds.
const (
	RunStart EventKind = iota
	RunDone
)

// Run works through the schedule and stores every finished run. Runs of which
// the store holds a result are not repeated; those that failed or were skipped
// are. A run that fails is recorded and the rest goes on, unless no run at all
// reaches the server ([ErrUnreachable]); any other error is that of the
// surroundings (the store, the plan's commands, a change of the system) or of
// the context.
func (p *Plan) Run(ctx context.Context, cases []Case, store *Store, env Env) (err error) {
	d := p.withDefaults()
	var todo []Step
	schedule := p.Schedule(cases)
	for _, s := range schedule {
		if !store.Done(s) {
			todo = append(todo, s)
		}
	}
	if len(todo) == 0 {
		return nil
	}
	defer func() { // the plan's last commands run whatever happened
		err = errors.Join(err, shell(context.WithoutCancel(ctx), env, d.After))
	}()
	if err := shell(ctx, env, d.Before); err != nil {
		return err
	}
	tried := newAttempts(todo)
	for i, s := range todo {
		if i > 0 {
			if err := tried.hopeless(); err != nil {
				return err
			}
			if err := wait(ctx, time.Duration(*d.Pause)); err != nil {
				return err
			}
		}
		if err := p.step(ctx, s, store, env, tried, len(todo)-i, len(schedule)); err != nil {
			return err
		}
	}
	return nil
}

// step makes one run and stores it.
func (p *Plan) step(ctx context.Context, s Step, store *Store, env Env, tried *attempts, left, total int) error {
	d := p.withDefaults()
	observe := env.Observe
	if observe == nil {
		observe = func(Event) {}
	}
	observe(Event{Kind: RunStart, Step: s, Left: left, Total: total})
	r := Record{Case: s.Case.ID, Labels: s.Case.Labels, Args: s.Case.Args, Server: d.Server, Round: s.Round, Order: s.Order, Warmup: s.Warmup,
		Interleaved: d.Order == Interleaved, Start: env.Now().UTC(), Status: StatusOK}
	doc, runErr := json.RawMessage(nil), error(nil)
	if reason := env.Met(ctx, s); reason != "" {
		r.Status, r.Reason = StatusSkipped, reason
	} else {
		if env.Change != nil {
			if err := env.Change(ctx, s.Case); err != nil {
				return fmt.Errorf("prepare the system for %s: %w", s.Case.ID, err)
			}
		}
		runErr = shell(ctx, env, s.Case.Before)
		if runErr == nil {
			limit, cancel := context.WithTimeoutCause(ctx, d.length(s.Case)+time.Duration(d.Timeout), errTimeout)
			doc, runErr = env.Run(limit, s)
			cancel()
		}
		runErr = errors.Join(runErr, shell(context.WithoutCancel(ctx), env, s.Case.After))
		if ctx.Err() != nil {
			return context.Cause(ctx) // stopped: an unfinished run is no run
		}
		if runErr != nil {
			r.Status, r.Reason = StatusFailed, runErr.Error()
		}
	}
	if len(doc) == 0 { // nothing ran: a document all the same, so that every line is one
		text, err := json.Marshal(noDocument{Intervals: []int{}, Error: r.Reason})
		if err != nil {
			return err
		}
		doc = text
	}
	if old := store.last(s); r.Status != StatusSkipped || old.Status != StatusSkipped || old.Reason != r.Reason { // else it stands there
		if err := store.Append(doc, r); err != nil {
			return err
		}
	}
	tried.add(s, r.Status, runErr)
	observe(Event{Kind: RunDone, Step: s, Record: r, Result: doc, Left: left, Total: total, Err: runErr})
	return nil
}

// length returns how long a case's test lasts by itself: as the plan says, or as
// the case does in whole seconds where that is one of the axes.
func (p *Plan) length(c Case) time.Duration {
	part := func(axis string, plan Duration) time.Duration {
		if s, err := strconv.Atoi(c.Labels[axis]); err == nil {
			return time.Duration(s) * time.Second
		}
		return time.Duration(plan)
	}
	return part("time", p.Duration) + part("omit", p.Omit)
}

// noDocument is iperf3's document of a test that did not begin.
type noDocument struct {
	Start     struct{} `json:"start"`
	Intervals []int    `json:"intervals"`
	End       struct{} `json:"end"`
	Error     string   `json:"error"`
}

var errTimeout = errors.New("the run took longer than its duration and timeout")

func shell(ctx context.Context, env Env, commands []string) error {
	for _, c := range commands {
		if err := env.Shell(ctx, c); ctx.Err() != nil {
			return context.Cause(ctx) // stopped, whatever the command made of it
		} else if err != nil {
			return fmt.Errorf("command %q: %w", c, err)
		}
	}
	return nil
}

func wait(ctx context.Context, d time.Duration) error {
	t := time.NewTimer(d)
	defer t.Stop()
	select {
	case <-ctx.Done():
		return context.Cause(ctx)
	case <-t.C:
		return nil
	}
}

// setUp is what a run takes besides its test.
const setUp = 300 * time.Millisecond

// Estimate is how long the runs will take: their tests, omitted parts and
// pauses, and 300 ms of set-up each. What ends after an amount of data counts as
// long as the plan's tests.
func (p *Plan) Estimate(steps []Step) time.Duration {
	d := p.withDefaults()
	var all time.Duration
	for _, s := range steps {
		one := d.length(s.Case) + time.Duration(*d.Pause) + setUp
		if all > math.MaxInt64-one {
			return math.MaxInt64
		}
		all += one
	}
	return all
}
