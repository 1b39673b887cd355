//go:build unix

package stream

import (
	"net"
	"net/netip"

	"golang.org/x/net/ipv4"
	"golang.org/x/net/ipv6"
)

// receiveDestinations makes the system tell which local address each datagram
// went to. A dual-stack socket needs both settings; one of them fails on a
// socket of the other family.
func receiveDestinations(c *net.UDPConn) error {
	err4 := ipv4.NewPacketConn(c).SetControlMessage(ipv4.FlagDst, true)
	err6 := ipv6.NewPacketConn(c).SetControlMessage(ipv6.FlagDst, true)
	if err4 != nil && err6 != nil {
		return err4
	}
	return nil
}

// destination returns that address, or the zero Addr.
func destination(oob []byte) netip.Addr {
	var m6 ipv6.ControlMessage
	if m6.Parse(oob) == nil && m6.Dst != nil {
		a, _ := netip.AddrFromSlice(m6.Dst)
		return a.Unmap()
	}
	var m4 ipv4.ControlMessage
	if m4.Parse(oob) == nil && m4.Dst != nil {
		a, _ := netip.AddrFromSlice(m4.Dst)
		return a.Unmap()
	}
	return netip.Addr{}
}
