package sysinfo

import (
	"regexp"
	"strings"
)

// vpnService is one service of scutil --nc list.
type vpnService struct {
	Name      string
	Kind      string // "VPN", "PPP"
	Provider  string // "com.wireguard.macos"; "" for the system's own
	Connected bool
}

var scutilService = regexp.MustCompile(`^\*?\s*\(([A-Za-z ]+)\)\s+\S+\s+(\S+)(?:\s+\(([^)]*)\))?.*?"(.*)"`)

// parseVPNList reads scutil --nc list. A list without services is an answer.
func parseVPNList(b []byte) ([]vpnService, error) {
	if !strings.Contains(string(b), "network connection services") {
		return nil, notUnderstood("scutil --nc list: not understood", b)
	}
	services := []vpnService{}
	for line := range strings.Lines(string(b)) {
		m := scutilService.FindStringSubmatch(strings.TrimSpace(line))
		if m == nil {
			continue
		}
		services = append(services, vpnService{
			Name: m[4], Kind: m[2], Provider: m[3], Connected: m[1] == "Connected",
		})
	}
	return services, nil
}
