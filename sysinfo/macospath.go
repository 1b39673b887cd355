package sysinfo

import (
	"context"
	"fmt"
	"net/netip"
	"slices"
)

// macNIC is one interface of macOS as the system calls describe it.
type macNIC struct {
	Name      string
	Index     int
	Kind      string
	Evidence  string
	USB       bool
	Up        bool // running, with carrier as far as that is known
	MTU       int
	Addresses []netip.Prefix
	Media     macMedia
}

// bridge tells by the name: the kernel numbers bridges so, and nothing else.
func (n macNIC) bridge() bool { return kindOfStem(n.Name, "bridge") }

func (n macNIC) vlan() bool { return kindOfStem(n.Name, "vlan") }

func kindOfStem(name, stem string) bool {
	return len(name) > len(stem) && name[:len(stem)] == stem && name[len(stem)] >= '0' && name[len(stem)] <= '9'
}

// ownerOf finds the interface that has an address.
func ownerOf(nics []macNIC, a netip.Addr) (macNIC, bool) {
	for _, n := range nics {
		if a.Zone() != "" && a.Zone() != n.Name {
			continue
		}
		for _, p := range n.Addresses {
			if p.Addr() == a.WithZone("") || a.IsLoopback() && p.Addr().IsLoopback() && p.Addr().Is4() == a.Is4() {
				return n, true
			}
		}
	}
	return macNIC{}, false
}

func nicNamed(nics []macNIC, name string) (macNIC, bool) {
	i := slices.IndexFunc(nics, func(n macNIC) bool { return n.Name == name })
	if i < 0 {
		return macNIC{}, false
	}
	return nics[i], true
}

// macBridge is what ifconfig tells of a bridge: its members, and on which of
// them each neighbour was seen.
type macBridge struct {
	Members []string
	Peers   map[string]string
}

// describeMacPath says which way the data goes. route is asked for the other
// end's address, bridge for a bridge's members.
func describeMacPath(r *Record, local, remote netip.Addr, nics []macNIC, route routeAnswer, bridge func(string) (macBridge, error)) {
	if owner, ok := ownerOf(nics, local); ok {
		r.Path.AddressInterface = new(owner.Name)
	} else {
		r.unknown("path.address_interface", because(NotFound, "no interface has the local address"))
	}
	r.Path.Interface = new(route.Interface)
	r.Path.OnLink = new(route.Gateway == "")
	if route.Gateway != "" {
		r.Path.Gateway = new(Printable(route.Gateway))
	}
	r.unknown("path.gateway", because(NotApplicable, "the other end is on the link"))
	if route.MTU > 0 {
		r.Path.MTU = new(int64(route.MTU))
	}
	r.Path.Stack = []string{route.Interface}
	r.Path.VLANTags = new(int64(0))
	kind, evidence := kindOfMacPath(r, remote, nics, route, bridge)
	r.Path.Kind, r.Path.Evidence = &kind, &evidence
}

func kindOfMacPath(r *Record, remote netip.Addr, nics []macNIC, route routeAnswer, bridge func(string) (macBridge, error)) (kind, evidence string) {
	if remote.IsLoopback() {
		return KindLoopback, "the other end is " + remote.String()
	}
	if owner, ok := ownerOf(nics, remote); ok {
		return KindOwnAddress, fmt.Sprintf("%s is an address of this host (%s): its route goes through %s", remote, owner.Name, route.Interface)
	}
	nic, ok := nicNamed(nics, route.Interface)
	if !ok {
		return kindOfMacName(route.Interface)
	}
	if nic.vlan() {
		*r.Path.VLANTags = 1
	}
	if !nic.bridge() {
		return nic.Kind, fmt.Sprintf("%s: %s", nic.Name, nic.Evidence)
	}
	members, err := bridge(nic.Name)
	if err != nil {
		return nic.Kind, fmt.Sprintf("%s is a bridge, its members are not known", nic.Name)
	}
	if member, ok := nicNamed(nics, members.Peers[route.PeerMAC]); ok && route.PeerMAC != "" {
		r.Path.Stack = append(r.Path.Stack, member.Name)
		return member.Kind, fmt.Sprintf("the other end is on member %s of %s: %s", member.Name, nic.Name, member.Evidence)
	}
	return kindOfMembers(nic, members.Members, nics)
}

// kindOfMembers tells the kind of a bridge whose members are all of one.
func kindOfMembers(bridge macNIC, members []string, nics []macNIC) (kind, evidence string) {
	for _, name := range members {
		member, ok := nicNamed(nics, name)
		if !ok || kind != "" && member.Kind != kind {
			return bridge.Kind, fmt.Sprintf("%s is a bridge of several kinds of interfaces", bridge.Name)
		}
		kind = member.Kind
	}
	if kind == "" {
		return bridge.Kind, fmt.Sprintf("%s is a bridge without members", bridge.Name)
	}
	return kind, fmt.Sprintf("all members of the bridge %s are of kind %s", bridge.Name, kind)
}

// hasOwnAddress reports whether one of the addresses is more than link-local.
func hasOwnAddress(addresses []string) bool {
	return slices.ContainsFunc(addresses, func(s string) bool {
		p, err := netip.ParsePrefix(s)
		return err == nil && !p.Addr().IsLinkLocalUnicast()
	})
}

// describeMacAttachment says how the interface is attached, as far as its class
// tells.
func describeMacAttachment(r *Record, n macNIC) {
	switch {
	case n.USB:
		r.Link.AttachedBy = new("usb")
	case n.Kind == KindThunderbolt:
		r.Link.AttachedBy = new("thunderbolt")
	case n.Kind == KindLoopback || n.Kind == KindVirtual || n.Kind == KindTunnel:
		r.Link.AttachedBy = new("none")
	default:
		r.unknown("link.attached_by", because(NotSupported, "the class of the interface does not tell"))
	}
}

// counters gives those of a record.
func (i macInterface) counters() Counters {
	n := func(v uint64) *int64 { return new(int64(v)) }
	return Counters{
		RxBytes: n(i.InBytes), TxBytes: n(i.OutBytes), RxPackets: n(i.InPackets), TxPackets: n(i.OutPackets),
		RxErrors: n(i.InErrors), TxErrors: n(i.OutErrors), RxDropped: n(i.InDropped), TxDropped: n(i.OutDrops),
	}
}

// routeByTools finds a route by route -n get, and then in the table of netstat,
// where the kernel does not answer by itself.
func routeByTools(ctx context.Context, p *probe, remote netip.Addr) (routeAnswer, bool) {
	family, args := "inet", []string{"-n", "get", remote.String()}
	if remote.Is6() {
		family, args = "inet6", []string{"-n", "get", "-inet6", remote.String()}
	}
	if b, err := p.command(ctx, "/sbin/route", args...); err == nil {
		if answer, err := parseRouteGet(b); err == nil {
			return answer, true
		}
	}
	b, err := p.command(ctx, "/usr/sbin/netstat", "-rnl", "-f", family)
	if err != nil {
		return routeAnswer{}, false
	}
	routes, err := parseNetstatRoutes(b)
	if err != nil {
		return routeAnswer{}, false
	}
	return routeFromTable(routes, remote)
}

// askBridge asks for the members of a bridge and the neighbours seen on them.
func askBridge(ctx context.Context, p *probe, name string) (macBridge, error) {
	b, err := p.command(ctx, "/sbin/ifconfig", name)
	if err != nil {
		return macBridge{}, err
	}
	interfaces, err := parseIfconfig(b)
	if err != nil {
		return macBridge{}, err
	}
	return macBridge{interfaces[0].Members, interfaces[0].Peers}, nil
}
