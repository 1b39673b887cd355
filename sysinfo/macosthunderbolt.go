package sysinfo

import (
	"context"
)

// collectMacThunderboltPorts describes the only other computer on a port, where
// no test is observed; within one, collectMacThunderbolt does.
func collectMacThunderboltPorts(ctx context.Context, p *probe, r *Record) error {
	buses, err := p.thunderboltBuses(ctx)
	if err != nil {
		return err
	}
	describeThunderbolt(p, r, buses, 0)
	return nil
}

// collectMacThunderbolt describes the link that the test goes over, or the only
// other one.
func collectMacThunderbolt(ctx context.Context, p *probe, r *Record) error {
	buses, err := p.thunderboltBuses(ctx)
	if err != nil {
		return err
	}
	receptacle := 0
	if ports, err := p.hardwarePorts(ctx); err == nil {
		receptacle = thunderboltReceptacle(ports, p.link())
	}
	bus, port := describeThunderbolt(p, r, buses, receptacle)
	if p.path.Kind == nil || *p.path.Kind != KindThunderbolt {
		reason := because(NotApplicable, "the path is not over Thunderbolt")
		r.unknown("link.speed_rx_bits_per_second", reason)
		r.unknown("link.speed_tx_bits_per_second", reason)
		r.unknown("link.speed_capability_bits_per_second", reason)
		return nil
	}
	if bus == nil || port == nil {
		return nil
	}
	r.Link.SpeedRx, r.Link.SpeedTx, r.Link.Capability = r.Thunderbolt.SpeedRx, r.Thunderbolt.SpeedTx, r.Thunderbolt.Capability
	r.Link.Media = new("Thunderbolt")
	if receptacle != 0 {
		r.Thunderbolt.Interface = new(p.link())
	}
	return nil
}

func (p *probe) thunderboltBuses(ctx context.Context) ([]thunderboltBus, error) {
	b, err := p.profile(ctx, "SPThunderboltDataType")
	if err != nil {
		return nil, err
	}
	return parseThunderbolt(b)
}

// describeThunderbolt describes the port of a receptacle, or for 0 the one with
// another computer on it, if that is only one. It returns the bus and port, nil
// if there is no link to describe.
func describeThunderbolt(p *probe, r *Record, buses []thunderboltBus, receptacle int) (*thunderboltBus, *thunderboltPort) {
	if len(buses) == 0 {
		r.unknown("thunderbolt", because(NotApplicable, "no Thunderbolt port"))
		return nil, nil
	}
	t := &r.Thunderbolt
	capability, peers := int64(0), int64(0)
	for _, bus := range buses {
		for _, port := range bus.Ports {
			capability = max(capability, port.Capability)
		}
		for _, d := range bus.Devices {
			if d.isPeer() {
				peers++
			}
		}
	}
	t.Peers = &peers
	bus, port, peer := findThunderbolt(buses, receptacle)
	if port == nil {
		reason := because(NotApplicable, "no other computer on a port")
		if peers > 1 {
			reason = because(NotApplicable, "%d computers, and the path tells none of them", peers)
		}
		r.unknown("thunderbolt", reason)
		if generation := thunderboltGeneration(buses[0], capability); generation != "" {
			t.Generation = &generation
		}
		return nil, nil
	}
	describePort(r, *bus, *port, capability)
	r.unknown("thunderbolt", because(NotSupported, "macOS does not tell"))
	if peer != nil {
		t.PeerVendor, t.PeerModel = textOrNil(peer.Vendor), textOrNil(peer.Model)
		t.PeerDomainID = p.hash(peer.DomainUUID)
	}
	t.DomainID = p.hash(bus.DomainUUID)
	if len(p.Salt) == 0 {
		r.unknown("thunderbolt.domain_id", because(NotAttempted, "only within a test"))
		r.unknown("thunderbolt.peer_domain_id", because(NotAttempted, "only within a test"))
	}
	return bus, port
}

// describePort takes what is told of one port. Where it does not tell what it
// could do, since it is in use, an idle port of the same computer does.
func describePort(r *Record, bus thunderboltBus, port thunderboltPort, capability int64) {
	t := &r.Thunderbolt
	if generation := thunderboltGeneration(bus, capability); generation != "" {
		t.Generation = &generation
	}
	if port.Receptacle > 0 {
		t.Receptacle = new(int64(port.Receptacle))
	}
	if port.Capability > 0 {
		capability = port.Capability
	}
	if capability > 0 {
		t.Capability = new(max(capability, port.Speed))
	}
	if port.Lanes > 0 {
		t.LanesRx, t.LanesTx = new(int64(port.Lanes)), new(int64(port.Lanes))
	}
	if port.Speed == 0 {
		why := because(NotSupported, "macOS tells what the port can do, not what it negotiated")
		r.unknown("thunderbolt.speed_rx_bits_per_second", why)
		r.unknown("thunderbolt.speed_tx_bits_per_second", why)
		return
	}
	t.SpeedRx, t.SpeedTx = new(port.Speed), new(port.Speed)
	if port.Lanes > 0 {
		each := port.Speed / int64(port.Lanes)
		t.LaneSpeedRx, t.LaneSpeedTx = new(each), new(each)
	}
}

// findThunderbolt finds the port of a receptacle, or for 0 the only one with a
// computer on it, and that computer. A bus with several receptacles does not
// tell which of them a device is on, unless one alone is connected.
func findThunderbolt(buses []thunderboltBus, receptacle int) (*thunderboltBus, *thunderboltPort, *thunderboltDevice) {
	var (
		bus  *thunderboltBus
		port *thunderboltPort
		peer *thunderboltDevice
		n    int
	)
	for i := range buses {
		candidate := connectedPort(&buses[i], receptacle)
		if candidate == nil {
			continue
		}
		for d := range buses[i].Devices {
			if buses[i].Devices[d].isPeer() {
				n++
				bus, port, peer = &buses[i], candidate, &buses[i].Devices[d]
			}
		}
		if receptacle != 0 && peer == nil {
			bus, port = &buses[i], candidate
		}
	}
	if n > 1 {
		return nil, nil, nil
	}
	return bus, port, peer
}

func connectedPort(bus *thunderboltBus, receptacle int) *thunderboltPort {
	var found *thunderboltPort
	for i := range bus.Ports {
		port := &bus.Ports[i]
		switch {
		case !port.Connected && !port.LinkUp:
		case receptacle != 0 && port.Receptacle == receptacle:
			return port
		case receptacle == 0 && found != nil:
			return nil
		case receptacle == 0:
			found = port
		}
	}
	return found
}

// textOrNil makes a text from outside safe; nil if there is none.
func textOrNil(s string) *string {
	if s == "" {
		return nil
	}
	return new(Printable(s))
}
