package sysinfo

import (
	"bytes"
	"strconv"
	"strings"
)

// userHZ is the unit of /proc/stat, a part of the kernel's interface that is
// 100 everywhere.
const userHZ = 100

// parseProcStat reads the times of each core from /proc/stat, see proc(5).
// Cores that are off line are missing in the file and have zero times.
func parseProcStat(b []byte) ([]coreTimes, error) {
	var cores []coreTimes
	for line := range bytes.Lines(b) {
		f := strings.Fields(string(line))
		if len(f) < 5 || !strings.HasPrefix(f[0], "cpu") || f[0] == "cpu" {
			continue
		}
		core, err := strconv.Atoi(f[0][len("cpu"):])
		if err != nil || core < 0 || core >= maxCores {
			return nil, notUnderstood("a core of /proc/stat", line)
		}
		var ticks [8]float64 // user nice system idle iowait irq softirq steal
		for i := range min(len(f)-1, len(ticks)) {
			n, err := strconv.ParseUint(f[i+1], 10, 64)
			if err != nil {
				return nil, notUnderstood("a time in /proc/stat", line)
			}
			ticks[i] = float64(n) / userHZ
		}
		for len(cores) <= core {
			cores = append(cores, coreTimes{})
		}
		cores[core] = coreTimes{
			User: ticks[0] + ticks[1], System: ticks[2] + ticks[5], SoftIRQ: ticks[6], Steal: ticks[7],
			Idle: ticks[3] + ticks[4], SplitKnown: len(f) > 8,
		}
	}
	if len(cores) == 0 {
		return nil, notUnderstood("no core in /proc/stat", b)
	}
	return cores, nil
}

// maxCores bounds what a number of a core may be; Linux has 8192 at most.
const maxCores = 8192

// parseProtocolCounters reads /proc/net/snmp and /proc/net/netstat: pairs of
// lines, names and then values, each behind the name of the protocol. Values
// are keyed "Udp.RcvbufErrors".
func parseProtocolCounters(b []byte) (map[string]int64, error) {
	counters := make(map[string]int64)
	var names []string
	for line := range bytes.Lines(b) {
		f := strings.Fields(string(line))
		if len(f) == 0 {
			continue
		}
		if names == nil || names[0] != f[0] {
			names = f
			continue
		}
		if len(f) != len(names) || !strings.HasSuffix(f[0], ":") {
			return nil, notUnderstood("counters that match their names", line)
		}
		for i := 1; i < len(f); i++ {
			n, err := strconv.ParseInt(f[i], 10, 64)
			if err != nil {
				return nil, notUnderstood("a counter", []byte(f[i]))
			}
			counters[strings.TrimSuffix(f[0], ":")+"."+names[i]] = n
		}
		names = nil
	}
	if len(counters) == 0 {
		return nil, notUnderstood("protocol counters", b)
	}
	return counters, nil
}

// parseSNMP6 reads /proc/net/snmp6: a name and a value a line.
func parseSNMP6(b []byte) (map[string]int64, error) {
	counters := make(map[string]int64)
	for line := range bytes.Lines(b) {
		f := strings.Fields(string(line))
		if len(f) != 2 {
			return nil, notUnderstood("a name and a counter", line)
		}
		n, err := strconv.ParseInt(f[1], 10, 64)
		if err != nil {
			return nil, notUnderstood("a counter", line)
		}
		counters[f[0]] = n
	}
	return counters, nil
}

// parseSoftnet adds up the columns of /proc/net/softnet_stat that tell of
// packets dropped because a core's backlog was full, and of polls ended before
// the work was. One line a core, hexadecimal.
func parseSoftnet(b []byte) (dropped, squeezed int64, err error) {
	lines := 0
	for line := range bytes.Lines(b) {
		f := strings.Fields(string(line))
		if len(f) < 3 {
			return 0, 0, notUnderstood("a core of softnet_stat", line)
		}
		d, err1 := strconv.ParseUint(f[1], 16, 32)
		s, err2 := strconv.ParseUint(f[2], 16, 32)
		if err1 != nil || err2 != nil {
			return 0, 0, notUnderstood("a counter of softnet_stat", line)
		}
		dropped, squeezed = dropped+int64(d), squeezed+int64(s)
		lines++
	}
	if lines == 0 {
		return 0, 0, notUnderstood("softnet_stat", b)
	}
	return dropped, squeezed, nil
}

// cpuInfo is what /proc/cpuinfo tells.
type cpuInfo struct {
	Model      string
	Logical    int
	Physical   int  // 0 if not told
	Hypervisor bool // the flag that a hypervisor sets
}

// parseCPUInfo reads /proc/cpuinfo of x86, ARM and others.
func parseCPUInfo(b []byte) (cpuInfo, error) {
	var c cpuInfo
	var implementer, part string
	cores := make(map[[2]string]bool)
	var pkg string
	for line := range bytes.Lines(b) {
		key, value, ok := strings.Cut(string(line), ":")
		if !ok {
			continue
		}
		key, value = strings.TrimSpace(key), strings.TrimSpace(value)
		switch key {
		case "processor":
			// s390x writes "processor 0: …", old ARM kernels a model here.
			if _, err := strconv.Atoi(value); err == nil {
				c.Logical++
			}
		case "model name", "Model", "Hardware", "cpu model", "cpu": // x86, Raspberry Pi, older ARM, MIPS, POWER
			if c.Model == "" || key == "model name" {
				c.Model = value
			}
		case "physical id":
			pkg = value
		case "core id":
			cores[[2]string{pkg, value}] = true
		case "CPU implementer":
			implementer = value
		case "CPU part":
			part = value
		case "flags":
			for _, f := range strings.Fields(value) {
				c.Hypervisor = c.Hypervisor || f == "hypervisor"
			}
		}
	}
	if c.Model == "" && implementer != "" {
		c.Model = armModel(implementer, part)
	}
	c.Physical = len(cores)
	if c.Logical == 0 {
		return c, notUnderstood("no processor in /proc/cpuinfo", b)
	}
	return c, nil
}

// armModel names an ARM core by the fields of its MIDR register; numbers that
// are not listed are given as they are.
func armModel(implementer, part string) string {
	parts := map[string]string{
		"0x41/0xd03": "Arm Cortex-A53", "0x41/0xd05": "Arm Cortex-A55", "0x41/0xd07": "Arm Cortex-A57", "0x41/0xd08": "Arm Cortex-A72",
		"0x41/0xd0b": "Arm Cortex-A76", "0x41/0xd0c": "Arm Neoverse-N1", "0x41/0xd40": "Arm Neoverse-V1", "0x41/0xd49": "Arm Neoverse-N2",
		"0x41/0xd4f": "Arm Neoverse-V2", "0x61/0x022": "Apple M1 (efficiency)", "0x61/0x023": "Apple M1 (performance)",
	}
	if name, ok := parts[implementer+"/"+part]; ok {
		return name
	}
	return "ARM implementer " + implementer + " part " + part
}

// parseCPUList reads a list of cores such as "0-3,8", as in cpulist files of
// sysfs. An empty list is one.
func parseCPUList(b []byte) ([]int, error) {
	list := []int{}
	text := strings.TrimSpace(string(b))
	if text == "" {
		return list, nil
	}
	for part := range strings.SplitSeq(text, ",") {
		from, to, isRange := strings.Cut(part, "-")
		a, err := strconv.Atoi(from)
		z := a
		if isRange && err == nil {
			z, err = strconv.Atoi(to)
		}
		if err != nil || a < 0 || z < a || z >= maxCores || len(list)+z-a >= maxCores {
			return nil, notUnderstood("a list of cores", b)
		}
		for ; a <= z; a++ {
			list = append(list, a)
		}
	}
	return list, nil
}

// parseOSRelease reads os-release(5): shell assignments, values in quotes or
// without.
func parseOSRelease(b []byte) (map[string]string, error) {
	values := make(map[string]string)
	for line := range bytes.Lines(b) {
		text := strings.TrimSpace(string(line))
		key, value, ok := strings.Cut(text, "=")
		if !ok || strings.HasPrefix(text, "#") {
			continue
		}
		if n := len(value); n >= 2 && (value[0] == '"' || value[0] == '\'') && value[n-1] == value[0] {
			value = value[1 : n-1]
		}
		values[key] = Printable(value)
	}
	if len(values) == 0 {
		return nil, notUnderstood("os-release", b)
	}
	return values, nil
}

// parseIntegers reads whole numbers with white space between, as in files of
// /proc/sys.
func parseIntegers(b []byte) ([]int64, error) {
	var list []int64
	for _, word := range strings.Fields(string(b)) {
		n, err := strconv.ParseInt(word, 10, 64)
		if err != nil {
			return nil, notUnderstood("a number", []byte(word))
		}
		list = append(list, n)
	}
	return list, nil
}
