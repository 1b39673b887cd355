package test

import (
	"fmt"
	"os"
	"strings"
	"testing"
)

// cables are two pairs of namespaces: one with the usual MTU, one with jumbo
// frames.
func cables(t *testing.T) []benchLink {
	t.Helper()
	var links []benchLink
	for _, mtu := range []int{1500, 9000} {
		left, right := newPair(t, mtu)
		links = append(links, benchLink{fmt.Sprintf("veth, MTU %d", mtu), right.v4, left.runs, right.runs})
	}
	return links
}

// processor names the model and the kernel.
func processor() string {
	model := "unknown processor"
	text, _ := os.ReadFile("/proc/cpuinfo")
	for line := range strings.Lines(string(text)) {
		if name, value, ok := strings.Cut(line, ":"); ok && strings.TrimSpace(name) == "model name" {
			model = strings.TrimSpace(value)
			break
		}
	}
	release, _ := os.ReadFile("/proc/sys/kernel/osrelease")
	return model + ", kernel " + strings.TrimSpace(string(release))
}
