package sysinfo

import (
	"math"
	"net"
	"strconv"
	"strings"
)

// parseBitRate reads a rate with its unit, "40 Gb/s", "12 Mb/s", "866.7 Mbps",
// as bits per second. What follows the unit ("x1") is ignored. Prefixes are
// decimal.
func parseBitRate(s string) (bitsPerSecond int64, ok bool) {
	s = strings.TrimSpace(s)
	end := strings.IndexFunc(s, func(r rune) bool { return (r < '0' || r > '9') && r != '.' })
	if end <= 0 {
		return 0, false
	}
	n, err := strconv.ParseFloat(s[:end], 64)
	if err != nil || n <= 0 {
		return 0, false
	}
	unit, _, _ := strings.Cut(strings.TrimSpace(s[end:]), " ")
	scale, ok := map[string]float64{
		"b/s": 1, "bps": 1, "kb/s": 1e3, "kbps": 1e3, "mb/s": 1e6, "mbps": 1e6,
		"gb/s": 1e9, "gbps": 1e9, "tb/s": 1e12,
	}[strings.ToLower(unit)]
	if !ok || n*scale > 1e15 {
		return 0, false
	}
	return int64(math.Round(n * scale)), true
}

// knownSpeed tells a link speed from the numbers that systems write instead of
// one: zero, and the all-ones values of 16, 32, 63 and 64 bits (-1 is the last
// of them). Their unit does not matter: no link has such a speed in any.
func knownSpeed(v uint64) (int64, bool) {
	switch v {
	case 0, math.MaxUint16, math.MaxUint32, math.MaxInt64, math.MaxUint64:
		return 0, false
	}
	if v > 1e15 {
		return 0, false
	}
	return int64(v), true
}

// knownMTU is knownSpeed for an MTU: all ones is the loopback's way to say that
// there is no limit.
func knownMTU(v uint32) (int, bool) {
	if v == 0 || v >= math.MaxInt32 {
		return 0, false
	}
	return int(v), true
}

// canonicalMAC gives a hardware address as net.HardwareAddr writes it, from the
// form with leading zeros left out ("2:0:0:0:1:36") too; "" if it is none.
func canonicalMAC(s string) string {
	parts := strings.FieldsFunc(s, func(r rune) bool { return r == ':' || r == '.' || r == '-' })
	if len(parts) != 6 || strings.Contains(s, "::") {
		return ""
	}
	mac := make(net.HardwareAddr, 6)
	for i, p := range parts {
		n, err := strconv.ParseUint(p, 16, 8)
		if err != nil {
			return ""
		}
		mac[i] = byte(n)
	}
	return mac.String()
}
