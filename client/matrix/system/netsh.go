package system

import (
	"context"
	"errors"
	"fmt"
	"regexp"
	"strconv"
	"strings"
)

// netshMTU is the MTU of an interface on Windows, which has one for each
// version of IP. It is changed until the next start of the system. What a
// network card carries at most is a setting of its driver and not changed.
type netshMTU struct {
	host   *Host
	device string // its name, as in "Ethernet 2"
}

type netshState struct {
	IPv4 int `json:"ipv4,omitempty"` // 0: the interface has no IPv4
	IPv6 int `json:"ipv6,omitempty"`
}

// each calls f for every version of IP that the interface has.
func (s netshState) each(f func(version string, mtu int) error) error {
	var errs []error
	for _, v := range []struct {
		name string
		mtu  int
	}{{"ipv4", s.IPv4}, {"ipv6", s.IPv6}} {
		if v.mtu != 0 {
			errs = append(errs, f(v.name, v.mtu))
		}
	}
	return errors.Join(errs...)
}

func (m netshMTU) read(ctx context.Context) (s netshState, err error) {
	index, err := m.host.index(m.device)
	if err != nil {
		return s, err
	}
	for version, to := range map[string]*int{"ipv4": &s.IPv4, "ipv6": &s.IPv6} {
		a, err := m.host.run(ctx, ask("netsh", "interface", version, "show", "interfaces"))
		if err != nil {
			return s, err
		}
		*to = parseNetshMTU(string(a.stdout), index)
	}
	if s == (netshState{}) {
		return s, fmt.Errorf("netsh shows no interface %q (number %d)", m.device, index)
	}
	return s, nil
}

var netshInterface = regexp.MustCompile(`^\s*(\d+)\s+\d+\s+(\d+)\s`)

// parseNetshMTU finds in netsh interface ipv4 show interfaces the MTU of the
// interface with that number, 0 if it is not there. The headings and the state
// are translated; the order of the columns (number, metric, MTU) is not.
func parseNetshMTU(text string, index int) int {
	for line := range strings.Lines(text) {
		m := netshInterface.FindStringSubmatch(line)
		if m == nil || m[1] != strconv.Itoa(index) {
			continue
		}
		n, _ := strconv.Atoi(m[2])
		return n
	}
	return 0
}

func (netshMTU) value(_, now netshState) string { return now.value() }

func (s netshState) value() string {
	switch {
	case s.IPv6 == 0 || s.IPv4 == s.IPv6:
		return strconv.Itoa(s.IPv4)
	case s.IPv4 == 0:
		return strconv.Itoa(s.IPv6)
	}
	return fmt.Sprintf("%d and %d", s.IPv4, s.IPv6) // is none of a plan's values
}

func (m netshMTU) check(_ context.Context, s netshState, values []string) (string, error) {
	l := link{name: m.device, mtu: max(s.IPv4, s.IPv6), ipv6: s.IPv6 != 0}
	c := command{name: "netsh", args: []string{"interface", "ipv4/ipv6", "set", "subinterface"}}
	return fmt.Sprintf("MTU of %s: %s by %s (it is %s now)", m.device, strings.Join(values, ", "), c, s.value()), valid(l, values)
}

func (m netshMTU) change(ctx context.Context, was netshState, value string) error {
	n, err := strconv.Atoi(value)
	if err != nil {
		return err
	}
	want := netshState{}
	if was.IPv4 != 0 {
		want.IPv4 = n
	}
	if was.IPv6 != 0 {
		want.IPv6 = n
	}
	return m.restore(ctx, want)
}

func (m netshMTU) restore(ctx context.Context, s netshState) error {
	index, err := m.host.index(m.device)
	if err != nil {
		return err
	}
	err = s.each(func(version string, mtu int) error {
		_, err := m.host.run(ctx, tell("netsh", "interface", version, "set", "subinterface", strconv.Itoa(index), "mtu="+strconv.Itoa(mtu), "store=active"))
		return err
	})
	now, readErr := m.read(ctx)
	switch {
	case err != nil || readErr != nil:
		return errors.Join(err, readErr)
	case now != s:
		return fmt.Errorf("netsh had no effect: the MTU of %s is %s, wanted %s", m.device, now.value(), s.value())
	}
	return nil
}
