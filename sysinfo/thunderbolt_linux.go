package sysinfo

import (
	"context"
	"fmt"
	"path"
	"regexp"
	"strconv"
)

// thunderboltDir is where the kernel shows Thunderbolt and USB4, see
// Documentation/ABI/testing/sysfs-bus-thunderbolt.
const thunderboltDir = "/sys/bus/thunderbolt/devices"

var (
	// xdomainName is another host: domain and route; services of it have a
	// second number, "0-1.0".
	xdomainName = regexp.MustCompile(`^(\d+)-([0-9a-f]+)$`)
	serviceName = regexp.MustCompile(`^(\d+-[0-9a-f]+)\.\d+$`)
)

// collectThunderbolt describes the link of the path, or else that to the only
// other computer on a port.
func collectThunderbolt(_ context.Context, p *probe, r *Record) error {
	for _, f := range []string{"speed_rx_bits_per_second", "speed_tx_bits_per_second", "speed_capability_bits_per_second"} {
		r.unknown("link."+f, because(NotApplicable, "the path is not Thunderbolt"))
	}
	all := p.glob(thunderboltDir + "/*")
	if len(all) == 0 {
		return because(NotFound, "no Thunderbolt or USB4 bus")
	}
	// A service of type network proves that the other end is a host.
	hosts := make(map[string]bool)
	for _, dir := range all {
		if m := serviceName.FindStringSubmatch(path.Base(dir)); m != nil {
			hosts[m[1]] = true
		}
	}
	r.Thunderbolt.Peers = new(int64(len(hosts)))
	name := ""
	for _, i := range p.glob("/sys/class/net/*") {
		device, err := p.resolve(i + "/device")
		if err != nil {
			continue
		}
		if m := serviceName.FindStringSubmatch(path.Base(device)); m != nil && hosts[m[1]] {
			if base := path.Base(i); name == "" || base == p.link() {
				name = base
			}
		}
	}
	if name == "" {
		r.unknown("thunderbolt", because(NotApplicable, "no other computer on a port"))
		generationOf(p, "0-0", &r.Thunderbolt)
		return nil
	}
	t, err := thunderboltOf(p, name)
	if err != nil {
		return err
	}
	t.Peers = r.Thunderbolt.Peers
	r.Thunderbolt = t
	if p.link() == name {
		r.Link.SpeedRx, r.Link.SpeedTx = t.SpeedRx, t.SpeedTx
		r.Link.Capability = t.Capability
		for _, f := range []string{"speed_rx_bits_per_second", "speed_tx_bits_per_second", "speed_capability_bits_per_second"} {
			r.unknown("link."+f, because(NotSupported, "this kernel does not tell the speed of links to other computers"))
		}
	}
	r.unknown("thunderbolt.receptacle", because(NotSupported, "the kernel does not number the sockets"))
	r.unknown("thunderbolt.peer_model", because(NotSupported, "the peer tells its host name, which is not kept"))
	if len(p.Salt) == 0 {
		r.unknown("thunderbolt.domain_id", because(NotAttempted, "only within a test"))
		r.unknown("thunderbolt.peer_domain_id", because(NotAttempted, "only within a test"))
	}
	return nil
}

// thunderboltOf describes the link that a network interface stands for.
func thunderboltOf(p *probe, name string) (Thunderbolt, error) {
	var t Thunderbolt
	device, err := p.resolve("/sys/class/net/" + name + "/device")
	if err != nil {
		return t, fmt.Errorf("device of %s: %w", name, err)
	}
	m := serviceName.FindStringSubmatch(path.Base(device))
	if m == nil {
		return t, because(NotApplicable, "%s is not a Thunderbolt service", name)
	}
	t.Interface = &name
	host := xdomainName.FindStringSubmatch(m[1])[1] + "-0"
	peer := thunderboltDir + "/" + m[1]
	t.LaneSpeedRx, t.LaneSpeedTx = p.rate(peer+"/rx_speed"), p.rate(peer+"/tx_speed")
	t.LanesRx, t.LanesTx = p.count(peer+"/rx_lanes"), p.count(peer+"/tx_lanes")
	if t.LaneSpeedRx != nil && t.LanesRx != nil {
		t.SpeedRx = new(*t.LaneSpeedRx * *t.LanesRx)
	}
	if t.LaneSpeedTx != nil && t.LanesTx != nil {
		t.SpeedTx = new(*t.LaneSpeedTx * *t.LanesTx)
	}
	if vendor, err := p.readText(peer + "/vendor_name"); err == nil {
		t.PeerVendor = &vendor
	}
	if id, err := p.readText(peer + "/unique_id"); err == nil {
		t.PeerDomainID = p.hash(id)
	}
	if id, err := p.readText(thunderboltDir + "/" + host + "/unique_id"); err == nil {
		t.DomainID = p.hash(id)
	}
	generationOf(p, host, &t)
	return t, nil
}

// generationOf reads the generation of the own controller, and what a port of
// it can do in each direction.
func generationOf(p *probe, host string, t *Thunderbolt) {
	n, err := p.readInt(thunderboltDir + "/" + host + "/generation")
	if err != nil {
		return
	}
	// The kernel counts USB4 as 4 in both its versions.
	names := map[int64]string{1: "1", 2: "2", 3: "3", 4: "4/USB4", 5: "5/USB4v2"}
	capability := map[int64]int64{1: 10e9, 2: 20e9, 3: 40e9, 4: 40e9, 5: 80e9}
	if name, ok := names[n]; ok {
		t.Generation = &name
		t.Capability = new(capability[n])
	}
}

// rate reads a file such as rx_speed, "20.0 Gb/s"; nil if it has none.
func (p *probe) rate(name string) *int64 {
	text, err := p.readText(name)
	if err != nil {
		return nil
	}
	if rate, ok := parseBitRate(text); ok {
		return &rate
	}
	return nil
}

// count reads a positive number from a file; nil if it has none.
func (p *probe) count(name string) *int64 {
	text, err := p.readText(name)
	if err != nil {
		return nil
	}
	n, err := strconv.ParseInt(text, 10, 32)
	if err != nil || n <= 0 {
		return nil
	}
	return &n
}
