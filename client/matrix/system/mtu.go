package system

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strconv"
	"strings"
	"time"
)

// leastIPv6 is the smallest MTU with which IPv6 works (RFC 8200, section 5).
// Systems take an interface's IPv6 addresses away below it, and do not give
// them back.
const leastIPv6 = 1280

// linkTime is how long an interface may take to come up again: some network
// cards restart when their MTU changes.
const linkTime = 15 * time.Second

// A link is an interface as its system's command lists it.
type link struct {
	name     string
	mtu      int
	min, max int  // 0: not told
	up       bool // there is a cable with something at its end
	ipv6     bool
	related  []string // interfaces that this one stands on or belongs to
}

// mtuState is the MTU of an interface, and of those that stand on it, whose MTU
// follows downwards but not upwards again.
type mtuState struct {
	Links []linkState `json:"links"` // the interface itself is the first
	// Setting is the MTU that macOS keeps for the interface, 0 where it keeps
	// none.
	Setting int `json:"setting,omitempty"`
}

type linkState struct {
	Device string `json:"device"`
	MTU    int    `json:"mtu"`
}

// stateOf takes from all links the device and those that stand on it, directly
// or not.
func stateOf(links []link, device string) (s mtuState, err error) {
	base, err := find(links, device)
	if err != nil {
		return s, err
	}
	s.Links = []linkState{{base.name, base.mtu}}
	for i := 0; i < len(s.Links); i++ {
		for _, l := range links {
			known := slices.ContainsFunc(s.Links, func(k linkState) bool { return k.Device == l.name })
			below, _ := find(links, s.Links[i].Device)
			if !known && (slices.Contains(l.related, below.name) || slices.Contains(below.related, l.name)) {
				s.Links = append(s.Links, linkState{l.name, l.mtu})
			}
		}
	}
	return s, nil
}

func find(links []link, device string) (link, error) {
	for _, l := range links {
		if l.name == device {
			return l, nil
		}
	}
	return link{}, fmt.Errorf("there is no interface %q", device)
}

func (s mtuState) value() string { return strconv.Itoa(s.Links[0].MTU) }

// valid checks what can be known of values before they are tried.
func valid(l link, values []string) error {
	for _, v := range values {
		n, err := strconv.Atoi(v)
		switch {
		case err != nil:
			return fmt.Errorf("MTU %q of %s: not a number", v, l.name)
		case n < leastIPv6 && l.ipv6 && n < l.mtu:
			return fmt.Errorf("MTU %d of %s: below %d the interface would lose its IPv6 addresses", n, l.name, leastIPv6)
		case l.min > 0 && n < l.min:
			return fmt.Errorf("MTU %d of %s: the interface allows %d and more", n, l.name, l.min)
		case l.max > 0 && n > l.max:
			return fmt.Errorf("MTU %d of %s: the interface allows %d and less", n, l.name, l.max)
		}
	}
	return nil
}

// A linkLister lists interfaces and sets the MTU of one.
type linkLister interface {
	links(ctx context.Context) ([]link, error)
	set(ctx context.Context, device string, mtu int) error
}

// setMTU sets an MTU, makes sure of it and waits until the link is up again if
// it was.
func setMTU(ctx context.Context, h linkLister, device string, mtu int) error {
	links, err := h.links(ctx)
	if err != nil {
		return err
	}
	before, err := find(links, device)
	if err != nil || before.mtu == mtu {
		return err
	}
	if err := h.set(ctx, device, mtu); err != nil {
		return err
	}
	var now link
	up := until(ctx, linkTime, func() bool {
		if links, err = h.links(ctx); err == nil {
			now, err = find(links, device)
		}
		return err != nil || now.mtu != mtu || now.up || !before.up
	})
	switch {
	case err != nil:
		return err
	case now.mtu != mtu:
		return fmt.Errorf("the MTU of %s is %d and does not become %d", device, now.mtu, mtu)
	case !up:
		return fmt.Errorf("%s has not come up again within %v of the change of its MTU", device, linkTime)
	}
	return nil
}

// restoreMTU brings the MTUs of a state back. Interfaces that stood on the
// first one and are gone are nobody's loss.
func restoreMTU(ctx context.Context, h linkLister, s mtuState) error {
	var errs []error
	for i, l := range s.Links {
		if i > 0 {
			links, err := h.links(ctx)
			if err != nil {
				errs = append(errs, err)
				continue
			}
			if _, err := find(links, l.Device); err != nil {
				continue
			}
		}
		errs = append(errs, setMTU(ctx, h, l.Device, l.MTU))
	}
	return errors.Join(errs...)
}

func announceMTU(h command, s mtuState, values []string) string {
	return fmt.Sprintf("MTU of %s: %s by %s (it is %s now)", s.Links[0].Device, strings.Join(values, ", "), h, s.value())
}
