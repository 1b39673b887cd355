//go:build unix

package system

import (
	"slices"
	"strings"
	"testing"
)

// TestRehearsal goes through a plan on a played Mac, on which nothing may be
// changed, and compares it with what the real thing does.
func TestRehearsal(t *testing.T) {
	p := play(t, "darwin", aMac())
	r := p.config.Rehearse(t.Context(), Wanted{Firewall: []string{On, Off}, MTU: map[string][]int{"en6": {1500, 9000}}})
	if r.Refused != nil || len(r.Announcement) != 2 || !strings.HasPrefix(r.Announcement[1], "MTU of en6: 1500, 9000 by ifconfig") {
		t.Errorf("%v: %q", r.Refused, r.Announcement)
	}
	for _, step := range []struct {
		v    Values
		want []string
	}{
		{Values{Firewall: On, Device: "en6", MTU: 9000}, nil},
		{Values{Firewall: On, Device: "en6", MTU: 1500}, []string{"MTU of en6: 9000 → 1500"}},
		{Values{}, nil},
		{Values{Firewall: Off, Device: "en6", MTU: 9000}, []string{"firewall: on → off", "MTU of en6: 1500 → 9000"}},
		{Values{Device: "en6", MTU: 1500}, []string{"MTU of en6: 9000 → 1500"}},
	} {
		if got := r.Apply(step.v); !slices.Equal(got, step.want) {
			t.Errorf("%+v: %q, want %q", step.v, got, step.want)
		}
	}
	if got, want := r.Restore(), []string{"firewall: off → on", "MTU of en6: 1500 → 9000"}; !slices.Equal(got, want) {
		t.Errorf("restored: %q, want %q", got, want)
	}
	p.calls("")
	p.is(aMac())
}

// TestRehearsalRefused tells what would be refused, and of the rest as much as
// is known.
func TestRehearsalRefused(t *testing.T) {
	p := play(t, "darwin", aMac())
	r := p.config.Rehearse(t.Context(), Wanted{Firewall: []string{Off}, MTU: map[string][]int{"en9": {1500}}})
	fails(t, r.Refused, `there is no interface "en9"`)
	if got, want := r.Apply(Values{Firewall: Off, Device: "en9", MTU: 1500}), []string{"firewall: on → off", "MTU of en9: 1500, if it is not"}; !slices.Equal(got, want) {
		t.Errorf("%q, want %q", got, want)
	}
	if got, want := r.Restore(), []string{"MTU of en9: as it was", "firewall: off → on"}; !slices.Equal(got, want) {
		t.Errorf("restored: %q, want %q", got, want)
	}

	// Changes of an earlier plan are in the way.
	c, _ := p.prepared(Wanted{Firewall: []string{Off}})
	p.apply(c, Values{Firewall: Off})
	fails(t, p.config.Rehearse(t.Context(), Wanted{Firewall: []string{Off}}).Refused, "an earlier plan was cut off")
	p.undo(c, "firewall (socketfilterfw)")

	// Nobody is in charge of a firewall: it is off.
	p = play(t, "linux", nil)
	r = p.config.Rehearse(t.Context(), Wanted{Firewall: []string{Off}})
	if got := r.Apply(Values{Firewall: Off}); r.Refused != nil || len(got)+len(r.Restore()) != 0 {
		t.Errorf("%v %q", r.Refused, got)
	}
}
