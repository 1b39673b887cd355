package sockopt

import (
	"errors"
	"fmt"
	"os"
	"strconv"

	"golang.org/x/sys/unix"
)

func setAffinity(cpu int) (restore func() error, err error) {
	var before, one unix.CPUSet
	if err := unix.SchedGetaffinity(os.Getpid(), &before); err != nil {
		return nil, err
	}
	if cpu < 0 || cpu >= len(one)*strconv.IntSize {
		return nil, unix.EINVAL
	}
	one.Set(cpu)
	if err := pinThreads(&one); err != nil {
		return nil, err
	}
	return func() error { return pinThreads(&before) }, nil
}

// pinThreads asks for each thread, since the kernel knows no affinity of a
// process. A thread started meanwhile by one not yet pinned shows in the second
// round.
func pinThreads(set *unix.CPUSet) error {
	for range 2 {
		tasks, err := os.ReadDir("/proc/self/task")
		if err != nil {
			return fmt.Errorf("list threads: %w", err)
		}
		for _, t := range tasks {
			tid, err := strconv.Atoi(t.Name())
			if err != nil {
				continue
			}
			if err := unix.SchedSetaffinity(tid, set); err != nil && !errors.Is(err, unix.ESRCH) {
				return err
			}
		}
	}
	return nil
}
