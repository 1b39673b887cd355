package session

import (
	"sync/atomic"
	"time"

	"linkperf/protocol/measure"
	"linkperf/protocol/stream"
)

// The operating system tells the processor time of the process as a whole, so
// it can be put down to a test only while no other one runs. These two know
// nothing of the tests themselves.
var (
	metersRunning atomic.Int64
	metersBegun   atomic.Int64
)

// cpuMeter measures the processor time of the process while one test runs.
type cpuMeter struct {
	began        int64 // metersBegun after our own beginning
	alone        bool
	start        time.Time
	user, system time.Duration
	used         *measure.CPU
}

func (c *cpuMeter) begin() {
	c.alone = metersRunning.Add(1) == 1
	c.began = metersBegun.Add(1)
	c.start = time.Now()
	c.user, c.system = stream.ProcessCPU()
}

func (c *cpuMeter) end() {
	user, system := stream.ProcessCPU()
	elapsed := time.Since(c.start)
	c.alone = c.alone && metersBegun.Load() == c.began
	metersRunning.Add(-1)
	if !c.alone || elapsed <= 0 {
		return
	}
	percent := func(d time.Duration) float64 { return 100 * d.Seconds() / elapsed.Seconds() }
	c.used = &measure.CPU{User: percent(user - c.user), System: percent(system - c.system)}
	c.used.Total = c.used.User + c.used.System
}
