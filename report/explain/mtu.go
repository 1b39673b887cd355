package explain

import (
	"fmt"

	"linkperf/sysinfo"
)

// switches is what a larger MTU needs beside the two ends.
const switches = " (every switch between must carry such frames)"

func mtuMismatch(v *view) *Finding {
	if v.direct() && v.client.Link.MTU != nil && v.server.Link.MTU != nil {
		return v.mismatchOfBoth()
	}
	if v.behind() || v.start.Params.MSS > 0 {
		return nil // the MSS says what was asked for, not what the other end can do
	}
	for _, e := range v.ends {
		own, peer := e.Link.MTU, e.Peer.MTU
		if !e.onLink() || own == nil || peer == nil || *peer >= *own {
			continue
		}
		other := v.other(e)
		return say(fmt.Sprintf("The MTU is %d at the %s, and the segments that the %s accepts (MSS %d) show an MTU of %d there. Datagrams above %d bytes to it are lost without a message.",
			*own, e.side, other.side, or(e.TCP.MSS, 0), *peer, *peer),
			fmt.Sprintf("at the %s: raise its MTU to %d if its link allows it; otherwise %s", other.side, *own, e.at(e.setMTU(*peer)))).
			about(other.side).on(e, "link.mtu_bytes", "peer.mtu_inferred_bytes", "tcp.mss_bytes", "path.on_link")
	}
	return nil
}

// mismatchOfBoth compares the MTUs that both records tell.
func (v *view) mismatchOfBoth() *Finding {
	low, high := v.client, v.server
	if *low.Link.MTU > *high.Link.MTU {
		low, high = high, low
	}
	if *low.Link.MTU == *high.Link.MTU {
		return nil
	}
	// The largest that both can have; if the lower end is not known to allow
	// more, the lower one. What the higher end has already it allows.
	target := max(*low.Link.MTU, min(*high.Link.MTU, low.mtuMax()))
	side, advice := sideBoth, low.at(low.setMTU(target))+"; "+high.at(high.setMTU(target))
	switch target {
	case *low.Link.MTU:
		side, advice = high.side, high.at(high.setMTU(target))
		if low.mtuMax() == 0 {
			side, advice = sideBoth, fmt.Sprintf("at the %s: raise the MTU to %d if its link allows it; otherwise %s", low.side, *high.Link.MTU, advice)
		}
	case *high.Link.MTU:
		side, advice = low.side, low.at(low.setMTU(target))
	}
	if target > *low.Link.MTU && is(low.Path.Kind, sysinfo.KindEthernet) {
		advice += switches
	}
	seen := ""
	if is(low.Path.Kind, sysinfo.KindThunderbolt) && *low.Link.MTU == mtuPlain {
		seen = " Published for 1500 against 62000: 5.3 Gbit/s in one direction; with 9000 at both ends: 13.6 Gbit/s."
	}
	return say(fmt.Sprintf("The MTU is %d at the client and %d at the server of the same link. Datagrams above %d bytes to the %s are lost without a message.%s",
		*v.client.Link.MTU, *v.server.Link.MTU, *low.Link.MTU, low.side, seen), advice).
		about(side).on(v.client, "link.mtu_bytes", "path.on_link").on(v.server, "link.mtu_bytes", "path.on_link")
}

// mtuMax is the largest MTU that the end's interface is known to allow, 0 if
// none is.
func (e *end) mtuMax() int64 {
	if e.Link.MTUMax != nil {
		return *e.Link.MTUMax
	}
	if !is(e.Path.Kind, sysinfo.KindThunderbolt) {
		return 0
	}
	// What the systems' drivers for networking over Thunderbolt allow.
	switch or(e.Host.OS, "") {
	case "windows":
		return 62000
	case "linux":
		return 65520
	}
	return mtuJumbo // macOS, and the least of them
}

func pathMTUBelowLink(_ *view, e *end) *Finding {
	if !no(e.Path.OnLink) || e.Path.MTU == nil || e.Link.MTU == nil || *e.Path.MTU >= *e.Link.MTU {
		return nil
	}
	return say(fmt.Sprintf("The path from the %s carries packets of %d bytes at most, its interface %d: a router on the way has a smaller MTU.", e.side, *e.Path.MTU, *e.Link.MTU), "").
		on(e, "path.mtu_bytes", "link.mtu_bytes", "path.on_link")
}

func udpFragmentation(v *view) *Finding {
	if !v.udp() {
		return nil
	}
	length := int64(v.start.Params.Length)
	for _, f := range v.flows {
		e := f.sender
		if !e.known() || e.Path.Family == nil {
			continue
		}
		mtu, path := e.Path.MTU, "path.mtu_bytes"
		if mtu == nil {
			mtu, path = e.Link.MTU, "link.mtu_bytes"
		}
		if mtu == nil {
			continue
		}
		room := *mtu - ipv4Header - udpHeader
		if *e.Path.Family == 6 {
			room = *mtu - ipv6Header - udpHeader
		}
		if length <= room || room <= 0 {
			continue
		}
		return say(fmt.Sprintf("Datagrams of %d bytes do not fit the MTU of %d: each is sent in fragments, and the loss of one loses them all.", length, *mtu),
			fmt.Sprintf("-l %d", room)).about(sidePath).on(e, path, "path.family").figure("datagram_bytes", length)
	}
	return nil
}

func jumboAvailable(v *view) *Finding {
	if !v.direct() {
		return nil
	}
	wanting := false
	for i := range v.flows {
		f := &v.flows[i]
		wanting = wanting || f.ceiling > 0 && f.share() < ceilingMissed && !f.held()
	}
	for _, e := range v.ends {
		speed := or(e.Link.SpeedTx, 0)
		if or(e.Link.MTU, 0) != mtuPlain || speed < jumboSpeed || e.mtuMax() < mtuJumbo {
			return nil
		}
		wanting = wanting || e.saturated() && v.rated() && !v.allHeld()
	}
	if !wanting {
		return nil
	}
	advice := v.client.at(v.client.setMTU(mtuJumbo)) + "; " + v.server.at(v.server.setMTU(mtuJumbo))
	if is(v.client.Path.Kind, sysinfo.KindEthernet) {
		advice += switches
	}
	return say("Both ends have an MTU of 1500 and allow 9000: a sixth of the packets for the same data.", advice).about(sideBoth).
		on(v.client, "link.mtu_bytes", "link.mtu_max_bytes", "link.speed_tx_bits_per_second").
		on(v.server, "link.mtu_bytes", "link.mtu_max_bytes", "link.speed_tx_bits_per_second")
}

// allHeld reports whether every direction reached the rate asked for.
func (v *view) allHeld() bool {
	for i := range v.flows {
		if !v.flows[i].held() {
			return false
		}
	}
	return len(v.flows) > 0
}
