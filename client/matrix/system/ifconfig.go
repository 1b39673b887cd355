package system

import (
	"context"
	"errors"
	"fmt"
	"regexp"
	"strconv"
	"strings"
)

// ifconfigMTU is the MTU of an interface on macOS. ifconfig changes it until
// the next start of the system; where it has no effect networksetup does it,
// which is for good, until it is restored.
type ifconfigMTU struct {
	host   *Host
	device string
}

func (m ifconfigMTU) links(ctx context.Context) ([]link, error) {
	a, err := m.host.run(ctx, ask("ifconfig", "-a"))
	if err != nil {
		return nil, err
	}
	return parseIfconfig(string(a.stdout)), nil
}

var (
	ifconfigHead   = regexp.MustCompile(`^(\S+): flags=\S+.* mtu (\d+)`)
	ifconfigMember = regexp.MustCompile(`^\s+member: (\S+) `)
	ifconfigVLAN   = regexp.MustCompile(`^\s+vlan: .*parent interface: (\S+)`)
)

// parseIfconfig reads ifconfig -a of macOS.
func parseIfconfig(text string) []link {
	var links []link
	for line := range strings.Lines(text) {
		if m := ifconfigHead.FindStringSubmatch(line); m != nil {
			l := link{name: m[1]}
			l.mtu, _ = strconv.Atoi(m[2])
			links = append(links, l)
			continue
		}
		if len(links) == 0 {
			continue
		}
		l := &links[len(links)-1]
		switch text := strings.TrimSpace(line); {
		case strings.HasPrefix(text, "inet6 "):
			l.ipv6 = true
		case text == "status: active":
			l.up = true
		}
		for _, re := range []*regexp.Regexp{ifconfigMember, ifconfigVLAN} {
			if m := re.FindStringSubmatch(line); m != nil {
				l.related = append(l.related, m[1])
			}
		}
	}
	return links
}

// setting is the MTU that the system keeps for the interface, 0 for interfaces
// it keeps none for, such as those that are no network service.
func (m ifconfigMTU) setting(ctx context.Context) int {
	a, err := m.host.run(ctx, ask("networksetup", "-getMTU", m.device))
	if err != nil {
		return 0
	}
	return parseMTUSetting(string(a.stdout))
}

var mtuSetting = regexp.MustCompile(`^Active MTU: \d+ \(Current Setting: (\d+)\)`)

// parseMTUSetting reads networksetup -getMTU; 0 if it tells no number.
func parseMTUSetting(text string) int {
	m := mtuSetting.FindStringSubmatch(strings.TrimSpace(text))
	if m == nil {
		return 0
	}
	n, _ := strconv.Atoi(m[1])
	return n
}

func (m ifconfigMTU) set(ctx context.Context, device string, mtu int) error {
	_, err := m.host.run(ctx, m.command(device, strconv.Itoa(mtu)))
	if err == nil {
		links, listErr := m.links(ctx)
		if listErr != nil {
			return listErr
		}
		if now, findErr := find(links, device); findErr == nil && now.mtu == mtu {
			return nil
		}
	}
	_, err2 := m.host.run(ctx, tell("networksetup", "-setMTU", device, strconv.Itoa(mtu)))
	if err2 != nil {
		return errors.Join(err, err2)
	}
	return nil
}

func (ifconfigMTU) command(device, mtu string) command { return tell("ifconfig", device, "mtu", mtu) }

func (m ifconfigMTU) read(ctx context.Context) (mtuState, error) {
	links, err := m.links(ctx)
	if err != nil {
		return mtuState{}, err
	}
	s, err := stateOf(links, m.device)
	if err == nil {
		s.Setting = m.setting(ctx)
	}
	return s, err
}

func (ifconfigMTU) value(_, now mtuState) string { return now.value() }

var mtuRange = regexp.MustCompile(`^Valid MTU Range: (\d+)-(\d+)`)

func (m ifconfigMTU) check(ctx context.Context, s mtuState, values []string) (string, error) {
	links, err := m.links(ctx)
	if err != nil {
		return "", err
	}
	l, err := find(links, m.device)
	if err != nil {
		return "", err
	}
	// Not told for bridges.
	if a, err := m.host.run(ctx, ask("networksetup", "-listvalidMTUrange", m.device)); err == nil {
		if r := mtuRange.FindStringSubmatch(strings.TrimSpace(string(a.stdout))); r != nil {
			l.min, _ = strconv.Atoi(r[1])
			l.max, _ = strconv.Atoi(r[2])
		}
	}
	return announceMTU(m.command(m.device, "BYTES"), s, values), valid(l, values)
}

func (m ifconfigMTU) change(ctx context.Context, _ mtuState, value string) error {
	n, err := strconv.Atoi(value)
	if err != nil {
		return err
	}
	return setMTU(ctx, m, m.device, n)
}

func (m ifconfigMTU) restore(ctx context.Context, s mtuState) error {
	err := restoreMTU(ctx, m, s)
	if s.Setting == 0 || m.setting(ctx) == s.Setting {
		return err
	}
	if _, setErr := m.host.run(ctx, tell("networksetup", "-setMTU", m.device, strconv.Itoa(s.Setting))); setErr != nil {
		return errors.Join(err, setErr)
	}
	if now := m.setting(ctx); now != s.Setting {
		err = errors.Join(err, fmt.Errorf("networksetup keeps %d as the MTU of %s and kept %d", now, m.device, s.Setting))
	}
	return errors.Join(err, restoreMTU(ctx, m, s)) // what is kept may differ from what was in use
}
