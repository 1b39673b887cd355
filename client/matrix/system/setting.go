package system

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"slices"
)

// On and Off are the values of a firewall.
const (
	On  = "on"
	Off = "off"
)

// A setting is one thing of the system that can be switched: a firewall or an
// interface's MTU. State is what [setting.read] returned; it is kept in the
// journal and must say all that restoring needs.
type setting interface {
	// read asks the system for the present state.
	read(ctx context.Context) (state json.RawMessage, err error)
	// value is the present state in the words of a plan, on, off, or bytes;
	// something else if it is none of the states that the setting switches
	// between. Was is the state before the first change.
	value(was, now json.RawMessage) (string, error)
	// check says in words what switching to the values will do, or why it
	// cannot be done or undone.
	check(ctx context.Context, state json.RawMessage, values []string) (string, error)
	// change switches to a value. State is that before the first change.
	change(ctx context.Context, state json.RawMessage, value string) error
	// restore brings back a state, whatever is the case now, and makes sure
	// of it. It can be repeated.
	restore(ctx context.Context, state json.RawMessage) error
}

// A switcher is a setting whose state is an S. Its methods are those of
// setting.
type switcher[S any] interface {
	read(ctx context.Context) (S, error)
	value(was, now S) string
	check(ctx context.Context, state S, values []string) (string, error)
	change(ctx context.Context, state S, value string) error
	restore(ctx context.Context, state S) error
}

// stored is a switcher whose state can be written down.
type stored[S any] struct{ switcher[S] }

func store[S any](s switcher[S]) setting { return stored[S]{s} }

func (s stored[S]) read(ctx context.Context) (json.RawMessage, error) {
	state, err := s.switcher.read(ctx)
	if err != nil {
		return nil, err
	}
	return json.Marshal(state)
}

func (s stored[S]) value(rawWas, rawNow json.RawMessage) (string, error) {
	was, err := decode[S](rawWas)
	if err != nil {
		return "", err
	}
	now, err := decode[S](rawNow)
	if err != nil {
		return "", err
	}
	return s.switcher.value(was, now), nil
}

func (s stored[S]) check(ctx context.Context, raw json.RawMessage, values []string) (string, error) {
	state, err := decode[S](raw)
	if err != nil {
		return "", err
	}
	return s.switcher.check(ctx, state, values)
}

func (s stored[S]) change(ctx context.Context, raw json.RawMessage, value string) error {
	state, err := decode[S](raw)
	if err != nil {
		return err
	}
	return s.switcher.change(ctx, state, value)
}

func (s stored[S]) restore(ctx context.Context, raw json.RawMessage) error {
	state, err := decode[S](raw)
	if err != nil {
		return err
	}
	return s.switcher.restore(ctx, state)
}

func decode[S any](raw json.RawMessage) (state S, err error) {
	if err = json.Unmarshal(raw, &state); err != nil {
		err = fmt.Errorf("read the state before: %w", err)
	}
	return state, err
}

// A key names a setting in the journal.
type key struct {
	// By is who is in charge: nft, ufw, firewalld, socketfilterfw, advfirewall
	// for the firewall, ip, ifconfig, netsh for an MTU.
	By string `json:"by"`
	// Device is the interface of an MTU, "" for the firewall.
	Device string `json:"device,omitempty"`
}

// String names the setting for people.
func (k key) String() string {
	if k.Device != "" {
		return "MTU of " + k.Device
	}
	return "firewall (" + k.By + ")"
}

// setting finds the setting of a key.
func (h *Host) setting(k key) (setting, error) {
	switch {
	case k.By == "nft" && k.Device == "":
		return store(nft{h}), nil
	case k.By == "ufw" && k.Device == "":
		return store(ufw{h}), nil
	case k.By == "firewalld" && k.Device == "":
		return store(firewalld{h}), nil
	case k.By == "socketfilterfw" && k.Device == "":
		return store(socketfilter{h}), nil
	case k.By == "advfirewall" && k.Device == "":
		return store(advfirewall{h}), nil
	case k.By == "ip" && k.Device != "":
		return store(linkMTU{h, k.Device}), nil
	case k.By == "ifconfig" && k.Device != "":
		return store(ifconfigMTU{h, k.Device}), nil
	case k.By == "netsh" && k.Device != "":
		return store(netshMTU{h, k.Device}), nil
	}
	return nil, fmt.Errorf("%q of %q is nothing that can be switched", k.By, k.Device)
}

// mtuKey names the MTU of an interface.
func (h *Host) mtuKey(device string) (key, error) {
	switch h.system() {
	case "linux":
		return key{"ip", device}, nil
	case "darwin":
		return key{"ifconfig", device}, nil
	case "windows":
		return key{"netsh", device}, nil
	}
	return key{}, fmt.Errorf("change an MTU on %s: %w", h.system(), errors.ErrUnsupported)
}

// errNoFirewall is why a firewall cannot be switched on.
var errNoFirewall = errors.New("there is no firewall to switch on: neither firewalld nor ufw nor a rule set of nft")

// firewallKey finds who is in charge of the firewall. There may be nobody: then
// it is off.
func (h *Host) firewallKey(ctx context.Context) (k key, found bool, err error) {
	switch h.system() {
	case "linux":
		return h.linuxFirewall(ctx)
	case "darwin":
		return key{By: "socketfilterfw"}, true, nil
	case "windows":
		return key{By: "advfirewall"}, true, nil
	}
	return key{}, false, fmt.Errorf("switch a firewall on %s: %w", h.system(), errors.ErrUnsupported)
}

// linuxFirewall prefers who is active to who is merely installed, and a manager
// to the rules that it has made.
func (h *Host) linuxFirewall(ctx context.Context) (k key, found bool, err error) {
	var idle []string
	d, u := firewalld{h}, ufw{h}
	if h.has("firewall-cmd") {
		if d.running(ctx) {
			return key{By: "firewalld"}, true, nil
		}
		idle = append(idle, "firewalld")
	}
	if h.has("ufw") {
		active, err := u.active(ctx)
		if err != nil {
			return k, false, err
		}
		if active {
			return key{By: "ufw"}, true, nil
		}
		idle = append(idle, "ufw")
	}
	if err := h.legacyRules(ctx); err != nil {
		return k, false, err
	}
	if h.has("nft") {
		state, err := nft{h}.read(ctx)
		if err != nil {
			return k, false, err
		}
		// What ufw leaves when it is switched off is no rule set of its own.
		if len(state.Ruleset) > 0 && !(slices.Contains(idle, "ufw") && state.ufwRemains()) {
			return key{By: "nft"}, true, nil
		}
	}
	switch len(idle) {
	case 0:
		return k, false, nil
	case 1:
		return key{By: idle[0]}, true, nil
	}
	return k, false, errors.New("firewalld and ufw are installed and neither is active: start the one that is meant")
}
