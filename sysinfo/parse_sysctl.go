package sysinfo

import (
	"strconv"
	"strings"
)

// sysctlValues are the answers of sysctl by name.
type sysctlValues map[string]string

// parseSysctl reads lines "name: value" as the sysctl command prints them. The
// collector writes the same form from the system calls, so that a recording of
// either can be read.
func parseSysctl(b []byte) (sysctlValues, error) {
	values := make(sysctlValues)
	for line := range strings.Lines(string(b)) {
		name, value, found := strings.Cut(strings.TrimRight(line, "\r\n"), ": ")
		if !found || !strings.Contains(name, ".") || strings.ContainsAny(name, " \t") {
			continue
		}
		values[name] = strings.TrimSpace(value)
	}
	if len(values) == 0 {
		return nil, notUnderstood("sysctl: no value", b)
	}
	return values, nil
}

// number gives a value that is a number.
func (v sysctlValues) number(name string) (int64, bool) {
	n, err := strconv.ParseInt(v[name], 10, 64)
	return n, err == nil
}

// count gives a positive number, 0 if there is none.
func (v sysctlValues) count(name string) int {
	n, ok := v.number(name)
	if !ok || n < 0 || n > 1<<20 {
		return 0
	}
	return int(n)
}

// cores are a computer's processor cores. 0 is unknown, and for the two kinds
// also "all are of one kind".
type cores struct {
	Physical, Logical       int
	Performance, Efficiency int // physical cores of the fastest kind, and of all others
	Classes                 []string
	// Classes has "P" or "E" for each logical core by its number; nil if the
	// numbers are not known to be in the order of the kinds.
}

// cores reads hw.perflevelN, of which 0 is the fastest. A computer with one
// kind of core has no such keys, or only level 0.
func (v sysctlValues) cores() cores {
	c := cores{Physical: v.count("hw.physicalcpu"), Logical: v.count("hw.logicalcpu")}
	if c.Logical == 0 {
		c.Logical = v.count("hw.ncpu")
	}
	fast := v.count("hw.perflevel0.physicalcpu")
	slow := 0
	for level := 1; level < 8; level++ {
		slow += v.count("hw.perflevel" + strconv.Itoa(level) + ".physicalcpu")
	}
	if fast > 0 && slow > 0 {
		c.Performance, c.Efficiency = fast, slow
	}
	return c
}
