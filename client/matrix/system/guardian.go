package system

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os/exec"
	"time"
)

// A request is what the program asks of its guardian, one JSON value each.
type request struct {
	Prepare *Wanted `json:",omitempty"`
	Apply   *Values `json:",omitempty"`
	Restore bool    `json:",omitempty"` // the last one
}

// A reply is the guardian's answer.
type reply struct {
	Lines []string `json:",omitempty"`
	Error string   `json:",omitempty"`
}

// Serve is a guardian: it does what it reads from r and answers on w until it
// is asked to restore, or until r ends. Then it restores what is still changed.
// It returns what it has restored unasked.
//
// The process it runs in must outlive the program that asks: it should ignore
// the signals of a terminal and be in a session of its own.
func Serve(ctx context.Context, c Config, r io.Reader, w io.Writer) (restored []string, err error) {
	var open *changes
	defer func() {
		if open != nil {
			err = errors.Join(err, open.close())
		}
	}()
	from, to := json.NewDecoder(r), json.NewEncoder(w)
	for {
		var q request
		if err := from.Decode(&q); err != nil {
			if open == nil {
				return nil, nil
			}
			return open.restore(ctx)
		}
		var lines []string
		var err error
		switch {
		case q.Prepare != nil && open == nil:
			open, lines, err = c.prepared(ctx, *q.Prepare)
		case q.Restore && open == nil: // nothing was changed
		case open == nil:
			err = errors.New("nothing was prepared")
		case q.Apply != nil:
			err = open.apply(ctx, *q.Apply)
		case q.Restore:
			lines, err = open.restore(ctx)
			err = errors.Join(err, open.close())
			open = nil
		}
		answer := reply{Lines: lines}
		if err != nil {
			answer.Error = err.Error()
		}
		// Nobody may be there to read it: then the next request is the end.
		_ = to.Encode(answer)
	}
}

// prepared opens the journal for a plan whose changes are possible.
func (c Config) prepared(ctx context.Context, w Wanted) (*changes, []string, error) {
	if err := c.allowed(); err != nil {
		return nil, nil, err
	}
	open, err := c.open(ctx, 0)
	if err != nil {
		return nil, nil, err
	}
	lines, err := open.prepare(ctx, w)
	if err != nil {
		return nil, nil, errors.Join(err, open.close())
	}
	return open, lines, nil
}

// Guardian is the program's side of a guardian process.
type Guardian struct {
	config  Config
	process *exec.Cmd
	in      io.WriteCloser
	to      *json.Encoder
	from    *json.Decoder
}

// errGone is the cause where a guardian has ended unasked.
var errGone = errors.New("the process that guards the system's settings has ended")

// Start starts a guardian: process must be a command that runs [Serve] with the
// same configuration on its standard input and output. [Guardian.Close] must be
// called at the end.
func Start(process *exec.Cmd, c Config) (*Guardian, error) {
	in, err := process.StdinPipe()
	if err != nil {
		return nil, fmt.Errorf("start a guardian: %w", err)
	}
	out, err := process.StdoutPipe()
	if err != nil {
		return nil, fmt.Errorf("start a guardian: %w", err)
	}
	if err := process.Start(); err != nil {
		return nil, fmt.Errorf("start a guardian: %w", err)
	}
	return &Guardian{config: c, process: process, in: in, to: json.NewEncoder(in), from: json.NewDecoder(out)}, nil
}

// Prepare says in words what the changes that a plan wants will do, after
// making sure that they can be made and undone. Nothing is changed yet.
func (g *Guardian) Prepare(w Wanted) (announcement []string, err error) {
	return g.ask(request{Prepare: &w})
}

// Apply makes the system have the values. What has them already is left alone.
// It returns when they are in force, or could not be brought about; it cannot
// be interrupted.
func (g *Guardian) Apply(v Values) error {
	_, err := g.ask(request{Apply: &v})
	return err
}

// takeover is how long a command of a guardian that was killed is waited for.
const takeover = commandTime + 10*time.Second

// Close restores everything, returns what was restored, and ends the guardian.
// If the guardian is gone it restores by itself.
func (g *Guardian) Close(ctx context.Context) (restored []string, err error) {
	restored, err = g.ask(request{Restore: true})
	g.in.Close()
	waitErr := g.process.Wait()
	if errors.Is(err, errGone) {
		return g.config.Restore(context.WithoutCancel(ctx), takeover)
	}
	if waitErr != nil {
		err = errors.Join(err, fmt.Errorf("%w: %w", errGone, waitErr))
	}
	return restored, err
}

func (g *Guardian) ask(q request) ([]string, error) {
	if err := g.to.Encode(q); err != nil {
		return nil, errors.Join(errGone, err)
	}
	var a reply
	if err := g.from.Decode(&a); err != nil {
		return nil, errors.Join(errGone, err)
	}
	if a.Error != "" {
		return a.Lines, errors.New(a.Error)
	}
	return a.Lines, nil
}
