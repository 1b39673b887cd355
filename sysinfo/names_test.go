package sysinfo

import (
	"slices"
	"testing"
)

// TestFactNames checks that facts are there with what they can be, and that
// groups, lists and what is said of the record itself are not.
func TestFactNames(t *testing.T) {
	names := FactNames()
	for _, n := range names {
		if _, _, ok := FactAllows(n, "x"); !ok {
			t.Errorf("%s allows nothing", n)
		}
	}
	for _, n := range []string{"path", "path.stack", "interfaces", "schema", "collect_ms", "", "path.knid"} {
		if _, _, ok := FactAllows(n, "x"); ok || slices.Contains(names, n) {
			t.Errorf("%q is a fact", n)
		}
	}
	for _, tc := range []struct {
		name, value string
		is          bool
	}{
		{"path.kind", "thunderbolt", true}, {"path.kind", "thunderblt", false},
		{"link.kind", "ethernet", true}, {"link.kind", "own_address", false},
		{"firewall.state", "off", true}, {"firewall.state", "false", false},
		{"link.up", "true", true}, {"link.up", "yes", false},
		{"link.mtu_bytes", "9000", true}, {"link.mtu_bytes", "9e3", true}, {"link.mtu_bytes", "big", false}, {"link.mtu_bytes", "inf", false},
		{"host.model", "anything", true}, {"host.model", "", false},
	} {
		if allowed, is, ok := FactAllows(tc.name, tc.value); !ok || is != tc.is || allowed == "" || !slices.Contains(names, tc.name) {
			t.Errorf("%s: %s: %q %v %v", tc.name, tc.value, allowed, is, ok)
		}
	}
}
