package explain

import (
	"errors"
	"fmt"
	"net"
	"net/netip"
	"slices"
	"strconv"
	"strings"
	"syscall"

	"linkperf/sysinfo"
)

// pathEnd is an end whose path is of one of the kinds: the client if it is,
// else the server; nil if neither is.
func (v *view) pathEnd(kinds ...string) *end {
	for _, e := range v.ends {
		if is(e.Path.Kind, kinds...) {
			return e
		}
	}
	return nil
}

func ownAddress(v *view) *Finding {
	e := v.pathEnd(sysinfo.KindOwnAddress)
	if e == nil {
		return nil
	}
	address, card := "The address of the other end", "the interface that has it"
	if e.Path.RemoteAddress != nil {
		address = *e.Path.RemoteAddress
	}
	if e.Path.AddressInterface != nil {
		card = *e.Path.AddressInterface
	}
	return say(fmt.Sprintf("%s is this host's own address: the traffic never left it. MTU, speed and cable of %s do not apply.", address, card),
		"run one end on the other computer").about(sidePath).
		on(e, "path.kind", "path.remote_address", "path.address_interface")
}

func loopback(v *view) *Finding {
	e := v.pathEnd(sysinfo.KindLoopback)
	if e == nil {
		return nil
	}
	return say("The test ran over loopback: it measures this host's network stack and processor, not a link.", "").
		about(sidePath).on(e, "path.kind", "path.remote_address")
}

func wifiInsteadOfCable(v *view) *Finding {
	e := v.pathEnd(sysinfo.KindWiFi)
	if e == nil {
		return nil
	}
	if f := v.idleThunderbolt(e); f != nil {
		return f
	}
	for _, e := range v.ends {
		if !is(e.Path.Kind, sysinfo.KindWiFi) || e.Path.RemoteAddress == nil {
			continue
		}
		remote, err := netip.ParseAddr(*e.Path.RemoteAddress)
		if err != nil {
			continue
		}
		for _, i := range e.Interfaces {
			if i.Kind != sysinfo.KindEthernet || !i.Up || !contains(i.Addresses, remote) {
				continue
			}
			f := say(fmt.Sprintf("The test %swent over Wi-Fi at the %s, while the Ethernet link %s in the same network is up.", v.moved(), e.side, i.Name),
				"bind to the cable's address (-B), or switch Wi-Fi off for the test").about(sidePath).on(e, "path.kind", "path.remote_address")
			f.Numbers[e.side+".interfaces"] = i.Name
			return f
		}
	}
	return nil
}

func lanInsteadOfThunderbolt(v *view) *Finding {
	e := v.pathEnd(sysinfo.KindEthernet)
	if e == nil || v.pathEnd(sysinfo.KindWiFi, sysinfo.KindThunderbolt) != nil {
		return nil
	}
	return v.idleThunderbolt(e)
}

// idleThunderbolt is the finding that a Thunderbolt link to the other end
// stands idle, nil if none does. e is an end of the path that is taken.
func (v *view) idleThunderbolt(e *end) *Finding {
	linked := slices.IndexFunc(v.ends, func(e *end) bool { return or(e.Thunderbolt.Peers, 0) > 0 })
	if linked < 0 {
		return nil
	}
	same, known := v.oneCable()
	if known && !same {
		return nil // the cable goes to a third computer
	}
	l := v.ends[linked]
	if idle := or(l.Thunderbolt.SpeedTx, 0); idle > 0 && is(e.Path.Kind, sysinfo.KindEthernet) && e.speed() >= idle {
		return nil // the Ethernet link is the faster one
	}
	whom := "a computer, perhaps this one,"
	switch {
	case same:
		whom = "the same computer"
	case l == v.client:
		whom = "a computer, perhaps this server,"
	}
	advice := "connect to the server's address on the Thunderbolt link"
	if a := v.thunderboltAddress(); a != "" {
		advice = "connect to " + a + ", the server's address on the Thunderbolt link"
	}
	return say(fmt.Sprintf("The test %swent over %s at the %s, while a Thunderbolt link from the %s to %s is up and idle.",
		v.moved(), kindWords(e.Path.Kind), e.side, l.side, whom), advice).about(sidePath).
		on(e, "path.kind").on(l, "thunderbolt.peers", "thunderbolt.speed_tx_bits_per_second")
}

// oneCable reports whether the Thunderbolt links of both ends are the same
// cable, which the hashes of their domains prove.
func (v *view) oneCable() (same, known bool) {
	if !v.client.known() || !v.server.known() {
		return false, false
	}
	c, s := &v.client.Thunderbolt, &v.server.Thunderbolt
	for _, pair := range [][2]*string{{c.DomainID, s.PeerDomainID}, {c.PeerDomainID, s.DomainID}} {
		if pair[0] != nil && pair[1] != nil {
			known = true
			same = same || *pair[0] == *pair[1]
		}
	}
	return same, known
}

// thunderboltAddress is the server's address on its Thunderbolt interface, ""
// if its record does not tell.
func (v *view) thunderboltAddress() string {
	if !v.server.known() {
		return ""
	}
	for _, i := range v.server.Interfaces {
		if i.Kind != sysinfo.KindThunderbolt && !is(v.server.Thunderbolt.Interface, i.Name) || !i.Up {
			continue
		}
		for _, a := range i.Addresses {
			// A link-local IPv6 address needs the client's interface beside it.
			if p, err := netip.ParsePrefix(a); err == nil && (p.Addr().Is4() || !p.Addr().IsLinkLocalUnicast()) {
				return p.Addr().String()
			}
		}
	}
	return ""
}

// moved tells what the test moved, for the middle of a sentence.
func (v *view) moved() string {
	if len(v.flows) == 0 || v.flows[0].rate == 0 {
		return ""
	}
	return fmt.Sprintf("(%s) ", bitRate(v.flows[0].rate))
}

// contains reports whether one of the prefixes holds the address.
func contains(prefixes []string, a netip.Addr) bool {
	return slices.ContainsFunc(prefixes, func(s string) bool {
		p, err := netip.ParsePrefix(s)
		return err == nil && p.Contains(a.WithZone(""))
	})
}

func pathNotConfirmed(_ *view, e *end) *Finding {
	if !no(e.Path.Confirmed) {
		return nil
	}
	return say(fmt.Sprintf("The counters of %s did not move with the test: another interface carried it, and the facts of the link may be of the wrong one.", e.name()),
		"").on(e, "path.confirmed", "counters.rx_bytes", "counters.tx_bytes")
}

func addressOnOther(_ *view, e *end) *Finding {
	route, owner := e.Path.Interface, e.Path.AddressInterface
	if route == nil || owner == nil || *route == *owner || e.Path.Kind == nil || e.inside() {
		return nil
	}
	return say(fmt.Sprintf("The %s sends through %s with the address of %s: two interfaces serve one network.", e.side, *route, *owner),
		"give the two links different networks, or bind to one (--bind-dev)").on(e, "path.interface", "path.address_interface")
}

func natOrProxy(v *view) *Finding {
	changes := addressChanges(v)
	if len(changes) == 0 {
		return nil
	}
	return say(strings.Join(changes, "; ")+": something between changes addresses (container, virtual machine, NAT, proxy).", "").about(sidePath).
		on(v.client, "path.local_address", "path.remote_address").on(v.server, "path.local_address", "path.remote_address")
}

// addressChanges tells which addresses of the data connection the two ends do
// not agree about.
func addressChanges(v *view) []string {
	if !v.client.known() || !v.server.known() {
		return nil
	}
	c, s := &v.client.Path, &v.server.Path
	var list []string
	for _, p := range []struct {
		own, seen *string
		of, by    string
	}{
		{c.LocalAddress, s.RemoteAddress, "client", "server"},
		{s.LocalAddress, c.RemoteAddress, "server", "client"},
	} {
		if p.own == nil || p.seen == nil {
			continue
		}
		own, err1 := netip.ParseAddr(*p.own)
		seen, err2 := netip.ParseAddr(*p.seen)
		if err1 == nil && err2 == nil && own.WithZone("").Unmap() != seen.WithZone("").Unmap() {
			list = append(list, fmt.Sprintf("The %s has the address %s, and the %s sees %s", p.of, own, p.by, seen))
		}
	}
	return list
}

func vpnInPath(_ *view, e *end) *Finding {
	tunnel := ""
	if is(e.Path.Kind, sysinfo.KindTunnel) {
		tunnel = or(e.Path.Interface, "a tunnel")
	} else {
		for _, i := range e.Interfaces {
			if i.Kind == sysinfo.KindTunnel && slices.Contains(e.Path.Stack, i.Name) {
				tunnel = i.Name
			}
		}
	}
	if tunnel == "" {
		return nil
	}
	mtu := ""
	if e.Path.MTU != nil {
		mtu = fmt.Sprintf(" The path's MTU is %d.", *e.Path.MTU)
	}
	return say(fmt.Sprintf("The test went through the tunnel %s at the %s: encryption takes processor time, and the link below is not what is measured.%s", tunnel, e.side, mtu),
		"switch the VPN off, or exclude the other end's network from it").on(e, "path.kind", "path.stack", "path.mtu_bytes")
}

func linkLocal(v *view) *Finding {
	for _, e := range v.ends {
		if yes(e.Path.LinkLocal) {
			return say("Both ends use link-local addresses: right for a direct cable, but names may resolve to other addresses, and with two such links the system may take either.", "").
				about(sidePath).on(e, "path.link_local")
		}
	}
	return nil
}

func virtualPath(_ *view, e *end) *Finding {
	if !is(e.Path.Kind, sysinfo.KindVirtual) {
		return nil
	}
	return say(fmt.Sprintf("The path at the %s is virtual: there is no link speed, and the processor that carries it is shared.", e.side), "").
		on(e, "path.kind", "path.interface")
}

// localNetworkDenied looks at a connection that failed: macOS 15 and later
// refuse programs the local network until the user allows it, and say the same
// as if nobody answered.
func localNetworkDenied(v *view) *Finding {
	e := v.client
	if v.Err == nil || !errors.Is(v.Err, syscall.EHOSTUNREACH) || !e.known() || !is(e.Host.OS, "macos") {
		return nil
	}
	major, _, _ := strings.Cut(or(e.Host.OSVersion, ""), ".")
	if n, err := strconv.Atoi(major); err != nil || n < 15 {
		return nil
	}
	var failed *net.OpError
	if !errors.As(v.Err, &failed) || failed.Addr == nil {
		return nil
	}
	to, err := netip.ParseAddrPort(failed.Addr.String())
	if err != nil {
		return nil
	}
	near := to.Addr().IsLinkLocalUnicast()
	for _, i := range e.Interfaces {
		near = near || i.Up && contains(i.Addresses, to.Addr().Unmap())
	}
	if !near {
		return nil
	}
	return say(fmt.Sprintf("macOS %s found no route to %s, an address of its own network: nothing answers there, or this program may not use the local network.", *e.Host.OSVersion, to.Addr()),
		"System Settings, Privacy & Security, Local Network: allow the program that starts linkperf").about(e.side).
		on(e, "host.os", "host.os_version")
}
