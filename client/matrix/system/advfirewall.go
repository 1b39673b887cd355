package system

import (
	"context"
	"errors"
	"fmt"
	"regexp"
	"strings"
)

// advfirewall is Windows' firewall. Its command speaks the language of the
// system, so the state is read from the registry.
type advfirewall struct{ host *Host }

// profiles is which of the three profiles of the firewall are on.
type profiles struct {
	Domain  bool `json:"domain"`
	Private bool `json:"private"`
	Public  bool `json:"public"`
}

const (
	firewallKeyPath = `HKLM\SYSTEM\CurrentControlSet\Services\SharedAccess\Parameters\FirewallPolicy`
	firewallPolicy  = `HKLM\SOFTWARE\Policies\Microsoft\WindowsFirewall`
)

func (f advfirewall) read(ctx context.Context) (profiles, error) {
	a, err := f.host.run(ctx, ask("reg", "query", firewallKeyPath, "/s", "/v", "EnableFirewall"))
	if err != nil {
		return profiles{}, err
	}
	return parseProfiles(string(a.stdout))
}

var (
	profileKey   = regexp.MustCompile(`\\(Domain|Standard|Public)Profile\s*$`)
	profileValue = regexp.MustCompile(`^\s+EnableFirewall\s+REG_DWORD\s+0x([0-9a-fA-F]+)\s*$`)
)

// parseProfiles reads reg query of EnableFirewall. The registry calls the
// private profile StandardProfile.
func parseProfiles(text string) (p profiles, err error) {
	seen, name := map[string]bool{}, ""
	for line := range strings.Lines(text) {
		line = strings.TrimRight(line, "\r\n")
		if strings.HasPrefix(line, "HKEY_") {
			name = ""
			if m := profileKey.FindStringSubmatch(line); m != nil {
				name = m[1]
			}
			continue
		}
		m := profileValue.FindStringSubmatch(line)
		if m == nil || name == "" {
			continue
		}
		on := strings.Trim(m[1], "0") != ""
		seen[name] = true
		switch name {
		case "Domain":
			p.Domain = on
		case "Standard":
			p.Private = on
		case "Public":
			p.Public = on
		}
	}
	if len(seen) != 3 {
		return p, fmt.Errorf("the registry tells the state of %d of the firewall's 3 profiles", len(seen))
	}
	return p, nil
}

func (p profiles) each() []struct {
	name string
	on   bool
} {
	return []struct {
		name string
		on   bool
	}{{"domainprofile", p.Domain}, {"privateprofile", p.Private}, {"publicprofile", p.Public}}
}

func (advfirewall) value(was, now profiles) string {
	switch {
	case now == profiles{}:
		return Off
	case now == was.on():
		return On
	}
	return "on for some profiles"
}

// on is what on means: as it was, or all profiles if none was.
func (p profiles) on() profiles {
	if p == (profiles{}) {
		return profiles{true, true, true}
	}
	return p
}

func (f advfirewall) check(ctx context.Context, p profiles, _ []string) (string, error) {
	// Without such a policy the command fails.
	if a, err := f.host.run(ctx, ask("reg", "query", firewallPolicy, "/s", "/v", "EnableFirewall")); err == nil && profileValueIn(a.stdout) {
		return "", errors.New("a group policy decides on the firewall, so it cannot be switched")
	}
	var on []string
	for _, s := range p.each() {
		if s.on {
			on = append(on, s.name)
		}
	}
	now := "all profiles are off now"
	if len(on) > 0 {
		now = "on now: " + strings.Join(on, ", ")
	}
	return fmt.Sprintf("firewall off, on: netsh advfirewall set allprofiles state (%s)", now), nil
}

func profileValueIn(b []byte) bool {
	for line := range strings.Lines(string(b)) {
		if profileValue.MatchString(strings.TrimRight(line, "\r\n")) {
			return true
		}
	}
	return false
}

func (f advfirewall) change(ctx context.Context, was profiles, value string) error {
	want := profiles{}
	if value == On {
		if want = was.on(); want == was {
			return f.restore(ctx, was)
		}
	}
	if _, err := f.host.run(ctx, tell("netsh", "advfirewall", "set", "allprofiles", "state", value)); err != nil {
		return err
	}
	return f.verify(ctx, want)
}

// restore tells netsh about every profile, also those that seem to be so
// already: a command that was cut off may have come half way.
func (f advfirewall) restore(ctx context.Context, was profiles) error {
	var errs []error
	for _, p := range was.each() {
		_, err := f.host.run(ctx, tell("netsh", "advfirewall", "set", p.name, "state", onOff(p.on)))
		errs = append(errs, err)
	}
	return errors.Join(append(errs, f.verify(ctx, was))...)
}

func (f advfirewall) verify(ctx context.Context, want profiles) error {
	now, err := f.read(ctx)
	if err == nil && now != want {
		err = fmt.Errorf("netsh advfirewall had no effect: the profiles are %+v, wanted %+v", now, want)
	}
	return err
}
