package sysinfo

import (
	"cmp"
	"encoding/binary"
	"math/bits"
	"slices"
)

// parseProcessorCores reads the answer of Windows' GetLogicalProcessorInformationEx
// for RelationProcessorCore: a row for each core, with its logical processors
// and its efficiency class. A higher class is faster; where all are equal there
// is one kind of core.
func parseProcessorCores(b []byte) (cores, error) {
	type logical struct {
		group  uint16
		number int
		class  byte
	}
	var all []logical
	var c cores
	fastest, slowest := byte(0), byte(255)
	perClass := make(map[byte]int)
	le := binary.LittleEndian
	for len(b) > 0 {
		if len(b) < 32 {
			return cores{}, because(ParseError, "processor information ends after %d bytes of a row", len(b))
		}
		size := int64(le.Uint32(b[4:]))
		groups := int64(le.Uint16(b[30:]))
		if size < 32+16*groups || size > int64(len(b)) {
			return cores{}, because(ParseError, "processor row of %d bytes with %d groups", size, groups)
		}
		row := b[:size]
		b = b[size:]
		if le.Uint32(row) != 0 { // another relation
			continue
		}
		c.Physical++
		class := row[9]
		perClass[class]++
		fastest, slowest = max(fastest, class), min(slowest, class)
		for g := range groups {
			mask, group := le.Uint64(row[32+16*g:]), le.Uint16(row[40+16*g:])
			for ; mask != 0; mask &= mask - 1 {
				all = append(all, logical{group, bits.TrailingZeros64(mask), class})
			}
		}
	}
	if c.Physical == 0 || len(all) == 0 {
		return cores{}, because(ParseError, "processor information without a core")
	}
	c.Logical = len(all)
	if fastest == slowest {
		return c, nil
	}
	c.Performance = perClass[fastest]
	c.Efficiency = c.Physical - c.Performance
	slices.SortFunc(all, func(a, b logical) int {
		return cmp.Or(cmp.Compare(a.group, b.group), cmp.Compare(a.number, b.number))
	})
	for _, l := range all {
		if l.class == fastest {
			c.Classes = append(c.Classes, "P")
		} else {
			c.Classes = append(c.Classes, "E")
		}
	}
	return c, nil
}

// processorTimesSize is the size of a SYSTEM_PROCESSOR_PERFORMANCE_INFORMATION.
const processorTimesSize = 48

// parseProcessorTimes reads the answer of NtQuerySystemInformation for
// SystemProcessorPerformanceInformation: times in units of 100 ns, where the
// kernel's include the idle time. Deferred procedure calls, where the receive
// path runs, are part of the system's time.
func parseProcessorTimes(b []byte) ([]coreTimes, error) {
	if len(b) < processorTimesSize {
		return nil, because(ParseError, "processor times of %d bytes", len(b))
	}
	var times []coreTimes
	for ; len(b) >= processorTimesSize; b = b[processorTimesSize:] {
		at := func(i int) float64 { return float64(int64(binary.LittleEndian.Uint64(b[8*i:]))) / 1e7 }
		idle, kernel, user := at(0), at(1), at(2)
		times = append(times, coreTimes{User: user, System: max(kernel-idle, 0), Idle: idle})
	}
	return times, nil
}
