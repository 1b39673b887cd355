package sysinfo

import (
	"context"
	"net"
	"os"
	"path/filepath"
	"strings"
	"testing"
)

func TestSaveRawReplacesAddresses(t *testing.T) {
	notUnderWine(t, "way to remove what Go wrote")
	dir := t.TempDir()
	saved, err := SaveRaw(t.Context(), dir)
	if err != nil {
		t.Fatal(err)
	}
	files, err := filepath.Glob(filepath.Join(dir, "*.txt"))
	if err != nil || len(files) == 0 {
		t.Fatalf("%d files, error %v; want the answers of this machine", len(files), err)
	}
	if saved != len(files)+1 {
		t.Errorf("%d files are said to be saved, %d and the index are there", saved, len(files))
	}
	index, err := os.ReadFile(filepath.Join(dir, RawIndex))
	if err != nil {
		t.Fatal(err)
	}
	var own []string
	interfaces, err := net.Interfaces()
	if err != nil {
		t.Fatal(err)
	}
	for _, i := range interfaces {
		if i.Flags&net.FlagLoopback != 0 {
			continue
		}
		if len(i.HardwareAddr) == 6 {
			own = append(own, i.HardwareAddr.String())
		}
		addrs, err := i.Addrs()
		if err != nil {
			t.Fatal(err)
		}
		for _, a := range addrs {
			if n, ok := a.(*net.IPNet); ok {
				own = append(own, n.IP.String())
			}
		}
	}
	for _, f := range files {
		b, err := os.ReadFile(f)
		if err != nil {
			t.Fatal(err)
		}
		if !strings.Contains(string(index), filepath.Base(f)) {
			t.Errorf("%s is not in the index", filepath.Base(f))
		}
		for _, a := range own {
			if containsWord(string(b), a) {
				t.Errorf("%s has this machine's address %s", filepath.Base(f), a)
			}
		}
	}
}

// containsWord finds a where it is not the beginning or end of a longer
// address.
func containsWord(text, a string) bool {
	part := func(c byte) bool { return c == '.' || c == ':' || c >= '0' && c <= '9' || c >= 'a' && c <= 'f' }
	for at := 0; ; {
		i := strings.Index(text[at:], a)
		if i < 0 {
			return false
		}
		i += at
		end := i + len(a)
		if (i == 0 || !part(text[i-1])) && (end == len(text) || !part(text[end])) {
			return true
		}
		at = i + 1
	}
}

func TestSaveRawNeedsItsDirectory(t *testing.T) {
	notUnderWine(t, "way to remove what Go wrote")
	file := filepath.Join(t.TempDir(), "file")
	if err := os.WriteFile(file, nil, 0o600); err != nil {
		t.Fatal(err)
	}
	if _, err := SaveRaw(context.Background(), filepath.Join(file, "below")); err == nil {
		t.Error("no error for a directory below a file")
	}
}

func TestScrubber(t *testing.T) {
	for _, c := range []struct{ name, in, want string }{
		{"hardware address", "ether 3c:22:fb:01:02:03 x", "ether 02:00:00:00:00:01 x"},
		{"the same twice", "3c:22:fb:01:02:03 3C-22-FB-01-02-03", "02:00:00:00:00:01 02-00-00-00-00-01"},
		{"broadcast stays", "brd ff:ff:ff:ff:ff:ff", "brd ff:ff:ff:ff:ff:ff"},
		{"private address keeps its scope", "inet 192.168.1.7/24", "inet 10.77.0.2/24"},
		{"link-local keeps its scope", "inet 169.254.80.69", "inet 169.254.1.2"},
		{"public address", "8.8.4.4", "198.18.0.2"},
		{"loopback and masks stay", "127.0.0.1 netmask 255.255.255.0 0.0.0.0", "127.0.0.1 netmask 255.255.255.0 0.0.0.0"},
		{"IPv6", "2a00:1450:4001::5 fe80::1c2b:33ff:fe44:5566%en0 ::1", "2001:db8::1 fe80::1:2%en0 ::1"},
		{"unique local IPv6", "fd12:3456::9", "fd00::1"},
		{"time is no address", "12:30:59", "12:30:59"},
		{"UUID", "id 8A3C3B52-8E3C-4F0B-9C11-1F2E3D4C5B6A", "id 00000000-0000-4000-8000-000000000001"},
		{"serial in JSON", `"serial_num" : "C02ABCDEF123"`, `"serial_num" : "REPLACED-1"`},
		{"serial in text", "  Serial Number (system): C02ABCDEF123\n", "  Serial Number (system): REPLACED-1\n"},
		{"network name", "\tSSID: my home\n\tfreq: 5220", "\tSSID: REPLACED-1\n\tfreq: 5220"},
		{"redacted network name stays", `"SSID" : "<redacted>"`, `"SSID" : "<redacted>"`},
		{"hardware address without separators", "NetworkAddress 3c22fb0102ff", "NetworkAddress 020000000001"},
		{"counter of twelve digits", "123456789012", "123456789012"},
		{"host name", "server example-host: up", "server name: up"},
	} {
		t.Run(c.name, func(t *testing.T) {
			s := &scrubber{names: []string{"example-host"}, numbers: make(map[string]int), counts: make(map[string]int)}
			if got := s.replace(c.in); got != c.want {
				t.Errorf("got %q, want %q", got, c.want)
			}
		})
	}
}
