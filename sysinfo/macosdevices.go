package sysinfo

import (
	"context"
	"fmt"
	"strings"
)

// collectMacDevices lists USB and Thunderbolt devices with the speed that each
// negotiated.
func collectMacDevices(ctx context.Context, p *probe, r *Record) error {
	b, err := p.profile(ctx, "SPUSBHostDataType", "SPUSBDataType", "SPThunderboltDataType")
	if err != nil {
		return err
	}
	r.Devices = []Device{}
	usb, err := parseUSBReport(b)
	if err != nil {
		return err
	}
	for _, d := range usb.Devices {
		r.Devices = append(r.Devices, d.device())
	}
	buses, err := parseThunderbolt(b)
	if err != nil {
		return err
	}
	for _, bus := range buses {
		r.Devices = append(r.Devices, devicesOfBus(bus)...)
	}
	return nil
}

// device tells a USB device's speed. What the device itself could do is not in
// the report, only what its port can.
func (d usbReportDevice) device() Device {
	out := Device{Bus: "usb", Name: Printable(d.Name), Detail: Printable(d.Bus), Reason: NotSupported}
	if strings.Contains(strings.ToLower(d.Name), "hub") {
		out.Class = "hub"
	}
	if d.Speed > 0 {
		out.Speed = new(d.Speed)
	}
	if most := usbBusCapability(d.Bus); most > 0 {
		out.Detail = fmt.Sprintf("%s, which can do %d Mbit/s", out.Detail, most/1e6)
	}
	if d.Parent != "" {
		out.Detail += ", behind " + Printable(d.Parent)
	}
	return out
}

// thunderboltModes are the most that a device of each mode can do.
var thunderboltModes = map[string]int64{"thunderbolt_three": 40e9, "usb_four": 40e9, "usb_four_v2": 80e9}

// devicesOfBus lists what is on a bus, with the class that device and
// port share.
func devicesOfBus(bus thunderboltBus) []Device {
	port := connectedPort(&bus, 0)
	var list []Device
	for _, d := range bus.Devices {
		out := Device{Bus: "thunderbolt", Name: Printable(or(d.Model, d.Name)), Detail: Printable(d.Vendor)}
		if d.isPeer() {
			out.Class = "computer"
		}
		speed := d.Speed
		if speed == 0 && port != nil && len(bus.Devices) == 1 {
			speed = port.Speed
		}
		if speed > 0 {
			out.Speed = &speed
		}
		if most := thunderboltModes[d.Mode]; most > 0 {
			out.Capability = &most
			if speed > 0 {
				out.Below = new(speed < most)
			}
		}
		if out.Speed == nil || out.Capability == nil {
			out.Reason = NotSupported
		}
		list = append(list, out)
	}
	return list
}
