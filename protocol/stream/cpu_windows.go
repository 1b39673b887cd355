package stream

import (
	"time"

	"golang.org/x/sys/windows"
)

// ProcessCPU returns the processor time that the process has used so far.
func ProcessCPU() (user, system time.Duration) {
	var creation, exit, kernel, u windows.Filetime
	if windows.GetProcessTimes(windows.CurrentProcess(), &creation, &exit, &kernel, &u) != nil {
		return 0, 0
	}
	return ticks(u), ticks(kernel)
}

// ticks converts a period, which a Filetime counts in 100 ns.
func ticks(t windows.Filetime) time.Duration {
	return time.Duration(int64(t.HighDateTime)<<32|int64(t.LowDateTime)) * 100
}
