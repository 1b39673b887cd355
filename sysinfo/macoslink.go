package sysinfo

import (
	"context"
	"slices"
)

// collectIfconfig reads what the kernel tells of the interface in words: what
// the other sources do not have, and the rest in case that they fail.
func collectIfconfig(ctx context.Context, p *probe, r *Record) error {
	if p.link() == "" {
		return errNoLink
	}
	b, err := p.command(ctx, "/sbin/ifconfig", "-v", p.link())
	if err != nil {
		return err
	}
	interfaces, err := parseIfconfig(b)
	if err != nil {
		return err
	}
	describeIfconfig(r, interfaces[0])
	return nil
}

func describeIfconfig(r *Record, i ifconfigInterface) {
	if i.Scheduler != "" {
		r.Queue.Discipline = new(Printable(i.Scheduler))
	}
	if i.Status != "" {
		r.Link.Up = new(i.Status == "active")
	}
	describeMedia(r, i.Media)
	c := capabilitiesOf(i.Options)
	r.Offload.TSO, r.Offload.LRO, r.Offload.ChecksumRx, r.Offload.ChecksumTx = &c.TSO, &c.LRO, &c.ChecksumRx, &c.ChecksumTx
	if i.Type == "Wi-Fi" {
		rate := func(v int64) *int64 {
			if v == 0 {
				return nil
			}
			return &v
		}
		r.WiFi.RateTx, r.WiFi.RateRx = rate(i.UplinkMax), rate(i.DownlinkMax)
	}
}

// describeMedia takes an Ethernet medium in use.
func describeMedia(r *Record, m ifconfigMedia) {
	if m.Name == "" {
		r.unknown("link", because(NotSupported, "the interface tells no medium"))
		return
	}
	r.Link.Media = new(Printable(m.Name))
	if m.Speed > 0 {
		r.Link.SpeedRx, r.Link.SpeedTx = new(m.Speed), new(m.Speed)
	}
	r.Link.Duplex = new("half")
	if m.FullDuplex {
		r.Link.Duplex = new("full")
	}
	r.Link.FlowControl, r.Link.EEE = new(m.FlowControl), new(m.EnergyEfficient)
}

// collectMTURange asks for the MTUs that an interface allows. A bridge has no
// answer.
func collectMTURange(ctx context.Context, p *probe, r *Record) error {
	if p.link() == "" {
		return errNoLink
	}
	b, err := p.command(ctx, "/usr/sbin/networksetup", "-listvalidMTUrange", p.link())
	if err != nil {
		return err
	}
	least, most, err := parseMTURange(b)
	if err != nil {
		return err
	}
	r.Link.MTUMin, r.Link.MTUMax = new(int64(least)), new(int64(most))
	return nil
}

// collectAirPort asks for the radio's side of the link. There is one rate, that
// of sending.
func collectAirPort(ctx context.Context, p *probe, r *Record) error {
	if p.path.Kind == nil || *p.path.Kind != KindWiFi {
		return because(NotApplicable, "the path is not over Wi-Fi")
	}
	b, err := p.profile(ctx, "SPAirPortDataType")
	if err != nil {
		return err
	}
	links, err := parseAirPort(b)
	if err != nil {
		return err
	}
	i := slices.IndexFunc(links, func(w wifiLink) bool { return w.Interface == p.link() })
	if i < 0 {
		return because(NotFound, "%s is not in the report", p.link())
	}
	describeWiFi(r, links[i])
	r.unknown("wifi.rate_rx_bits_per_second", because(NotSupported, "macOS reports the sending rate"))
	return nil
}

// describeWiFi takes a radio link; zero and "" are unknown there.
func describeWiFi(r *Record, w wifiLink) {
	number := func(v int64) *int64 {
		if v == 0 {
			return nil
		}
		return &v
	}
	r.WiFi.State = new("disconnected")
	if w.Connected {
		r.WiFi.State = new("connected")
	}
	r.WiFi.PhyMode, r.WiFi.Band = textOrNil(w.PHYMode), textOrNil(w.Band)
	r.WiFi.RateTx, r.WiFi.RateRx = number(w.RateTx), number(w.RateRx)
	r.WiFi.Channel, r.WiFi.ChannelWidth = number(int64(w.Channel)), number(int64(w.WidthMHz))
	r.Link.SpeedTx, r.Link.SpeedRx = r.WiFi.RateTx, r.WiFi.RateRx
	if w.SignalDBm < 0 {
		r.WiFi.Signal = new(float64(w.SignalDBm))
	}
}

// collectMacUSBAdapter finds the speed of the USB port that a network adapter
// is on. The adapter's hardware port has the device's name.
func collectMacUSBAdapter(ctx context.Context, p *probe, r *Record) error {
	if p.link() == "" {
		return errNoLink
	}
	ports, err := p.hardwarePorts(ctx)
	if err != nil {
		return err
	}
	i := slices.IndexFunc(ports, func(h hardwarePort) bool { return h.Device == p.link() })
	if i < 0 {
		return because(NotApplicable, "%s is no hardware port", p.link())
	}
	b, err := p.profile(ctx, "SPUSBHostDataType", "SPUSBDataType")
	if err != nil {
		return err
	}
	report, err := parseUSBReport(b)
	if err != nil {
		return err
	}
	for _, d := range report.Devices {
		if d.Name == ports[i].Port && d.Speed > 0 {
			r.Link.USBSpeed = new(d.Speed)
			r.Link.AttachedBy = new("usb")
			return nil
		}
	}
	return because(NotApplicable, "no USB device is named %q", ports[i].Port)
}
