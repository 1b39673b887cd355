// Package sysinfo learns the facts that explain a throughput result: which
// interface carried the data and what it can do, the MTU on the way, firewall,
// socket and CPU limits, and what the CPU and the kernel did during the test.
//
// [Collect] describes the host alone, [Watch] observes one test. Both give a
// [Record]. What could not be learnt is null there and has a [Reason]; null is
// never used for "off", "none" or zero. Nothing here needs privileges, changes
// the system, sends traffic, fails, or delays a test by more than half a
// second.
//
// # How a platform contributes
//
// A source is one question to the system (a netlink dump, a file, a command)
// that answers some fields of the record. The sources of each system are
// listed in a table without build tag (linuxtable.go, macostable.go,
// windowstable.go), so that the tables of all systems are checked on each of
// them. The platform file of a system (platform_linux.go, platform_darwin.go,
// platform_windows.go; platform_other.go for the rest) defines exactly:
//
//	collectors      the function of each source in the system's table
//	listInterfaces  every interface with addresses, kind, MTU and speed
//	readCPUTimes    cumulated times of each core
//	readFrequencies present frequency of each core
//	readThrottled   cumulated count of thermal throttle events
//	readProcessCPU  CPU time used by this process
//	readSocket      what the kernel tells about one data connection
//	readLink        counters of one interface
//	readStack       counters of the protocol stack
//	recordCommands  further commands whose output is worth a recording
//
// Collectors ask through the probe they are given ([probe.command],
// [probe.readFile], [probe.note]), never directly: that bounds time and size,
// lets tests replace the system, and records raw answers for [SaveRaw].
// Parsers of what a system answers are functions of bytes in parse_*.go files
// without build tag.
package sysinfo
