package sysinfo

import (
	"fmt"
	"net/netip"
	"os"
	"os/user"
	"regexp"
	"strings"
)

// scrubber replaces what names a machine, its owner or its network by neutral
// texts of the same form, the same one for each occurrence, so that what
// parses still parses and what was equal still is.
type scrubber struct {
	names   []string
	numbers map[string]int // "kind text" → number of the replacement
	counts  map[string]int // kind → replacements so far
}

// newScrubber knows the names of this host and of its user.
func newScrubber() *scrubber {
	s := &scrubber{numbers: make(map[string]int), counts: make(map[string]int)}
	if host, err := os.Hostname(); err == nil {
		short, _, _ := strings.Cut(host, ".")
		s.names = append(s.names, host, short)
	}
	if u, err := user.Current(); err == nil {
		s.names = append(s.names, u.Name, u.Username[strings.LastIndexByte(u.Username, '\\')+1:])
	}
	return s
}

func (s *scrubber) number(kind, text string) int {
	key := kind + " " + strings.ToLower(text)
	if n, ok := s.numbers[key]; ok {
		return n
	}
	s.counts[kind]++
	s.numbers[key] = s.counts[kind]
	return s.counts[kind]
}

var (
	uuidText = regexp.MustCompile(`(?i)\b[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}\b`)
	bareMAC  = regexp.MustCompile(`(?i)\b[0-9a-f]{12}\b`)
	// namedValue is a value that a key calls a serial number or the name of a
	// network or person, in JSON, in "key: value" and in "key = value".
	namedValue = regexp.MustCompile(`(?im)("[^"\n]*(?:serial|ssid|_uid|udid|computer_name|local_host_name|user_name)[^"\n]*"\s*:\s*")([^"\n]+)(")` +
		`|(^[^\n:="]*(?:serial|ssid|udid|computer name|host name|user name|registered owner)[^\n:="]*[:=][ \t]*"?)([^"\r\n]+)("?)`)
)

// replace gives the text without what names the machine.
func (s *scrubber) replace(text string) string {
	text = uuidText.ReplaceAllStringFunc(text, func(id string) string {
		if strings.Trim(id, "0-") == "" {
			return id
		}
		return fmt.Sprintf("00000000-0000-4000-8000-%012d", s.number("uuid", id))
	})
	text = namedValue.ReplaceAllStringFunc(text, s.value)
	text = macAddress.ReplaceAllStringFunc(text, s.mac)
	text = bareMAC.ReplaceAllStringFunc(text, func(mac string) string {
		// Numbers of twelve digits are more often counters than addresses, and
		// those from the line above are done.
		if !strings.ContainsAny(strings.ToLower(mac), "abcdef") {
			return mac
		}
		return fmt.Sprintf("0200000000%02x", s.number("mac", mac)%256)
	})
	text = addressWord.ReplaceAllStringFunc(text, s.address)
	for _, name := range s.names {
		// Short names and those of accounts that every system has are words.
		if len(name) < 4 || name == "root" || strings.EqualFold(name, "administrator") || name == "localhost" {
			continue
		}
		text = replaceWord(text, name, "name")
	}
	return text
}

func (s *scrubber) value(match string) string {
	m := namedValue.FindStringSubmatch(match)
	before, value, after := m[1]+m[4], m[2]+m[5], m[3]+m[6]
	// What is not an identifier: nothing, a placeholder, a number of few
	// digits, a word of the system.
	if v := strings.TrimSpace(value); len(v) < 4 || strings.HasPrefix(v, "<") || strings.HasPrefix(v, "spairport_") {
		return match
	}
	return fmt.Sprintf("%sREPLACED-%d%s", before, s.number("value", value), after)
}

func (s *scrubber) mac(mac string) string {
	separator := ":"
	if strings.Contains(mac, "-") {
		separator = "-"
	}
	parts := strings.FieldsFunc(mac, func(c rune) bool { return c == ':' || c == '-' })
	plain := strings.ToLower(strings.Join(parts, ""))
	switch plain {
	case strings.Repeat("0", len(plain)), strings.Repeat("f", len(plain)):
		return mac
	}
	n := s.number("mac", plain)
	replaced := []string{"02", "00", "00", "00", fmt.Sprintf("%02x", n/256%256), fmt.Sprintf("%02x", n%256)}
	for len(replaced) < len(parts) {
		replaced = append(replaced, "00")
	}
	return strings.Join(replaced, separator)
}

// address replaces an IP address by one of the same scope. Addresses that every
// host has, masks and groups stay.
func (s *scrubber) address(word string) string {
	bare := strings.TrimRight(word, ".:")
	rest := word[len(bare):]
	a, err := netip.ParseAddr(bare)
	if err != nil {
		return word
	}
	zone := ""
	if a.Zone() != "" {
		zone = "%" + a.Zone()
		a = a.WithZone("")
	}
	n := s.number("address", a.String())
	switch {
	case a.IsLoopback(), a.IsUnspecified(), a.IsMulticast(), a.Is4() && (a.As4()[0] == 255 || a.As4()[0] == 0 || a.As4()[3] == 0 || a.As4()[3] == 255):
		return word
	case a.Is4() && a.IsLinkLocalUnicast():
		return fmt.Sprintf("169.254.%d.%d%s", 1+n/250%250, 1+n%250, rest)
	case a.Is4() && a.IsPrivate():
		return fmt.Sprintf("10.77.%d.%d%s", n/250%250, 1+n%250, rest)
	case a.Is4():
		return fmt.Sprintf("198.18.%d.%d%s", n/250%250, 1+n%250, rest)
	case a.IsLinkLocalUnicast():
		return fmt.Sprintf("fe80::1:%x%s%s", n, zone, rest)
	case a.IsPrivate():
		return fmt.Sprintf("fd00::%x%s", n, rest)
	}
	return fmt.Sprintf("2001:db8::%x%s", n, rest)
}
