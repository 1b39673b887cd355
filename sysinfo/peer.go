package sysinfo

// errNotSaid is the reason of what only the other end could have told.
var errNotSaid = because(NotAttempted, "the other end did not say")

// inferPeer takes what this side's connection shows about the other end.
func inferPeer(part *Record, path Path, link Link) {
	part.Peer.MTU = nil
	if mtu, err := peerMTU(part.TCP, path, link); err != nil {
		part.unknown("peer.mtu_inferred_bytes", err)
	} else {
		part.Peer.MTU = &mtu
	}
	if part.Peer.Host == nil {
		part.unknown("peer.host", because(NotAttempted, "only on request"))
	}
	if part.Peer.Tool == nil {
		part.unknown("peer.tool", errNotSaid)
	}
	if part.Peer.Version == nil {
		part.unknown("peer.version", errNotSaid)
	}
	if part.Peer.TTL == nil {
		part.unknown("peer.hops_estimated", because(NotSupported, "the TTL is not known"))
		return
	}
	part.Peer.Hops = new(hops(*part.Peer.TTL))
}

// peerMTU computes the MTU at the other end of a link from the MSS that it
// offered. Without a router between only the other end can have made the MSS
// smaller than the own interface would; an MSS that fits the own MTU says only
// that the other one is not smaller.
func peerMTU(tcp TCP, path Path, link Link) (int64, error) {
	switch {
	case path.Kind == nil || *path.Kind == KindLoopback || *path.Kind == KindOwnAddress:
		return 0, because(NotApplicable, "the other end is this host")
	case path.OnLink == nil || !*path.OnLink:
		return 0, because(NotApplicable, "a router between may have changed the MSS")
	case tcp.MSS == nil || path.Family == nil || tcp.Timestamps == nil || link.MTU == nil:
		return 0, because(NotSupported, "needs MSS, timestamps and the own MTU")
	}
	mtu := *tcp.MSS + 40 // RFC 9293: IPv4 and TCP headers of 20 bytes each
	if *path.Family == 6 {
		mtu += 20
	}
	if *tcp.Timestamps {
		mtu += 12 // RFC 7323, with padding
	}
	if mtu >= *link.MTU {
		return 0, because(NotApplicable, "not smaller than the own %d", *link.MTU)
	}
	return mtu, nil
}

// hops estimates the routers on the way from the TTL that is left. Systems
// start at 64, 128 or 255.
func hops(ttl int64) int64 {
	for _, start := range []int64{64, 128} {
		if ttl <= start {
			return start - ttl
		}
	}
	return 255 - ttl
}
