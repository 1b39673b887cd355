package system

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"maps"
	"slices"
	"strconv"
)

// A Rehearsal goes through a plan's changes in words. It changes nothing and
// needs no privileges, but some systems tell their state only to those who
// have them.
type Rehearsal struct {
	// Announcement is what [Guardian.Prepare] would say.
	Announcement []string
	// Refused is why the plan would be refused, or why that is not known.
	Refused error

	firewall *rehearsed
	mtu      map[string]*rehearsed
	changed  []*rehearsed // in the order of the first change
}

// rehearsed is a setting with its state in the words of a plan, "" if that
// could not be read.
type rehearsed struct{ name, before, now string }

// Rehearse reads the present state of what a plan wants to change.
func (c Config) Rehearse(ctx context.Context, w Wanted) *Rehearsal {
	r := &Rehearsal{mtu: map[string]*rehearsed{}}
	j, err := readJournal(c.Journal)
	if err != nil {
		j = &journal{path: c.Journal}
		if !errors.Is(err, fs.ErrPermission) {
			r.Refused = err
		}
	}
	part := func(name string, w Wanted, find func(*changes) (key, bool, error)) *rehearsed {
		one := &changes{host: &c.Host, journal: j}
		lines, err := one.prepare(ctx, w)
		r.Announcement = append(r.Announcement, lines...)
		s := &rehearsed{name: name}
		if err == nil {
			var found bool
			var k key
			if k, found, err = find(one); err == nil && !found {
				return nil
			}
			if err == nil {
				s.before, err = one.present(ctx, k)
			}
		}
		if err != nil && !errors.Is(r.Refused, ErrLeft) {
			r.Refused = errors.Join(r.Refused, err)
		}
		s.now = s.before
		return s
	}
	if len(w.Firewall) > 0 {
		r.firewall = part("firewall", Wanted{Firewall: w.Firewall}, func(one *changes) (k key, found bool, err error) {
			if one.firewall != nil {
				k, found = *one.firewall, true
			}
			return k, found, nil
		})
	}
	for _, device := range slices.Sorted(maps.Keys(w.MTU)) {
		r.mtu[device] = part("MTU of "+device, Wanted{MTU: map[string][]int{device: w.MTU[device]}}, func(one *changes) (key, bool, error) {
			k, err := one.host.mtuKey(device)
			return k, true, err
		})
	}
	return r
}

// present is a setting's state in the words of a plan.
func (c *changes) present(ctx context.Context, k key) (string, error) {
	s, err := c.host.setting(k)
	if err != nil {
		return "", err
	}
	state, err := s.read(ctx)
	if err != nil {
		return "", err
	}
	return s.value(state, state)
}

// Apply says what would be changed for a run that comes next, such as
// "firewall: on → off"; nothing if all is as the run needs it.
func (r *Rehearsal) Apply(v Values) (changes []string) {
	set := func(s *rehearsed, value string) {
		if s == nil || s.now == value {
			return
		}
		if !slices.Contains(r.changed, s) {
			r.changed = append(r.changed, s)
		}
		changes = append(changes, s.to(value))
		s.now = value
	}
	if v.Firewall != "" {
		set(r.firewall, v.Firewall)
	}
	if v.Device != "" {
		set(r.mtu[v.Device], strconv.Itoa(v.MTU))
	}
	return changes
}

// Restore says what the end of the plan would bring back, in its order.
func (r *Rehearsal) Restore() (changes []string) {
	for _, s := range slices.Backward(r.changed) {
		switch s.before {
		case "":
			changes = append(changes, s.name+": as it was")
		case s.now:
		default:
			changes = append(changes, s.to(s.before))
		}
	}
	return changes
}

func (s *rehearsed) to(value string) string {
	if s.now == "" {
		return fmt.Sprintf("%s: %s, if it is not", s.name, value)
	}
	return fmt.Sprintf("%s: %s → %s", s.name, s.now, value)
}
