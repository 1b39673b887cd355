package sysinfo

import (
	"fmt"
	"regexp"
	"strings"
)

var guidPattern = regexp.MustCompile(`[0-9a-fA-F]{8}-(?:[0-9a-fA-F]{4}-){3}[0-9a-fA-F]{12}`)

// parsePowerScheme reads the identifier of the power plan from powercfg
// /getactivescheme. The plan's name is translated, its identifier is not.
func parsePowerScheme(b []byte) (guid string, err error) {
	guid = strings.ToLower(string(guidPattern.Find(b)))
	if guid == "" {
		return "", notUnderstood("powercfg /getactivescheme: no GUID", b)
	}
	return guid, nil
}

// powerSchemeMode names the plans that Windows has by itself, and the positions
// of the power mode slider that lie over the balanced one; "" if it is
// another's.
func powerSchemeMode(guid string) string {
	switch strings.ToLower(guid) {
	case "381b4222-f694-41f0-9685-ff5bb260df2e", // balanced
		"00000000-0000-0000-0000-000000000000": // no overlay
		return "balanced"
	case "8c5e7fda-e8bf-4a96-9a85-a6e23a8c635c", // high performance
		"e9a42b02-d5df-448d-aa00-03f14749eb61", // ultimate performance
		"ded574b5-45a0-4f42-8737-46345c09c238": // overlay: best performance
		return "high_performance"
	case "a1841308-3541-4fab-bc81-f71556f20b4a", // power saver
		"961cc777-2547-4f9d-8174-7d86181b8a7a": // overlay: best power efficiency
		return "power_saver"
	}
	return ""
}

// formatGUID writes a GUID as the registry does.
func formatGUID(a uint32, b, c uint16, d [8]byte) string {
	return fmt.Sprintf("{%08X-%04X-%04X-%X-%X}", a, b, c, d[:2], d[2:])
}
