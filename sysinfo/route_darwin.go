package sysinfo

import (
	"context"
	"errors"
	"fmt"
	"net"
	"net/netip"
	"os"
	"time"

	"golang.org/x/net/route"
	"golang.org/x/sys/unix"
)

// interfaceList fetches NET_RT_IFLIST2, which has 64-bit counters.
func interfaceList() ([]byte, error) {
	return route.FetchRIB(unix.AF_UNSPEC, route.RIBType(unix.NET_RT_IFLIST2), 0)
}

// collectMacPath asks the kernel which way packets of the data connection take.
func collectMacPath(ctx context.Context, p *probe, r *Record) error {
	c := p.conns[0]
	local, remote := c.Local.Addr().Unmap(), c.Remote.Addr().Unmap()
	if !remote.IsValid() {
		return because(NotFound, "the connection has no remote address")
	}
	all, err := nics(p)
	if err != nil {
		return err
	}
	answer, err := macRouteTo(ctx, p, remote, boundInterface(c))
	if err != nil {
		return fmt.Errorf("route to %s: %w", remote, err)
	}
	p.note("route", answer)
	describeMacPath(r, local, remote, all, answer, func(name string) (macBridge, error) { return askBridge(ctx, p, name) })
	return nil
}

// askRoute sends RTM_GET to the routing socket and waits for the answer with
// its own number.
func askRoute(ctx context.Context, remote netip.Addr, scope int) (routeAnswer, error) {
	fd, err := unix.Socket(unix.AF_ROUTE, unix.SOCK_RAW, unix.AF_UNSPEC)
	if err != nil {
		return routeAnswer{}, fmt.Errorf("routing socket: %w", err)
	}
	defer unix.Close(fd)
	deadline, ok := ctx.Deadline()
	if !ok {
		deadline = time.Now().Add(defaultTimeout)
	}
	// The kernel answers at once; the limit is for a socket full of others' news.
	limit := unix.NsecToTimeval(max(time.Until(deadline), time.Millisecond).Nanoseconds())
	if err := unix.SetsockoptTimeval(fd, unix.SOL_SOCKET, unix.SO_RCVTIMEO, &limit); err != nil {
		return routeAnswer{}, fmt.Errorf("routing socket: %w", err)
	}
	question := route.RouteMessage{
		Version: unix.RTM_VERSION, Type: unix.RTM_GET, ID: uintptr(os.Getpid()), Seq: 1, Index: scope,
		Addrs: []route.Addr{unix.RTAX_DST: routeAddr(remote), unix.RTAX_IFP: &route.LinkAddr{}},
	}
	if scope != 0 {
		question.Flags = unix.RTF_IFSCOPE
	}
	b, err := question.Marshal()
	if err != nil {
		return routeAnswer{}, fmt.Errorf("RTM_GET: %w", err)
	}
	if _, err := unix.Write(fd, b); err != nil {
		return routeAnswer{}, fmt.Errorf("RTM_GET: %w", err)
	}
	buffer := make([]byte, 4096)
	for ctx.Err() == nil {
		n, err := unix.Read(fd, buffer)
		if errors.Is(err, unix.EAGAIN) {
			return routeAnswer{}, because(Timeout, "RTM_GET was not answered")
		}
		if err != nil {
			return routeAnswer{}, fmt.Errorf("RTM_GET: %w", err)
		}
		messages, err := route.ParseRIB(route.RIBTypeRoute, buffer[:n])
		if err != nil {
			return routeAnswer{}, because(ParseError, "RTM_GET: %v", err)
		}
		for _, m := range messages {
			if m, ok := m.(*route.RouteMessage); ok && m.ID == question.ID && m.Seq == question.Seq {
				return routeOf(m)
			}
		}
	}
	return routeAnswer{}, ctx.Err()
}

func routeOf(m *route.RouteMessage) (routeAnswer, error) {
	i, err := net.InterfaceByIndex(m.Index)
	if err != nil {
		return routeAnswer{}, fmt.Errorf("interface %d of the route: %w", m.Index, err)
	}
	answer := routeAnswer{Interface: i.Name, Host: m.Flags&unix.RTF_HOST != 0}
	for _, sys := range m.Sys() {
		if metrics, ok := sys.(*route.RouteMetrics); ok {
			answer.MTU = metrics.PathMTU
		}
	}
	if len(m.Addrs) <= unix.RTAX_GATEWAY {
		return answer, nil
	}
	switch gateway := m.Addrs[unix.RTAX_GATEWAY].(type) {
	case *route.LinkAddr: // the neighbour itself
		answer.PeerMAC = net.HardwareAddr(gateway.Addr).String()
	case *route.Inet4Addr:
		answer.Gateway = netip.AddrFrom4(gateway.IP).String()
	case *route.Inet6Addr:
		answer.Gateway = netip.AddrFrom16(gateway.IP).String()
	}
	return answer, nil
}

func routeAddr(a netip.Addr) route.Addr {
	if a.Is4() {
		return &route.Inet4Addr{IP: a.As4()}
	}
	zone := 0
	if i, err := net.InterfaceByName(a.Zone()); err == nil {
		zone = i.Index
	}
	return &route.Inet6Addr{IP: a.As16(), ZoneID: zone}
}

// boundInterface is the interface that the socket is bound to, whose routes are
// its own; 0 if none.
func boundInterface(c Conn) int {
	if c.Raw == nil {
		return 0
	}
	level, option := unix.IPPROTO_IP, unix.IP_BOUND_IF
	if c.Remote.Addr().Is6() && !c.Remote.Addr().Is4In6() {
		level, option = unix.IPPROTO_IPV6, unix.IPV6_BOUND_IF
	}
	index := 0
	c.Raw.Control(func(fd uintptr) {
		if n, err := unix.GetsockoptInt(int(fd), level, option); err == nil {
			index = n
		}
	})
	return index
}

// macRouteTo asks the kernel, then the tools.
func macRouteTo(ctx context.Context, p *probe, remote netip.Addr, scope int) (routeAnswer, error) {
	answer, err := askRoute(ctx, remote, scope)
	if err == nil {
		return answer, nil
	}
	if fallback, ok := routeByTools(ctx, p, remote); ok {
		return fallback, nil
	}
	return routeAnswer{}, err
}
