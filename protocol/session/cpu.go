package session

import (
	"sync"
	"time"

	"linkperf/protocol/measure"
	"linkperf/protocol/stream"
)

// The operating system tells the processor time of the process as a whole, so
// it can be put down to a test only while no other one runs. This knows nothing
// of the tests themselves.
var meters struct {
	sync.Mutex
	running, begun int
}

// cpuMeter measures the processor time of the process while one test runs.
type cpuMeter struct {
	began        int // meters.begun after our own beginning
	alone        bool
	start        time.Time
	user, system time.Duration
	used         *measure.CPU
}

func (c *cpuMeter) begin() {
	meters.Lock()
	meters.running++
	meters.begun++
	c.alone, c.began = meters.running == 1, meters.begun
	meters.Unlock()
	c.start = time.Now()
	c.user, c.system = stream.ProcessCPU()
}

func (c *cpuMeter) end() {
	user, system := stream.ProcessCPU()
	elapsed := time.Since(c.start)
	meters.Lock()
	c.alone = c.alone && meters.begun == c.began
	meters.running--
	meters.Unlock()
	if !c.alone || elapsed <= 0 {
		return
	}
	percent := func(d time.Duration) float64 { return 100 * d.Seconds() / elapsed.Seconds() }
	c.used = &measure.CPU{User: percent(user - c.user), System: percent(system - c.system)}
	c.used.Total = c.used.User + c.used.System
}
