package test

import (
	"runtime"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"
)

// patient makes a test of times until it finds no faults. The faults of a run
// count when the machine was free for the peers all the time; twice is enough.
// A machine that never is proves nothing. held is heldUp or heldUpAround.
func patient(t *testing.T, held func(func()) time.Duration, test func() (faults []string)) {
	t.Helper()
	const attempts, heldUpBy = 4, 5 * time.Millisecond
	found := 0
	for attempt := 1; attempt <= attempts; attempt++ {
		var faults []string
		worst := held(func() { faults = test() })
		if len(faults) == 0 {
			return
		}
		text := strings.Join(faults, "; ")
		t.Logf("attempt %d, the machine was held up by %v: %s", attempt, worst, text)
		if worst < heldUpBy {
			if found++; found == 2 {
				t.Error(text)
				return
			}
		}
	}
	t.Skip("the machine is too busy to tell")
}

// heldUp tells for how long at worst the machine let a thread wait while f ran:
// it naps again and again, on as many threads as there are processors.
func heldUp(f func()) time.Duration {
	const nap = time.Millisecond
	var worst atomic.Int64
	var wg sync.WaitGroup
	done := make(chan struct{})
	for range runtime.NumCPU() {
		wg.Go(func() {
			for last := time.Now(); ; {
				select {
				case <-done:
					return
				case <-time.After(nap):
				}
				now := time.Now()
				for over := int64(now.Sub(last) - nap); ; {
					if seen := worst.Load(); over <= seen || worst.CompareAndSwap(seen, over) {
						break
					}
				}
				last = now
			}
		})
	}
	f()
	close(done)
	wg.Wait()
	return time.Duration(worst.Load())
}

// heldUpAround is heldUp for an f that takes all processors itself: it looks
// before and after.
func heldUpAround(f func()) time.Duration {
	look := func() { time.Sleep(200 * time.Millisecond) }
	before := heldUp(look)
	f()
	return max(before, heldUp(look))
}
