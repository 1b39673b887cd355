package sysinfo

import (
	"net/netip"
	"regexp"
	"strconv"
	"strings"
)

// ifconfigInterface is one interface of macOS's ifconfig -v.
type ifconfigInterface struct {
	Name      string // "" in a fragment that lacks the first line
	Flags     []string
	MTU       int
	Options   []string // offloads, "TSO4"
	Addresses []netip.Prefix
	Members   []string          // of a bridge
	Peers     map[string]string // of a bridge: hardware address to member
	Status    string            // "active", "inactive", "" not told
	Type      string            // "Wi-Fi", "IP over Thunderbolt"; -v only
	Scheduler string            // queue discipline, "FQ_CODEL"; -v only
	Media     ifconfigMedia
	// Of Wi-Fi, -v only: an estimate of what TCP can reach, and the rate of the
	// physical layer, in bits per second; 0 unknown.
	UplinkEffective, UplinkMax     int64
	DownlinkEffective, DownlinkMax int64
}

// ifconfigMedia is the medium in use, which is unknown while there is none.
type ifconfigMedia struct {
	Name            string // "10Gbase-T"; "" unknown
	Speed           int64  // bits per second; 0 unknown
	FullDuplex      bool   // these three hold only if Name is known
	FlowControl     bool
	EnergyEfficient bool
}

var (
	ifconfigHeader  = regexp.MustCompile(`^([a-zA-Z][\w.-]*): flags=[0-9a-fA-F]+<([^>]*)> mtu (\d+)`)
	ifconfigOptions = regexp.MustCompile(`^options=[0-9a-fA-F]+<([^>]*)>`)
	ifconfigRates   = regexp.MustCompile(`^(uplink|downlink) rate: ([\d.]+ [KMGkmg]?bps)(?: \[eff\])?(?: / ([\d.]+ [KMGkmg]?bps))?`)
)

// parseIfconfig reads ifconfig or ifconfig -v, of one interface or all.
func parseIfconfig(b []byte) ([]ifconfigInterface, error) {
	var (
		interfaces []ifconfigInterface
		in         *ifconfigInterface
		inCache    bool
	)
	for line := range strings.Lines(string(b)) {
		line = strings.TrimRight(line, "\r\n ")
		if m := ifconfigHeader.FindStringSubmatch(line); m != nil {
			mtu, _ := strconv.Atoi(m[3])
			interfaces = append(interfaces, ifconfigInterface{Name: m[1], Flags: splitList(m[2]), MTU: mtu})
			in, inCache = &interfaces[len(interfaces)-1], false
			continue
		}
		text := strings.TrimSpace(line)
		if text == "" {
			continue
		}
		if in == nil {
			if text == line { // not indented, so not a line of an interface
				continue
			}
			interfaces = append(interfaces, ifconfigInterface{})
			in = &interfaces[0]
		}
		words := strings.Fields(text)
		if inCache && len(words) >= 3 {
			if mac := canonicalMAC(words[0]); mac != "" {
				if in.Peers == nil {
					in.Peers = make(map[string]string)
				}
				in.Peers[mac] = words[2]
				continue
			}
		}
		inCache = text == "Address cache:"
		switch key, value, _ := strings.Cut(text, ": "); {
		case words[0] == "inet" || words[0] == "inet6":
			if p, ok := ifconfigAddress(words); ok {
				in.Addresses = append(in.Addresses, p)
			}
		case key == "media":
			in.Media = parseIfconfigMedia(value)
		case key == "status":
			in.Status = value
		case key == "type":
			in.Type = value
		case key == "scheduler":
			in.Scheduler, _, _ = strings.Cut(value, " ")
		case key == "member":
			in.Members = append(in.Members, words[1])
		default:
			if m := ifconfigOptions.FindStringSubmatch(text); m != nil {
				in.Options = splitList(m[1])
			} else if m := ifconfigRates.FindStringSubmatch(text); m != nil {
				effective, _ := parseBitRate(m[2])
				most, _ := parseBitRate(m[3])
				if m[1] == "uplink" {
					in.UplinkEffective, in.UplinkMax = effective, most
				} else {
					in.DownlinkEffective, in.DownlinkMax = effective, most
				}
			}
		}
	}
	if len(interfaces) == 0 {
		return nil, notUnderstood("ifconfig: no interface", b)
	}
	for i := range interfaces {
		if interfaces[i].Status == "inactive" { // the medium is what it will try
			interfaces[i].Media = ifconfigMedia{}
		}
	}
	return interfaces, nil
}

func splitList(s string) []string {
	if s == "" {
		return nil
	}
	return strings.Split(s, ",")
}

// ifconfigAddress reads "inet 10.0.0.1 netmask 0xffffff00" and
// "inet6 fe80::1%en0 prefixlen 64". The zone is left out: it is the interface.
func ifconfigAddress(words []string) (netip.Prefix, bool) {
	if len(words) < 4 {
		return netip.Prefix{}, false
	}
	addr, err := netip.ParseAddr(words[1])
	if err != nil {
		return netip.Prefix{}, false
	}
	addr = addr.WithZone("")
	bits := -1
	for i, w := range words[:len(words)-1] {
		switch w {
		case "prefixlen":
			bits, err = strconv.Atoi(words[i+1])
		case "netmask":
			var mask uint64
			mask, err = strconv.ParseUint(words[i+1], 0, 32)
			for bits = 0; mask&(1<<31) != 0; mask <<= 1 {
				bits++
			}
		}
	}
	p := netip.PrefixFrom(addr, bits)
	return p, err == nil && p.IsValid()
}

// mediaSubtype matches the names of Ethernet media in both spellings,
// "10Gbase-T", "10GbaseT", "1000baseT", "10baseT/UTP".
var mediaSubtype = regexp.MustCompile(`^(\d+(?:\.\d+)?)(G?)[bB]ase\S*`)

// parseIfconfigMedia reads the value of "media:". With autoselect, the medium
// in use stands in brackets, "autoselect (10Gbase-T <full-duplex>)"; one that
// was set by hand stands alone. "autoselect", "autoselect (none)",
// "autoselect <full-duplex>" and "<unknown type>" tell no medium.
func parseIfconfigMedia(s string) ifconfigMedia {
	if i := strings.IndexByte(s, '('); i >= 0 {
		s = strings.TrimSuffix(s[i+1:], ")")
	}
	name, options, _ := strings.Cut(s, " <")
	m := mediaSubtype.FindStringSubmatch(name)
	if m == nil {
		return ifconfigMedia{}
	}
	media := ifconfigMedia{Name: name}
	unit := " Mb/s"
	if m[2] == "G" {
		unit = " Gb/s"
	}
	media.Speed, _ = parseBitRate(m[1] + unit)
	for _, option := range splitList(strings.TrimSuffix(options, ">")) {
		switch option {
		case "full-duplex":
			media.FullDuplex = true
		case "flow-control":
			media.FlowControl = true
		case "energy-efficient-ethernet":
			media.EnergyEfficient = true
		}
	}
	return media
}
