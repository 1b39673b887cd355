package main

import (
	"fmt"
	"net"
	"net/netip"
	"strconv"
	"strings"
)

// splitAddress reads HOST, HOST:PORT, an IPv6 address, the same in brackets,
// and [ADDRESS]:PORT. An address may have a zone, a host a %DEVICE.
func splitAddress(s string, defaultPort int) (host string, port int, err error) {
	wrong := fmt.Errorf("%q is no host; allowed are HOST, HOST:PORT, an IPv6 address, and [ADDRESS]:PORT with ports from 1 to 65535", s)
	host, port = s, defaultPort
	if strings.Count(s, ":") == 1 || strings.HasPrefix(s, "[") && !strings.HasSuffix(s, "]") {
		h, p, err := net.SplitHostPort(s)
		n, perr := strconv.ParseUint(p, 10, 16)
		if err != nil || perr != nil || n == 0 {
			return "", 0, wrong
		}
		host, port = h, int(n)
	}
	bracketed := strings.HasPrefix(s, "[")
	if bracketed {
		host = strings.TrimSuffix(strings.TrimPrefix(host, "["), "]")
	}
	if a, err := netip.ParseAddr(host); (bracketed || strings.Contains(host, ":")) && (err != nil || !a.Is6()) {
		return "", 0, wrong
	}
	if host == "" || strings.HasPrefix(host, "%") || strings.ContainsAny(host, "/[] \t\r\n") {
		return "", 0, wrong
	}
	return host, port, nil
}
