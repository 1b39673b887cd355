package test

import (
	"fmt"
	"os"
	"runtime"
	"slices"
	"strconv"
	"testing"
)

// benchCase is a kind of test whose speed is compared. Every case names its
// congestion control, since the system's default may be one that loopback
// does not suit.
type benchCase struct {
	name  string
	args  []string
	quick bool
}

var benchCases = []benchCase{
	{"tcp", []string{"-C", "cubic"}, true},
	{"tcp -R", []string{"-C", "cubic", "-R"}, false},
	{"tcp -Z", []string{"-C", "cubic", "-Z"}, false},
	{"tcp -P 4", []string{"-C", "cubic", "-P", "4"}, true},
	{"tcp -l 1M", []string{"-C", "cubic", "-l", "1M"}, false},
	{"udp", []string{"-u", "-b", "0", "-l", "1400", "-w", "4M"}, true},
	{"udp -R", []string{"-u", "-b", "0", "-l", "1400", "-w", "4M", "-R"}, false},
}

// benchRun is what one run says: received bits per second, and the processor
// seconds of both ends for each gigabyte received.
type benchRun struct{ rate, cost float64 }

// TestBench runs linkperf and stock iperf3, each against itself, in turns on
// loopback and prints linkperf's figures as ratios to stock's of the same
// round. It judges nothing: how fast a loopback is depends on the machine.
func TestBench(t *testing.T) {
	want(t, "LINKPERF_BENCH", "make bench, make bench-quick")
	rounds, err := strconv.Atoi(os.Getenv("LINKPERF_BENCH"))
	if err != nil || rounds < 1 {
		t.Fatalf("LINKPERF_BENCH=%q is no number of rounds", os.Getenv("LINKPERF_BENCH"))
	}
	ours, stock := linkperf(t), newestStock(t)
	quick := rounds < 5
	fmt.Printf("linkperf against %s (%s), %d alternating rounds on loopback, %d processors\n", stock.name, stock.path, rounds, runtime.NumCPU())
	fmt.Println("ratio: median [least .. most] of linkperf / stock in the same round; CPU is that of both ends")
	fmt.Printf("%-10s  %21s  %-20s  %21s  %s\n", "", "received Gbit/s", "", "CPU s/GB", "")
	fmt.Printf("%-10s  %10s %10s  %-20s  %10s %10s  %s\n", "case", "linkperf", "stock", "ratio", "linkperf", "stock", "ratio")
	for _, c := range benchCases {
		if quick && !c.quick {
			continue
		}
		var a, b []benchRun
		for round := range rounds {
			// Who goes first alternates as well.
			if round%2 == 0 {
				a, b = append(a, benchOnce(t, ours, c)), append(b, benchOnce(t, stock, c))
			} else {
				b, a = append(b, benchOnce(t, stock, c)), append(a, benchOnce(t, ours, c))
			}
		}
		rate := func(r benchRun) float64 { return r.rate / 1e9 }
		cost := func(r benchRun) float64 { return r.cost }
		fmt.Printf("%-10s  %10.2f %10.2f  %-20s  %10.3f %10.3f  %s\n", c.name,
			median(a, rate), median(b, rate), ratios(a, b, rate), median(a, cost), median(b, cost), ratios(a, b, cost))
	}
}

// benchOnce runs one case with the peer at both ends.
func benchOnce(t *testing.T, p peer, c benchCase) benchRun {
	t.Helper()
	s := startServer(t, p, "-1", "-J")
	o := s.client(t, p, append([]string{"-J", "-t", "2", "-i", "0"}, c.args...)...)
	so := s.within(t, runDeadline)
	if o.code != 0 || so.code != 0 {
		t.Fatalf("%s: %v\n%v", c.name, o, so)
	}
	doc := mustDocument(t, p, o.stdout)
	bytes := doc.num(t, "end.sum_received.bytes")
	cpu := 0.0
	for _, proc := range []*process{s.process, o.process} {
		cpu += proc.cmd.ProcessState.UserTime().Seconds() + proc.cmd.ProcessState.SystemTime().Seconds()
	}
	return benchRun{rate: doc.num(t, "end.sum_received.bits_per_second"), cost: cpu / bytes * 1e9}
}

func median(runs []benchRun, of func(benchRun) float64) float64 {
	var values []float64
	for _, r := range runs {
		values = append(values, of(r))
	}
	return middle(values)
}

// middle is the median of the values, which it sorts.
func middle(values []float64) float64 {
	slices.Sort(values)
	n := len(values)
	return (values[(n-1)/2] + values[n/2]) / 2
}

// ratios is the median and the range of a / b, round by round.
func ratios(a, b []benchRun, of func(benchRun) float64) string {
	var values []float64
	for i := range a {
		values = append(values, of(a[i])/of(b[i]))
	}
	m := middle(values)
	return fmt.Sprintf("%.2f [%.2f .. %.2f]", m, values[0], values[len(values)-1])
}
