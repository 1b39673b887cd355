//go:build darwin || freebsd

package report

import (
	"strings"
	"syscall"
)

// uname returns what uname(3) makes of the same sysctls.
func uname() ([]string, error) {
	var names []string
	for _, name := range []string{"kern.ostype", "kern.hostname", "kern.osrelease", "kern.version", "hw.machine"} {
		v, err := syscall.Sysctl(name)
		if err != nil {
			return nil, err
		}
		names = append(names, strings.Join(strings.Fields(v), " "))
	}
	return names, nil
}
