package main

import (
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"os/exec"
	"os/signal"
	"path/filepath"
	"runtime"
	"slices"
	"strings"
	"syscall"
	"time"

	"linkperf/client/matrix"
	"linkperf/client/matrix/system"
)

// stateDirectory is where this system keeps what programs must know after it
// was switched off.
func stateDirectory() string {
	switch runtime.GOOS {
	case "windows":
		return filepath.Join(os.Getenv("ProgramData"), "linkperf")
	case "darwin":
		return "/Library/Application Support/linkperf"
	}
	return "/var/lib/linkperf"
}

// systemConfig is where changes of the system are written down.
func (m *matrixCommand) systemConfig() (system.Config, error) {
	c := system.Config{
		Journal: filepath.Join(stateDirectory(), "system-changes.jsonl"),
		Lock:    filepath.Join(stateDirectory(), "system-changes.lock"),
	}
	if m.journal == "" {
		return c, nil
	}
	var err error
	c.Journal, err = filepath.Abs(m.journal)
	return c, err
}

// wanted is what the cases ask of the system.
func wanted(cases []matrix.Case) (w system.Wanted, any bool, err error) {
	w.MTU = map[string][]int{}
	for _, c := range cases {
		v, err := valuesOf(c)
		if err != nil {
			return w, false, err
		}
		if v.Firewall != "" && !slices.Contains(w.Firewall, v.Firewall) {
			w.Firewall = append(w.Firewall, v.Firewall)
		}
		if v.Device != "" && !slices.Contains(w.MTU[v.Device], v.MTU) {
			w.MTU[v.Device] = append(w.MTU[v.Device], v.MTU)
		}
	}
	return w, len(w.Firewall)+len(w.MTU) > 0, nil
}

func valuesOf(c matrix.Case) (v system.Values, err error) {
	v.Firewall = c.Firewall
	if c.MTU != "" {
		v.MTU, v.Device, err = matrix.ParseMTU(c.MTU)
	}
	return v, err
}

// mayChange is an error if the cases need changes of the system that are not
// allowed, before anything is begun.
func (m *matrixCommand) mayChange(cases []matrix.Case) error {
	_, any, err := wanted(cases)
	switch {
	case err != nil || !any:
		return err
	case !m.change:
		return errors.New("the axes firewall and mtu change this system: that needs --allow-system-changes")
	}
	return system.CheckPrivileges()
}

// systemChanges prepares what the axes firewall and mtu need. change is nil
// for a plan without them; undo restores everything.
func (m *matrixCommand) systemChanges(ctx context.Context, cases []matrix.Case, stderr io.Writer) (change func(context.Context, matrix.Case) error, undo func() error, err error) {
	undo = func() error { return nil }
	w, any, err := wanted(cases)
	if err != nil || !any {
		return nil, undo, err
	}
	if err := m.mayChange(cases); err != nil {
		return nil, undo, err
	}
	guardian, announcement, err := m.startGuardian(ctx, w)
	if err != nil {
		return nil, undo, err
	}
	if len(announcement) > 0 {
		fmt.Fprintf(stderr, "This plan changes the system:\n  %s\nThe state before is kept in %s and restored at the end. If the computer is switched off before: linkperf matrix --restore%s\n",
			strings.Join(announcement, "\n  "), guardian.journal, m.journalFlag(guardian.journal))
	}
	change = func(_ context.Context, c matrix.Case) error {
		v, err := valuesOf(c)
		if err != nil {
			return err
		}
		return guardian.Apply(v)
	}
	undo = func() error {
		restored, err := guardian.Close(ctx)
		tellRestored(stderr, restored)
		return err
	}
	return change, undo, nil
}

// changeFlags are what must be added to --resume.
func (m *matrixCommand) changeFlags() string {
	if !m.change {
		return ""
	}
	return " --allow-system-changes" + m.journalFlag(m.journal)
}

// journalFlag is what must be added to --restore.
func (m *matrixCommand) journalFlag(path string) string {
	if m.journal == "" {
		return ""
	}
	return " --journal " + path
}

// A guardian is the process that changes the system and undoes it.
type guardian struct {
	*system.Guardian
	journal string
}

func (m *matrixCommand) startGuardian(ctx context.Context, w system.Wanted) (*guardian, []string, error) {
	config, err := m.systemConfig()
	if err != nil {
		return nil, nil, err
	}
	self, err := os.Executable()
	if err != nil {
		return nil, nil, fmt.Errorf("start a guardian: %w", err)
	}
	process := exec.Command(self, guardianCommand, config.Journal, config.Lock)
	process.Stderr = os.Stderr
	ownSession(process)
	g, err := system.Start(process, config)
	if err != nil {
		return nil, nil, err
	}
	announcement, err := g.Prepare(w)
	if err != nil {
		_, closeErr := g.Close(ctx)
		return nil, nil, errors.Join(err, closeErr)
	}
	return &guardian{g, config.Journal}, announcement, nil
}

// guardianCommand is the hidden command under which this program guards the
// system's settings. Its arguments are the journal and the lock.
const guardianCommand = "matrix-guardian"

// runGuardian is the guardian's process.
func runGuardian(ctx context.Context, args []string, stdin io.Reader, stdout, stderr io.Writer) int {
	if len(args) != 3 {
		fmt.Fprintln(stderr, "linkperf: the guardian is started by linkperf matrix")
		return 1
	}
	// What ends the plan must not end its guardian. Received and dropped, not
	// ignored: commands that it starts would inherit that.
	signal.Notify(make(chan os.Signal, 1), syscall.SIGHUP, syscall.SIGINT, syscall.SIGTERM)
	restored, err := system.Serve(ctx, system.Config{Journal: args[1], Lock: args[2]}, stdin, stdout)
	tellRestored(stderr, restored)
	if err != nil {
		fmt.Fprintf(stderr, "linkperf: the plan has ended without undoing its changes of the system: %v\n", err)
		return 1
	}
	return 0
}

func tellRestored(w io.Writer, restored []string) {
	if len(restored) > 0 {
		fmt.Fprintf(w, "Restored: %s\n", strings.Join(restored, ", "))
	}
}

// restoreWait is how long --restore waits for a guardian that is restoring.
const restoreWait = 5 * time.Second

// restoreSystem is linkperf matrix --restore.
func (m *matrixCommand) restoreSystem(ctx context.Context, stderr io.Writer) error {
	config, err := m.systemConfig()
	if err != nil {
		return err
	}
	restored, err := config.Restore(ctx, restoreWait)
	tellRestored(stderr, restored)
	if err == nil && len(restored) == 0 {
		fmt.Fprintf(stderr, "Nothing to restore: there are no changes in %s\n", config.Journal)
	}
	return err
}
