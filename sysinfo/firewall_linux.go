package sysinfo

import (
	"context"
	"encoding/binary"
	"errors"
	"fmt"
	"io/fs"
	"strings"

	"github.com/google/nftables"
	"github.com/google/nftables/expr"
	"github.com/vishvananda/netlink"
	"github.com/vishvananda/netlink/nl"
	"golang.org/x/sys/unix"
)

// collectFirewall decides from the kernel's rules, not from what a manager
// says of itself.
func collectFirewall(ctx context.Context, p *probe, r *Record) error {
	rules, err := readRuleset(ctx)
	if err != nil && !errors.Is(err, fs.ErrPermission) {
		// A rule set with parts that are newer than the library.
		if b, nftErr := p.command(ctx, "/usr/sbin/nft", "-j", "list", "ruleset"); nftErr == nil {
			rules, err = parseNFT(b)
		}
	}
	f := filtering{}
	if err == nil {
		f = rules.summarize()
	}
	legacy, legacyLayer := legacyFirewall(ctx, p)
	r.Firewall.Layers = []Layer{layerOf("nftables", f, err), legacyLayer}
	setManager(p, f, err, r)
	if err != nil {
		for _, field := range []string{"hooks", "rules", "filtering"} {
			r.unknown("firewall."+field, err)
		}
	} else {
		r.Firewall.Hooks, r.Firewall.Rules = new(int64(f.hooks+legacy.hooks)), new(int64(f.rules+legacy.rules))
		r.Firewall.Filtering = new(f.drops || legacy.drops)
	}
	setTracking(p, f.tracked || legacy.tracked, err, r)
	return nil
}

func layerOf(name string, f filtering, err error) Layer {
	l := Layer{Name: name, OnPath: true}
	if err != nil {
		u := unknownOf(err)
		l.Reason, l.Detail = u.Reason, u.Detail
		return l
	}
	l.State = new(Off)
	if f.drops {
		l.State = new(On)
	}
	l.Detail = fmt.Sprintf("%d hooks, %d rules", f.hooks, f.rules)
	return l
}

// setManager names who wrote the rules; without the right to read them, who is
// configured to.
func setManager(p *probe, f filtering, err error, r *Record) {
	if err == nil {
		r.Firewall.Manager = new(strings.Join(f.managers, ", "))
		return
	}
	b, confErr := p.readFile("/etc/ufw/ufw.conf")
	if confErr == nil {
		if enabled, parseErr := parseUFWConf(b); parseErr == nil && enabled {
			r.Firewall.Manager = new("ufw")
			return
		}
	}
	r.unknown("firewall.manager", err)
}

// setTracking tells whether connections are tracked. Tracked connections prove
// it, rules that ask for it cause it.
func setTracking(p *probe, asked bool, err error, r *Record) {
	count, countErr := p.readInt("/proc/sys/net/netfilter/nf_conntrack_count")
	switch {
	case asked || countErr == nil && count > 0:
		r.Firewall.ConnectionTracking = new(true)
	case err == nil || errors.Is(countErr, fs.ErrNotExist):
		r.Firewall.ConnectionTracking = new(false)
	default:
		r.unknown("firewall.connection_tracking", err)
	}
}

// legacyFirewall looks for rules of iptables' older kernel part, which nftables
// does not show.
func legacyFirewall(ctx context.Context, p *probe) (filtering, Layer) {
	var sum filtering
	used := false
	for _, v := range []struct{ names, save string }{
		{"/proc/net/ip_tables_names", "/usr/sbin/iptables-legacy-save"},
		{"/proc/net/ip6_tables_names", "/usr/sbin/ip6tables-legacy-save"},
	} {
		b, err := p.readFile(v.names)
		if errors.Is(err, fs.ErrNotExist) || err == nil && len(parseTableNames(b)) == 0 {
			continue
		}
		if err != nil {
			return sum, layerOf("iptables_legacy", sum, legacyLoaded(p, err))
		}
		used = true
		if b, err = p.command(ctx, v.save); err != nil {
			return sum, layerOf("iptables_legacy", sum, err)
		}
		rules, err := parseIPTablesSave(b)
		if err != nil {
			return sum, layerOf("iptables_legacy", sum, err)
		}
		f := rules.summarize()
		sum.hooks, sum.rules = sum.hooks+f.hooks, sum.rules+f.rules
		sum.drops, sum.tracked = sum.drops || f.drops, sum.tracked || f.tracked
	}
	l := layerOf("iptables_legacy", sum, nil)
	if !used {
		l.Detail = "not in use"
	}
	return sum, l
}

// legacyLoaded is nil if the modules that hold legacy rules are not loaded, and
// otherwise why the rules cannot be read.
func legacyLoaded(p *probe, err error) error {
	b, modErr := p.readFile("/proc/modules")
	if modErr != nil {
		return err
	}
	for line := range strings.Lines(string(b)) {
		module, _, _ := strings.Cut(line, " ")
		switch module {
		case "iptable_filter", "ip6table_filter", "iptable_raw", "ip6table_raw", "iptable_mangle", "ip6table_mangle":
			return because(NoPermission, "%s is loaded; reading its rules needs root", module)
		}
	}
	return nil
}

// readRuleset asks nf_tables for every chain and what its rules do.
func readRuleset(ctx context.Context) (ruleset, error) {
	s := ruleset{make(map[chainID]*chain)}
	conn, err := nftables.New(nftables.AsLasting())
	if err != nil {
		return s, fmt.Errorf("open nf_tables: %w", err)
	}
	defer conn.CloseLasting()
	chains, err := conn.ListChains()
	if err != nil {
		return s, fmt.Errorf("list chains: %w", err)
	}
	for _, c := range chains {
		if ctx.Err() != nil {
			return s, fmt.Errorf("list %d chains: %w", len(chains), ctx.Err())
		}
		family := familyNames[c.Table.Family]
		k := &chain{nat: c.Type == nftables.ChainTypeNAT, device: c.Device, drops: c.Policy != nil && *c.Policy == nftables.ChainPolicyDrop}
		if c.Hooknum != nil {
			k.hook = hookName(family, *c.Hooknum)
		}
		rules, err := conn.GetRules(c.Table, c)
		if err != nil {
			return s, fmt.Errorf("list rules of %s %s: %w", c.Table.Name, c.Name, err)
		}
		for _, r := range rules {
			k.rules = append(k.rules, ruleOf(conn, c.Table, r))
		}
		s.chains[chainID{family, c.Table.Name, c.Name}] = k
	}
	return s, nil
}

var familyNames = map[nftables.TableFamily]string{
	nftables.TableFamilyIPv4: "ip", nftables.TableFamilyIPv6: "ip6", nftables.TableFamilyINet: "inet",
	nftables.TableFamilyARP: "arp", nftables.TableFamilyBridge: "bridge", nftables.TableFamilyNetdev: "netdev",
}

// hookName names a hook; the numbers of netdev are others than those of IP,
// and inet has ingress as 5 since Linux 5.10.
func hookName(family string, hook nftables.ChainHook) string {
	if family == "netdev" {
		return []string{"ingress", "egress"}[min(hook, 1)]
	}
	names := []string{"prerouting", "input", "forward", "output", "postrouting", "ingress"}
	return names[min(int(hook), len(names)-1)]
}

// ruleOf tells what a rule can do. Expressions that the library does not know
// are left out; verdicts it does.
func ruleOf(conn *nftables.Conn, table *nftables.Table, nr *nftables.Rule) rule {
	var r rule
	for _, e := range nr.Exprs {
		switch e := e.(type) {
		case *expr.Verdict:
			r.verdict(e)
		case *expr.Reject, *expr.Queue:
			r.drops = true
		case *expr.Ct, *expr.NAT, *expr.Masq, *expr.Redir:
			r.tracked = true
		case *expr.Match:
			r.extension(e.Name)
		case *expr.Target:
			r.extension(e.Name)
		case *expr.Lookup:
			// A map whose values are verdicts writes register 0.
			if !e.IsDestRegSet || e.DestRegister != 0 {
				continue
			}
			set, err := conn.GetSetByName(table, e.SetName)
			if err != nil {
				continue
			}
			elements, err := conn.GetSetElements(set)
			if err != nil {
				continue
			}
			for _, el := range elements {
				if v, ok := elementVerdict(el.Val); ok {
					r.verdict(&v)
				}
			}
		}
	}
	return r
}

// elementVerdict reads the verdict that a map's element has as its value, which
// the library leaves encoded.
func elementVerdict(b []byte) (v expr.Verdict, ok bool) {
	attrs, err := nl.ParseRouteAttr(b)
	if err != nil {
		return v, false
	}
	for _, a := range attrs {
		switch {
		case a.Attr.Type == unix.NFTA_VERDICT_CODE && len(a.Value) == 4:
			v.Kind, ok = expr.VerdictKind(int32(binary.BigEndian.Uint32(a.Value))), true
		case a.Attr.Type == unix.NFTA_VERDICT_CHAIN:
			v.Chain = unix.ByteSliceToString(a.Value)
		}
	}
	return v, ok
}

func (r *rule) verdict(v *expr.Verdict) {
	switch v.Kind {
	case expr.VerdictDrop, expr.VerdictQueue, expr.VerdictStolen:
		r.drops = true
	case expr.VerdictJump, expr.VerdictGoto:
		r.jumps = append(r.jumps, v.Chain)
	}
}

const firewallCmd = "/usr/bin/firewall-cmd"

// runs reports whether a process of that name is there (proc(5), comm).
func (p *probe) runs(name string) bool {
	for _, file := range p.glob("/proc/[0-9]*/comm") {
		if b, err := readLimited(p.at(file)); err == nil && strings.TrimSpace(string(b)) == name {
			return true
		}
	}
	return false
}

// collectFirewalld asks firewalld, if it runs, for the zone of the carrying
// interface.
func collectFirewalld(ctx context.Context, p *probe, r *Record) error {
	if p.route() == "" {
		return errNoLink
	}
	// firewall-cmd takes half a second of a core to say that there is no
	// firewalld, so it is asked only where there is one.
	if !p.runs("firewalld") {
		return because(NotApplicable, "firewalld does not run")
	}
	// "not running" comes with an exit status of its own.
	b, err := p.command(ctx, firewallCmd, "--state")
	running, notSaid := parseFirewalldState(b)
	if err != nil && notSaid != nil {
		return err
	}
	if notSaid != nil {
		return notSaid
	}
	if !running {
		return because(NotApplicable, "firewalld does not run")
	}
	if b, err = p.command(ctx, firewallCmd, "--get-active-zones"); err != nil {
		return err
	}
	zones, err := parseActiveZones(b)
	if err != nil {
		return err
	}
	zone, ok := zones[p.route()]
	if !ok {
		return because(NotApplicable, "%s is in no active zone", p.route())
	}
	r.Firewall.Profile = &zone
	return nil
}

// collectBPF looks for programs attached to the interfaces of the path, which
// see packets before any rule does.
func collectBPF(_ context.Context, p *probe, r *Record) error {
	if len(p.path.Stack) == 0 {
		return errNoLink
	}
	filters := []string{}
	for _, name := range p.path.Stack {
		link, err := netlink.LinkByName(name)
		if err != nil {
			return fmt.Errorf("interface %s: %w", name, err)
		}
		if xdp := link.Attrs().Xdp; xdp != nil && xdp.Attached {
			filters = append(filters, "XDP on "+name)
		}
		for _, parent := range []uint32{netlink.HANDLE_MIN_INGRESS, netlink.HANDLE_MIN_EGRESS, netlink.HANDLE_ROOT} {
			list, err := netlink.FilterList(link, parent)
			if err != nil {
				continue
			}
			for _, f := range list {
				if bpf, ok := f.(*netlink.BpfFilter); ok {
					filters = append(filters, fmt.Sprintf("tc BPF %s on %s", Printable(bpf.Name), name))
				}
			}
		}
	}
	layer := Layer{Name: "ebpf", OnPath: true, State: new(Off), Detail: strings.Join(filters, ", ")}
	if len(filters) > 0 {
		layer.State = new(On)
	}
	r.Security.Filters = filters
	r.Firewall.Layers = []Layer{layer}
	return nil
}
