package main

import (
	"context"
	"fmt"
	"io"
	"net"
	"net/netip"

	"linkperf/client"
	"linkperf/server"
	"linkperf/sysinfo"
)

// writeAddresses lists the addresses at which clients reach this server, which
// listens at listen, and what to type there.
func writeAddresses(ctx context.Context, w io.Writer, srv *server.Server, listen *net.TCPAddr) {
	_, device := splitDevice(srv.Bind)
	if device == "" {
		device = srv.BindDevice
	}
	family := bothFamilies
	switch {
	case srv.IPv4Only:
		family = netip.Addr.Is4
	case srv.IPv6Only:
		family = netip.Addr.Is6
	}
	list := answering(sysinfo.Addresses(ctx), listen.AddrPort().Addr(), device, family)
	if len(list) == 0 {
		fmt.Fprintln(w, "No address is known at which this server answers.")
		return
	}
	t := newTable(w)
	t.Header("Address", "Interface", "Kind", "Speed", "At the other end")
	scoped := false
	for _, a := range list {
		scoped = scoped || a.Address.Zone() != ""
		t.Append(a.Address.String(), sysinfo.Printable(a.Interface), a.Kind, optionalRate(a.Speed), commandFor(a.Address, listen.Port))
	}
	t.Render()
	if scoped {
		fmt.Fprintln(w, "IFACE is the other end's interface to this host.")
	}
}

func bothFamilies(netip.Addr) bool { return true }

// answering returns those of the host's addresses at which a server answers
// that listens at bound, on the device if there is one, and in the family.
func answering(all []sysinfo.AddressInfo, bound netip.Addr, device string, family func(netip.Addr) bool) []sysinfo.AddressInfo {
	bound = bound.Unmap()
	everywhere := bound.IsUnspecified()
	if everywhere && bound.Is4() {
		family = netip.Addr.Is4
	}
	var list []sysinfo.AddressInfo
	for _, a := range all {
		if (everywhere || a.Address == bound) && (device == "" || a.Interface == device) && family(a.Address) {
			list = append(list, a)
		}
	}
	if len(list) == 0 && !everywhere {
		// Hosts answer at more addresses than interfaces list: 127.0.0.2 is one.
		kind := ""
		if bound.IsLoopback() {
			kind = sysinfo.KindLoopback
		}
		list = append(list, sysinfo.AddressInfo{Address: bound, Interface: device, Kind: kind})
	}
	return list
}

// commandFor is what to type at the other end to reach a server here. A shell
// takes it as it is, but for the interface of a link-local address, which is
// one of the other end.
func commandFor(a netip.Addr, port int) string {
	if a.IsLoopback() {
		return "(reached from this host only)"
	}
	if a.Zone() != "" {
		a = a.WithZone("IFACE")
	}
	command := "linkperf -c " + a.String()
	if port != client.DefaultPort {
		command += fmt.Sprintf(" -p %d", port)
	}
	return command
}
