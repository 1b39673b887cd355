package sysinfo

import (
	"cmp"
	"context"
	"net/netip"
	"slices"
)

// AddressInfo is one address at which this host can be reached.
type AddressInfo struct {
	Address   netip.Addr // with its zone when link-local IPv6
	Interface string
	Kind      string // one of the Kind constants
	MTU       *int64 // bytes
	Speed     *int64 // bits per second, the slower direction; nil if unknown
	LinkLocal bool
}

// Addresses lists every address of the interfaces that are up, fastest first:
// what a server tells those who want to reach it. Unknown speeds follow the
// known ones, loopback comes last.
func Addresses(ctx context.Context) []AddressInfo {
	ctx, cancel := context.WithTimeout(ctx, collectBudget)
	defer cancel()
	interfaces, err := listInterfaces(ctx, &probe{})
	if err != nil {
		return nil
	}
	return fastestFirst(interfaces)
}

func fastestFirst(interfaces []Interface) []AddressInfo {
	var list []AddressInfo
	for _, i := range interfaces {
		if !i.Up {
			continue
		}
		for _, text := range i.Addresses {
			prefix, err := netip.ParsePrefix(text)
			if err != nil {
				continue
			}
			a := AddressInfo{Address: prefix.Addr(), Interface: i.Name, Kind: i.Kind, MTU: i.MTU}
			a.LinkLocal = a.Address.IsLinkLocalUnicast()
			if a.LinkLocal && a.Address.Is6() {
				a.Address = a.Address.WithZone(i.Name)
			}
			if i.SpeedRx != nil && i.SpeedTx != nil {
				a.Speed = new(min(*i.SpeedRx, *i.SpeedTx))
			}
			list = append(list, a)
		}
	}
	slices.SortStableFunc(list, func(a, b AddressInfo) int {
		return cmp.Or(
			cmp.Compare(kindOrder(a.Kind), kindOrder(b.Kind)),
			cmp.Compare(assumedSpeed(b), assumedSpeed(a)),
			cmp.Compare(unknownSpeedOrder(a.Kind), unknownSpeedOrder(b.Kind)),
			cmp.Compare(len(a.Address.AsSlice()), len(b.Address.AsSlice())), // IPv4 is easier to type
		)
	})
	return list
}

// kindOrder puts what cannot be reached from elsewhere behind the rest.
func kindOrder(kind string) int {
	if kind == KindLoopback {
		return 1
	}
	return 0
}

// unknownSpeedOrder guesses which of two interfaces without a speed is faster.
func unknownSpeedOrder(kind string) int {
	order := []string{KindThunderbolt, KindEthernet, KindWiFi, KindOther, KindVirtual, KindTunnel, KindCellular}
	if n := slices.Index(order, kind); n >= 0 {
		return n
	}
	return len(order)
}

// assumedSpeed is the known speed, or for Thunderbolt the least that one has.
func assumedSpeed(a AddressInfo) int64 {
	switch {
	case a.Speed != nil:
		return *a.Speed
	case a.Kind == KindThunderbolt:
		return 10e9
	}
	return 0
}
