package sysinfo

import (
	"encoding/json"
	"math"
	"regexp"
	"strconv"
	"strings"
)

// wifiLink is the radio's side of a Wi-Fi connection as macOS or Windows
// reports it. The rates are those of the physical layer, of which TCP reaches
// about half.
type wifiLink struct {
	Interface string
	Connected bool
	PHYMode   string // "802.11ax"
	Channel   int    // 0 unknown
	Band      string // "2.4", "5", "6" GHz; "" unknown
	WidthMHz  int    // 0 unknown
	RateTx    int64  // bits per second; 0 unknown
	RateRx    int64  // bits per second; 0 unknown
	SignalDBm int    // 0 unknown
	NoiseDBm  int    // 0 unknown
}

// parseAirPort reads system_profiler -json SPAirPortDataType. It has one rate,
// that of sending. The network's name is not read: systems redact it, and it
// belongs in no record.
func parseAirPort(b []byte) ([]wifiLink, error) {
	var report struct {
		Cards []profilerItem `json:"SPAirPortDataType"`
	}
	if err := json.Unmarshal(b, &report); err != nil {
		return nil, because(ParseError, "SPAirPortDataType: %v", err)
	}
	if report.Cards == nil {
		return nil, because(ParseError, "SPAirPortDataType: no such list")
	}
	links := []wifiLink{}
	for _, card := range report.Cards {
		for _, item := range card.items("spairport_airport_interfaces") {
			network := item.item("spairport_current_network_information")
			w := wifiLink{
				Interface: item.text("_name"),
				Connected: item.text("spairport_status_information") == "spairport_status_connected",
				PHYMode:   network.text("spairport_network_phymode"),
			}
			if rate, ok := network.number("spairport_network_rate"); ok && rate > 0 && rate < 1e6 {
				w.RateTx = int64(math.Round(rate * 1e6))
			}
			w.setChannel(network.text("spairport_network_channel"))
			signal, noise, _ := strings.Cut(network.text("spairport_signal_noise"), "/")
			w.SignalDBm, w.NoiseDBm = parseDBm(signal), parseDBm(noise)
			links = append(links, w)
		}
	}
	return links, nil
}

// airPortChannel matches "37 (6GHz, 160MHz)", and of old systems "149,80" and
// "11".
var airPortChannel = regexp.MustCompile(`^(\d{1,3})(?:,\s*(\d+))?(?:\s*\((2|2\.4|5|6)GHz,\s*(\d+)MHz\))?$`)

func (w *wifiLink) setChannel(s string) {
	m := airPortChannel.FindStringSubmatch(strings.TrimSpace(s))
	if m == nil {
		return
	}
	w.Channel, _ = strconv.Atoi(m[1])
	w.Band = m[3]
	if w.Band == "2" {
		w.Band = "2.4"
	}
	if w.Band == "" {
		w.Band = bandOfChannel(w.Channel)
	}
	w.WidthMHz, _ = strconv.Atoi(m[2] + m[4])
}

// bandOfChannel tells the band by the number alone. Channels of 6 GHz have the
// numbers of the other two, so this holds only for systems that predate it or
// that say the band otherwise.
func bandOfChannel(channel int) string {
	switch {
	case channel >= 1 && channel <= 14:
		return "2.4"
	case channel >= 32 && channel <= 177:
		return "5"
	}
	return ""
}

// parseDBm reads "-52 dBm" or "-52"; 0 is unknown.
func parseDBm(s string) int {
	n, err := strconv.Atoi(strings.TrimSpace(strings.TrimSuffix(strings.TrimSpace(s), "dBm")))
	if err != nil || n >= 0 || n < -200 {
		return 0
	}
	return n
}
