package sysinfo

import (
	"strconv"
	"strings"
)

// routeAnswer is the route to one address.
type routeAnswer struct {
	Interface string
	Gateway   string // "" if the address is on the link
	PeerMAC   string // of an on-link neighbour, if the route holds it
	MTU       int    // 0 unknown
	Host      bool   // a route to this address alone
}

// parseRouteGet reads macOS's route -n get ADDRESS.
func parseRouteGet(b []byte) (routeAnswer, error) {
	var r routeAnswer
	columns := false
	for line := range strings.Lines(string(b)) {
		words := strings.Fields(line)
		if columns { // the row of numbers below the row of names
			if len(words) == 8 {
				r.MTU, _ = strconv.Atoi(words[6])
			}
			break
		}
		key, value, found := strings.Cut(strings.TrimSpace(line), ": ")
		switch {
		case len(words) == 8 && words[6] == "mtu":
			columns = true
		case !found:
		case key == "interface":
			r.Interface = value
		case key == "gateway":
			if mac := canonicalMAC(value); mac != "" {
				r.PeerMAC = mac
			} else if !strings.HasPrefix(value, "link#") {
				r.Gateway = value
			}
		case key == "flags":
			r.Host = strings.Contains(value, "HOST")
		}
	}
	if r.Interface == "" {
		return routeAnswer{}, notUnderstood("route get: no interface", b)
	}
	return r, nil
}
