package sysinfo

import (
	"fmt"
	"time"

	"golang.org/x/sys/unix"
)

// readProcessCPU is the user and system time of this process.
func readProcessCPU() (time.Duration, error) {
	var u unix.Rusage
	if err := unix.Getrusage(unix.RUSAGE_SELF, &u); err != nil {
		return 0, fmt.Errorf("read process times: %w", err)
	}
	return time.Duration(u.Utime.Nano() + u.Stime.Nano()), nil
}
