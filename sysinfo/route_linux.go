package sysinfo

import (
	"bytes"
	"context"
	"fmt"
	"net"
	"net/netip"
	"strings"
	"syscall"

	"github.com/vishvananda/netlink"
	"golang.org/x/sys/unix"
)

// collectRoute asks the kernel which way packets of the data connection take.
func collectRoute(_ context.Context, p *probe, r *Record) error {
	c := p.conns[0]
	local, remote := c.Local.Addr().Unmap(), c.Remote.Addr().Unmap()
	if !remote.IsValid() {
		return because(NotFound, "the connection has no remote address")
	}
	owner := addressOwner(local)
	if owner != "" {
		r.Path.AddressInterface = &owner
	} else {
		r.unknown("path.address_interface", because(NotFound, "no interface has the local address"))
	}
	route, err := routeTo(local, remote, c.Raw)
	if err != nil {
		return fmt.Errorf("route to %s: %w", remote, err)
	}
	p.note("route", route)
	link, err := netlink.LinkByIndex(route.LinkIndex)
	if err != nil {
		return fmt.Errorf("interface %d of the route: %w", route.LinkIndex, err)
	}
	r.Path.Interface = new(link.Attrs().Name)
	r.Path.OnLink = new(route.Gw == nil)
	if route.Gw != nil {
		r.Path.Gateway = new(route.Gw.String())
	}
	r.unknown("path.gateway", because(NotApplicable, "the other end is on the link"))
	next := remote
	if gw, ok := netip.AddrFromSlice(route.Gw); ok {
		next = gw.Unmap()
	}
	stack := follow(link, next)
	r.Path.VLANTags = new(int64(0))
	for _, l := range stack {
		r.Path.Stack = append(r.Path.Stack, l.Attrs().Name)
		if l.Type() == "vlan" {
			*r.Path.VLANTags++
		}
	}
	kind, evidence := kindOfPath(p, remote, route, stack)
	r.Path.Kind, r.Path.Evidence = &kind, &evidence
	return nil
}

// routeTo looks the route up as the socket would use it: from its address, on
// the interface and with the mark that it is bound to.
func routeTo(local, remote netip.Addr, raw syscall.RawConn) (netlink.Route, error) {
	options := &netlink.RouteGetOptions{}
	if local.IsValid() && !local.IsUnspecified() {
		options.SrcAddr = local.AsSlice()
	}
	if remote.Zone() != "" {
		if i, err := net.InterfaceByName(remote.Zone()); err == nil {
			options.OifIndex = i.Index
		}
	}
	if raw != nil {
		raw.Control(func(fd uintptr) {
			if device, err := unix.GetsockoptString(int(fd), unix.SOL_SOCKET, unix.SO_BINDTODEVICE); err == nil && device != "" {
				options.Oif = device
			}
			if mark, err := unix.GetsockoptInt(int(fd), unix.SOL_SOCKET, unix.SO_MARK); err == nil {
				options.Mark = uint32(mark)
			}
		})
	}
	routes, err := netlink.RouteGetWithOptions(remote.AsSlice(), options)
	if err != nil {
		return netlink.Route{}, err
	}
	if len(routes) == 0 {
		return netlink.Route{}, because(NotFound, "the kernel names none")
	}
	return routes[0], nil
}

// addressOwner is the interface that has the address, "" if none.
func addressOwner(a netip.Addr) string {
	interfaces, err := net.Interfaces()
	if err != nil {
		return ""
	}
	for _, i := range interfaces {
		if a.Zone() != "" && a.Zone() != i.Name {
			continue
		}
		addrs, err := i.Addrs()
		if err != nil {
			continue
		}
		for _, have := range addrs {
			if n, ok := have.(*net.IPNet); ok && n.IP.Equal(net.IP(a.AsSlice())) {
				return i.Name
			}
			// 127.0.0.0/8 belongs to the loopback interface as a whole.
			if n, ok := have.(*net.IPNet); ok && a.IsLoopback() && n.Contains(net.IP(a.AsSlice())) {
				return i.Name
			}
		}
	}
	return ""
}

// kindOfPath classifies the path. A route of type local never leaves the host,
// whatever the address looks like.
func kindOfPath(p *probe, remote netip.Addr, route netlink.Route, stack []netlink.Link) (kind, evidence string) {
	name := stack[0].Attrs().Name
	switch {
	case remote.IsLoopback():
		return KindLoopback, "the other end is " + remote.String()
	case route.Type == unix.RTN_LOCAL:
		return KindOwnAddress, fmt.Sprintf("%s is an address of this host: its route is of type local, through %s", remote, name)
	}
	for _, l := range stack {
		kind, evidence = linkOf(p, l).kind()
		if kind == KindTunnel || !transparent(l.Type()) {
			break
		}
	}
	if len(stack) > 1 {
		evidence += ", below " + strings.Join(names(stack[:len(stack)-1]), ", ")
	}
	return kind, evidence
}

func names(links []netlink.Link) []string {
	var list []string
	for _, l := range links {
		list = append(list, l.Attrs().Name)
	}
	return list
}

// linkOf gathers what tells the kind of an interface.
func linkOf(p *probe, l netlink.Link) linuxLink {
	a := l.Attrs()
	dir := "/sys/class/net/" + a.Name
	driver, _ := p.resolve(dir + "/device/driver")
	_, hardware := p.resolve(dir + "/device")
	_, phy := p.resolve(dir + "/phy80211")
	_, wireless := p.resolve(dir + "/wireless")
	k := linuxLink{
		Name: a.Name, Type: l.Type(), Encap: a.EncapType,
		Driver: lastElement(driver), Hardware: hardware == nil, Wireless: phy == nil || wireless == nil,
	}
	// Without sysfs of this network namespace, the driver still answers.
	if k.Driver == "" && k.Type == "device" {
		if info, err := driverInfo(a.Name); err == nil {
			k.Driver, k.Hardware = info.Driver, info.BusInfo != ""
		}
	}
	return k
}

func lastElement(path string) string { return path[strings.LastIndexByte(path, '/')+1:] }

// maxStack bounds how far interfaces are followed; the kernel nests 8 deep.
const maxStack = 16

// follow goes from an interface down to the one that puts packets on a wire;
// next is the neighbour that gets them.
func follow(link netlink.Link, next netip.Addr) []netlink.Link {
	stack := []netlink.Link{link}
	for len(stack) < maxStack {
		below := under(link, next)
		if below == nil {
			break
		}
		stack = append(stack, below)
		link = below
	}
	return stack
}

// under is the interface that carries what another one is given, nil if the
// latter sends itself or it cannot be told.
func under(link netlink.Link, next netip.Addr) netlink.Link {
	index := 0
	switch l := link.(type) {
	case *netlink.Bridge:
		index = bridgePort(l, next)
	case *netlink.Bond:
		index = l.ActiveSlave
		if index <= 0 {
			index = onlyPort(link)
		}
	case *netlink.Vlan, *netlink.Macvlan, *netlink.Macvtap, *netlink.IPVlan:
		index = link.Attrs().ParentIndex
	case *netlink.Vxlan:
		index = l.VtepDevIndex
	case *netlink.Iptun:
		return through(l.Remote)
	case *netlink.Gretun:
		return through(l.Remote)
	case *netlink.Sittun:
		return through(l.Remote)
	case *netlink.Ip6tnl:
		return through(l.Remote)
	}
	if link.Type() == "team" {
		index = onlyPort(link)
	}
	// A veth's parent is its peer, perhaps in another namespace.
	if index <= 0 || link.Attrs().NetNsID >= 0 && link.Type() == "veth" {
		return nil
	}
	below, err := netlink.LinkByIndex(index)
	if err != nil {
		return nil
	}
	return below
}

// through is the interface of the route to a tunnel's end.
func through(end net.IP) netlink.Link {
	if end == nil || end.IsUnspecified() {
		return nil
	}
	routes, err := netlink.RouteGet(end)
	if err != nil || len(routes) == 0 {
		return nil
	}
	link, err := netlink.LinkByIndex(routes[0].LinkIndex)
	if err != nil {
		return nil
	}
	return link
}

// bridgePort is the port of a bridge behind which the neighbour is: the one
// where its hardware address was learnt, or the only one that is up.
func bridgePort(bridge netlink.Link, next netip.Addr) int {
	index := bridge.Attrs().Index
	family := netlink.FAMILY_V6
	if next.Is4() {
		family = netlink.FAMILY_V4
	}
	neighbours, err := netlink.NeighList(index, family)
	if err != nil {
		return onlyPort(bridge)
	}
	var mac net.HardwareAddr
	for _, n := range neighbours {
		if n.IP.Equal(net.IP(next.WithZone("").AsSlice())) {
			mac = n.HardwareAddr
		}
	}
	learnt, err := netlink.NeighList(0, unix.AF_BRIDGE)
	if err != nil || mac == nil {
		return onlyPort(bridge)
	}
	for _, n := range learnt {
		// Entries that are permanent are the ports' own addresses.
		if n.MasterIndex == index && n.State&netlink.NUD_PERMANENT == 0 && bytes.Equal(n.HardwareAddr, mac) {
			return n.LinkIndex
		}
	}
	return onlyPort(bridge)
}

// onlyPort is the one interface below another that is up, 0 if there are
// several.
func onlyPort(master netlink.Link) int {
	links, err := netlink.LinkList()
	if err != nil {
		return 0
	}
	found := 0
	for _, l := range links {
		a := l.Attrs()
		if a.MasterIndex != master.Attrs().Index || a.RawFlags&unix.IFF_RUNNING == 0 {
			continue
		}
		if found != 0 {
			return 0
		}
		found = a.Index
	}
	return found
}
