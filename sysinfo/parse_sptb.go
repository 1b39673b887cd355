package sysinfo

import (
	"bytes"
	"encoding/json"
	"maps"
	"slices"
	"strconv"
	"strings"
)

// thunderboltBus is one controller of system_profiler SPThunderboltDataType.
type thunderboltBus struct {
	Name       string // "thunderboltusb4_bus_0", "Thunderbolt/USB4 Bus 0"
	Model      string // the computer's own name for itself, "Mac Studio"
	DomainUUID string
	Ports      []thunderboltPort
	Devices    []thunderboltDevice
}

// thunderboltPort is one receptacle of a bus.
type thunderboltPort struct {
	Receptacle int // as printed on the case and by networksetup; 0 unknown
	Connected  bool
	LinkUp     bool  // by link status: 0x2 and 0x4 are links, 0x100 and 0x7 none
	Speed      int64 // negotiated, bits per second, all lanes; 0 unknown
	Capability int64 // what follows "Up to", bits per second; 0 unknown
	Lanes      int   // 0 unknown; only old systems tell
}

// thunderboltDevice is what is at the other end: a computer or a device.
type thunderboltDevice struct {
	Name       string // the name its owner or maker gave it
	Model      string // "Mac16,11"
	Vendor     string
	Mode       string // thunderbolt_three, usb_four, usb_four_v2; "" for a computer
	DomainUUID string // only a computer is a domain of its own
	IPService  bool   // offers IP over the cable
	Speed      int64  // negotiated at the device's own end, bits per second; 0 unknown
}

// isPeer tells a computer from a device. Only a computer makes a network link.
func (d thunderboltDevice) isPeer() bool { return d.Mode == "" && d.DomainUUID != "" }

// parseThunderbolt reads the report of system_profiler SPThunderboltDataType:
// JSON, or the indented text that is printed without -json and pasted in
// reports.
func parseThunderbolt(b []byte) ([]thunderboltBus, error) {
	if text := bytes.TrimSpace(b); len(text) == 0 || text[0] != '{' {
		return readThunderboltText(text)
	}
	var report struct {
		Buses []profilerItem `json:"SPThunderboltDataType"`
	}
	if err := json.Unmarshal(b, &report); err != nil {
		return nil, because(ParseError, "SPThunderboltDataType: %v", err)
	}
	if report.Buses == nil {
		return nil, because(ParseError, "SPThunderboltDataType: no such list")
	}
	buses := make([]thunderboltBus, 0, len(report.Buses))
	for _, item := range report.Buses {
		bus := thunderboltBus{
			Name:       item.text("_name"),
			Model:      item.text("device_name_key"),
			DomainUUID: strings.ToLower(item.text("domain_uuid_key")),
		}
		for _, key := range slices.Sorted(maps.Keys(item)) {
			if strings.HasPrefix(key, "receptacle_") && strings.HasSuffix(key, "_tag") {
				bus.Ports = append(bus.Ports, thunderboltPortOf(item.item(key)))
			}
		}
		item.walk(0, func(_ int, device profilerItem) {
			bus.Devices = append(bus.Devices, thunderboltDeviceOf(device))
		})
		buses = append(buses, bus)
	}
	return buses, nil
}

func thunderboltPortOf(tag profilerItem) thunderboltPort {
	var p thunderboltPort
	p.Receptacle, _ = strconv.Atoi(tag.text("receptacle_id_key"))
	p.Connected = tag.text("receptacle_status_key") == "receptacle_connected"
	p.setLinkStatus(tag.text("link_status_key"))
	p.setWidth(tag.text("current_link_width_key"))
	p.setSpeed(tag.text("current_speed_key"))
	return p
}

func thunderboltDeviceOf(item profilerItem) thunderboltDevice {
	d := thunderboltDevice{
		Name:       item.text("_name"),
		Model:      item.text("device_name_key"),
		Vendor:     item.text("vendor_name_key"),
		Mode:       item.text("mode_key"),
		DomainUUID: strings.ToLower(item.text("domain_uuid_key")),
	}
	for _, service := range item.items("services_title") {
		d.IPService = d.IPService || service.text("_name") == "service_ip"
	}
	upstream := thunderboltPortOf(item.item("receptacle_upstream_ambiguous_tag"))
	d.Speed = upstream.Speed
	return d
}

func (p *thunderboltPort) setLinkStatus(s string) { p.LinkUp = s == "0x2" || s == "0x4" }

// setWidth reads the lane adapter's negotiated width, a bit mask: 1 is one
// lane, 2 is two (USB4 specification, LANE_ADP_CS_1).
func (p *thunderboltPort) setWidth(s string) {
	switch s {
	case "0x1", "0x2":
		p.Lanes = int(s[2] - '0')
	}
}

// setSpeed must come after the status. "Up to" is what the port could do, even
// while something is connected: old systems print nothing else.
func (p *thunderboltPort) setSpeed(s string) {
	if most, found := strings.CutPrefix(s, "Up to "); found {
		p.Capability, _ = parseBitRate(most)
	} else if p.Connected {
		p.Speed, _ = parseBitRate(s)
	}
}

// readThunderboltText follows the headings of the text form. Its indentation
// is not used: pages that show such reports lose it.
func readThunderboltText(b []byte) ([]thunderboltBus, error) {
	var (
		buses   []thunderboltBus
		bus     *thunderboltBus
		device  *thunderboltDevice // nil while the fields are those of the bus
		port    *thunderboltPort   // nil outside a "Port:" section
		section string
		fields  int
	)
	var speed string
	finish := func() { // a port's fields come in any order: judge them at its end
		if port == nil {
			return
		}
		port.setSpeed(speed)
		if device != nil {
			if section == "Port (Upstream)" {
				device.Speed = port.Speed
			}
		} else if bus != nil {
			bus.Ports = append(bus.Ports, *port)
		}
		port = nil
	}
	for line := range strings.Lines(string(b)) {
		key, value, found := strings.Cut(strings.TrimSpace(line), ":")
		value = strings.TrimSpace(value)
		switch {
		case !found || value == "" && strings.Contains(thunderboltTextFields, key+":"):
			continue
		case value == "" || key == "Service":
			if key == "Thunderbolt/USB4" || key == "Thunderbolt" {
				continue
			}
			if strings.HasPrefix(key, "Thunderbolt") && strings.Contains(key, " Bus") {
				finish()
				buses = append(buses, thunderboltBus{Name: key})
				bus, device, section = &buses[len(buses)-1], nil, ""
				continue
			}
			if bus == nil {
				continue
			}
			switch {
			case key == "Services" || key == "Service":
				finish()
				section = "Services"
			case key == "Port" || strings.HasPrefix(key, "Port ("):
				finish()
				section, port, speed = key, new(thunderboltPort), ""
			case section == "Services":
				if device != nil && key == "Internet Protocol" {
					device.IPService = true
				}
				if device == nil || !isServiceName(key) {
					bus.Devices = append(bus.Devices, thunderboltDevice{Name: key})
					device, section = &bus.Devices[len(bus.Devices)-1], ""
				}
			default:
				finish()
				bus.Devices = append(bus.Devices, thunderboltDevice{Name: key})
				device, section = &bus.Devices[len(bus.Devices)-1], ""
			}
			continue
		}
		if bus == nil { // a fragment that starts below the bus
			if key != "Link Status" && key != "Status" && key != "Speed" {
				continue
			}
			buses = append(buses, thunderboltBus{})
			bus, port = &buses[0], new(thunderboltPort)
		}
		fields++
		if port != nil {
			switch key {
			case "Status":
				port.Connected = value == "Device connected"
			case "Link Status":
				port.setLinkStatus(value)
			case "Speed":
				speed = value
			case "Current Link Width":
				port.setWidth(value)
			case "Receptacle":
				port.Receptacle, _ = strconv.Atoi(value)
			}
			continue
		}
		switch {
		case device == nil && key == "Device Name":
			bus.Model = value
		case device == nil && key == "Domain UUID":
			bus.DomainUUID = strings.ToLower(value)
		case device == nil || section == "Services":
		case key == "Device Name":
			device.Model = value
		case key == "Vendor Name":
			device.Vendor = value
		case key == "Domain UUID":
			device.DomainUUID = strings.ToLower(value)
		case key == "Mode":
			device.Mode = thunderboltMode(value)
		}
	}
	finish()
	if fields == 0 {
		return nil, because(ParseError, "no Thunderbolt report")
	}
	return buses, nil
}

// thunderboltTextFields are fields, not headings, also where nothing follows.
const thunderboltTextFields = "Vendor Name:Device Name:UID:Route String:Domain UUID:Mode:Device ID:Vendor ID:Status:Speed:"

// isServiceName tells a heading below "Services:" from the next device's.
func isServiceName(heading string) bool {
	return heading == "Internet Protocol" || heading == "Unknown"
}

// thunderboltMode gives the text form's mode the JSON form's name.
func thunderboltMode(s string) string {
	switch s {
	case "Thunderbolt 3":
		return "thunderbolt_three"
	case "USB4":
		return "usb_four"
	case "USB4 v2":
		return "usb_four_v2"
	}
	return s
}

// thunderboltGeneration names the class of a bus by the most that any port of
// this computer says it can do. Nothing is guessed from a negotiated speed,
// except that none exceeds the class.
func thunderboltGeneration(bus thunderboltBus, capability int64) string {
	for _, p := range bus.Ports {
		capability = max(capability, p.Capability, p.Speed)
	}
	usb4 := strings.Contains(strings.ToLower(bus.Name), "usb4")
	switch {
	case capability > 40e9:
		return "5/USB4v2"
	case capability > 20e9 && usb4:
		return "4/USB4"
	case capability > 20e9:
		return "3"
	case usb4 || capability == 0:
		return ""
	case capability > 10e9:
		return "2"
	}
	return "1"
}
