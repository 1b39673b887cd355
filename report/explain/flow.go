package explain

import (
	"math"
	"strings"

	"linkperf/protocol"
	"linkperf/sysinfo"
)

// flow is what one direction of the test moved, and what the link could.
type flow struct {
	toServer         bool
	sender, receiver *end
	rate             float64 // payload received, bit/s; sent where the receiver did not report; 0 in a test too short to have one
	limit            float64 // asked for, bit/s; 0 is none
	framing          Framing
	speed            float64 // of the link in this direction, bit/s; 0 if not known
	ceiling          float64 // bit/s; 0 if there is none
	estimated        bool    // the ceiling rests on an assumption
}

// share is the throughput in percent of the ceiling.
func (f *flow) share() float64 { return 100 * f.rate / f.ceiling }

// held reports whether the rate that was asked for was reached, so that
// nothing else can have been the limit.
func (f *flow) held() bool { return f.limit > 0 && f.rate >= rateReached*f.limit }

// key names the direction in the numbers of a finding.
func (f *flow) key(name string) string {
	if f.toServer {
		return "to_server." + name
	}
	return "to_client." + name
}

func (f *flow) words() string { return "from the " + f.sender.side + " to the " + f.receiver.side }

// measured are the directions in which the test moved data. One that did for
// too short a time has neither rate nor ceiling.
func (v *view) measured() []flow {
	var list []flow
	for _, toServer := range []bool{true, false} {
		sum, ok := v.Result.Sum(toServer, false)
		if !ok || sum.Duration <= 0 {
			sum, ok = v.Result.Sum(toServer, true)
		}
		if !ok {
			continue
		}
		f := flow{toServer: toServer, sender: v.client, receiver: v.server}
		if !toServer {
			f.sender, f.receiver = v.server, v.client
		}
		v.bound(&f)
		if sum.Duration.Seconds() >= minSeconds {
			f.rate, f.limit = sum.BitsPerSecond(), v.asked()
		} else {
			f.ceiling = 0
		}
		list = append(list, f)
	}
	return list
}

// asked is the rate that the test was limited to in each direction, 0 if it
// was not.
func (v *view) asked() float64 {
	p := &v.start.Params
	limit := math.Inf(1)
	for _, rate := range []uint64{p.Rate, p.FQRate} {
		if rate > 0 {
			limit = min(limit, float64(rate))
		}
	}
	if math.IsInf(limit, 1) {
		return 0
	}
	return limit * float64(max(p.Parallel, 1))
}

// bound computes the link's speed and the ceiling of a direction, as far as
// both ends' records tell.
func (v *view) bound(f *flow) {
	medium, ok := v.medium()
	if !ok {
		return
	}
	known := 0
	for _, speed := range []*int64{sent(f.sender), received(f.receiver)} {
		if speed == nil || *speed <= 0 {
			continue
		}
		if known++; known == 1 || float64(*speed) < f.speed {
			f.speed = float64(*speed)
		}
	}
	if f.speed == 0 {
		return
	}
	f.estimated = known < 2 || medium != Ethernet
	f.framing = Framing{Medium: medium, Transport: v.start.Params.Transport}
	if v.start.Params.MPTCP {
		return // its options vary from segment to segment
	}
	v.pack(f)
	f.ceiling = f.framing.Ceiling(f.speed)
}

func sent(e *end) *int64 {
	if !e.known() {
		return nil
	}
	return e.Link.SpeedTx
}

func received(e *end) *int64 {
	if !e.known() {
		return nil
	}
	return e.Link.SpeedRx
}

// medium is the framing of the link, false if the records know of none, of
// different ones, or of something that has no link speed.
func (v *view) medium() (Medium, bool) {
	kind := ""
	for _, e := range v.ends {
		if !e.cabled() || is(e.Link.AttachedBy, "virtio") || kind != "" && kind != *e.Path.Kind {
			return 0, false
		}
		kind = *e.Path.Kind
	}
	switch kind {
	case sysinfo.KindEthernet:
		return Ethernet, true
	case sysinfo.KindThunderbolt:
		for _, e := range v.ends {
			if g := or(e.Thunderbolt.Generation, ""); strings.Contains(g, "USB4") {
				return USB4, true
			}
		}
		return Thunderbolt3, true
	}
	return 0, false
}

// pack fills in how payload is packed: the least MTU that any fact proves, the
// IP version and TCP's options.
func (v *view) pack(f *flow) {
	p := &f.framing
	known := false // whether timestamps are on
	for _, e := range []*end{f.sender, f.receiver} {
		if !e.known() {
			continue
		}
		p.Family = max(p.Family, or(e.Path.Family, 0))
		p.VLANTags = max(p.VLANTags, or(e.Path.VLANTags, 0))
		if e.TCP.Timestamps != nil {
			p.Timestamps, known = *e.TCP.Timestamps, true
		}
		for _, mtu := range []*int64{e.Path.MTU, e.Link.MTU} {
			p.least(mtu)
		}
	}
	if v.udp() {
		p.Payload = int64(v.start.Params.Length)
		return
	}
	if !known {
		p.Timestamps, f.estimated = true, true
	}
	if !f.sender.known() || f.sender.TCP.MSS == nil {
		return
	}
	mss := *f.sender.TCP.MSS
	if v.start.Params.MSS > 0 {
		p.Payload = mss
		return
	}
	// The other end offers what its own MTU allows.
	headers := int64(ipv4Header + tcpHeader)
	if p.Family == 6 {
		headers = ipv6Header + tcpHeader
	}
	if p.Timestamps {
		headers += tcpTimestamps
	}
	p.least(new(mss + headers))
}

func (p *Framing) least(mtu *int64) {
	if mtu != nil && *mtu > 0 && (p.MTU == 0 || *mtu < p.MTU) {
		p.MTU = *mtu
	}
}

// transport is the transport of the test in words.
func (v *view) transport() string {
	if v.start.Params.Transport == "" {
		return string(protocol.TCP)
	}
	return string(v.start.Params.Transport)
}
