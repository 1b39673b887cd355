package sysinfo

import (
	"context"
	"path"
	"strings"
)

// collectHardware reads how the network device is attached.
func collectHardware(_ context.Context, p *probe, r *Record) error {
	name := p.link()
	if name == "" {
		return errNoLink
	}
	device, err := p.resolve("/sys/class/net/" + name + "/device")
	if err != nil {
		if kind := kindOfLink(p, name); kind == KindVirtual || kind == KindTunnel || kind == KindLoopback {
			r.Link.AttachedBy = new("none")
			return because(NotApplicable, "%s has no hardware", name)
		}
		return err
	}
	describeAttachment(p, device, r)
	return nil
}

// describeAttachment tells the bus of a device below /sys/devices and what the
// bus itself could carry.
func describeAttachment(p *probe, device string, r *Record) {
	by := attachedBy(p, device)
	r.Link.AttachedBy = &by
	noPCIe := because(NotApplicable, "attached by %s", by)
	if pci := upwards(p, device, "current_link_speed"); pci != "" && by != "usb" {
		setPCIe(p, pci, &r.Link)
		noPCIe = because(ParseError, "PCIe link files not understood")
	}
	for _, f := range []string{"pcie_speed_gt_per_second", "pcie_width", "pcie_speed_max_gt_per_second", "pcie_width_max"} {
		r.unknown("link."+f, noPCIe)
	}
	r.unknown("link.usb_speed_bits_per_second", because(NotApplicable, "attached by %s", by))
	if by != "usb" {
		return
	}
	usb := upwards(p, device, "rx_lanes")
	if usb == "" {
		usb = upwards(p, device, "bDeviceClass")
	}
	text, err := p.readText(usb + "/speed")
	if err != nil {
		r.unknown("link.usb_speed_bits_per_second", err)
		return
	}
	if speed, ok := parseUSBSpeed(text); ok {
		r.Link.USBSpeed = &speed
	} else {
		r.unknown("link.usb_speed_bits_per_second", notUnderstood("USB speed", []byte(text)))
	}
}

// setPCIe reads the four files of a PCIe link.
func setPCIe(p *probe, dir string, l *Link) {
	for _, f := range []struct {
		name string
		into **float64
	}{{"current_link_speed", &l.PCIeSpeed}, {"max_link_speed", &l.PCIeSpeedMax}} {
		if text, err := p.readText(dir + "/" + f.name); err == nil {
			if gt, ok := parsePCIeSpeed(text); ok {
				*f.into = &gt
			}
		}
	}
	for _, f := range []struct {
		name string
		into **int64
	}{{"current_link_width", &l.PCIeWidth}, {"max_link_width", &l.PCIeWidthMax}} {
		// 255 is what a link that is down reports.
		if n, err := p.readInt(dir + "/" + f.name); err == nil && n > 0 && n < 255 {
			*f.into = &n
		}
	}
}

// attachedBy is the bus nearest to the network device that leaves the machine
// or is named in its place in /sys/devices.
func attachedBy(p *probe, device string) string {
	if strings.Contains(device, "/domain") && upwards(p, device, "unique_id") != "" {
		return "thunderbolt"
	}
	for dir := device; len(dir) > len("/sys/devices"); dir = path.Dir(dir) {
		subsystem, err := p.resolve(dir + "/subsystem")
		if err != nil {
			continue
		}
		switch bus := lastElement(subsystem); bus {
		case "usb", "virtio", "vmbus", "xen":
			return bus
		case "pci":
			if tunnelled(p, dir) {
				return "thunderbolt"
			}
			return bus
		case "platform":
			return "soc"
		}
	}
	return "other"
}

// tunnelled reports whether a PCI device hangs on a port that firmware marked
// as leading out of the machine, as those of Thunderbolt docks.
func tunnelled(p *probe, dir string) bool {
	for ; len(dir) > len("/sys/devices"); dir = path.Dir(dir) {
		if s, err := p.readText(dir + "/removable"); err == nil && s == "removable" {
			return true
		}
	}
	return false
}

// upwards is the nearest directory from dir towards the root of the devices
// that has the file, "" if none.
func upwards(p *probe, dir, file string) string {
	for ; len(dir) > len("/sys/devices"); dir = path.Dir(dir) {
		if _, err := p.resolve(dir + "/" + file); err == nil {
			return dir
		}
	}
	return ""
}

// collectLinkNUMA reads the memory node next to the network device.
func collectLinkNUMA(_ context.Context, p *probe, r *Record) error {
	if p.link() == "" {
		return errNoLink
	}
	device, err := p.resolve("/sys/class/net/" + p.link() + "/device")
	if err != nil {
		return because(NotApplicable, "%s has no hardware", p.link())
	}
	dir := upwards(p, device, "numa_node")
	if dir == "" {
		return because(NotSupported, "the device has no NUMA node")
	}
	node, err := p.readInt(dir + "/numa_node")
	if err != nil {
		return err
	}
	if node < 0 {
		return because(NotSupported, "the firmware names no NUMA node")
	}
	r.CPU.NUMAOfInterface = &node
	return nil
}
