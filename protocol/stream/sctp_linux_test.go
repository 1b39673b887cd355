package stream

import (
	"net/netip"

	"golang.org/x/sys/unix"
)

// sctpAddress returns the address that a listener has got.
func sctpAddress(l Listener) (netip.AddrPort, error) {
	sa, err := unix.Getsockname(l.(*sctpListener).p.fd)
	if err != nil {
		return netip.AddrPort{}, err
	}
	return sockaddrPort(sa), nil
}
