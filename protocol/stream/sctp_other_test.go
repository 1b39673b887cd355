//go:build !linux

package stream

import "net/netip"

func sctpAddress(Listener) (netip.AddrPort, error) { return netip.AddrPort{}, errNoSCTP }
