package explain

import (
	"fmt"
	"strings"

	"linkperf/sysinfo"
)

// speed is the greater of the link's two speeds, 0 if none is known.
func (e *end) speed() int64 { return max(or(e.Link.SpeedTx, 0), or(e.Link.SpeedRx, 0)) }

// linkBelowClass has one finding for a cable between the two ends, and else
// one for each end's own link.
func linkBelowClass(v *view) []Finding {
	var list []Finding
	for _, e := range v.ends {
		cable := is(e.Path.Kind, sysinfo.KindThunderbolt)
		if cable && len(list) > 0 {
			break // the same one
		}
		if f := v.belowClass(e, cable); f != nil {
			list = append(list, *f)
		}
	}
	return list
}

// belowClass looks at the link of one end; cable tells that the other end of
// the test is the other end of the link.
func (v *view) belowClass(e *end, cable bool) *Finding {
	speed, class := e.speed(), or(e.Link.Capability, 0)
	if speed <= 0 || class <= 0 {
		return nil
	}
	f := say("", "try another cable or another port of the switch, and look at what the other end of the cable can do").about(e.side).
		on(e, "link.speed_tx_bits_per_second", "link.speed_rx_bits_per_second", "link.speed_capability_bits_per_second")
	partner := e.Link.Partner
	if partner != nil {
		f.on(e, "link.speed_partner_bits_per_second")
	} else if other := v.other(e); cable && other.known() {
		partner = other.Link.Capability
		f.on(other, "link.speed_capability_bits_per_second")
	}
	can := fmt.Sprintf("its port can do %s, and what the other end of the cable can do is not known", bitRate(class))
	if partner != nil {
		class = min(class, *partner)
		can = fmt.Sprintf("both of its ends can do %s", bitRate(class))
	}
	if float64(speed) > belowClass*float64(class) {
		return nil
	}
	link := upper("the link of " + e.name())
	if cable {
		link = "The Thunderbolt link"
		f.about(sidePath).on(e, "thunderbolt.lanes_tx", "thunderbolt.lane_speed_tx_bits_per_second")
		f.Advice = "a short or active Thunderbolt cable of that class (not one for charging), plugged straight into both computers"
		if e.Thunderbolt.LanesTx != nil && e.Thunderbolt.LaneSpeedTx != nil {
			can += fmt.Sprintf(" (now %s of %s)", counted(*e.Thunderbolt.LanesTx, "lane", "lanes"), bitRate(*e.Thunderbolt.LaneSpeedTx))
		}
	} else if is(e.Link.AttachedBy, "usb", "thunderbolt") {
		f.Advice += "; an adapter may also be plugged into a slower port"
	}
	f.Sentence = fmt.Sprintf("%s runs at %s; %s.", link, bitRate(speed), can)
	return f
}

func halfDuplex(_ *view, e *end) *Finding {
	if !is(e.Link.Duplex, "half") {
		return nil
	}
	advice := "let both ends of the cable negotiate; a fixed setting at one end makes the other half duplex"
	if is(e.Host.OS, "linux") {
		advice += ": sudo ethtool -s " + e.device() + " autoneg on"
	}
	return say(upper(e.name())+" runs half duplex: data and acknowledgements take turns and collide.", advice).
		on(e, "link.duplex", "link.auto_negotiation")
}

// pcieShare is what PCIe's line coding leaves: 8b/10b up to 5 GT/s, 128b/130b
// above (PCI Express Base Specification 3.0).
func pcieShare(gigatransfers float64) float64 {
	if gigatransfers <= 5 {
		return 0.8
	}
	return 128.0 / 130
}

func pcieBelowClass(_ *view, e *end) *Finding {
	l := &e.Link
	if l.PCIeSpeed == nil || l.PCIeWidth == nil || l.PCIeSpeedMax == nil || l.PCIeWidthMax == nil || e.speed() <= 0 {
		return nil
	}
	if *l.PCIeSpeed >= *l.PCIeSpeedMax && *l.PCIeWidth >= *l.PCIeWidthMax {
		return nil
	}
	carries := *l.PCIeSpeed * float64(*l.PCIeWidth) * pcieShare(*l.PCIeSpeed) * 1e9
	if carries >= pcieReserve*float64(e.speed()) {
		return nil
	}
	return say(fmt.Sprintf("%s sits on PCIe %s GT/s x%d (%s) instead of %s GT/s x%d: too little for its link of %s.", upper(e.name()),
		short(*l.PCIeSpeed), *l.PCIeWidth, bitRate(carries), short(*l.PCIeSpeedMax), *l.PCIeWidthMax, bitRate(e.speed())),
		"another slot, or the firmware's setting for the slot's lanes").
		on(e, "link.pcie_speed_gt_per_second", "link.pcie_width", "link.pcie_speed_max_gt_per_second", "link.pcie_width_max", "link.speed_tx_bits_per_second", "link.speed_rx_bits_per_second")
}

func usbLimits(_ *view, e *end) *Finding {
	usb := e.Link.USBSpeed
	if !is(e.Link.AttachedBy, "usb") || usb == nil || e.speed() <= 0 || float64(*usb) >= usbReserve*float64(e.speed()) {
		return nil
	}
	return say(fmt.Sprintf("%s is attached by USB at %s, which carries less than its network link of %s.", upper(e.name()), bitRate(*usb), bitRate(e.speed())),
		"a faster USB port or cable; 5 Gbit/s USB carries about 3.5 to 4").
		on(e, "link.attached_by", "link.usb_speed_bits_per_second", "link.speed_tx_bits_per_second", "link.speed_rx_bits_per_second")
}

// speedDisagrees compares the two ends of one cable. Through a switch they
// have nothing to agree about.
func speedDisagrees(v *view) *Finding {
	if !v.direct() {
		return nil
	}
	c, s := v.client, v.server
	cable := is(c.Path.Kind, sysinfo.KindThunderbolt) && is(s.Path.Kind, sysinfo.KindThunderbolt) ||
		is(c.Path.Kind, sysinfo.KindEthernet) && is(s.Path.Kind, sysinfo.KindEthernet) && yes(c.Path.LinkLocal)
	if !cable {
		return nil
	}
	for _, pair := range []struct {
		from, to *end
	}{{c, s}, {s, c}} {
		tx, rx := pair.from.Link.SpeedTx, pair.to.Link.SpeedRx
		if tx == nil || rx == nil || *tx <= 0 || *rx <= 0 {
			continue
		}
		if a, b := float64(*tx), float64(*rx); max(a, b)-min(a, b) > speedTolerance*max(a, b) {
			return say(fmt.Sprintf("The %s says that it sends at %s, and the %s that it receives at %s: one of the two is not the negotiated speed. The lower one is used here.",
				pair.from.side, bitRate(*tx), pair.to.side, bitRate(*rx)), "").about(sidePath).
				on(pair.from, "link.speed_tx_bits_per_second").on(pair.to, "link.speed_rx_bits_per_second")
		}
	}
	return nil
}

func linkAsymmetric(_ *view, e *end) *Finding {
	rx, tx := e.Link.SpeedRx, e.Link.SpeedTx
	if rx == nil || tx == nil || *rx == *tx {
		return nil
	}
	return say(fmt.Sprintf("The link of %s receives at %s and sends at %s: the two directions of a test differ for that reason.", e.name(), bitRate(*rx), bitRate(*tx)), "").
		on(e, "link.speed_rx_bits_per_second", "link.speed_tx_bits_per_second")
}

func speedUnknown(_ *view, e *end) *Finding {
	if !is(e.Path.Kind, sysinfo.KindThunderbolt) || e.Link.SpeedTx != nil || e.Link.SpeedRx != nil {
		return nil
	}
	why, _ := e.Why("link.speed_tx_bits_per_second")
	reason := string(why.Reason)
	if why.Detail != "" {
		reason = why.Detail
	}
	if reason != "" {
		reason = " (" + reason + ")"
	}
	advice := ""
	switch or(e.Host.OS, "") {
	case "macos":
		advice = "System Information, Thunderbolt/USB4, shows the speed of the port with the cable"
	case "linux":
		advice = "a kernel of 5.11 or later shows it in /sys/bus/thunderbolt/devices"
	}
	return say(fmt.Sprintf("The negotiated speed of the Thunderbolt link is not known at the %s%s: no ceiling can be computed from this end.", e.side, reason), advice).
		on(e, "path.kind")
}

func linkErrors(_ *view, e *end) *Finding {
	rx, tx := or(e.Counters.RxErrors, 0), or(e.Counters.TxErrors, 0)
	if rx <= 0 && tx <= 0 {
		return nil
	}
	return say(fmt.Sprintf("%s counted %d damaged frames received and %d not sent during the test.", upper(e.name()), rx, tx),
		"another cable or connector").on(e, "counters.rx_errors", "counters.tx_errors")
}

func devicesBelowClass(_ *view, e *end) *Finding {
	var slow []string
	for _, d := range e.Devices {
		if !yes(d.Below) || d.Speed == nil || d.Capability == nil {
			continue
		}
		slow = append(slow, fmt.Sprintf("%s (%s) runs at %s of %s", d.Name, d.Bus, bitRate(*d.Speed), bitRate(*d.Capability)))
	}
	if len(slow) == 0 {
		return nil
	}
	f := say(fmt.Sprintf("At the %s, %s.", e.side, listed(slow)), "a faster port or cable")
	f.Numbers[e.side+".devices"] = strings.Join(slow, "; ")
	return f
}
