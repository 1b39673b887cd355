package sysinfo

import (
	"encoding/json"
	"regexp"
)

// usbReportDevice is one device of the USB report, with the bus it is on.
type usbReportDevice struct {
	Name, Vendor string
	Bus          string // "USB 3.1 Bus", "USB30Bus"
	Controller   string // "AppleT8122USBXHCI"
	Depth        int    // hubs between it and the bus
	Speed        int64  // negotiated, bits per second; 0 unknown
	Parent       string // the hub above it, "" directly on the bus
	ParentSpeed  int64  // what that hub negotiated; 0 unknown
}

// usbReport is the answer of both report types together.
type usbReport struct {
	HasHostType bool // SPUSBHostDataType was answered (macOS 26 and later)
	Buses       int
	Devices     []usbReportDevice
}

// usbSpeedNames are the speeds of the old report and of USB itself.
var usbSpeedNames = map[string]int64{
	"low_speed": 1_500_000, "full_speed": 12_000_000, "high_speed": 480_000_000,
	"super_speed": 5_000_000_000, "super_speed_plus": 10_000_000_000,
	"super_speed_plus_by_2": 20_000_000_000,
}

// parseUSBReport reads system_profiler -json SPUSBHostDataType SPUSBDataType,
// or either alone. On macOS 26 and later the second is an empty list, which
// says nothing about the devices; the first is missing before.
func parseUSBReport(b []byte) (usbReport, error) {
	var types map[string][]profilerItem
	if err := json.Unmarshal(b, &types); err != nil {
		return usbReport{}, because(ParseError, "USB report: %v", err)
	}
	host, isHost := types["SPUSBHostDataType"]
	old, isOld := types["SPUSBDataType"]
	if !isHost && !isOld {
		return usbReport{}, because(ParseError, "USB report: neither SPUSBHostDataType nor SPUSBDataType")
	}
	if isOld && !isHost && len(old) == 0 {
		return usbReport{}, because(ParseError, "SPUSBDataType is empty: this system answers SPUSBHostDataType only")
	}
	r := usbReport{HasHostType: len(host) > 0}
	buses := host
	if len(buses) == 0 {
		buses = old
	}
	for _, bus := range buses {
		r.Buses++
		controller := bus.text("Driver")
		if controller == "" {
			controller = bus.text("host_controller")
		}
		var parents []usbReportDevice // the way down to the item visited
		bus.walk(0, func(depth int, item profilerItem) {
			d := usbReportDevice{
				Name: item.text("_name"), Vendor: item.text("USBDeviceKeyVendorName"),
				Bus: bus.text("_name"), Controller: controller, Depth: depth,
			}
			if d.Vendor == "" {
				d.Vendor = item.text("manufacturer")
			}
			if speed, ok := parseBitRate(item.text("USBDeviceKeyLinkSpeed")); ok {
				d.Speed = speed
			} else {
				d.Speed = usbSpeedNames[item.text("device_speed")]
			}
			if depth > 0 {
				d.Parent, d.ParentSpeed = parents[depth-1].Name, parents[depth-1].Speed
			}
			parents = append(parents[:depth], d)
			r.Devices = append(r.Devices, d)
		})
	}
	return r, nil
}

var usbBusName = regexp.MustCompile(`^USB ?([23])\.?([012])`)

// usbBusCapability is what a bus of that name can do at most, in bits per
// second: the class that a device's negotiated speed is compared with. 0 is
// unknown.
func usbBusCapability(bus string) int64 {
	m := usbBusName.FindStringSubmatch(bus)
	if m == nil {
		return 0
	}
	switch m[1] + m[2] {
	case "20", "21":
		return 480_000_000
	case "30":
		return 5_000_000_000
	case "31":
		return 10_000_000_000
	case "32":
		return 20_000_000_000
	}
	return 0
}
