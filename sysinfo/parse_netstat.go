package sysinfo

import (
	"net/netip"
	"slices"
	"strconv"
	"strings"
)

// tableRoute is one row of macOS's netstat -rn.
type tableRoute struct {
	Destination netip.Prefix
	Gateway     string
	Flags       string
	Interface   string
	MTU         int // netstat -rnl only; 0 unknown
}

// parseNetstatRoutes reads netstat -rn and netstat -rnl, whose columns are told
// apart by their heading, and a fragment without one. Rows that are not
// understood are left out.
func parseNetstatRoutes(b []byte) ([]tableRoute, error) {
	var routes []tableRoute
	netif, mtu := 3, -1
	for line := range strings.Lines(string(b)) {
		words := strings.Fields(line)
		if len(words) == 0 {
			continue
		}
		if words[0] == "Destination" {
			netif, mtu = slices.Index(words, "Netif"), slices.Index(words, "Mtu")
			continue
		}
		if netif < 0 || len(words) <= max(netif, mtu, 2) { // 2 is the flags
			continue
		}
		destination, ok := netstatDestination(words[0], words[1])
		if !ok {
			continue
		}
		r := tableRoute{Destination: destination, Gateway: words[1], Flags: words[2], Interface: words[netif]}
		if mtu > 0 {
			r.MTU, _ = strconv.Atoi(words[mtu])
		}
		routes = append(routes, r)
	}
	if len(routes) == 0 {
		return nil, notUnderstood("netstat -rn: no route", b)
	}
	return routes, nil
}

// netstatDestination reads "default", "169.254", "224.0.0/4", "10.0.0.1",
// "fe80::%en0/64". IPv4 networks lose the zeros at their end, and their length
// where it is that of the numbers left.
func netstatDestination(s, gateway string) (netip.Prefix, bool) {
	if s == "default" {
		if strings.Contains(gateway, ":") && canonicalMAC(gateway) == "" {
			return netip.PrefixFrom(netip.IPv6Unspecified(), 0), true
		}
		return netip.PrefixFrom(netip.IPv4Unspecified(), 0), true
	}
	text, length, hasLength := strings.Cut(s, "/")
	bits := -1
	if !strings.Contains(text, ":") {
		parts := strings.Count(text, ".") + 1
		if parts > 4 {
			return netip.Prefix{}, false
		}
		bits = 8 * parts
		text += strings.Repeat(".0", 4-parts)
	}
	addr, err := netip.ParseAddr(text)
	if err != nil {
		return netip.Prefix{}, false
	}
	addr = addr.WithZone("")
	if hasLength {
		if bits, err = strconv.Atoi(length); err != nil {
			return netip.Prefix{}, false
		}
	} else if bits < 0 {
		bits = addr.BitLen()
	}
	p := netip.PrefixFrom(addr, bits)
	return p, p.IsValid()
}

// routeFromTable finds the route to an address: the longest prefix, and of two
// as long the host route, which is the one with the neighbour's (or the own)
// hardware address. An own address has such a route through lo0.
func routeFromTable(routes []tableRoute, to netip.Addr) (routeAnswer, bool) {
	to = to.WithZone("")
	best := -1
	for i, r := range routes {
		if !r.Destination.Contains(to) {
			continue
		}
		if best >= 0 {
			b := routes[best]
			longer := r.Destination.Bits() - b.Destination.Bits()
			if longer < 0 || longer == 0 && (isHostRoute(b) || !isHostRoute(r)) {
				continue
			}
		}
		best = i
	}
	if best < 0 {
		return routeAnswer{}, false
	}
	r := routes[best]
	answer := routeAnswer{Interface: r.Interface, MTU: r.MTU, Host: isHostRoute(r), PeerMAC: canonicalMAC(r.Gateway)}
	if strings.Contains(r.Flags, "G") {
		answer.Gateway = r.Gateway
	}
	return answer, true
}

func isHostRoute(r tableRoute) bool { return strings.Contains(r.Flags, "H") }
