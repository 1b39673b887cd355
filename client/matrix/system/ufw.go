package system

import (
	"context"
	"fmt"
	"strings"
)

// ufw is the firewall of Ubuntu and Debian, switched by its own command. That
// also decides whether it starts with the system.
type ufw struct{ host *Host }

type ufwState struct {
	Active bool `json:"active"`
}

func (u ufw) active(ctx context.Context) (bool, error) {
	a, err := u.host.run(ctx, ask("ufw", "status"))
	if err != nil {
		return false, err
	}
	for line := range strings.Lines(string(a.stdout)) {
		switch strings.TrimSpace(line) {
		case "Status: active":
			return true, nil
		case "Status: inactive":
			return false, nil
		}
	}
	return false, fmt.Errorf("ufw status: not understood: %q", firstLine(a.stdout))
}

func (u ufw) read(ctx context.Context) (ufwState, error) {
	active, err := u.active(ctx)
	return ufwState{active}, err
}

func (ufw) value(_, now ufwState) string { return onOff(now.Active) }

func (ufw) check(_ context.Context, s ufwState, values []string) (string, error) {
	return fmt.Sprintf("firewall off: ufw disable; on: ufw enable (it is %s now)", onOff(s.Active)), nil
}

func (u ufw) change(ctx context.Context, _ ufwState, value string) error {
	return u.restore(ctx, ufwState{value == On})
}

// restore tells ufw also where it seems to be so already: a command that was
// cut off may have come half way.
func (u ufw) restore(ctx context.Context, s ufwState) error {
	c := tell("ufw", "disable")
	if s.Active {
		c = tell("ufw", "--force", "enable")
	}
	if _, err := u.host.run(ctx, c); err != nil {
		return err
	}
	active, err := u.active(ctx)
	if err == nil && active != s.Active {
		err = fmt.Errorf("%s had no effect: ufw is %s", c, onOff(active))
	}
	return err
}

func onOff(on bool) string {
	if on {
		return On
	}
	return Off
}
