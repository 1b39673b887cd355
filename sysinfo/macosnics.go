package sysinfo

import (
	"context"
	"slices"
	"time"
)

// profilerPatience is how long a list of interfaces waits for the speeds of
// Thunderbolt. The list is complete without them.
const profilerPatience = 800 * time.Millisecond

// describeMacNICs gives every interface as one of a list. An address of the
// Thunderbolt Bridge stands for the cables below it: a bridge whose members are
// of one kind is of that kind.
func describeMacNICs(ctx context.Context, p *probe, all []macNIC) []Interface {
	var speeds map[string]int64 // nil until it is asked for
	list := []Interface{}
	for _, n := range all {
		i := Interface{Name: n.Name, Kind: n.Kind, Up: n.Up, MTU: new(int64(n.MTU)), Addresses: []string{}}
		for _, a := range n.Addresses {
			i.Addresses = append(i.Addresses, a.String())
		}
		var members []string
		if n.bridge() && n.Up && len(n.Addresses) > 0 {
			if b, err := askBridge(ctx, p, n.Name); err == nil {
				members = b.Members
				i.Kind, _ = kindOfMembers(n, members, all)
			}
		}
		speed := n.Media.Speed
		if i.Kind == KindThunderbolt && i.Up {
			if speeds == nil {
				speeds = thunderboltSpeeds(ctx, p)
			}
			speed = speedOfMembers(speeds, append(members, n.Name))
		}
		switch {
		case speed > 0:
			i.SpeedRx, i.SpeedTx = &speed, new(speed)
		case i.Kind == KindLoopback || i.Kind == KindVirtual || i.Kind == KindTunnel:
			i.Reason = NotApplicable
		default:
			i.Reason = NotSupported
		}
		list = append(list, i)
	}
	return list
}

// thunderboltSpeeds asks for the negotiated speed of each interface that has a
// computer at its other end. It is empty, never nil, where nothing is known.
func thunderboltSpeeds(ctx context.Context, p *probe) map[string]int64 {
	ctx, cancel := context.WithTimeout(ctx, profilerPatience)
	defer cancel()
	speeds := make(map[string]int64)
	ports, err := p.hardwarePorts(ctx)
	if err != nil {
		return speeds
	}
	buses, err := p.thunderboltBuses(ctx)
	if err != nil {
		return speeds
	}
	for _, h := range ports {
		receptacle := thunderboltReceptacle(ports, h.Device)
		if receptacle == 0 {
			continue
		}
		if _, port, peer := findThunderbolt(buses, receptacle); port != nil && peer != nil && port.Speed > 0 {
			speeds[h.Device] = port.Speed
		}
	}
	return speeds
}

// speedOfMembers is the speed that the interfaces with a known one share; 0 if
// none is known, or if they differ.
func speedOfMembers(speeds map[string]int64, names []string) int64 {
	var all []int64
	for _, name := range names {
		if s, known := speeds[name]; known {
			all = append(all, s)
		}
	}
	slices.Sort(all)
	if all = slices.Compact(all); len(all) == 1 {
		return all[0]
	}
	return 0
}
