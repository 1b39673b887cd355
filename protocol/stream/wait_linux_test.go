package stream

import (
	"context"
	"runtime"
	"testing"
	"time"

	"linkperf/protocol/sockopt"
)

// giveProcs lets the scheduler have as many processors as streams want, with
// which short waits keep theirs.
func giveProcs(t *testing.T, streams int) {
	before := runtime.GOMAXPROCS(Procs(streams))
	t.Cleanup(func() { runtime.GOMAXPROCS(before) })
}

func TestHaveProcs(t *testing.T) {
	giveProcs(t, 20)
	if !haveProcs(20) || haveProcs(21) {
		t.Errorf("with %d: have for 20 %v, for 21 %v", runtime.GOMAXPROCS(0), haveProcs(20), haveProcs(21))
	}
}

// A stream that waits and keeps its Go processor does not keep the world from
// being stopped, is interrupted at once, and paces as well as any.
func TestWaitHoldsProcessor(t *testing.T) {
	giveProcs(t, 2)
	c := Config{Length: 1000}
	tx := c
	tx.Rate, tx.Budget = 4e6, NewBlocks(200, c.Length) // a block every 2 ms
	a, b := tcpPair(t, sockopt.Options{})
	f := start(t, a, b, tx, c)
	const collections = 10
	for range collections {
		runtime.GC()
	}
	if err := <-f.txErr; err != nil {
		t.Fatal(err)
	}
	if p, ok := f.tx.path.(*fdPath); !ok || !p.holds || p.alarm != nil {
		t.Fatalf("data path %T does not hold its processor", f.tx.path)
	}
	if took := f.tx.Sample(); took.Bytes != 200_000 {
		t.Errorf("sent %d bytes", took.Bytes)
	}
	if elapsed := time.Since(f.tx.base); elapsed < 390*time.Millisecond {
		t.Errorf("200 blocks of 2 ms took %v", elapsed)
	}
}

// A wait that is longer than a short one goes on without the processor, and ends
// when there is something or somebody interrupts.
func TestLongWait(t *testing.T) {
	giveProcs(t, 2)
	c := Config{Length: 1000}
	tx := c
	tx.Rate, tx.Budget = 200e3, NewBlocks(3, c.Length) // slices of a block every 10 ms
	a, b := tcpPair(t, sockopt.Options{})
	f := start(t, a, b, tx, c)
	if err := <-f.txErr; err != nil {
		t.Fatal(err)
	}
	eventually(t, "all bytes arrive", func() bool { return f.rx.Sample().Bytes == 3000 })
	time.Sleep(2 * shortWait) // nothing happens: the receiver is in the long wait
	f.rx.Stop()
	if err := <-f.rxErr; err != nil && err != context.Canceled {
		t.Error(err)
	}
}

// Interruptions reach waits that hold their processors as well.
func TestInterruptHolding(t *testing.T) {
	giveProcs(t, 2)
	t.Run("send", TestInterruptBlockedSend)
	t.Run("receive", TestInterruptBlockedReceive)
	t.Run("sleep", TestInterruptPacedSleep)
}
