package sysinfo

import (
	"context"
	"errors"
	"fmt"
	"net"
	"net/netip"
	"slices"
	"unsafe"

	"golang.org/x/sys/windows"
)

// The structures that x/sys knows are the ones that the parser reads.
var (
	_ = [1]struct{}{}[unsafe.Sizeof(windows.MibIfRow2{})-ifRow2Size]
	_ = [1]struct{}{}[unsafe.Offsetof(windows.MibIfRow2{}.InterfaceAndOperStatusFlags)-1152]
	_ = [1]struct{}{}[unsafe.Offsetof(windows.MibIfRow2{}.NetworkGuid)-1168]
	_ = [1]struct{}{}[unsafe.Offsetof(windows.MibIfRow2{}.TransmitLinkSpeed)-1192]
	_ = [1]struct{}{}[unsafe.Offsetof(windows.MibIfRow2{}.OutErrors)-1312]
)

// bytesOf is the memory of a structure.
func bytesOf[T any](v *T) []byte {
	return unsafe.Slice((*byte)(unsafe.Pointer(v)), unsafe.Sizeof(*v))
}

// ifRows gives every interface, those of filter drivers among them.
func ifRows(p *probe) ([]ifRow2, error) {
	var table *windows.MibIfTable2
	if err := status(procGetIfTable2, uintptr(unsafe.Pointer(&table))); err != nil {
		return nil, err
	}
	defer procFreeMibTable.Call(uintptr(unsafe.Pointer(table)))
	var rows []ifRow2
	entries := unsafe.Slice(&table.Table[0], table.NumEntries)
	for i := range entries {
		row, err := parseIfRow2(bytesOf(&entries[i]))
		if err != nil {
			return nil, err
		}
		rows = append(rows, row)
	}
	p.note("GetIfTable2", rows)
	return rows, nil
}

// rowNamed gives the interface of that friendly name.
func rowNamed(p *probe, name string) (ifRow2, error) {
	rows, err := ifRows(p)
	if err != nil {
		return ifRow2{}, err
	}
	i := slices.IndexFunc(rows, func(r ifRow2) bool { return r.Alias == name })
	if i < 0 {
		return ifRow2{}, because(NotFound, "no interface %q", name)
	}
	return rows[i], nil
}

// adapters gives the interfaces that have addresses or could, with them.
func adapters(p *probe) ([]windowsAdapter, error) {
	rows, _ := ifRows(p)
	var list []windowsAdapter
	err := adapterAddresses(func(w *windows.IpAdapterAddresses) {
		index := w.IfIndex
		if index == 0 {
			index = w.Ipv6IfIndex
		}
		a := windowsAdapter{ifRow2: ifRow2{
			Index: index, Alias: windows.UTF16PtrToString(w.FriendlyName), Description: windows.UTF16PtrToString(w.Description),
			Type: w.IfType, Up: w.OperStatus == windows.IfOperStatusUp, Connected: w.OperStatus == windows.IfOperStatusUp,
		}}
		a.MTU, _ = knownMTU(w.Mtu)
		a.SpeedTx, _ = knownSpeed(w.TransmitLinkSpeed)
		a.SpeedRx, _ = knownSpeed(w.ReceiveLinkSpeed)
		if n := slices.IndexFunc(rows, func(r ifRow2) bool { return r.Index == index }); n >= 0 {
			a.ifRow2, a.known = rows[n], true
		}
		for u := w.FirstUnicastAddress; u != nil; u = u.Next {
			if addr, ok := netip.AddrFromSlice(u.Address.IP()); ok {
				a.Addresses = append(a.Addresses, netip.PrefixFrom(addr.Unmap(), int(u.OnLinkPrefixLength)))
			}
		}
		list = append(list, a)
	})
	return list, err
}

// adapterAddresses visits what GetAdaptersAddresses gives.
func adapterAddresses(visit func(*windows.IpAdapterAddresses)) error {
	const flags = windows.GAA_FLAG_INCLUDE_PREFIX
	size := uint32(32 << 10)
	for range 4 { // the list may grow between two calls
		b := make([]byte, size)
		first := (*windows.IpAdapterAddresses)(unsafe.Pointer(&b[0]))
		err := windows.GetAdaptersAddresses(windows.AF_UNSPEC, flags, 0, first, &size)
		switch {
		case errors.Is(err, windows.ERROR_BUFFER_OVERFLOW):
			continue
		case err != nil:
			return fmt.Errorf("list interfaces: %w", err)
		}
		for w := first; w != nil; w = w.Next {
			visit(w)
		}
		return nil
	}
	return because(Failed, "the list of interfaces keeps growing")
}

func listInterfaces(_ context.Context, p *probe) ([]Interface, error) {
	all, err := adapters(p)
	if err != nil {
		return nil, err
	}
	list := []Interface{}
	for _, a := range all {
		list = append(list, a.describe())
	}
	return list, nil
}

func readLink(p *probe, name string) (Counters, error) {
	row, err := rowNamed(p, name)
	if err != nil {
		return Counters{}, fmt.Errorf("read counters of %s: %w", name, err)
	}
	return row.counters(), nil
}

// collectIfEntry describes the adapter that carries the data.
func collectIfEntry(_ context.Context, p *probe, r *Record) error {
	if p.link() == "" {
		return errNoLink
	}
	all, err := adapters(p)
	if err != nil {
		return err
	}
	i := slices.IndexFunc(all, func(a windowsAdapter) bool { return a.Alias == p.link() })
	if i < 0 {
		return because(NotFound, "no interface %q", p.link())
	}
	r.Link.Addresses = all[i].texts()
	if !all[i].known {
		return because(NotSupported, "this system has no GetIfTable2")
	}
	describeRow(r, all[i].ifRow2)
	return nil
}

// collectIPInterface asks for the MTU of the address family in use, which is
// what netsh sets.
func collectIPInterface(ctx context.Context, p *probe, r *Record) error {
	if p.route() == "" {
		return errNoLink
	}
	i, err := net.InterfaceByName(p.route())
	if err != nil {
		return fmt.Errorf("interface %s: %w", p.route(), err)
	}
	row := windows.MibIpInterfaceRow{Family: windows.AF_INET, InterfaceIndex: uint32(i.Index)}
	family := "ipv4"
	if p.path.Family != nil && *p.path.Family == 6 {
		row.Family, family = windows.AF_INET6, "ipv6"
	}
	err = status(procGetIPInterfaceEntry, uintptr(unsafe.Pointer(&row)))
	if err == nil {
		p.note("GetIpInterfaceEntry", row)
		r.nlMTU(row.NlMtu)
		return nil
	}
	b, err2 := netsh(ctx, p, "interface", family, "show", "subinterfaces")
	if err2 != nil {
		return err
	}
	rows, err2 := parseNetshSubinterfaces(b)
	if err2 != nil {
		return err
	}
	for _, s := range rows {
		if s.Name == p.route() {
			r.nlMTU(uint32(s.MTU))
			return nil
		}
	}
	return err
}

// collectWindowsPath asks which way packets of the data connection take.
func collectWindowsPath(_ context.Context, p *probe, r *Record) error {
	c := p.conns[0]
	local, remote := c.Local.Addr().Unmap(), c.Remote.Addr().Unmap()
	if !remote.IsValid() {
		return because(NotFound, "the connection has no remote address")
	}
	all, err := adapters(p)
	if err != nil {
		return err
	}
	index, gateway, err := bestRoute(p, local, remote)
	if err != nil && !describedWithoutRoute(remote, all) {
		return fmt.Errorf("route to %s: %w", remote, err)
	}
	describeWindowsPath(r, local, remote, all, index, gateway)
	return nil
}

// bestRoute gives the interface of a route and its gateway, which is not valid
// if the other end is on the link.
func bestRoute(p *probe, local, remote netip.Addr) (index uint32, gateway netip.Addr, err error) {
	from, to := socketAddress(local), socketAddress(remote)
	var row windows.MibIpForwardRow2
	var source windows.RawSockaddrInet
	err = status(procGetBestRoute2, 0, 0, uintptr(unsafe.Pointer(&from)), uintptr(unsafe.Pointer(&to)), 0,
		uintptr(unsafe.Pointer(&row)), uintptr(unsafe.Pointer(&source)))
	if err != nil {
		var sa windows.Sockaddr = &windows.SockaddrInet6{Addr: remote.As16()}
		if remote.Is4() {
			sa = &windows.SockaddrInet4{Addr: remote.As4()}
		}
		if windows.GetBestInterfaceEx(sa, &index) == nil {
			return index, netip.Addr{}, nil
		}
		return 0, netip.Addr{}, err
	}
	p.note("GetBestRoute2", row)
	if next, ok := addressOf(row.NextHop); ok && !next.IsUnspecified() {
		gateway = next
	}
	return row.InterfaceIndex, gateway, nil
}

// socketAddress is a SOCKADDR_INET of an address.
func socketAddress(a netip.Addr) windows.RawSockaddrInet {
	var s windows.RawSockaddrInet
	b := bytesOf(&s)
	if a.Is4() {
		s.Family = windows.AF_INET
		copy(b[4:], a.AsSlice())
		return s
	}
	s.Family = windows.AF_INET6
	copy(b[8:], a.AsSlice())
	if i, err := net.InterfaceByName(a.Zone()); err == nil {
		*(*uint32)(unsafe.Pointer(&b[24])) = uint32(i.Index)
	}
	return s
}

func addressOf(s windows.RawSockaddrInet) (netip.Addr, bool) {
	b := bytesOf(&s)
	switch s.Family {
	case windows.AF_INET:
		return netip.AddrFromSlice(b[4:8])
	case windows.AF_INET6:
		return netip.AddrFromSlice(b[8:24])
	}
	return netip.Addr{}, false
}

func collectTunnelAdapters(_ context.Context, p *probe, r *Record) error {
	all, err := adapters(p)
	if err != nil {
		return err
	}
	r.Security.VPN = []string{}
	for _, a := range all {
		if kind, _ := a.kind(); kind == KindTunnel && a.Up && a.Connected && hasOwnAddress(a.texts()) {
			r.Security.VPN = append(r.Security.VPN, Printable(a.Alias))
		}
	}
	return nil
}

func collectUSB4(_ context.Context, p *probe, r *Record) error {
	rows, err := ifRows(p)
	if err != nil {
		return err
	}
	describeUSB4(r, rows, p.link())
	return nil
}
