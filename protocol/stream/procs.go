package stream

import "runtime/metrics"

// Procs returns how many Go processors (GOMAXPROCS) a program should have for a
// number of streams. On Linux a stream's system calls do not tell Go's
// scheduler, so each stream needs one of its own, and the rest of the program
// a few more.
func Procs(streams int) int { return max(16, 2*streams) }

// haveProcs tells whether the program has them.
func haveProcs(streams int) bool {
	have := []metrics.Sample{{Name: "/sched/gomaxprocs:threads"}}
	metrics.Read(have)
	return have[0].Value.Kind() == metrics.KindUint64 && have[0].Value.Uint64() >= uint64(Procs(streams))
}
