package sysinfo

import (
	"regexp"
	"strconv"
	"strings"
)

// netshSubinterface is one row of netsh interface ipv4 show subinterfaces.
type netshSubinterface struct {
	Name      string
	MTU       int // 0: no limit, which is how the loopback answers
	Connected bool
}

var netshSubinterfaceRow = regexp.MustCompile(`^\s*(\d+)\s+(\d+)\s+(\d+)\s+(\d+)\s+(\S.*?)\s*$`)

// parseNetshSubinterfaces reads netsh interface ipv4 (or ipv6) show
// subinterfaces. Headings are translated; the numbers and their order are not.
func parseNetshSubinterfaces(b []byte) ([]netshSubinterface, error) {
	var rows []netshSubinterface
	for line := range strings.Lines(string(b)) {
		m := netshSubinterfaceRow.FindStringSubmatch(line)
		if m == nil {
			continue
		}
		mtu, err := strconv.ParseUint(m[1], 10, 32)
		if err != nil {
			continue
		}
		row := netshSubinterface{Name: m[5], Connected: m[2] == "1"}
		row.MTU, _ = knownMTU(uint32(mtu))
		rows = append(rows, row)
	}
	if len(rows) == 0 {
		return nil, notUnderstood("netsh show subinterfaces: no row", b)
	}
	return rows, nil
}

// tcpSettings are Windows' global TCP settings. A nil or empty one was not
// told.
type tcpSettings struct {
	AutoTuning string // "normal", "disabled", "restricted", "highlyrestricted", "experimental"
	RSS        *bool
	RSC        *bool
	Timestamps *bool
}

// parseNetshTCP reads netsh interface tcp show global. Its labels are
// translated, so outside English only an auto-tuning level whose word means
// nothing else is known.
func parseNetshTCP(b []byte) (tcpSettings, error) {
	var s tcpSettings
	known := false
	for line := range strings.Lines(string(b)) {
		label, value, found := strings.Cut(line, " : ")
		if !found {
			continue
		}
		label, value = strings.TrimSpace(label), strings.ToLower(strings.TrimSpace(value))
		on, isSwitch := switchWord(value)
		switch {
		case strings.HasPrefix(label, "Receive Window Auto-Tuning Level"):
			s.AutoTuning, known = value, true
		case value == "normal" || value == "restricted" || value == "highlyrestricted":
			s.AutoTuning, known = value, true
		case !isSwitch:
		case strings.HasPrefix(label, "Receive-Side Scaling"):
			s.RSS, known = &on, true
		case strings.HasPrefix(label, "Receive Segment Coalescing"):
			s.RSC, known = &on, true
		case strings.HasPrefix(label, "RFC 1323 Timestamps"):
			s.Timestamps, known = &on, true
		}
	}
	switch s.AutoTuning {
	case "", "normal", "disabled", "restricted", "highlyrestricted", "experimental":
	default:
		return tcpSettings{}, notUnderstood("netsh tcp show global: unknown auto-tuning level", []byte(s.AutoTuning))
	}
	if !known {
		return tcpSettings{}, notUnderstood("netsh tcp show global: not understood", b)
	}
	return s, nil
}

// parseNetshWLAN reads netsh wlan show interfaces in English. Field names
// differ between releases; the ones read here are common to them. Names of
// networks and access points are not read.
func parseNetshWLAN(b []byte) ([]wifiLink, error) {
	var links []wifiLink
	var w *wifiLink
	for line := range strings.Lines(string(b)) {
		label, value, found := strings.Cut(line, " : ")
		if !found {
			continue
		}
		label, value = strings.TrimSpace(label), strings.TrimSpace(value)
		if label == "Name" || w == nil {
			links = append(links, wifiLink{})
			w = &links[len(links)-1]
		}
		switch label {
		case "Name":
			w.Interface = value
		case "State":
			w.Connected = value == "connected"
		case "Radio type":
			w.PHYMode = value
		case "Band":
			w.Band = strings.TrimSuffix(value, " GHz")
		case "Channel":
			if n, err := strconv.Atoi(value); err == nil && n > 0 && n < 256 {
				w.Channel = n
			}
		case "Receive rate (Mbps)":
			w.RateRx, _ = parseBitRate(value + " Mbps")
		case "Transmit rate (Mbps)":
			w.RateTx, _ = parseBitRate(value + " Mbps")
		case "Rssi":
			w.SignalDBm = parseDBm(value)
		case "Signal":
			// A percentage is no dBm. Windows' own scale for it (0 % is
			// -100 dBm, 100 % is -50 dBm) hides everything better than -50.
		}
	}
	for i := range links {
		if links[i].Band == "" {
			links[i].Band = bandOfChannel(links[i].Channel)
		}
	}
	if len(links) == 0 {
		return nil, notUnderstood("netsh wlan show interfaces: no interface", b)
	}
	return links, nil
}
