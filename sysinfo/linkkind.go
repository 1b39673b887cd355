package sysinfo

import "fmt"

// linuxLink is what tells the kind of an interface on Linux.
type linuxLink struct {
	Name     string
	Type     string // rtnetlink's kind: "veth", "bridge", "device", …
	Encap    string // link type: "ether", "loopback", "none", "ppp", …
	Driver   string // "" if none
	Hardware bool   // a device stands behind it
	Wireless bool
}

// tunnelTypes are interfaces whose packets go on inside other packets.
var tunnelTypes = map[string]bool{
	"wireguard": true, "amneziawg": true, "ovpn": true, "tun": true, "ipip": true, "ip6tnl": true, "sit": true, "gre": true, "gretap": true,
	"ip6gre": true, "ip6gretap": true, "vti": true, "vti6": true, "xfrm": true, "ppp": true, "erspan": true,
}

// virtualTypes are interfaces of the kernel alone.
var virtualTypes = map[string]bool{
	"veth": true, "bridge": true, "bond": true, "team": true, "vlan": true, "macvlan": true, "macvtap": true, "ipvlan": true, "vxlan": true,
	"geneve": true, "dummy": true, "ifb": true, "vrf": true, "tap": true, "netkit": true,
}

var cellularDrivers = map[string]bool{"qmi_wwan": true, "cdc_mbim": true, "iosm": true, "mtk_t7xx": true, "mhi_net": true}

// kind classifies the interface and says by what.
func (l linuxLink) kind() (kind, evidence string) {
	switch {
	case l.Encap == "loopback":
		return KindLoopback, "loopback interface " + l.Name
	// The name is free, the driver is not.
	case l.Driver == "thunderbolt-net" || l.Driver == "thunderbolt_net":
		return KindThunderbolt, fmt.Sprintf("%s has the driver %s", l.Name, l.Driver)
	case l.Wireless:
		return KindWiFi, l.Name + " has a wireless PHY"
	case cellularDrivers[l.Driver] || l.Encap == "rawip":
		return KindCellular, fmt.Sprintf("%s has the driver %s, link type %s", l.Name, l.Driver, l.Encap)
	// tun and tap share one type; a tap carries Ethernet frames.
	case l.Type == "tun" && l.Encap == "ether":
		return KindVirtual, l.Name + " is a tap device"
	case tunnelTypes[l.Type] || l.Encap == "none" || l.Encap == "ppp" || l.Encap == "tunnel" || l.Encap == "tunnel6":
		return KindTunnel, fmt.Sprintf("%s is a tunnel of type %s", l.Name, or(l.Type, l.Encap))
	case virtualTypes[l.Type]:
		return KindVirtual, fmt.Sprintf("%s is a %s", l.Name, l.Type)
	case l.Hardware && l.Encap == "ether":
		return KindEthernet, fmt.Sprintf("%s has hardware and the driver %s", l.Name, or(l.Driver, "unknown"))
	case !l.Hardware:
		return KindVirtual, l.Name + " has no hardware"
	}
	return KindOther, fmt.Sprintf("%s has the link type %s", l.Name, l.Encap)
}

// transparent interfaces hand frames to another one that limits them.
func transparent(linkType string) bool {
	switch linkType {
	case "bridge", "bond", "team", "vlan", "macvlan", "macvtap", "ipvlan":
		return true
	}
	return false
}

func or(s, instead string) string {
	if s == "" {
		return instead
	}
	return s
}
