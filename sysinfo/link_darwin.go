package sysinfo

import (
	"context"
	"fmt"
	"net"
	"net/netip"
	"unsafe"

	"golang.org/x/sys/unix"
)

// ioctl requests of net/if.h and net/if_private.h. The size of the structure is
// part of each code.
const (
	siocgifType   = 0xc020699f
	siocgifMedia  = 0xc02c6948 // SIOCGIFXMEDIA
	siocgifCap    = 0xc020695b
	siocgifDevMTU = 0xc0206944
)

// interfaceRequest asks the kernel about an interface by an ioctl whose
// structure begins with the name.
func interfaceRequest(code uintptr, size int, name string) ([]byte, error) {
	if len(name) >= unix.IFNAMSIZ {
		return nil, because(Failed, "interface name of %d bytes", len(name))
	}
	fd, err := unix.Socket(unix.AF_INET, unix.SOCK_DGRAM, 0)
	if err != nil {
		return nil, fmt.Errorf("socket: %w", err)
	}
	defer unix.Close(fd)
	// Requests of other sizes would overwrite memory, hence the room.
	b := make([]byte, 64)
	copy(b, name)
	//lint:ignore SA1019 x/sys has no wrapper for these requests
	if _, _, errno := unix.Syscall(unix.SYS_IOCTL, uintptr(fd), code, uintptr(unsafe.Pointer(&b[0]))); errno != 0 {
		return nil, fmt.Errorf("ioctl %#x of %s: %w", code, name, errno)
	}
	return b[:size], nil
}

// nics gives every interface. What a call refuses for one interface is unknown
// for it alone.
func nics(p *probe) ([]macNIC, error) {
	interfaces, err := net.Interfaces()
	if err != nil {
		return nil, fmt.Errorf("list interfaces: %w", err)
	}
	list := make([]macNIC, 0, len(interfaces))
	for _, i := range interfaces {
		n := macNIC{Name: i.Name, Index: i.Index, MTU: i.MTU, Up: i.Flags&net.FlagUp != 0 && i.Flags&net.FlagRunning != 0}
		addrs, err := i.Addrs()
		if err != nil {
			return nil, fmt.Errorf("addresses of %s: %w", i.Name, err)
		}
		for _, a := range addrs {
			if prefix, err := netip.ParsePrefix(a.String()); err == nil {
				n.Addresses = append(n.Addresses, prefix)
			}
		}
		n.ask(p)
		list = append(list, n)
	}
	return list, nil
}

// ask finds the kind and the medium.
func (n *macNIC) ask(p *probe) {
	if b, err := interfaceRequest(siocgifType, ifreqSize, n.Name); err == nil {
		p.note("SIOCGIFTYPE "+n.Name, b)
		if t, err := parseInterfaceType(b); err == nil {
			n.Kind, n.Evidence = t.kind()
			n.USB = t.Family == 2 && t.Subfamily == 1
		}
	}
	if n.Kind == "" {
		n.Kind, n.Evidence = kindOfMacName(n.Name)
	}
	b, err := interfaceRequest(siocgifMedia, ifmediaSize, n.Name)
	if err != nil {
		return
	}
	p.note("SIOCGIFXMEDIA "+n.Name, b)
	if m, err := parseMedia(b); err == nil {
		n.Media = m
		n.Up = n.Up && (m.Link || !m.StateKnown)
	}
}

func listInterfaces(ctx context.Context, p *probe) ([]Interface, error) {
	all, err := nics(p)
	if err != nil {
		return nil, err
	}
	return describeMacNICs(ctx, p, all), nil
}

// collectMacLink describes the interface. The MTU is that of the route's
// interface, the rest of the hardware end.
func collectMacLink(_ context.Context, p *probe, r *Record) error {
	if p.link() == "" {
		return errNoLink
	}
	all, err := nics(p)
	if err != nil {
		return err
	}
	route, ok := nicNamed(all, p.route())
	link, ok2 := nicNamed(all, p.link())
	if !ok || !ok2 {
		return because(NotFound, "no interface %s", p.link())
	}
	if link.bridge() && p.path.Kind != nil { // which member carries the data is not known
		link.Kind = *p.path.Kind
	}
	r.Link.Name, r.Link.Kind = &link.Name, &link.Kind
	r.Link.MTU = new(int64(route.MTU))
	r.Link.Up = &link.Up
	r.Link.Virtual = new(link.Kind == KindVirtual || link.Kind == KindTunnel || link.Kind == KindLoopback)
	r.Link.Addresses = []string{}
	for _, a := range route.Addresses {
		r.Link.Addresses = append(r.Link.Addresses, a.String())
	}
	describeMacAttachment(r, link)
	describeMedia(r, link.Media.ifconfigMedia)
	if link.Kind == KindEthernet {
		r.Link.AutoNeg = &link.Media.Auto
	}
	if b, err := interfaceRequest(siocgifDevMTU, ifreqSize, link.Name); err != nil {
		r.unknown("link.mtu_min_bytes", err)
		r.unknown("link.mtu_max_bytes", err)
	} else if _, least, most, err := parseInterfaceMTUs(b); err == nil && most > 0 {
		r.Link.MTUMin, r.Link.MTUMax = new(int64(least)), new(int64(most))
	}
	b, err := interfaceRequest(siocgifCap, ifreqSize, link.Name)
	if err != nil {
		r.unknown("offload", err)
		return nil
	}
	p.note("SIOCGIFCAP "+link.Name, b)
	c, err := parseCapabilities(b)
	if err != nil {
		return err
	}
	r.Offload.TSO, r.Offload.LRO, r.Offload.ChecksumRx, r.Offload.ChecksumTx = &c.TSO, &c.LRO, &c.ChecksumRx, &c.ChecksumTx
	return nil
}

// readLink reads the 64-bit counters of an interface.
func readLink(p *probe, name string) (Counters, error) {
	i, err := net.InterfaceByName(name)
	if err != nil {
		return Counters{}, fmt.Errorf("read counters of %s: %w", name, err)
	}
	b, err := interfaceList()
	if err != nil {
		return Counters{}, fmt.Errorf("read counters of %s: %w", name, err)
	}
	all, err := parseInterfaceList(b)
	if err != nil {
		return Counters{}, err
	}
	for _, m := range all {
		if int(m.Index) == i.Index {
			return m.counters(), nil
		}
	}
	return Counters{}, because(NotFound, "no counters of %s", name)
}
