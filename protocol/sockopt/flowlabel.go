package sockopt

import (
	"net/netip"
	"syscall"

	"linkperf/protocol"
)

// ConnectFlow connects a nonblocking socket to an IPv6 address so that its
// packets carry a flow label, after binding it to a local address if that is
// valid. Package net cannot give a label to connect(2), but it accepts a socket
// that is being connected already: call this from the Control function of a
// [net.Dialer] without LocalAddr. A UDP socket must be connected once more
// afterwards, since package net's own call takes the label away. The error is
// iperf3's number 127 (only Linux has flow labels, IPv4 has none).
func ConnectFlow(c syscall.RawConn, local, remote netip.AddrPort, label int) error {
	err := control(c, "connect with a flow label", func(fd uintptr) error {
		if !remote.Addr().Is6() || remote.Addr().Is4In6() {
			return unsupported("an IPv6 flow label for an IPv4 address")
		}
		return connectFlow(fd, local, remote, uint32(label))
	})
	if err != nil {
		return protocol.NewError(protocol.CodeSetFlow, err)
	}
	return nil
}
