//go:build !linux

package sockopt

import "net/netip"

func connectFlow(uintptr, netip.AddrPort, netip.AddrPort, uint32) error {
	return unsupported("an IPv6 flow label")
}
