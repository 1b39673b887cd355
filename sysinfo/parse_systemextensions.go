package sysinfo

import (
	"regexp"
	"strings"
)

// systemExtension is one row of systemextensionsctl list.
type systemExtension struct {
	Category string // "com.apple.system_extension.network_extension"
	BundleID string
	Version  string
	Active   bool // "[activated enabled]"; a replaced version is listed too
}

const networkExtension = "com.apple.system_extension.network_extension"

var extensionName = regexp.MustCompile(`^(\S+) \(([^)/]*)`)

// parseSystemExtensions reads systemextensionsctl list. Whether a network
// extension filters, proxies DNS or is a VPN is not told.
func parseSystemExtensions(b []byte) ([]systemExtension, error) {
	if !strings.Contains(string(b), "extension(s)") {
		return nil, notUnderstood("systemextensionsctl list: not understood", b)
	}
	extensions := []systemExtension{}
	category := ""
	for line := range strings.Lines(string(b)) {
		line = strings.TrimRight(line, "\r\n ")
		if heading, found := strings.CutPrefix(line, "--- "); found {
			category, _, _ = strings.Cut(heading, " ")
			continue
		}
		columns := strings.Split(line, "\t")
		if len(columns) < 6 {
			continue
		}
		m := extensionName.FindStringSubmatch(columns[3])
		if m == nil || columns[3] == "bundleID (version)" {
			continue
		}
		extensions = append(extensions, systemExtension{
			Category: category, BundleID: m[1], Version: m[2],
			Active: columns[len(columns)-1] == "[activated enabled]",
		})
	}
	return extensions, nil
}
