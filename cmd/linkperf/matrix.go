package main

import (
	"context"
	"errors"
	"fmt"
	"io"
	"math/rand/v2"
	"os"
	"path/filepath"
	"runtime"
	"slices"
	"strings"
	"time"

	"linkperf/client/matrix"
	"linkperf/protocol"
	"linkperf/report"
	"linkperf/report/compare"
)

// defaultPlan is what linkperf matrix runs without a plan.
const defaultPlan = "default"

// runMatrix is linkperf matrix: many tests in a fair order, and what they show.
func runMatrix(ctx context.Context, args []string, _ io.Reader, stdout, stderr io.Writer) int {
	m := newMatrixCommand()
	synopsis := "matrix [PLAN.yaml | NAME] [options]\n\nWithout a plan the axes that are given, or else the plan " + defaultPlan + ". NAME is a plan\nthat comes with linkperf: " + strings.Join(planNames(), ", ") + "."
	if status, stop := parseFlags(m.flags, synopsis, args, stdout, stderr); stop {
		return status
	}
	ctx, stop := untilSignal(ctx)
	defer stop()
	err := m.fit()
	if err == nil {
		err = m.run(ctx, stdout, stderr)
	}
	var interrupted *report.SignalError
	if errors.As(err, &interrupted) {
		fmt.Fprintf(stderr, "linkperf matrix: stopped by signal %s\n", interrupted)
		m.tellWhatIsLeft(stderr)
		return 0
	}
	status := complainOf(err, "matrix", stderr)
	if errors.Is(err, matrix.ErrUnreachable) {
		m.tellWhatIsLeft(stderr)
	}
	return status
}

// tellWhatIsLeft names the command that goes on with a plan that was begun.
func (m *matrixCommand) tellWhatIsLeft(stderr io.Writer) {
	if m.begun != "" {
		fmt.Fprintf(stderr, "What is left: linkperf matrix --resume %s%s\n", m.begun, m.changeFlags())
	}
}

func (m *matrixCommand) run(ctx context.Context, stdout, stderr io.Writer) error {
	switch {
	case m.list:
		return listPlans(stdout)
	case m.restore:
		return m.restoreSystem(ctx, stderr)
	case m.resume != "":
		return m.resumePlan(ctx, stdout, stderr)
	}
	plan, file, source, err := m.load()
	if err != nil {
		return err
	}
	if m.show { // also a plan that lacks something yet
		if source == nil { // options have changed it
			if source, err = plan.Marshal(); err != nil {
				return err
			}
		}
		_, err := stdout.Write(source)
		return err
	}
	cases, err := plan.Cases(clientOptions{}, file, source)
	if err != nil {
		return err
	}
	if err := ownAddresses(ctx, plan, cases); err != nil {
		return err
	}
	if plan.Seed == 0 {
		plan.Seed = rand.Uint64N(1<<53-1) + 1 // survives a trip through JSON numbers
	}
	if m.dryRun {
		return m.rehearse(ctx, stdout, plan, cases)
	}
	if err := m.mayChange(cases); err != nil {
		return err
	}
	dir := m.output
	if dir == "" {
		dir = "linkperf-" + time.Now().Format("20060102-150405")
	}
	if err := matrix.Vacant(dir); err != nil {
		return err
	}
	around, err := m.surroundings(ctx, plan, cases, stderr)
	if err != nil {
		return err // nothing was begun, and no directory is left behind
	}
	plan.Versions = map[string]string{"linkperf": version(), "protocol": protocol.Version, "go": runtime.Version(), "system": runtime.GOOS + "/" + runtime.GOARCH}
	store, err := matrix.Create(dir, plan)
	if err != nil {
		return errors.Join(err, around.done())
	}
	defer store.Close()
	m.begun = dir
	return around.execute(ctx, plan, cases, store, stdout)
}

func listPlans(w io.Writer) error {
	names, about := matrix.ReadyNames()
	for i, n := range names {
		if _, err := fmt.Fprintf(w, "%-12s %s\n", n, about[i]); err != nil {
			return err
		}
	}
	return nil
}

func orAll(id string) string {
	if id == "" {
		return "(no axes)"
	}
	return id
}

// roughly rounds a time for people.
func roughly(d time.Duration) string {
	switch {
	case d >= time.Hour:
		return d.Round(time.Minute).String()
	case d >= time.Minute:
		return d.Round(5 * time.Second).String()
	}
	return d.Round(time.Second).String()
}

func (m *matrixCommand) resumePlan(ctx context.Context, stdout, stderr io.Writer) error {
	store, plan, err := matrix.Resume(m.resume)
	if err != nil {
		return err
	}
	defer store.Close()
	cases, err := plan.Cases(clientOptions{}, filepath.Join(m.resume, matrix.PlanFile), nil)
	if err != nil {
		return err
	}
	if err := store.Fits(plan, cases); err != nil {
		return err
	}
	m.begun = m.resume
	around, err := m.surroundings(ctx, plan, cases, stderr)
	if err != nil {
		return err
	}
	return around.execute(ctx, plan, cases, store, stdout)
}

// execute runs what is left of the plan, and then writes the report of all
// that was stored, also of a plan that was stopped.
func (s *surroundings) execute(ctx context.Context, plan *matrix.Plan, cases []matrix.Case, store *matrix.Store, stdout io.Writer) error {
	err := plan.Run(ctx, cases, store, s.env)
	s.show.finish()
	err = unlessUndone(err, s.done())
	return errors.Join(err, writeReport(store.Dir(), stdout))
}

// unlessUndone returns how a plan ended. A change of the system that could not
// be undone, or a server that failed, is an error whatever ended the plan: it
// does not hide behind a signal.
func unlessUndone(ended, undo error) error {
	if ended == nil || undo == nil {
		return errors.Join(ended, undo)
	}
	return fmt.Errorf("%w (after: %v)", undo, ended)
}

// writeReport derives everything from the stored runs and prints the tables.
func writeReport(dir string, stdout io.Writer) error {
	set, err := report.LoadSet(dir)
	if err != nil && len(set.Runs) == 0 {
		return err
	}
	a := report.Analyse(set, compare.Options{})
	page := filepath.Join(dir, "report.html")
	err = errors.Join(err, a.WriteText(stdout), writeCSVFiles(dir, a))
	if failed := writeFile(page, func(w io.Writer) error { return a.WriteHTML(w, planTitle(set)) }); failed != nil {
		err = errors.Join(err, failed)
	} else {
		err = errors.Join(err, printf(stdout, "\nPage: %s\n", page))
	}
	return errors.Join(err, anyMeasured(set))
}

// anyMeasured is an error if no run counts: some may fail, but tests without any
// result have not done what they were asked for.
func anyMeasured(set *report.Set) error {
	if slices.ContainsFunc(set.Runs, func(r report.StoredRun) bool { return r.Counted() }) {
		return nil
	}
	return noResult(len(set.Runs))
}

func noResult(runs int) error {
	if runs == 1 {
		return errors.New("the only run gave no result")
	}
	return fmt.Errorf("none of %d runs gave a result", runs)
}

// planTitle is the name that a stored plan has.
func planTitle(set *report.Set) string {
	if p, err := matrix.Parse("", set.Plan); err == nil && p.Name != "" {
		return "linkperf: " + p.Name
	}
	return "linkperf: " + set.Name
}

func writeCSVFiles(dir string, a *report.Analysis) error {
	return errors.Join(
		writeFile(filepath.Join(dir, "runs.csv"), a.Set.WriteRunsCSV),
		writeFile(filepath.Join(dir, "intervals.csv"), a.Set.WriteIntervalsCSV),
		writeFile(filepath.Join(dir, "compare.csv"), func(w io.Writer) error { return report.WriteCompareCSV(w, a.Verdicts) }))
}

func writeFile(name string, write func(io.Writer) error) error {
	f, err := os.Create(name)
	if err != nil {
		return err
	}
	return errors.Join(write(f), f.Close())
}

func printf(w io.Writer, format string, args ...any) error {
	_, err := fmt.Fprintf(w, format, args...)
	return err
}
