package main

import (
	"net"
	"net/netip"
	"slices"
	"strings"
	"testing"

	"linkperf/sysinfo"
)

// TestAddresses checks the list for whoever sits at the other end.
func TestAddresses(t *testing.T) {
	t.Parallel()
	server, port := serve(t, "--addresses")
	server.stderr.await(t, `(?m)^Address +Interface +Kind +Speed +At the other end$`)
	server.stderr.await(t, `(?m)^127\.0\.0\.1 +\S+ +loopback`)
	addresses, err := net.InterfaceAddrs()
	if err != nil {
		t.Fatal(err)
	}
	for _, a := range addresses {
		if ip := a.(*net.IPNet).IP; ip.IsGlobalUnicast() {
			server.stderr.await(t, ip.String()+` .*linkperf -c `+ip.String()+` -p `+port)
		}
	}
}

// TestAddressesOfBoundServer checks that only what the server answers at is
// listed.
func TestAddressesOfBoundServer(t *testing.T) {
	t.Parallel()
	server, port := serve(t, "-B", "127.0.0.1", "--addresses")
	measureWith(t, port, "-n", "1K") // which is served when the list is complete
	_, rows, _ := strings.Cut(server.stderr.String(), "At the other end\n")
	if !strings.HasPrefix(rows, "127.0.0.1 ") || strings.Count(rows, "\n") != 1 || strings.Contains(rows, "linkperf -c") {
		t.Errorf("%s", server.stderr)
	}
}

func TestAnsweringAddresses(t *testing.T) {
	var all []sysinfo.AddressInfo
	for _, text := range []string{"192.0.2.1 eth0", "fe80::1%eth0 eth0", "2001:db8::1 eth1", "127.0.0.1 lo", "::1 lo"} {
		address, name, _ := strings.Cut(text, " ")
		all = append(all, sysinfo.AddressInfo{Address: netip.MustParseAddr(address), Interface: name})
	}
	for _, tc := range []struct {
		name, bound, device string
		family              func(netip.Addr) bool
		want                string
	}{
		{"everything", "::", "", bothFamilies, "192.0.2.1 fe80::1%eth0 2001:db8::1 127.0.0.1 ::1"},
		{"IPv4", "0.0.0.0", "", netip.Addr.Is4, "192.0.2.1 127.0.0.1"},
		{"a system without IPv6", "0.0.0.0", "", bothFamilies, "192.0.2.1 127.0.0.1"},
		{"IPv6", "::", "", netip.Addr.Is6, "fe80::1%eth0 2001:db8::1 ::1"},
		{"one address", "192.0.2.1", "", bothFamilies, "192.0.2.1"},
		{"one address in the other notation", "::ffff:192.0.2.1", "", bothFamilies, "192.0.2.1"},
		{"a link-local address", "fe80::1%eth0", "", bothFamilies, "fe80::1%eth0"},
		{"a device", "::", "eth0", bothFamilies, "192.0.2.1 fe80::1%eth0"},
		{"a device and a family", "::", "eth0", netip.Addr.Is6, "fe80::1%eth0"},
		{"an unknown device", "::", "eth9", bothFamilies, ""},
		{"an address that no interface lists", "127.0.0.2", "", bothFamilies, "127.0.0.2"},
	} {
		var got []string
		for _, a := range answering(all, netip.MustParseAddr(tc.bound), tc.device, tc.family) {
			got = append(got, a.Address.String())
		}
		if !slices.Equal(got, strings.Fields(tc.want)) {
			t.Errorf("%s: %q, want %q", tc.name, got, tc.want)
		}
	}
}

// TestCommandsForTheOtherEnd checks that a shell takes them as they are.
func TestCommandsForTheOtherEnd(t *testing.T) {
	for text, want := range map[string]string{
		"192.0.2.1":    "linkperf -c 192.0.2.1 -p 6130",
		"fe80::1%eth0": "linkperf -c fe80::1%IFACE -p 6130",
		"2001:db8::1":  "linkperf -c 2001:db8::1 -p 6130",
	} {
		got := commandFor(netip.MustParseAddr(text), 6130)
		if got != want || strings.ContainsAny(got, "<>&|;()*?$`'\"") {
			t.Errorf("%s: %s", text, got)
		}
	}
	if got := commandFor(netip.MustParseAddr("192.0.2.1"), 5201); got != "linkperf -c 192.0.2.1" {
		t.Error(got)
	}
	if got := commandFor(netip.MustParseAddr("::1"), 6130); strings.Contains(got, "linkperf") {
		t.Errorf("a command for another host: %s", got)
	}
}
