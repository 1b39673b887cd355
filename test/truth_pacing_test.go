package test

import (
	"encoding/binary"
	"fmt"
	"math"
	"os/exec"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"
)

// Row 12: -b is kept at every moment of a test, and costs next to nothing.
var _ = promise(
	truth{row: 12, name: "seconds", run: testPacedSeconds},
	truth{row: 12, name: "gaps", run: testPacedGaps},
	truth{row: 12, name: "trains", run: testTrains},
	truth{row: 12, name: "processor", run: testPacingCost},
)

// promptly lets a sender go first on the machine, where that is allowed: its
// pacing is on trial, not the system's scheduler. Not by a real-time class:
// a Go program that starts in one can wait for its own threads without end.
func promptly(p peer) peer {
	if got, err := exec.Command("nice", "-n", "-20", "nice").Output(); err != nil || string(got) != "-20\n" {
		return p
	}
	return p.in("nice", "-n", "-20")
}

// eachPacedPair runs the test for the pairs whose sender is judged.
func eachPacedPair(t *testing.T, args string, run func(t *testing.T, client, server peer)) {
	t.Helper()
	eachPair(t, theSender(args), func(t *testing.T, client, server peer) {
		if directionOf(strings.Fields(args)) == reverse {
			server = promptly(server)
		} else {
			client = promptly(client)
		}
		run(t, client, server)
	})
}

// pacedTest is a rate in both senses.
type pacedTest struct {
	short bool
	args  string
	rate  float64 // of each stream
	part  float64 // how much a second's bytes may be off
}

var pacedTests = []pacedTest{
	{true, "-b 100K", 100e3, 0.2},
	{false, "-b 100K -R", 100e3, 0.2},
	{false, "-b 64K -P 2", 64e3, 0.2},
	{false, "-b 10M", 10e6, 0.02},
	{true, "-b 10M -R -l 4K", 10e6, 0.01},
	{false, "-b 100M", 100e6, 0.01},
	{false, "-b 1G", 1e9, 0.01},
	{false, "-u -b 64K -l 100", 64e3, 0.03},
	{false, "-u -b 1M -l 500", 1e6, 0.01},
	{false, "-u -b 20M -l 1000 -P 3", 20e6, 0.01},
	{false, "-u -b 10M -l 1000 -R -P 3", 10e6, 0.01},
	{false, "-u -b 100M -l 1400", 100e6, 0.01},
	{false, "-u -b 1G -l 1400", 1e9, 0.01},
}

// testPacedSeconds looks at what is sent in each second, and up to its end:
// never more than a block ahead of the rate or behind it.
func testPacedSeconds(t *testing.T) {
	for _, c := range pacedTests {
		if !c.short && !everything() {
			continue
		}
		t.Run(c.args, func(t *testing.T) {
			eachPacedPair(t, c.args, func(t *testing.T, client, server peer) {
				patient(t, func() verdict {
					r := &trial{client: client, server: server, clientArgs: append(strings.Fields(c.args), "-t", "2")}
					r.succeed(t)
					v := view{r.server, false, r.sdoc}
					if directionOf(r.clientArgs) == forward {
						v = view{r.client, true, r.cdoc}
					}
					return func(heldUp time.Duration) (faults []string) {
						for i := range v.doc.objects("end.streams") {
							faults = append(faults, pacingFaults(t, v, c, i, heldUp)...)
						}
						return faults
					}
				})
			})
		})
	}
}

// pacingFaults holds one stream's intervals against the rate.
func pacingFaults(t *testing.T, v view, c pacedTest, stream int, heldUp time.Duration) (faults []string) {
	t.Helper()
	// A block counts when it has been sent, which a busy machine delays.
	block := v.doc.num(t, "start.test_start.blksize")
	if !strings.HasPrefix(c.args, "-u") {
		block = min(block, c.rate/8*0.02) // longer ones are cut
	}
	delayed := c.rate / 8 * (5e-3 + heldUp.Seconds())
	sent := 0.0
	for i, interval := range v.doc.objects("intervals") {
		s := interval.object(fmt.Sprintf("streams.%d", stream))
		bytes, seconds, end := s.num(t, "bytes"), s.num(t, "seconds"), s.num(t, "end")
		sent += bytes
		if want := c.rate / 8 * seconds; seconds > 0.5 && math.Abs(bytes-want) > c.part*want+c.rate/8*heldUp.Seconds() {
			faults = append(faults, fmt.Sprintf("stream %d, interval %d: sent %.0f bytes, want %.0f within %v %%", stream, i, bytes, want, 100*c.part))
		}
		if off := sent - c.rate/8*end; math.Abs(off) > block+delayed {
			faults = append(faults, fmt.Sprintf("stream %d: %.0f bytes off after %v s, a block has %.0f", stream, off, end, block))
		}
	}
	return faults
}

// capture notes when the datagrams of a test, whose headers carry 32-bit
// counters, come to a relay; -1 for one that does not.
func capture(t *testing.T, client, server peer, args string) []time.Duration {
	t.Helper()
	r := &trial{client: client, server: server, clientArgs: strings.Fields(args)}
	var mu sync.Mutex
	var at []time.Duration
	var first time.Time
	r.scripted(t, func(n int, d arrival, pass func([]byte)) {
		pass(d.bytes)
		if n == 0 { // the handshake
			return
		}
		mu.Lock()
		defer mu.Unlock()
		if n == 1 {
			first = d.at
		}
		counter := int(binary.BigEndian.Uint32(d.bytes[8:]))
		for len(at) < counter-1 {
			at = append(at, -1)
		}
		at = append(at, d.at.Sub(first))
	})
	mu.Lock()
	defer mu.Unlock()
	return slices.Clone(at)
}

// gaps are the times between datagrams that follow each other.
func gaps(at []time.Duration) (list []time.Duration) {
	for i := 1; i < len(at); i++ {
		if at[i] >= 0 && at[i-1] >= 0 {
			list = append(list, at[i]-at[i-1])
		}
	}
	return list
}

// testPacedGaps looks at every datagram.
func testPacedGaps(t *testing.T) {
	for _, c := range []struct {
		short   bool
		args    string
		nominal time.Duration // between datagrams
	}{
		{true, "-u -b 10M -l 1250 -t 2", time.Millisecond},
		{false, "-u -b 10M -l 1250 -t 2 -R", time.Millisecond},
		{false, "-u -b 25M -l 1000 -t 2", 320 * time.Microsecond},
		{false, "-u -b 100M -l 1250 -t 1", 100 * time.Microsecond},
		{false, "-u -b 80M -l 500 -t 1 -R", 50 * time.Microsecond},
	} {
		if !c.short && !everything() {
			continue
		}
		t.Run(c.args, func(t *testing.T) {
			eachPacedPair(t, c.args, func(t *testing.T, client, server peer) {
				patient(t, func() verdict {
					at := capture(t, client, server, c.args)
					return func(heldUp time.Duration) []string { return gapFaults(at, c.nominal, heldUp) }
				})
			})
		})
	}
}

// gapFaults looks at the gaps between datagrams, and at how far from its time
// each of them came.
func gapFaults(at []time.Duration, nominal, heldUp time.Duration) (faults []string) {
	if heldUp > tooBusy {
		return nil
	}
	list := gaps(at)
	if len(list) < len(at)*9/10 || len(list) < 500 {
		return []string{fmt.Sprintf("%d gaps between %d datagrams", len(list), len(at))}
	}
	slices.Sort(list)
	// Datagrams that follow each other faster go in trains of at most 250 µs.
	limit := 3 * nominal
	if nominal < 300*time.Microsecond {
		limit = 3 * 250 * time.Microsecond
	}
	if p99 := list[len(list)*99/100]; p99 >= limit {
		faults = append(faults, fmt.Sprintf("the 99th percentile of the gaps is %v, want less than %v", p99, limit))
	}
	// How far from its time is each, if the one in the middle is on time? A
	// train may be 250 µs ahead or behind, and some are held up.
	allowed := max(nominal, 250*time.Microsecond) + 200*time.Microsecond
	var late []time.Duration
	for i, a := range at {
		if a >= 0 {
			late = append(late, a-time.Duration(i)*nominal)
		}
	}
	slices.Sort(late)
	off := 0
	for _, l := range late {
		if (l - late[len(late)/2]).Abs() > allowed {
			off++
		}
	}
	if off > len(at)/10 {
		faults = append(faults, fmt.Sprintf("%d of %d datagrams came more than %v early or late", off, len(at), allowed))
	}
	return faults
}

// testTrains looks for trains of fifty, from the first to the last.
func testTrains(t *testing.T) {
	const length, nominal = 50, 40 * time.Millisecond // 50000 bytes at 10 Mbit/s
	for _, args := range options([]string{"-u -b 10M/50 -l 1000 -t 2"}, []string{"-u -b 10M/50 -l 1000 -t 2 -R"}) {
		t.Run(args, func(t *testing.T) {
			eachPacedPair(t, args, func(t *testing.T, client, server peer) {
				patient(t, func() verdict {
					at := capture(t, client, server, args)
					return func(heldUp time.Duration) []string { return trainFaults(at, length, nominal, heldUp) }
				})
			})
		})
	}
}

// trainFaults looks for the pauses between trains.
func trainFaults(at []time.Duration, length int, nominal, heldUp time.Duration) (faults []string) {
	if heldUp > tooBusy {
		return nil
	}
	trains := []int{0}
	var last time.Duration
	for _, a := range at {
		if a >= 0 && a-last > nominal/2 {
			trains = append(trains, 0)
		}
		trains[len(trains)-1]++ // also if it was lost
		last = max(last, a)
	}
	if want := 2 * time.Second / nominal; len(trains) < int(want)-2 || len(trains) > int(want)+1 {
		faults = append(faults, fmt.Sprintf("%d trains in 2 s, want %d", len(trains), want))
	}
	// The last one may be cut; a sender that was held up sends several
	// at once, but never a part of one.
	for i, n := range trains[:len(trains)-1] {
		if n%length != 0 {
			faults = append(faults, fmt.Sprintf("train %d of %d has %d datagrams", i, len(trains), n))
		}
	}
	return faults
}

// testPacingCost measures the processor time of both ends at 1 Mbit/s.
func testPacingCost(t *testing.T) {
	for _, args := range options([]string{"-u -b 1M -l 1400 -t 4 -R"}, []string{"-b 1M -t 4", "-u -b 1M -l 1400 -t 4"}) {
		t.Run(args, func(t *testing.T) {
			eachQuietPair(t, eitherSide, func(t *testing.T, client, server peer) {
				patient(t, func() verdict {
					r := &trial{client: client, server: server, clientArgs: strings.Fields(args)}
					r.succeed(t)
					return func(heldUp time.Duration) (faults []string) {
						most := 3.0 // percent
						if heldUp > tooBusy {
							most *= 3 // what is done takes longer
						}
						for _, v := range r.judgedViews() {
							if total := v.doc.num(t, "end.cpu_utilization_percent.host_total"); total >= most {
								faults = append(faults, fmt.Sprintf("%v: %v %% of a processor", v, total))
							}
						}
						return faults
					}
				})
			})
		})
	}
}
