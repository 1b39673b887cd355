package system

import (
	"context"
	"regexp"
	"strconv"
	"strings"
)

// linkMTU is the MTU of an interface on Linux. The command ip sees the
// interfaces of the network namespace that it runs in, which /sys need not.
type linkMTU struct {
	host   *Host
	device string
}

func (m linkMTU) links(ctx context.Context) ([]link, error) {
	a, err := m.host.run(ctx, ask("ip", "-d", "-o", "link", "show"))
	if err != nil {
		return nil, err
	}
	return parseIPLinks(string(a.stdout)), nil
}

var (
	ipLink    = regexp.MustCompile(`^\d+: ([^:@ ]+)(?:@([^: ]+))?: <([^>]*)> mtu (\d+)`)
	ipMaster  = regexp.MustCompile(`^[^\\]* master (\S+)`)
	ipMinimum = regexp.MustCompile(` minmtu (\d+)`)
	ipMaximum = regexp.MustCompile(` maxmtu (\d+)`)
)

// parseIPLinks reads ip -d -o link show, one interface a line.
func parseIPLinks(text string) []link {
	var links []link
	for line := range strings.Lines(text) {
		m := ipLink.FindStringSubmatch(line)
		if m == nil {
			continue
		}
		l := link{name: m[1]}
		l.mtu, _ = strconv.Atoi(m[4])
		for flag := range strings.SplitSeq(m[3], ",") {
			l.up = l.up || flag == "LOWER_UP"
		}
		if m[2] != "" {
			l.related = append(l.related, m[2])
		}
		if master := ipMaster.FindStringSubmatch(line); master != nil {
			l.related = append(l.related, master[1])
		}
		for re, to := range map[*regexp.Regexp]*int{ipMinimum: &l.min, ipMaximum: &l.max} {
			if n := re.FindStringSubmatch(line); n != nil {
				*to, _ = strconv.Atoi(n[1])
			}
		}
		links = append(links, l)
	}
	return links
}

func (m linkMTU) set(ctx context.Context, device string, mtu int) error {
	_, err := m.host.run(ctx, m.command(device, strconv.Itoa(mtu)))
	return err
}

func (linkMTU) command(device, mtu string) command {
	return tell("ip", "link", "set", "dev", device, "mtu", mtu)
}

func (m linkMTU) read(ctx context.Context) (mtuState, error) {
	links, err := m.links(ctx)
	if err != nil {
		return mtuState{}, err
	}
	return stateOf(links, m.device)
}

func (linkMTU) value(_, now mtuState) string { return now.value() }

func (m linkMTU) check(ctx context.Context, s mtuState, values []string) (string, error) {
	links, err := m.links(ctx)
	if err != nil {
		return "", err
	}
	l, err := find(links, m.device)
	if err != nil {
		return "", err
	}
	a, err := m.host.run(ctx, ask("ip", "-6", "-o", "address", "show", "dev", m.device))
	l.ipv6 = err == nil && strings.Contains(string(a.stdout), "inet6")
	return announceMTU(m.command(m.device, "BYTES"), s, values), valid(l, values)
}

func (m linkMTU) change(ctx context.Context, _ mtuState, value string) error {
	n, err := strconv.Atoi(value)
	if err != nil {
		return err
	}
	return setMTU(ctx, m, m.device, n)
}

func (m linkMTU) restore(ctx context.Context, s mtuState) error { return restoreMTU(ctx, m, s) }
