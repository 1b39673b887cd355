package report

import (
	"os"
	"runtime"
	"strings"
)

// SystemInfo returns the line about this host that iperf3 prints: the names of
// system and host, release, version and machine, as far as the system tells.
func SystemInfo() string {
	if names, err := uname(); err == nil {
		return strings.Join(names, " ")
	}
	host, err := os.Hostname()
	if err != nil {
		host = "localhost"
	}
	return runtime.GOOS + " " + host + " " + runtime.GOARCH
}
