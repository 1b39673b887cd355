package main

import (
	"fmt"
	"io"
	"os"
	"strings"
	"sync"
	"time"

	"golang.org/x/term"

	"linkperf/client/matrix"
	"linkperf/protocol/measure"
	"linkperf/report"
	"linkperf/sysinfo"
)

// A progress tells how a plan gets on: a line for each finished run, and on a
// terminal the rate while a run lasts.
type progress struct {
	w        io.Writer
	terminal bool
	quiet    bool

	mu      sync.Mutex
	step    matrix.Event
	started time.Time // of the first run
	ran     int       // runs finished since then
	width   int       // of the live line that stands on the terminal
}

func newProgress(w io.Writer, quiet bool) *progress {
	return &progress{w: w, quiet: quiet, terminal: isTerminal(w)}
}

// isTerminal reports whether what is written to w is seen on a terminal.
func isTerminal(w io.Writer) bool {
	if d, ok := w.(*deaf); ok {
		w = d.w
	}
	f, ok := w.(*os.File)
	return ok && term.IsTerminal(int(f.Fd()))
}

// event is the matrix's observer.
func (p *progress) event(e matrix.Event) {
	p.mu.Lock()
	defer p.mu.Unlock()
	if e.Kind == matrix.RunStart {
		if p.started.IsZero() {
			p.started = time.Now()
		}
		p.step = e
		p.draw("…")
		return
	}
	p.ran++
	if p.quiet {
		return
	}
	p.erase()
	fmt.Fprintf(p.w, "[%d/%d] %-16s %s%s%s\n", e.Total-e.Left+1, e.Total, outcome(e), roundOf(e.Step), orAll(e.Step.Case.ID), p.remaining(e.Left-1))
}

func roundOf(s matrix.Step) string {
	if s.Warmup {
		return "warm-up  "
	}
	return fmt.Sprintf("round %d  ", s.Round)
}

// outcome is a finished run in one word or figure.
func outcome(e matrix.Event) string {
	switch e.Record.Status {
	case matrix.StatusSkipped:
		return "skipped: " + sysinfo.Printable(e.Record.Reason) + " "
	case matrix.StatusFailed:
		return "failed: " + sysinfo.Printable(e.Record.Reason) + " "
	}
	docs, _ := report.Read(strings.NewReader(string(e.Result)))
	rates := []string{}
	for _, d := range docs {
		for _, toServer := range d.Directions() {
			if v, ok := d.Received(toServer); ok {
				rates = append(rates, bitRate(v))
			}
		}
	}
	return strings.Join(rates, " + ")
}

// remaining estimates the time left from the runs so far.
func (p *progress) remaining(left int) string {
	if left == 0 || p.ran == 0 {
		return ""
	}
	return fmt.Sprintf("  (%s left)", roughly(time.Since(p.started)/time.Duration(p.ran)*time.Duration(left)))
}

func (p *progress) draw(rate string) {
	if !p.terminal || p.quiet {
		return
	}
	p.erase()
	line := fmt.Sprintf("[%d/%d] %-16s %s%s", p.step.Total-p.step.Left+1, p.step.Total, rate, roundOf(p.step.Step), orAll(p.step.Step.Case.ID))
	if columns, _, err := term.GetSize(int(os.Stderr.Fd())); err == nil && len(line) >= columns {
		line = line[:max(0, columns-1)]
	}
	fmt.Fprint(p.w, line)
	p.width = len(line)
}

func (p *progress) erase() {
	if p.width > 0 {
		fmt.Fprintf(p.w, "\r%s\r", strings.Repeat(" ", p.width))
		p.width = 0
	}
}

// finish leaves the terminal's line empty.
func (p *progress) finish() {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.erase()
}

// live follows one run; nil where nobody watches.
func (p *progress) live() measure.Sink {
	if !p.terminal || p.quiet {
		return nil
	}
	return &liveRate{show: func(rate string) {
		p.mu.Lock()
		defer p.mu.Unlock()
		p.draw(rate)
	}}
}

// liveRate is a sink that shows the rate of each interval.
type liveRate struct{ show func(rate string) }

// Connect implements [measure.Sink].
func (*liveRate) Connect(*measure.Start) error { return nil }

// Start implements [measure.Sink].
func (*liveRate) Start(*measure.Start) error { return nil }

// Interval implements [measure.Sink].
func (l *liveRate) Interval(iv *measure.Interval) error {
	var parts []string
	for _, sender := range []bool{true, false} {
		if sum, ok := iv.Sum(sender); ok {
			parts = append(parts, bitRate(sum.BitsPerSecond()))
		}
	}
	l.show(strings.Join(parts, " + "))
	return nil
}

// End implements [measure.Sink].
func (*liveRate) End(*measure.Result, error) error { return nil }
