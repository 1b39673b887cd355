package system

import (
	"context"
	"errors"
	"fmt"
	"maps"
	"slices"
	"strings"
)

// firewalld is the firewall of Fedora, RHEL and SUSE: a service that is stopped
// and started by the system's service manager.
type firewalld struct{ host *Host }

type firewalldState struct {
	Running bool `json:"running"`
	// Zones has the zone of each interface. Others may have assigned them
	// (NetworkManager does) without storing it.
	Zones map[string]string `json:"zones,omitempty"`
}

// running asks firewalld itself. It does not answer while the bus is down, and
// then it does not run either.
func (f firewalld) running(ctx context.Context) bool {
	a, err := f.host.run(ctx, ask("firewall-cmd", "--state"))
	return err == nil && strings.TrimSpace(string(a.stdout)) == "running"
}

func (f firewalld) read(ctx context.Context) (s firewalldState, err error) {
	if s.Running = f.running(ctx); s.Running {
		s.Zones, err = f.zones(ctx)
	}
	return s, err
}

func (f firewalld) zones(ctx context.Context) (map[string]string, error) {
	a, err := f.host.run(ctx, ask("firewall-cmd", "--get-active-zones"))
	if err != nil {
		return nil, err
	}
	return parseActiveZones(string(a.stdout)), nil
}

// parseActiveZones reads firewall-cmd --get-active-zones: the zone of each
// interface.
func parseActiveZones(text string) map[string]string {
	zones, zone := map[string]string{}, ""
	for line := range strings.Lines(text) {
		line = strings.TrimRight(line, " \r\n")
		if line != "" && line[0] != ' ' && line[0] != '\t' {
			zone, _, _ = strings.Cut(line, " ") // "public (default)"
			continue
		}
		if list, ok := strings.CutPrefix(strings.TrimSpace(line), "interfaces:"); ok {
			for _, device := range strings.Fields(list) {
				zones[device] = zone
			}
		}
	}
	return zones
}

func (firewalld) value(_, now firewalldState) string { return onOff(now.Running) }

func (f firewalld) check(ctx context.Context, s firewalldState, values []string) (string, error) {
	stop, err := f.service("stop")
	if err != nil {
		return "", err
	}
	if s.Running && slices.Contains(values, Off) {
		if err := f.stored(ctx); err != nil {
			return "", err
		}
	}
	start, err := f.service("start")
	return fmt.Sprintf("firewall off: %s; on: %s (it is %s now)", stop, start, onOff(s.Running)), err
}

// stored is an error if firewalld has settings that it would not have after a
// start.
func (f firewalld) stored(ctx context.Context) error {
	asked := [][]string{{"--list-all-zones"}, {"--list-all-policies"}, {"--direct", "--get-all-rules"}}
	a, err := f.host.run(ctx, ask("firewall-cmd", "--get-ipsets"))
	if err != nil {
		return err
	}
	for _, set := range strings.Fields(string(a.stdout)) {
		asked = append(asked, []string{"--ipset=" + set, "--get-entries"})
	}
	for _, args := range asked {
		now, err := f.host.run(ctx, ask("firewall-cmd", args...))
		stored, storedErr := f.host.run(ctx, ask("firewall-cmd", append([]string{"--permanent"}, args...)...))
		if err != nil && storedErr != nil {
			continue // releases without policies or direct rules
		}
		if err != nil {
			return err
		}
		if storedErr != nil || lasting(string(now.stdout)) != lasting(string(stored.stdout)) {
			return fmt.Errorf("firewalld has settings that are not permanent (%s) and would be lost when it stops: store them with firewall-cmd --runtime-to-permanent, or drop them with firewall-cmd --reload", strings.Join(args, " "))
		}
	}
	return nil
}

// lasting leaves out of a listing what differs between the running and the
// stored settings by its nature: which zones are in use, and by which
// interfaces.
func lasting(listing string) string {
	var b strings.Builder
	for line := range strings.Lines(listing) {
		line = strings.TrimRight(line, " \r\n")
		if line != "" && line[0] != ' ' {
			line, _, _ = strings.Cut(line, " (")
		}
		if !strings.HasPrefix(line, "  interfaces:") {
			b.WriteString(line + "\n")
		}
	}
	return b.String()
}

// service is the command that starts or stops firewalld. It holds nothing:
// firewalld would keep it for as long as it runs.
func (f firewalld) service(do string) (command, error) {
	switch {
	case f.host.exists("/run/systemd/system") && f.host.has("systemctl"):
		return ask("systemctl", do, "firewalld"), nil
	case f.host.has("rc-service"):
		return ask("rc-service", "firewalld", do), nil
	case f.host.has("service") && f.host.exists("/etc/init.d/firewalld"):
		return ask("service", "firewalld", do), nil
	}
	return command{}, errors.New("firewalld cannot be switched: no service manager here knows it")
}

func (f firewalld) change(ctx context.Context, s firewalldState, value string) error {
	if value == On && s.Running {
		return f.restore(ctx, s)
	}
	return f.restore(ctx, firewalldState{Running: value == On})
}

// restore tells the service manager also where firewalld seems to be so
// already: it may be about to stop or to start.
func (f firewalld) restore(ctx context.Context, s firewalldState) error {
	do := "stop"
	if s.Running {
		do = "start"
	}
	c, err := f.service(do)
	if err != nil {
		return err
	}
	if _, err := f.host.run(ctx, c); err != nil {
		return err
	}
	if !until(ctx, commandTime, func() bool { return f.running(ctx) == s.Running }) {
		return fmt.Errorf("%s had no effect within %v", c, commandTime)
	}
	return f.assign(ctx, s.Zones)
}

// assign gives interfaces their zones again. NetworkManager does so itself for
// its own, soon after a start.
func (f firewalld) assign(ctx context.Context, zones map[string]string) error {
	if len(zones) == 0 {
		return nil
	}
	var errs []error
	now, err := f.zones(ctx)
	errs = append(errs, err)
	for _, device := range slices.Sorted(maps.Keys(zones)) {
		if err == nil && now[device] != zones[device] {
			_, err := f.host.run(ctx, tell("firewall-cmd", "--zone="+zones[device], "--change-interface="+device))
			errs = append(errs, err)
		}
	}
	return errors.Join(errs...)
}
