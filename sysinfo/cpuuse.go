package sysinfo

import (
	"math"
	"time"
)

// cpuInterval is the shortest time over which the busy share of a core means
// something: the kernel's clock ticks are up to 10 ms.
const cpuInterval = 900 * time.Millisecond

// cpuUse follows the cores during a test.
type cpuUse struct {
	began, last    time.Time
	first, newest  []coreTimes
	previous       []coreTimes // at the start of the present interval
	peak           []float64   // busy percent of each core's busiest interval
	frequencies    int         // samples
	sum, min       float64     // of the frequencies, MHz
	process, spent time.Duration
	err            error // why cores are not known
	freqErr        error
	processErr     error
}

func (u *cpuUse) sample(now time.Time, p *probe) {
	spent, err := readProcessCPU()
	u.spent, u.processErr = spent, err
	times, err := readCPUTimes(p)
	if err != nil {
		u.err = err
		return
	}
	if u.first == nil {
		u.began, u.last, u.first, u.previous, u.process = now, now, times, times, spent
		u.peak = make([]float64, len(times))
	}
	u.newest = times
	if now.Sub(u.last) < cpuInterval {
		return
	}
	u.peaks(times)
	u.previous, u.last = times, now
	u.sampleFrequency(p)
}

// peaks takes the interval since the previous sample into account.
func (u *cpuUse) peaks(times []coreTimes) {
	for core := range min(len(times), len(u.previous), len(u.peak)) {
		u.peak[core] = max(u.peak[core], times[core].since(u.previous[core]).busy())
	}
}

func (u *cpuUse) sampleFrequency(p *probe) {
	mhz, err := readFrequencies(p)
	if err != nil || len(mhz) == 0 {
		u.freqErr = err
		return
	}
	for _, f := range mhz {
		if u.frequencies == 0 || f < u.min {
			u.min = f
		}
		u.sum += f
		u.frequencies++
	}
}

// report writes what was seen into the CPU facts; classes are those of the
// cores, if they have any.
func (u *cpuUse) report(r *Record, classes []string) {
	u.reportFrequency(r)
	if u.err != nil || u.first == nil || len(u.newest) != len(u.first) {
		err := u.err
		if err == nil {
			err = because(Failed, "the number of cores changed from %d to %d", len(u.first), len(u.newest))
		}
		r.unknown("cpu", err)
		return
	}
	// A test shorter than an interval is one.
	if u.last.Equal(u.began) {
		u.peaks(u.newest)
	}
	var all coreTimes
	busiest := 0
	for core, t := range u.newest {
		used := t.since(u.first[core])
		all = all.plus(used)
		r.CPU.Busy = append(r.CPU.Busy, tenth(used.busy()))
		if u.peak[core] > u.peak[busiest] {
			busiest = core
		}
	}
	used := u.newest[busiest].since(u.first[busiest])
	if all.total() == 0 {
		r.CPU.Busy = nil
		r.unknown("cpu", because(NotApplicable, "the test was shorter than a clock tick"))
		return
	}
	r.CPU.BusyMax, r.CPU.BusyMaxMean = new(tenth(u.peak[busiest])), new(tenth(used.busy()))
	r.CPU.BusyMaxCore = new(int64(busiest))
	if busiest < len(classes) {
		r.CPU.BusyMaxClass = new(classes[busiest])
	} else {
		r.unknown("cpu.busy_max_class", because(NotApplicable, "the cores are of one kind, or the kinds are not told apart"))
	}
	r.CPU.Split.User, r.CPU.Split.System = used.share(used.User), used.share(used.System)
	if used.SplitKnown {
		r.CPU.Split.SoftIRQ, r.CPU.Split.Steal = used.share(used.SoftIRQ), used.share(used.Steal)
		r.CPU.SoftIRQ, r.CPU.Steal = all.share(all.SoftIRQ), all.share(all.Steal)
	}
	if wall := time.Since(u.began); u.processErr == nil && wall > 0 {
		r.CPU.Process = new(tenth(100 * float64(u.spent-u.process) / float64(wall)))
	} else {
		r.unknown("cpu.process_percent", u.processErr)
	}
}

func (u *cpuUse) reportFrequency(r *Record) {
	if u.frequencies > 0 {
		r.CPU.FrequencyMin = new(int64(math.Round(u.min)))
		r.CPU.FrequencyMean = new(int64(math.Round(u.sum / float64(u.frequencies))))
		return
	}
	err := u.freqErr
	if err == nil {
		err = because(NotApplicable, "the test was too short")
	}
	r.unknown("cpu.frequency_during_min_mhz", err)
	r.unknown("cpu.frequency_during_mean_mhz", err)
}

func (t coreTimes) since(u coreTimes) coreTimes {
	// The kernel may correct idle time downwards.
	d := func(a, b float64) float64 { return max(a-b, 0) }
	return coreTimes{d(t.User, u.User), d(t.System, u.System), d(t.SoftIRQ, u.SoftIRQ), d(t.Steal, u.Steal), d(t.Idle, u.Idle), t.SplitKnown}
}

func (t coreTimes) plus(u coreTimes) coreTimes {
	return coreTimes{t.User + u.User, t.System + u.System, t.SoftIRQ + u.SoftIRQ, t.Steal + u.Steal, t.Idle + u.Idle, u.SplitKnown}
}

func (t coreTimes) total() float64 { return t.User + t.System + t.SoftIRQ + t.Steal + t.Idle }

// busy is everything but idle, in percent. Stolen time counts: the core was
// not there to be used.
func (t coreTimes) busy() float64 {
	if t.total() == 0 {
		return 0
	}
	return 100 * (t.total() - t.Idle) / t.total()
}

func (t coreTimes) share(part float64) *float64 {
	if t.total() == 0 {
		return nil
	}
	return new(tenth(100 * part / t.total()))
}

func tenth(f float64) float64 { return math.Round(10*f) / 10 }
