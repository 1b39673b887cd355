//go:build unix

package stream

import (
	"time"

	"golang.org/x/sys/unix"
)

// ProcessCPU returns the processor time that the process has used so far.
func ProcessCPU() (user, system time.Duration) {
	var ru unix.Rusage
	if unix.Getrusage(unix.RUSAGE_SELF, &ru) != nil {
		return 0, 0
	}
	return time.Duration(ru.Utime.Nano()), time.Duration(ru.Stime.Nano())
}
