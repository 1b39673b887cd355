package sysinfo

import (
	"context"
	"path"
	"strings"
)

// collectDevices lists USB devices, Thunderbolt devices and disks with the
// speed of their connection.
func collectDevices(_ context.Context, p *probe, r *Record) error {
	r.Devices = append(append(append([]Device{}, usbDevices(p)...), listThunderbolt(p)...), disks(p)...)
	return nil
}

// usbDevices reads /sys/bus/usb, see Documentation/ABI/testing/sysfs-bus-usb.
func usbDevices(p *probe) []Device {
	var list []Device
	for _, dir := range p.glob("/sys/bus/usb/devices/*") {
		// "1-2:1.0" is an interface of a device, "usb1" the bus itself.
		name := path.Base(dir)
		if strings.Contains(name, ":") || strings.HasPrefix(name, "usb") {
			continue
		}
		d := Device{Bus: "usb", Name: nameOf(p, dir, "manufacturer", "product"), Class: usbClass(p, dir)}
		text, err := p.readText(dir + "/speed")
		if err != nil {
			continue
		}
		if speed, ok := parseUSBSpeed(text); ok {
			d.Speed = &speed
		}
		version, err := p.readText(dir + "/version")
		if err == nil {
			d.Detail = "USB " + version
			if speed, ok := usbVersionSpeed(version); ok {
				d.Capability = &speed
			}
		}
		d.compare()
		list = append(list, d)
	}
	return list
}

// usbVersionSpeed is the greatest speed of a device that says it follows a
// version of USB. A device on a slower connection still says so: a USB 3
// device at high speed reports 2.10.
func usbVersionSpeed(version string) (bitsPerSecond int64, ok bool) {
	switch strings.TrimSpace(version) {
	case "1.00", "1.10":
		return 12e6, true
	case "2.00", "2.01":
		return 480e6, true
	case "2.10":
		return 5e9, true
	case "3.00":
		return 5e9, true
	case "3.10":
		return 10e9, true
	case "3.20":
		return 20e9, true
	}
	return 0, false
}

// usbClass names what a device is for, by its class or that of its first
// interface.
func usbClass(p *probe, dir string) string {
	code, _ := p.readText(dir + "/bDeviceClass")
	if code == "00" || code == "ef" || code == "" {
		if f := p.glob(dir + "/*:1.0/bInterfaceClass"); len(f) > 0 {
			code, _ = p.readText(f[0])
		}
	}
	switch code {
	case "08":
		return "storage"
	case "09":
		return "hub"
	case "02", "0a", "e0":
		return "network"
	case "03":
		return "input"
	case "0e":
		return "video"
	case "01":
		return "audio"
	}
	if len(p.glob(dir+"/*/net/*")) > 0 {
		return "network"
	}
	return "other"
}

// listThunderbolt lists devices on Thunderbolt ports, not this host and
// not other computers.
func listThunderbolt(p *probe) []Device {
	var list []Device
	for _, dir := range p.glob(thunderboltDir + "/*") {
		m := xdomainName.FindStringSubmatch(path.Base(dir))
		if m == nil || m[2] == "0" || len(p.glob(dir+"/"+path.Base(dir)+".*")) > 0 {
			continue
		}
		rx, lanes := p.rate(dir+"/rx_speed"), p.count(dir+"/rx_lanes")
		if rx == nil {
			continue
		}
		d := Device{Bus: "thunderbolt", Name: nameOf(p, dir, "vendor_name", "device_name"), Class: "other"}
		if lanes != nil {
			d.Speed = new(*rx * *lanes)
		}
		var t Thunderbolt
		generationOf(p, path.Base(dir), &t)
		d.Capability = t.Capability
		d.compare()
		list = append(list, d)
	}
	return list
}

// disks lists NVMe drives with their PCIe link and SATA links.
func disks(p *probe) []Device {
	var list []Device
	for _, dir := range p.glob("/sys/class/nvme/nvme*") {
		d := Device{Bus: "nvme", Name: nameOf(p, dir, "model"), Class: "storage"}
		if device, err := p.resolve(dir + "/device"); err == nil {
			var l Link
			setPCIe(p, device, &l)
			d.Speed, d.Capability = pcieRate(l.PCIeSpeed, l.PCIeWidth), pcieRate(l.PCIeSpeedMax, l.PCIeWidthMax)
		}
		d.compare()
		list = append(list, d)
	}
	for _, dir := range p.glob("/sys/class/ata_link/link*") {
		now, err := p.readText(dir + "/sata_spd")
		if err != nil {
			continue
		}
		speed, ok := parseSATASpeed(now)
		if !ok {
			continue // nothing is connected
		}
		d := Device{Bus: "sata", Name: path.Base(dir), Class: "storage", Speed: &speed}
		if text, err := p.readText(dir + "/hw_sata_spd_limit"); err == nil {
			if limit, ok := parseSATASpeed(text); ok {
				d.Capability = &limit
			}
		}
		d.compare()
		list = append(list, d)
	}
	return list
}

// pcieRate is what a PCIe link carries in each direction after its line code:
// 8b/10b up to 5 GT/s, 128b/130b above.
func pcieRate(gt *float64, width *int64) *int64 {
	if gt == nil || width == nil {
		return nil
	}
	code := 128.0 / 130
	if *gt <= 5 {
		code = 0.8
	}
	return new(int64(*gt * 1e9 * code * float64(*width)))
}

// compare says whether a device runs below what it could.
func (d *Device) compare() {
	if d.Speed == nil || d.Capability == nil {
		d.Reason = NotSupported
		return
	}
	d.Below = new(*d.Speed < *d.Capability)
}

// nameOf joins the texts of the files that exist. Serial numbers are in others.
func nameOf(p *probe, dir string, files ...string) string {
	var words []string
	for _, f := range files {
		if s, err := p.readText(dir + "/" + f); err == nil && s != "" {
			words = append(words, Printable(shorten(s, maxText)))
		}
	}
	return strings.Join(words, " ")
}
