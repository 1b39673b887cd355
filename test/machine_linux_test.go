package test

import (
	"os"
	"strconv"
	"strings"
	"time"
)

// worked tells how much time this machine's processors have spent in processes
// since it booted, and how much another machine on the same hardware has taken
// from them (proc(5)).
func worked() time.Duration {
	text, err := os.ReadFile("/proc/stat")
	if err != nil {
		return 0
	}
	line, _, _ := strings.Cut(string(text), "\n")
	f := strings.Fields(line)
	const user, nice, system, steal = 1, 2, 3, 8
	var ticks int64
	for _, i := range []int{user, nice, system, steal} {
		if i < len(f) {
			n, _ := strconv.ParseInt(f[i], 10, 64)
			ticks += n
		}
	}
	return time.Duration(ticks) * time.Second / 100
}
