package sysinfo

import "encoding/binary"

// parseWLANConnection reads a WLAN_CONNECTION_ATTRIBUTES (wlanapi.h), the
// answer of WlanQueryInterface for the current connection. The names of the
// network and of the access point in it are not read, and a quality in percent
// is no signal in dBm.
func parseWLANConnection(b []byte) (wifiLink, error) {
	if len(b) < 588 {
		return wifiLink{}, because(ParseError, "WLAN_CONNECTION_ATTRIBUTES of %d bytes", len(b))
	}
	le := binary.LittleEndian
	w := wifiLink{Connected: le.Uint32(b) == 1}
	w.PHYMode = map[uint32]string{
		4: "802.11a", 5: "802.11b", 6: "802.11g", 7: "802.11n", 8: "802.11ac", 9: "802.11ad", 10: "802.11ax", 11: "802.11be",
	}[le.Uint32(b[568:])]
	kbps := func(at int) int64 {
		rate, ok := knownSpeed(uint64(le.Uint32(b[at:])))
		if !ok {
			return 0
		}
		return 1000 * rate
	}
	w.RateRx, w.RateTx = kbps(580), kbps(584)
	return w, nil
}
