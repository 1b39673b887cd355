package sysinfo

import (
	"math"
	"net/netip"
	"testing"
)

func mustAddr(t *testing.T, s string) netip.Addr {
	t.Helper()
	a, err := netip.ParseAddr(s)
	if err != nil {
		t.Fatal(err)
	}
	return a
}

func TestParseBitRate(t *testing.T) {
	for text, want := range map[string]int64{
		"40 Gb/s": 40_000_000_000, "80 Gb/s x2": 80_000_000_000, "12 Mb/s": 12_000_000, "1.5 Mb/s": 1_500_000,
		"866.7 Mbps": 866_700_000, "480 Mb/s": 480_000_000, "9600 bps": 9600, "20 Gbps": 20_000_000_000,
	} {
		if got, ok := parseBitRate(text); !ok || got != want {
			t.Errorf("%q: %d, %v", text, got, ok)
		}
	}
	for _, text := range []string{"", "fast", "Up to 40 Gb/s", "0 Gb/s", "-1 Mb/s", "40", "40 GB", "1e9 b/s", "99999999999 Tb/s"} {
		if got, ok := parseBitRate(text); ok {
			t.Errorf("%q: %d", text, got)
		}
	}
}

// Numbers that stand for "unknown" in every unit.
func TestKnownSpeed(t *testing.T) {
	for _, v := range []uint64{0, 65535, 4294967295, 9223372036854775807, 18446744073709551615, uint64(math.MaxUint64 - 1)} {
		if got, ok := knownSpeed(v); ok {
			t.Errorf("%d is called a speed of %d", v, got)
		}
	}
	for _, v := range []uint64{1, 10_000_000, 20_000_000_000, 120_000_000_000} {
		if got, ok := knownSpeed(v); !ok || got != int64(v) {
			t.Errorf("%d: %d, %v", v, got, ok)
		}
	}
}

func TestKnownMTU(t *testing.T) {
	for v, want := range map[uint32]int{0: 0, math.MaxUint32: 0, 1500: 1500, 62000: 62000, 65535: 65535} {
		if got, _ := knownMTU(v); got != want {
			t.Errorf("%d: %d, want %d", v, got, want)
		}
	}
}

func TestCanonicalMAC(t *testing.T) {
	for text, want := range map[string]string{
		"2:0:0:0:1:36": "02:00:00:00:01:36", "2.0.0.0.1.34": "02:00:00:00:01:34", "02-00-00-00-01-0B": "02:00:00:00:01:0b",
		"link#16": "", "192.168.1.254": "", "fe80::1": "", "": "", "2:0:0:0:1:136": "",
	} {
		if got := canonicalMAC(text); got != want {
			t.Errorf("%q: %q, want %q", text, got, want)
		}
	}
}
