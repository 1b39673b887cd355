//go:build unix

package sockopt

import (
	"golang.org/x/sys/unix"

	"linkperf/protocol/measure"
)

// readKeepAlive reads the three settings under the system's own option names.
func readKeepAlive(fd uintptr, idle, interval, count int) (k measure.Keepalive, err error) {
	for _, o := range []struct {
		name  int
		value *int
	}{{idle, &k.Idle}, {interval, &k.Interval}, {count, &k.Count}} {
		if *o.value, err = getInt(fd, unix.IPPROTO_TCP, o.name); err != nil {
			return k, err
		}
	}
	return k, nil
}
