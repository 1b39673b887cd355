package sysinfo

import (
	"strconv"
	"strings"
)

// parsePCIeSpeed reads "8.0 GT/s PCIe" or "16.0 GT/s". A link that is down is
// "Unknown".
func parsePCIeSpeed(s string) (gigatransfers float64, ok bool) {
	number, rest, _ := strings.Cut(strings.TrimSpace(s), " ")
	if !strings.HasPrefix(rest, "GT/s") {
		return 0, false
	}
	gt, err := strconv.ParseFloat(number, 64)
	return gt, err == nil && gt > 0 && gt < 10000
}

// parseUSBSpeed reads the speed file of a USB device: Mbit/s, "1.5" for low
// speed.
func parseUSBSpeed(s string) (bitsPerSecond int64, ok bool) {
	mbit, err := strconv.ParseFloat(strings.TrimSpace(s), 64)
	if err != nil || !(mbit > 0 && mbit <= 1e6) {
		return 0, false
	}
	return int64(mbit * 1e6), true
}

// parseSATASpeed reads sata_spd of libata: "6.0 Gbps"; "<unknown>" is a link
// that is down.
func parseSATASpeed(s string) (bitsPerSecond int64, ok bool) { return parseBitRate(s) }
