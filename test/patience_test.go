package test

import (
	"runtime"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"
)

// verdict says what is wrong with a run of a test of times, on a machine that
// may have held up its processes by the given time.
type verdict func(heldUp time.Duration) (faults []string)

// tooBusy is for how long a machine may have held up processes whose sender is judged
// by fractions of a millisecond.
const tooBusy = 300 * time.Millisecond

// patient makes a test of times until it finds no faults. Faults count if the
// machine does not explain them, not even by holding up the peers ten times
// longer than it was seen to; twice is enough. A machine that explains everything
// proves nothing.
func patient(t *testing.T, test func() verdict) {
	t.Helper()
	patientUntil(t, 2, test)
}

// patientUntil is patient with another number of faulty runs that is enough.
func patientUntil(t *testing.T, enough int, test func() verdict) {
	t.Helper()
	const attempts = 4
	found := 0
	for attempt := 1; attempt <= attempts; attempt++ {
		var judge verdict
		worst := heldUp(func() { judge = test() })
		faults := judge(0)
		if len(faults) == 0 {
			return
		}
		t.Logf("attempt %d, the machine was held up by %v: %s", attempt, worst, strings.Join(faults, "; "))
		if faults = judge(10 * worst); len(faults) > 0 {
			if found++; found == enough {
				t.Error(strings.Join(faults, "; "))
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
