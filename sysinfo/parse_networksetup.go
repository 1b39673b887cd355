package sysinfo

import (
	"regexp"
	"strconv"
	"strings"
)

// hardwarePort is one entry of networksetup -listallhardwareports.
type hardwarePort struct {
	Port    string // "Thunderbolt 2", "Wi-Fi"
	Device  string // "en6"
	Address string // hardware address
}

// parseHardwarePorts reads networksetup -listallhardwareports. The interfaces of
// VLANs stand below it in another form and are left out.
func parseHardwarePorts(b []byte) ([]hardwarePort, error) {
	var ports []hardwarePort
	for line := range strings.Lines(string(b)) {
		key, value, found := strings.Cut(strings.TrimSpace(line), ": ")
		if key == "VLAN Configurations" {
			break
		}
		if !found {
			continue
		}
		switch {
		case key == "Hardware Port":
			ports = append(ports, hardwarePort{Port: value})
		case len(ports) == 0:
		case key == "Device":
			ports[len(ports)-1].Device = value
		case key == "Ethernet Address":
			ports[len(ports)-1].Address = canonicalMAC(value)
		}
	}
	if len(ports) == 0 {
		return nil, notUnderstood("networksetup: no hardware port", b)
	}
	return ports, nil
}

var thunderboltPortName = regexp.MustCompile(`^Thunderbolt (\d+)$`)

// thunderboltReceptacle gives the number of the receptacle that an interface
// is on, 0 if it is on none. An Ethernet adapter in a dock ("Thunderbolt
// Ethernet Slot 1") and the bridge are on none, and the number in the
// interface's name is another.
func thunderboltReceptacle(ports []hardwarePort, device string) int {
	for _, p := range ports {
		if m := thunderboltPortName.FindStringSubmatch(p.Port); m != nil && p.Device == device {
			n, _ := strconv.Atoi(m[1])
			return n
		}
	}
	return 0
}

var validMTURange = regexp.MustCompile(`Valid MTU Range: (\d{1,6})-(\d{1,6})`)

// parseMTURange reads networksetup -listvalidMTUrange.
func parseMTURange(b []byte) (least, most int, err error) {
	m := validMTURange.FindSubmatch(b)
	if m == nil {
		return 0, 0, notUnderstood("networksetup: no MTU range", b)
	}
	least, _ = strconv.Atoi(string(m[1]))
	most, _ = strconv.Atoi(string(m[2]))
	return least, most, nil
}
