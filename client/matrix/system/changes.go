package system

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"maps"
	"os"
	"slices"
	"strconv"
	"time"

	"linkperf/client/matrix/lock"
)

// Config says where changes are made and written down.
type Config struct {
	Host Host `json:"-"`
	// Journal is the file that holds the state before changes.
	Journal string
	// Lock is the file that is locked while changes are made or restored; it
	// should be the same for all journals of a machine. It stays behind, empty.
	Lock string
}

// Wanted is what a plan will ask for.
type Wanted struct {
	Firewall []string         // On, Off
	MTU      map[string][]int // bytes, by interface
}

// Values is what one run needs.
type Values struct {
	Firewall string // On, Off, or "" to leave it
	Device   string // whose MTU; "" to leave all
	MTU      int    // bytes
}

// ErrPrivileges is the cause where this process may not change the system.
var ErrPrivileges = errors.New("the firewall and MTUs can be changed by root, or an administrator, only")

// ErrLeft is the cause where the journal holds changes of an earlier plan.
var ErrLeft = errors.New("an earlier plan was cut off and its changes are not undone; this undoes them")

// CheckPrivileges is an error that wraps [ErrPrivileges] if this process may
// not change the system.
func CheckPrivileges() error {
	if !privileged() {
		return ErrPrivileges
	}
	return nil
}

// allowed is an error if the host may not be changed. One below another root
// is files only.
func (c Config) allowed() error {
	if c.Host.Root != "" {
		return nil
	}
	return CheckPrivileges()
}

// changes is the work of a guardian: settings, the journal, the lock.
type changes struct {
	host     *Host
	journal  *journal
	lock     *os.File
	firewall *key // nil where nobody is in charge of one
}

// open locks the machine and reads the journal. wait bounds how long another
// that has the lock is waited for.
func (c Config) open(ctx context.Context, wait time.Duration) (*changes, error) {
	if err := makeDirectory(c.Lock); err != nil {
		return nil, fmt.Errorf("lock the system's settings: %w", err)
	}
	if err := makeDirectory(c.Journal); err != nil {
		return nil, fmt.Errorf("write the journal: %w", err)
	}
	var held *os.File
	var locked bool
	var err error
	until(ctx, wait, func() bool {
		held, locked, err = lock.Try(c.Lock)
		return locked || err != nil
	})
	switch {
	case err != nil:
		return nil, fmt.Errorf("lock the system's settings: %w", err)
	case !locked:
		return nil, fmt.Errorf("another plan is changing this system now: it has %s locked", c.Lock)
	}
	j, err := readJournal(c.Journal)
	if err != nil {
		return nil, errors.Join(err, lock.Release(held))
	}
	h := c.Host
	h.held = held
	return &changes{host: &h, journal: j, lock: held}, nil
}

func (c *changes) close() error { return errors.Join(c.journal.close(), lock.Release(c.lock)) }

// prepare makes sure that all that a plan wants can be done and undone, and
// says in words what will be done. It changes nothing.
func (c *changes) prepare(ctx context.Context, w Wanted) (announcement []string, err error) {
	if len(c.journal.entries) > 0 {
		return nil, fmt.Errorf("%w: linkperf matrix --restore --journal %s", ErrLeft, c.journal.path)
	}
	announce := func(k key, values []string) error {
		s, err := c.host.setting(k)
		if err != nil {
			return err
		}
		state, err := s.read(ctx)
		if err != nil {
			return err
		}
		text, err := s.check(ctx, state, values)
		if err == nil {
			announcement = append(announcement, text)
		}
		return err
	}
	if len(w.Firewall) > 0 {
		k, found, err := c.host.firewallKey(ctx)
		switch {
		case err != nil:
			return nil, err
		case found:
			c.firewall = &k
			if err := announce(k, w.Firewall); err != nil {
				return nil, err
			}
		case slices.Contains(w.Firewall, On):
			return nil, errNoFirewall
		}
	}
	for _, device := range slices.Sorted(maps.Keys(w.MTU)) {
		k, err := c.host.mtuKey(device)
		if err != nil {
			return nil, err
		}
		var values []string
		for _, n := range w.MTU[device] {
			values = append(values, strconv.Itoa(n))
		}
		if err := announce(k, values); err != nil {
			return nil, err
		}
	}
	return announcement, nil
}

// apply changes what differs from the values.
func (c *changes) apply(ctx context.Context, v Values) error {
	if v.Firewall != "" && c.firewall != nil {
		if err := c.set(ctx, *c.firewall, v.Firewall); err != nil {
			return fmt.Errorf("switch the firewall %s: %w", v.Firewall, err)
		}
	}
	if v.Device != "" {
		k, err := c.host.mtuKey(v.Device)
		if err == nil {
			err = c.set(ctx, k, strconv.Itoa(v.MTU))
		}
		if err != nil {
			return fmt.Errorf("set the MTU of %s to %d: %w", v.Device, v.MTU, err)
		}
	}
	return nil
}

func (c *changes) set(ctx context.Context, k key, value string) error {
	s, err := c.host.setting(k)
	if err != nil {
		return err
	}
	now, err := s.read(ctx)
	if err != nil {
		return err
	}
	before, ok := c.journal.find(k)
	if !ok {
		before = now
	}
	if is, err := s.value(before, now); err != nil || is == value {
		return err
	}
	if !ok {
		if err := c.journal.add(k, before); err != nil {
			return err
		}
	}
	return s.change(ctx, before, value)
}

// restore undoes the entries of the journal, the last one first. One that fails
// stays in the journal and does not keep the others from being restored.
func (c *changes) restore(ctx context.Context) (restored []string, err error) {
	var errs []error
	for _, e := range slices.Backward(slices.Clone(c.journal.entries)) {
		err := c.undo(ctx, e.key, e.Before)
		if err == nil {
			err = c.journal.restored(e.Number)
		}
		if err != nil {
			errs = append(errs, fmt.Errorf("restore the %s: %w", e.key, err))
			continue
		}
		restored = append(restored, e.String())
	}
	if len(errs) > 0 {
		errs = append(errs, fmt.Errorf("what is not restored stays in %s; try again with linkperf matrix --restore", c.journal.path))
	}
	return restored, errors.Join(errs...)
}

func (c *changes) undo(ctx context.Context, k key, before json.RawMessage) error {
	s, err := c.host.setting(k)
	if err != nil {
		return err
	}
	return s.restore(ctx, before)
}

// Restore undoes what the journal holds and returns what it was. Nothing to
// undo is no error. wait bounds how long one that is changing the system now is
// waited for; the context does not stop what has begun.
func (c Config) Restore(ctx context.Context, wait time.Duration) (restored []string, err error) {
	if err := c.allowed(); err != nil {
		return nil, err
	}
	open, err := c.open(ctx, wait)
	if err != nil {
		return nil, err
	}
	restored, err = open.restore(context.WithoutCancel(ctx))
	return restored, errors.Join(err, open.close())
}
