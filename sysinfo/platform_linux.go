package sysinfo

import "fmt"

func collectors() map[string]collector {
	return map[string]collector{
		"uname":                    collectUname,
		"/etc/os-release":          collectOSRelease,
		"DMI":                      collectModel,
		"/proc/cpuinfo":            collectCPU,
		"/sys/devices/system/cpu":  collectCores,
		"cpufreq":                  collectFrequency,
		"NUMA nodes":               collectNUMA,
		"power_supply":             collectBattery,
		"platform_profile":         collectPowerMode,
		"hwmon":                    collectTemperature,
		"virtualization marks":     collectVirtualization,
		"container marks":          collectContainer,
		"/proc/sys/net":            collectLimits,
		"firewall":                 collectFirewall,
		"firewall-cmd":             collectFirewalld,
		"tunnel interfaces":        collectVPN,
		"BPF programs":             collectBPF,
		"netlink route":            collectRoute,
		"netlink link":             collectLink,
		"ethtool link settings":    collectLinkSettings,
		"ethtool driver":           collectDriver,
		"ethtool features":         collectFeatures,
		"ethtool rings":            collectRings,
		"ethtool pause, EEE":       collectPause,
		"netlink qdisc":            collectQueue,
		"/sys/class/net":           collectHardware,
		"/sys/bus/thunderbolt":     collectThunderbolt,
		"iw":                       collectWiFi,
		"NUMA node of interface":   collectLinkNUMA,
		"USB, NVMe, SATA in sysfs": collectDevices,
	}
}

func readCPUTimes(p *probe) ([]coreTimes, error) {
	b, err := p.readFile("/proc/stat")
	if err != nil {
		return nil, fmt.Errorf("read CPU times: %w", err)
	}
	return parseProcStat(b)
}

// maxPolicies bounds how many frequencies one sample reads: a file costs some
// 40 µs, and each group of cores that share a clock has one.
const maxPolicies = 32

func readFrequencies(p *probe) ([]float64, error) {
	files := p.glob("/sys/devices/system/cpu/cpufreq/policy*/scaling_cur_freq")
	if len(files) == 0 {
		return nil, because(NotSupported, "no cpufreq driver")
	}
	var mhz []float64
	for _, f := range files[:min(len(files), maxPolicies)] {
		khz, err := p.readInt(f)
		if err != nil {
			return nil, fmt.Errorf("read frequency: %w", err)
		}
		mhz = append(mhz, float64(khz)/1000)
	}
	return mhz, nil
}

func readThrottled(p *probe) (int64, error) {
	files := p.glob("/sys/devices/system/cpu/cpu*/thermal_throttle/core_throttle_count")
	if len(files) == 0 {
		return 0, because(NotSupported, "no thermal_throttle files")
	}
	var sum int64
	for _, f := range files {
		n, err := p.readInt(f)
		if err != nil {
			return 0, fmt.Errorf("read throttle events: %w", err)
		}
		sum += n
	}
	return sum, nil
}

// recordCommands are tools whose output shows the same facts in words.
func recordCommands() [][]string {
	return [][]string{
		{"/usr/sbin/ip", "-d", "-j", "addr"},
		{"/usr/sbin/ip", "-j", "route"},
		{"/usr/sbin/ip", "-j", "rule"},
		{"/usr/sbin/nft", "-j", "list", "ruleset"},
		{"/usr/sbin/tc", "-s", "-j", "qdisc"},
		{"/usr/bin/lscpu", "-J"},
		{"/usr/bin/boltctl", "list"},
	}
}
