package main

import (
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"github.com/spf13/pflag"

	"linkperf/client/matrix"
)

// A matrixCommand is the command line of linkperf matrix.
type matrixCommand struct {
	flags *pflag.FlagSet

	output, resume     string
	list, show, dryRun bool
	change, restore    bool
	journal            string
	quiet              bool

	duration, omit, pause, timeout             string
	axes, include, exclude, before, after, req []string
	plan                                       matrix.Plan // what single flags set

	begun string // the directory in which runs are stored, once there is one
}

func newMatrixCommand() *matrixCommand {
	m := &matrixCommand{flags: pflag.NewFlagSet("linkperf matrix", pflag.ContinueOnError)}
	f := m.flags
	f.StringVarP(&m.output, "output", "o", "", "`DIR` where the runs and the report are stored (linkperf-DATE-TIME)")
	f.StringVar(&m.resume, "resume", "", "`DIR` go on with the plan stored there: with runs that are missing,\nfailed or were skipped")
	f.BoolVar(&m.list, "list", false, "list the plans that come with linkperf")
	f.BoolVar(&m.show, "show", false, "print the plan and stop")
	f.BoolVar(&m.dryRun, "dry-run", false, "print the runs in their order, the time they will take and what\nthey will change of the system, and stop")
	f.BoolVarP(&m.quiet, "quiet", "q", false, "no progress, only the report")
	f.BoolVar(&m.change, "allow-system-changes", false, "let the axes firewall and mtu change this system; every change is undone")
	f.BoolVar(&m.restore, "restore", false, "undo the changes that a plan which was cut off has left, and stop")
	f.StringVar(&m.journal, "journal", "", "`FILE` where the state before changes is kept")
	f.StringVar(&m.plan.Server, "server", "", "`HOST[:PORT]` a linkperf or iperf3 server, or embedded (embedded)")
	f.StringVar(&m.duration, "duration", "", "`TIME` length of each test, whole seconds (1s)")
	f.StringVar(&m.omit, "omit", "", "`TIME` part at the start of each test that does not count, whole seconds (0)")
	f.Var(&wholeNumber{&m.plan.Repeat, 1, 10000}, "repeat", "`COUNT` rounds: how often each case is run, 1 to 10000 (8)")
	f.Var(&wholeNumber{&m.plan.Warmup, 0, 100}, "warmup", "`COUNT` rounds before these that do not count, 0 to 100 (0)")
	f.StringVar(&m.pause, "pause", "", "`TIME` pause between two runs (200ms)")
	f.StringVar(&m.timeout, "timeout", "", "`TIME` how much longer than its duration a run may take (30s)")
	f.StringVar(&m.plan.Order, "order", "", "`ORDER` interleaved, the cases of a round in random order, or\nas-written (interleaved)")
	f.Uint64Var(&m.plan.Seed, "seed", 0, "`NUMBER` what the random order is made from (drawn)")
	f.StringArrayVar(&m.axes, "axis", nil, "`NAME=VALUE,...` vary a client option, or address, direction, firewall,\nmtu; may be repeated")
	f.StringArrayVar(&m.include, "include", nil, "`NAME=VALUE,...` a case to add; may be repeated")
	f.StringArrayVar(&m.exclude, "exclude", nil, "`NAME=VALUE,...` cases to leave out; may be repeated")
	f.StringArrayVar(&m.before, "before", nil, "`COMMAND` run it before the first run; may be repeated")
	f.StringArrayVar(&m.after, "after", nil, "`COMMAND` run it after the last run; may be repeated")
	f.StringArrayVar(&m.req, "require", nil, "`FACT=VALUE` skip cases where this does not hold, such as path.kind=thunderbolt; may be repeated")
	return m
}

// changeable are the keys of a stored plan that say nothing of the runs made so
// far.
var changeable = []string{"repeat", "pause", "timeout", "before", "after"}

// fit checks that the options go together: a plan that goes on, or none at all,
// cannot be changed.
func (m *matrixCommand) fit() error {
	if m.flags.NArg() > 1 {
		return fmt.Errorf("one plan at most: %q", m.flags.Args())
	}
	if err := filled(m.flags); err != nil {
		return err
	}
	for whole, beside := range map[string][]string{
		"list": nil, "restore": {"journal"}, "resume": {"quiet", "allow-system-changes", "journal"},
	} {
		if !m.flags.Changed(whole) {
			continue
		}
		if m.flags.NArg() > 0 {
			return fmt.Errorf("--%s takes no plan: %q", whole, m.flags.Args())
		}
		var err error
		m.flags.Visit(func(f *pflag.Flag) {
			switch {
			case f.Name == whole || slices.Contains(beside, f.Name):
			case whole == "resume" && slices.Contains(changeable, f.Name):
				err = fmt.Errorf("--resume and --%s do not go together: change %s in %s", f.Name, f.Name, filepath.Join(m.resume, matrix.PlanFile))
			default:
				err = exclusive(m.flags, whole, f.Name)
			}
		})
		if err != nil {
			return err
		}
	}
	return nil
}

// load reads the plan that the command line names and puts the flags over it.
func (m *matrixCommand) load() (plan *matrix.Plan, file string, source []byte, err error) {
	name := m.flags.Arg(0)
	switch {
	case name == "" && len(m.axes)+len(m.include) > 0:
		// The command line is the plan.
	case name == "":
		name = defaultPlan
		fallthrough
	default:
		var ready bool
		if source, ready = matrix.Ready(name); !ready {
			if source, err = readPlan(name); err != nil {
				return nil, "", nil, err
			}
			file = name
		} else {
			file = "plan " + name
		}
	}
	if plan, err = matrix.Parse(file, source); err != nil {
		return nil, "", nil, err
	}
	if _, _, err := splitServer(plan.Server); err != nil {
		return nil, "", nil, matrix.Fault(file, source, "$.server", err.Error())
	}
	if err := plan.IdleExclude(file, source); err != nil {
		return nil, "", nil, err
	}
	if plan.Name == "" && name != "" {
		plan.Name = strings.TrimSuffix(filepath.Base(name), filepath.Ext(name))
	}
	changed, err := m.override(plan)
	if changed {
		source = nil // places in the file no longer fit what is run
	}
	return plan, file, source, err
}

// largestPlan is far above what a plan needs.
const largestPlan = 1 << 20

// readPlan reads a plan's file.
func readPlan(name string) ([]byte, error) {
	f, err := os.Open(name)
	switch {
	case errors.Is(err, fs.ErrNotExist):
		return nil, fmt.Errorf("no plan %q%s: neither a file nor one of %s", name, matrix.DidYouMean(name, planNames()), strings.Join(planNames(), ", "))
	case err != nil:
		return nil, fmt.Errorf("read the plan: %w", err)
	}
	defer f.Close()
	info, err := f.Stat()
	switch {
	case err != nil:
		return nil, fmt.Errorf("read the plan: %w", err)
	case info.IsDir():
		return nil, fmt.Errorf("%q is a directory and no plan; --resume %s goes on with one that is stored there", name, name)
	}
	source, err := io.ReadAll(io.LimitReader(f, largestPlan+1))
	switch {
	case err != nil:
		return nil, fmt.Errorf("read the plan: %w", err)
	case len(source) > largestPlan:
		return nil, fmt.Errorf("%s is no plan: it has more than 1 MiB", name)
	}
	return source, nil
}

func planNames() []string {
	names, _ := matrix.ReadyNames()
	return names
}

// override puts what the flags say into the plan, and reports whether they
// said anything.
func (m *matrixCommand) override(p *matrix.Plan) (changed bool, err error) {
	var pause matrix.Duration
	for flag, to := range map[string]*matrix.Duration{"duration": &p.Duration, "omit": &p.Omit, "pause": &pause, "timeout": &p.Timeout} {
		if !m.flags.Changed(flag) {
			continue
		}
		d, err := matrix.ParseDuration(m.flags.Lookup(flag).Value.String())
		if err != nil {
			return false, fmt.Errorf("--%s: %w", flag, err)
		}
		*to, changed = matrix.Duration(d), true
	}
	for _, f := range []struct {
		name    string
		zero    bool
		allowed string
	}{{"duration", p.Duration == 0, "1s to 24h"}, {"timeout", p.Timeout == 0, "1s to 24h"}, {"seed", m.plan.Seed == 0, "1 to 2^64-1"}} {
		if f.zero && m.flags.Changed(f.name) {
			return false, fmt.Errorf("--%s is 0; allowed is %s", f.name, f.allowed)
		}
	}
	set := func(flag string, do func()) {
		if m.flags.Changed(flag) {
			do()
			changed = true
		}
	}
	if _, _, err := splitServer(m.plan.Server); err != nil {
		return false, fmt.Errorf("--%w", err)
	}
	set("pause", func() { p.Pause = &pause })
	set("server", func() { p.Server = m.plan.Server })
	set("repeat", func() { p.Repeat = m.plan.Repeat })
	set("warmup", func() { p.Warmup = m.plan.Warmup })
	set("order", func() { p.Order = m.plan.Order })
	set("seed", func() { p.Seed = m.plan.Seed })
	set("before", func() { p.Before = m.before })
	set("after", func() { p.After = m.after })
	twice := map[string]bool{}
	for _, a := range m.axes {
		name, values, ok := strings.Cut(a, "=")
		if !ok || name == "" || values == "" {
			return false, fmt.Errorf("--axis %q; allowed is NAME=VALUE,VALUE,…", a)
		}
		if twice[name] {
			return false, fmt.Errorf("--axis %s is given twice; all its values belong into one: --axis %s=VALUE,VALUE,…", name, name)
		}
		twice[name] = true
		axis := matrix.Axis{Name: name}
		for _, v := range strings.Split(values, ",") {
			axis.Values = append(axis.Values, matrix.Value{Value: strings.TrimSpace(v)})
		}
		replaced := false
		for i := range p.Axes {
			if p.Axes[i].Name == name {
				p.Axes[i], replaced = axis, true
			}
		}
		if !replaced {
			p.Axes = append(p.Axes, axis)
		}
		changed = true
	}
	for flag, lists := range map[string]struct {
		from []string
		to   *[]matrix.Labels
	}{"include": {m.include, &p.Include}, "exclude": {m.exclude, &p.Exclude}} {
		for _, text := range lists.from {
			l, err := labels(text)
			if err != nil {
				return false, fmt.Errorf("--%s: %w", flag, err)
			}
			*lists.to, changed = append(*lists.to, l), true
		}
	}
	// Entries of the file may be idle where options have taken values away.
	added := matrix.Plan{Axes: p.Axes, Exclude: p.Exclude[len(p.Exclude)-len(m.exclude):]}
	if err := added.IdleExclude("", nil); err != nil {
		return false, fmt.Errorf("--%w", err)
	}
	required := map[string]bool{}
	for _, text := range m.req {
		l, err := labels(text)
		if err != nil {
			return false, fmt.Errorf("--require: %w", err)
		}
		if p.Require == nil {
			p.Require = map[string]string{}
		}
		for k, v := range l {
			if required[k] {
				return false, fmt.Errorf("--require: %s is given twice", k)
			}
			p.Require[k], required[k] = v, true
		}
		changed = true
	}
	return changed, nil
}

// labels reads "parallel=4,direction=reverse".
func labels(text string) (matrix.Labels, error) {
	l := matrix.Labels{}
	for _, part := range strings.Split(text, ",") {
		name, value, ok := strings.Cut(part, "=")
		name, value = strings.TrimSpace(name), strings.TrimSpace(value)
		if !ok || name == "" {
			return nil, fmt.Errorf("%q; allowed is NAME=VALUE,NAME=VALUE,…", text)
		}
		if _, twice := l[name]; twice {
			return nil, fmt.Errorf("%q: %s is given twice", text, name)
		}
		l[name] = value
	}
	return l, nil
}
