package test

import (
	"fmt"
	"os"
	"strconv"
	"strings"
	"testing"
)

// footprint is what the system keeps for a process.
type footprint struct {
	resident    int // bytes of memory
	peak        int // the most that resident has been
	threads     int
	descriptors int
}

func (f footprint) String() string {
	return fmt.Sprintf("%d KiB (at most %d), %d threads, %d descriptors", f.resident>>10, f.peak>>10, f.threads, f.descriptors)
}

// footprint reads /proc.
func (p *process) footprint(t testing.TB) footprint {
	t.Helper()
	pid := p.cmd.Process.Pid
	text, err := os.ReadFile(fmt.Sprintf("/proc/%d/status", pid))
	if err != nil {
		t.Fatal(err)
	}
	var f footprint
	for line := range strings.Lines(string(text)) {
		fields := strings.Fields(line)
		if len(fields) < 2 {
			continue
		}
		n, _ := strconv.Atoi(fields[1])
		switch fields[0] {
		case "VmRSS:":
			f.resident = n << 10
		case "VmHWM:":
			f.peak = n << 10
		case "Threads:":
			f.threads = n
		}
	}
	open, err := os.ReadDir(fmt.Sprintf("/proc/%d/fd", pid))
	if err != nil {
		t.Fatal(err)
	}
	f.descriptors = len(open)
	return f
}

// memoryLimit is what a server without a test may use, whatever is sent to it.
const memoryLimit = 64 << 20
