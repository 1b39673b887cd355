package sysinfo

import (
	"bytes"
	"strings"
)

// parseUFWConf reads /etc/ufw/ufw.conf: whether ufw starts with the system.
func parseUFWConf(b []byte) (enabled bool, err error) {
	for line := range bytes.Lines(b) {
		key, value, ok := strings.Cut(strings.TrimSpace(string(line)), "=")
		if !ok || strings.TrimSpace(key) != "ENABLED" {
			continue
		}
		switch strings.ToLower(strings.Trim(strings.TrimSpace(value), `"'`)) {
		case "yes":
			return true, nil
		case "no":
			return false, nil
		}
		return false, notUnderstood("ENABLED of ufw.conf", line)
	}
	return false, notUnderstood("no ENABLED in ufw.conf", b)
}

// parseFirewalldState reads the output of "firewall-cmd --state".
func parseFirewalldState(b []byte) (running bool, err error) {
	switch strings.TrimSpace(string(b)) {
	case "running":
		return true, nil
	case "not running":
		return false, nil
	}
	return false, notUnderstood("firewall-cmd --state", b)
}

// parseActiveZones reads the output of "firewall-cmd --get-active-zones": the
// zone of each interface.
func parseActiveZones(b []byte) (map[string]string, error) {
	zones := make(map[string]string)
	zone := ""
	for line := range bytes.Lines(b) {
		text := strings.TrimRight(string(line), " \r\n")
		switch {
		case text == "":
		case text[0] != ' ' && text[0] != '\t':
			// "public (default)" in newer versions.
			zone, _, _ = strings.Cut(text, " ")
		case zone == "":
			return nil, notUnderstood("firewall-cmd --get-active-zones", line)
		default:
			key, list, ok := strings.Cut(strings.TrimSpace(text), ":")
			if !ok {
				return nil, notUnderstood("firewall-cmd --get-active-zones", line)
			}
			if key == "interfaces" {
				for _, name := range strings.Fields(list) {
					zones[name] = zone
				}
			}
		}
	}
	return zones, nil
}

// parseTableNames reads /proc/net/ip_tables_names: the tables of iptables'
// older kernel part, one a line, none if it is not used.
func parseTableNames(b []byte) []string { return strings.Fields(string(b)) }
