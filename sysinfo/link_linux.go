package sysinfo

import (
	"context"
	"encoding/binary"
	"fmt"
	"net"

	"github.com/vishvananda/netlink"
	"github.com/vishvananda/netlink/nl"
	"golang.org/x/sys/unix"
)

// kindOfLink is the kind of one interface, "" if it is gone.
func kindOfLink(p *probe, name string) string {
	l, err := netlink.LinkByName(name)
	if err != nil {
		return ""
	}
	kind, _ := linkOf(p, l).kind()
	return kind
}

// collectLink asks rtnetlink for the interface. The MTU is that of the route's
// interface, where packets are made; the rest is of the hardware end.
func collectLink(_ context.Context, p *probe, r *Record) error {
	if p.link() == "" {
		return errNoLink
	}
	route, err := netlink.LinkByName(p.route())
	if err != nil {
		return fmt.Errorf("interface %s: %w", p.route(), err)
	}
	link, err := netlink.LinkByName(p.link())
	if err != nil {
		return fmt.Errorf("interface %s: %w", p.link(), err)
	}
	p.note("ip link "+p.link(), link)
	kind, _ := linkOf(p, link).kind()
	r.Link.Name, r.Link.Kind = new(p.link()), &kind
	r.Link.MTU = new(int64(route.Attrs().MTU))
	r.Link.Up = new(link.Attrs().RawFlags&unix.IFF_RUNNING != 0)
	r.Link.Virtual = new(kind == KindVirtual || kind == KindTunnel || kind == KindLoopback)
	r.Queue.Length = new(int64(link.Attrs().TxQLen))
	r.Link.Addresses = []string{}
	addrs, err := netlink.AddrList(route, netlink.FAMILY_ALL)
	if err != nil {
		return fmt.Errorf("addresses of %s: %w", p.route(), err)
	}
	for _, a := range addrs {
		r.Link.Addresses = append(r.Link.Addresses, a.IPNet.String())
	}
	least, most, err := mtuRange(link.Attrs().Index)
	if err != nil {
		r.unknown("link.mtu_min_bytes", err)
		r.unknown("link.mtu_max_bytes", err)
		return nil
	}
	r.Link.MTUMin, r.Link.MTUMax = &least, &most
	return nil
}

// mtuRange asks for the MTUs that an interface allows, which the library does
// not tell.
func mtuRange(index int) (least, most int64, err error) {
	req := nl.NewNetlinkRequest(unix.RTM_GETLINK, unix.NLM_F_ACK)
	info := nl.NewIfInfomsg(unix.AF_UNSPEC)
	info.Index = int32(index)
	req.AddData(info)
	answers, err := req.Execute(unix.NETLINK_ROUTE, 0)
	if err != nil {
		return 0, 0, fmt.Errorf("MTU range: %w", err)
	}
	for _, a := range answers {
		attrs, err := nl.ParseRouteAttr(a[nl.DeserializeIfInfomsg(a).Len():])
		if err != nil {
			return 0, 0, fmt.Errorf("MTU range: %w", err)
		}
		for _, attr := range attrs {
			if len(attr.Value) < 4 {
				continue
			}
			switch attr.Attr.Type {
			case unix.IFLA_MIN_MTU:
				least = int64(binary.NativeEndian.Uint32(attr.Value))
			case unix.IFLA_MAX_MTU:
				most = int64(binary.NativeEndian.Uint32(attr.Value))
			}
		}
	}
	// 0 is how a driver says that it has no bound.
	if most == 0 {
		return 0, 0, because(NotSupported, "the driver names no bounds")
	}
	return least, most, nil
}

// listInterfaces gives every interface of this network namespace.
func listInterfaces(ctx context.Context, p *probe) ([]Interface, error) {
	links, err := netlink.LinkList()
	if err != nil {
		return nil, fmt.Errorf("list interfaces: %w", err)
	}
	addrs, err := netlink.AddrList(nil, netlink.FAMILY_ALL)
	if err != nil {
		return nil, fmt.Errorf("list addresses: %w", err)
	}
	list := []Interface{}
	for _, l := range links {
		a := l.Attrs()
		kind, _ := linkOf(p, l).kind()
		i := Interface{Name: a.Name, Kind: kind, Up: a.Flags&net.FlagUp != 0 && a.RawFlags&unix.IFF_RUNNING != 0, MTU: new(int64(a.MTU)), Addresses: []string{}}
		for _, addr := range addrs {
			if addr.LinkIndex == a.Index {
				i.Addresses = append(i.Addresses, addr.IPNet.String())
			}
		}
		rx, tx, err := speedOf(ctx, p, l, kind)
		if err != nil {
			i.Reason = unknownOf(err).Reason
		} else {
			i.SpeedRx, i.SpeedTx = &rx, &tx
		}
		list = append(list, i)
	}
	return list, nil
}

// speedOf is the negotiated speed of an interface of that kind.
func speedOf(ctx context.Context, p *probe, l netlink.Link, kind string) (rx, tx int64, err error) {
	name := l.Attrs().Name
	switch kind {
	case KindThunderbolt:
		t, err := thunderboltOf(p, name)
		if err != nil || t.SpeedRx == nil || t.SpeedTx == nil {
			return 0, 0, because(NotSupported, "the kernel does not tell the speed")
		}
		return *t.SpeedRx, *t.SpeedTx, nil
	case KindWiFi:
		w, err := askWiFi(ctx, p, name)
		if err != nil || w.RateRx == nil || w.RateTx == nil {
			return 0, 0, because(NotSupported, "not associated, or the rate is not told")
		}
		return *w.RateRx, *w.RateTx, nil
	case KindEthernet, KindOther, KindCellular:
		s, err := readLinkSettings(name)
		if err == nil && s.Speed == 0 {
			err = because(NotSupported, "the driver does not know")
		}
		return s.Speed, s.Speed, err
	}
	return 0, 0, because(NotApplicable, "no hardware")
}

// readLink reads the 64-bit counters of an interface.
func readLink(_ *probe, name string) (Counters, error) {
	l, err := netlink.LinkByName(name)
	if err != nil {
		return Counters{}, fmt.Errorf("read counters of %s: %w", name, err)
	}
	s := l.Attrs().Statistics
	if s == nil {
		return Counters{}, because(NotSupported, "the kernel gives no counters of %s", name)
	}
	n := func(v uint64) *int64 { return new(int64(v)) }
	c := Counters{
		RxBytes: n(s.RxBytes), TxBytes: n(s.TxBytes), RxPackets: n(s.RxPackets), TxPackets: n(s.TxPackets),
		RxErrors: n(s.RxErrors), TxErrors: n(s.TxErrors), TxDropped: n(s.TxDropped),
		RxDropped: n(s.RxDropped + s.RxMissedErrors),
	}
	if dropped, err := queueDrops(l); err == nil {
		c.QueueDropped = &dropped
	}
	return c, nil
}

// collectVPN lists the tunnels that are up. IPsec without an interface is seen
// by the policies, for which the kernel wants a privilege.
func collectVPN(_ context.Context, p *probe, r *Record) error {
	links, err := netlink.LinkList()
	if err != nil {
		return fmt.Errorf("list interfaces: %w", err)
	}
	vpn := []string{}
	for _, l := range links {
		kind, _ := linkOf(p, l).kind()
		if kind == KindTunnel && l.Attrs().Flags&net.FlagUp != 0 {
			vpn = append(vpn, l.Attrs().Name)
		}
	}
	if policies, err := netlink.XfrmPolicyList(netlink.FAMILY_ALL); err == nil && len(policies) > 0 {
		vpn = append(vpn, "ipsec")
	}
	r.Security.VPN = vpn
	return nil
}
