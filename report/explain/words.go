package explain

import (
	"fmt"
	"strconv"
	"strings"

	"linkperf/sysinfo"
)

// bitRate writes a bit rate with four digits and decimal prefixes.
func bitRate[N int64 | float64](n N) string { return scaled(float64(n), "bit/s") }

// byteCount writes a number of bytes likewise.
func byteCount[N int64 | float64](n N) string { return scaled(float64(n), "B") }

func scaled(f float64, unit string) string {
	prefix := ""
	for _, p := range []string{"k", "M", "G", "T"} {
		if f < 1000 {
			break
		}
		f /= 1000
		prefix = p
	}
	return short(f) + " " + prefix + unit
}

// short writes a number with four digits at most.
func short(f float64) string {
	s := strconv.FormatFloat(f, 'g', 4, 64)
	if strings.Contains(s, "e") {
		return strconv.FormatFloat(f, 'f', -1, 64)
	}
	return s
}

// percent writes a share with one decimal.
func percent(f float64) string { return strconv.FormatFloat(f, 'f', 1, 64) + " %" }

// milliseconds writes a time given in microseconds.
func milliseconds(us int64) string { return short(float64(us)/1000) + " ms" }

// name is the interface of the path at that end, in words.
func (e *end) name() string {
	for _, n := range []*string{e.Link.Name, e.Path.Interface} {
		if n != nil && *n != "" {
			return *n + " at the " + e.side
		}
	}
	return "the interface at the " + e.side
}

// kindWords names a kind of path in a sentence.
func kindWords(kind *string) string {
	switch or(kind, "") {
	case sysinfo.KindThunderbolt:
		return "Thunderbolt or USB4"
	case sysinfo.KindEthernet:
		return "Ethernet"
	case sysinfo.KindWiFi:
		return "Wi-Fi"
	}
	return or(kind, "unknown")
}

// upper makes the first letter of a sentence a capital; names of interfaces
// stay as they are.
func upper(s string) string {
	if strings.HasPrefix(s, "the ") {
		return "T" + s[1:]
	}
	return s
}

// listed joins the items of a list, the first few.
func listed(items []string) string {
	if len(items) > maxListed {
		return fmt.Sprintf("%s and %d more", strings.Join(items[:maxListed], ", "), len(items)-maxListed)
	}
	return strings.Join(items, ", ")
}

// counted writes a number and its noun.
func counted(n int64, one, many string) string {
	if n == 1 {
		return "1 " + one
	}
	return fmt.Sprintf("%d %s", n, many)
}
