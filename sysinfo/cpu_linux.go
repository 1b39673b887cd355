package sysinfo

import (
	"context"
	"path"
	"slices"
	"strconv"
	"strings"
)

func collectCPU(_ context.Context, p *probe, r *Record) error {
	b, err := p.readFile("/proc/cpuinfo")
	if err != nil {
		return err
	}
	info, err := parseCPUInfo(b)
	if err != nil {
		return err
	}
	r.CPU.Logical = new(int64(info.Logical))
	if info.Model != "" {
		r.CPU.Model = new(Printable(info.Model))
	}
	if info.Physical > 0 {
		r.CPU.Physical = new(int64(info.Physical))
	}
	return nil
}

const cpuDir = "/sys/devices/system/cpu"

// collectCores tells fast cores from economical ones: Intel's hybrid CPUs have
// a device for each kind, ARM's have a capacity for each core.
func collectCores(_ context.Context, p *probe, r *Record) error {
	oneKind := because(NotApplicable, "all cores are of one kind")
	fast, slow, err := hybridCores(p)
	if err != nil {
		return err
	}
	if fast == nil {
		fast, slow = coresByCapacity(p)
	}
	if len(fast) == 0 || len(slow) == 0 {
		return oneKind
	}
	classes := make([]string, 1+max(slices.Max(fast), slices.Max(slow)))
	for i := range classes {
		classes[i] = "P"
	}
	for _, core := range slow {
		classes[core] = "E"
	}
	r.CPU.Classes = classes
	r.CPU.Performance, r.CPU.Efficiency = new(int64(len(fast))), new(int64(len(slow)))
	return nil
}

// hybridCores are the cores of an Intel CPU with two kinds, nil on others.
func hybridCores(p *probe) (fast, slow []int, err error) {
	b, err := p.readFile("/sys/devices/cpu_core/cpus")
	if err != nil {
		return nil, nil, nil
	}
	if fast, err = parseCPUList(b); err != nil {
		return nil, nil, err
	}
	if b, err = p.readFile("/sys/devices/cpu_atom/cpus"); err != nil {
		return nil, nil, nil
	}
	slow, err = parseCPUList(b)
	return fast, slow, err
}

// coresByCapacity takes the cores with the greatest capacity as the fast ones.
func coresByCapacity(p *probe) (fast, slow []int) {
	capacity := make(map[int]int64)
	var most int64
	for _, f := range p.glob(cpuDir + "/cpu[0-9]*/cpu_capacity") {
		core, err := strconv.Atoi(strings.TrimPrefix(path.Base(path.Dir(f)), "cpu"))
		if err != nil || core >= maxCores {
			continue
		}
		n, err := p.readInt(f)
		if err != nil {
			continue
		}
		capacity[core], most = n, max(most, n)
	}
	for core, n := range capacity {
		if n == most {
			fast = append(fast, core)
		} else {
			slow = append(slow, core)
		}
	}
	return fast, slow
}

func collectFrequency(_ context.Context, p *probe, r *Record) error {
	policies := p.glob(cpuDir + "/cpufreq/policy*")
	if len(policies) == 0 {
		return because(NotSupported, "no cpufreq driver")
	}
	var fastest int64
	governors := make(map[string]bool)
	for _, dir := range policies {
		if khz, err := p.readInt(dir + "/cpuinfo_max_freq"); err == nil {
			fastest = max(fastest, khz/1000)
		}
		if g, err := p.readText(dir + "/scaling_governor"); err == nil {
			governors[g] = true
		}
	}
	if fastest > 0 {
		r.CPU.FrequencyMax = &fastest
	}
	if len(governors) > 0 {
		var names []string
		for g := range governors {
			names = append(names, g)
		}
		slices.Sort(names)
		r.CPU.Governor = new(strings.Join(names, ", "))
	}
	// "powersave" of the drivers that leave the choice to the CPU is their
	// normal, dynamic mode; what it saves is told by the preference.
	if driver, err := p.readText(policies[0] + "/scaling_driver"); err == nil {
		r.CPU.FrequencyDriver = &driver
	}
	if hint, err := p.readText(policies[0] + "/energy_performance_preference"); err == nil {
		r.Power.Mode = powerMode(hint)
	}
	return nil
}

// powerMode gives the common name of a power profile or preference.
func powerMode(s string) *string {
	switch s {
	case "performance":
		return new("high_performance")
	case "balanced", "balance_performance", "default", "balanced-performance":
		return new("balanced")
	case "low-power", "power", "balance_power", "quiet", "cool":
		return new("power_saver")
	}
	return nil
}

func collectPowerMode(_ context.Context, p *probe, r *Record) error {
	s, err := p.readText("/sys/firmware/acpi/platform_profile")
	if err != nil {
		return because(NotSupported, "no platform profile: %v", err)
	}
	if r.Power.Mode = powerMode(s); r.Power.Mode == nil {
		return notUnderstood("platform profile", []byte(s))
	}
	return nil
}

func collectNUMA(_ context.Context, p *probe, r *Record) error {
	b, err := p.readFile("/sys/devices/system/node/online")
	if err != nil {
		return err
	}
	nodes, err := parseCPUList(b)
	if err != nil {
		return err
	}
	r.CPU.NUMANodes = new(int64(len(nodes)))
	return nil
}

// collectBattery tells whether a battery alone drives the machine.
func collectBattery(_ context.Context, p *probe, r *Record) error {
	battery, mains, online := false, false, false
	discharging := false
	for _, dir := range p.glob("/sys/class/power_supply/*") {
		kind, err := p.readText(dir + "/type")
		if err != nil {
			continue
		}
		// Batteries of mice and headsets have the scope "Device".
		if scope, err := p.readText(dir + "/scope"); err == nil && scope == "Device" {
			continue
		}
		switch kind {
		case "Battery":
			battery = true
			status, err := p.readText(dir + "/status")
			discharging = discharging || err == nil && status == "Discharging"
		case "Mains", "USB", "Wireless":
			mains = true
			n, err := p.readInt(dir + "/online")
			online = online || err == nil && n > 0
		}
	}
	switch {
	case !battery && !mains:
		return because(NotFound, "no power supply is shown: a desktop or a virtual machine")
	case !battery || online:
		r.Power.OnBattery = new(false)
	case mains:
		r.Power.OnBattery = new(true)
	default:
		r.Power.OnBattery = new(discharging)
	}
	return nil
}

// collectTemperature takes the hottest sensor of the CPU.
func collectTemperature(_ context.Context, p *probe, r *Record) error {
	found := false
	for _, dir := range p.glob("/sys/class/hwmon/hwmon*") {
		name, err := p.readText(dir + "/name")
		if err != nil || !slices.Contains([]string{"coretemp", "k10temp", "zenpower", "cpu_thermal", "acpitz", "soc_thermal"}, name) {
			continue
		}
		for _, f := range p.glob(dir + "/temp*_input") {
			milli, err := p.readInt(f)
			if err != nil {
				continue
			}
			t := tenth(float64(milli) / 1000)
			if !found || t > *r.Thermal.Temperature {
				r.Thermal.Temperature, found = &t, true
			}
		}
	}
	if !found {
		return because(NotSupported, "no sensor of the CPU")
	}
	return nil
}
