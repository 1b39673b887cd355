package report

import (
	"fmt"
	"strings"
)

// formats are the letters of -f. Lower case means bits and powers of 1000,
// upper case bytes and powers of 1024.
const formats = "kmgtKMGT"

func validFormat(f byte) bool { return strings.IndexByte(formats, f) >= 0 }

// unitNumber writes a number of bytes, or of bytes per second, as iperf3 does:
// at least four characters, a blank and the unit without a plural s. format is
// one of formats, 'a' for bits or 'A' for bytes with the prefix that fits.
func unitNumber(bytes float64, format byte) string {
	value, base, unit := bytes, 1024.0, "Byte"
	if format >= 'a' {
		value, base, unit = bytes*8, 1000, "bit"
	}
	const prefixes = " KMGT"
	power := 0
	if format|0x20 == 'a' {
		for value >= base && power < len(prefixes)-1 {
			value /= base
			power++
		}
	} else {
		power = strings.IndexByte(prefixes, format&^0x20)
		for range power {
			value /= base
		}
	}
	digits := 0
	switch {
	case value < 9.995:
		digits = 2
	case value < 99.95:
		digits = 1
	}
	return fmt.Sprintf("%4.*f %s%s", digits, value, strings.TrimSpace(prefixes[power:power+1]), unit)
}

// sizeText writes a number of bytes as iperf3's Transfer and Cwnd columns do,
// such as "2.50 MBytes": with powers of 1024 and at least four digits or blanks.
func sizeText(bytes float64) string { return unitNumber(bytes, 'A') + "s" }

// bitRate writes bits per second as iperf3's Bitrate column does, such as
// "20.9 Mbits/sec". format is a letter of -f, 0 for the unit that fits.
func bitRate(bitsPerSecond float64, format byte) string {
	if format == 0 {
		format = 'a'
	}
	return unitNumber(bitsPerSecond/8, format) + "s/sec"
}
