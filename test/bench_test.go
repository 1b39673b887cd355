package test

import (
	"fmt"
	"os"
	"runtime"
	"slices"
	"strconv"
	"strings"
	"testing"
)

// benchCase is a kind of test whose speed is compared. Every TCP case names its
// congestion control, since the system's default may be one that loopback does
// not suit.
type benchCase struct {
	args  string
	quick bool    // part of make bench-quick
	cable bool    // is run between namespaces too
	since release // the first stock release that has the options
}

var benchCases = []benchCase{
	{args: "-C cubic", quick: true, cable: true},
	{args: "-C cubic -R", cable: true},
	{args: "-C cubic -P 4", quick: true, cable: true},
	{args: "-C cubic -P 8"},
	{args: "-C cubic --bidir", cable: true},
	{args: "-C cubic -l 1K"},
	{args: "-C cubic -l 16K"},
	{args: "-C cubic -Z", cable: true},
	{args: "-C cubic -Z --skip-rx-copy", since: release{3, 21}, cable: true},
	{args: "-C cubic -Z --skip-rx-copy -P 2", since: release{3, 21}},
	{args: "-C cubic -Z --skip-rx-copy -P 4", since: release{3, 21}},
	{args: "-C cubic -Z --skip-rx-copy -P 8", since: release{3, 21}},
	{args: "-u -b 0 -l 1460", quick: true, cable: true},
	{args: "-u -b 0 -l 1460 -R"},
	{args: "-u -b 0 -l 64"},
	{args: "-u -b 0 -l 1460 --gsro", since: release{3, 21}, cable: true},
}

// idleCases are what an end uses that has little to do.
var idleCases = []benchCase{
	{args: "-u -b 10M -l 1460"},
	{args: "-u -b 10M -l 1460 --gsro", since: release{3, 21}},
	{args: "-b 1M"},
}

// mixedCases have linkperf at one end only.
var mixedCases = []benchCase{
	{args: "-C cubic"},
	{args: "-C cubic -P 4"},
	{args: "-u -b 0 -l 1460"},
}

// benchLink is what lies between the two ends.
type benchLink struct {
	name    string
	address string // of the server
	// client and server put a program where it belongs.
	client, server func(peer) peer
}

func loopbackLink() benchLink {
	here := func(p peer) peer { return p }
	return benchLink{"loopback", "127.0.0.1", here, here}
}

// benchRun is what one run says: received bits per second, the processor
// seconds of both ends for each gigabyte received and of each end for each
// second of the test, and the share of datagrams lost.
type benchRun struct{ rate, cost, client, server, loss float64 }

// TestBench runs linkperf and stock iperf3, each against itself, in turns and
// prints linkperf's figures as ratios to stock's of the same round. It judges
// nothing: how fast a loopback is depends on the machine.
func TestBench(t *testing.T) {
	want(t, "LINKPERF_BENCH", "make bench, make bench-quick")
	rounds, err := strconv.Atoi(os.Getenv("LINKPERF_BENCH"))
	if err != nil || rounds < 1 {
		t.Fatalf("LINKPERF_BENCH=%q is no number of rounds", os.Getenv("LINKPERF_BENCH"))
	}
	ours, stock := linkperf(t), newestStock(t)
	b := bench{rounds: rounds, quick: rounds < 5, stock: stock.release}
	fmt.Printf("linkperf against %s (%s) on %s, %s, %d processors\n", stock.name, stock.path, runtime.GOOS, processor(), runtime.NumCPU())
	fmt.Printf("%d alternating rounds of 2 s; ratio: median [least .. most] of linkperf / stock in the same round\n", rounds)
	fmt.Println("CPU: processor seconds of both ends for each GB received; loss: medians of datagrams lost, linkperf / stock")

	links := []benchLink{loopbackLink()}
	if !b.quick {
		links = append(links, cables(t)...)
	}
	for _, link := range links {
		t.Run(link.name, func(t *testing.T) {
			b.heading(link.name + ", the same program at both ends")
			for _, c := range benchCases {
				if b.knows(c) && (!b.quick || c.quick) && (link.name == "loopback" || c.cable) {
					t.Run(c.args, func(t *testing.T) { b.compare(t, link, c, [2]peer{ours, ours}, [2]peer{stock, stock}) })
				}
			}
		})
	}
	if b.quick {
		return
	}
	t.Run("mixed", func(t *testing.T) {
		for _, pair := range [][2]peer{{ours, stock}, {stock, ours}} {
			name := pair[0].name + "->" + pair[1].name
			b.heading("loopback, " + name + " against stock at both ends")
			for _, c := range mixedCases {
				t.Run(name+"/"+c.args, func(t *testing.T) { b.compare(t, loopbackLink(), c, pair, [2]peer{stock, stock}) })
			}
		}
	})
	t.Run("idle", func(t *testing.T) {
		fmt.Printf("\n%-38s  %s\n", "percent of one processor", "linkperf: client, server   stock: client, server (medians)")
		for _, c := range idleCases {
			if b.knows(c) {
				t.Run(c.args, func(t *testing.T) { b.idle(t, c, ours, stock) })
			}
		}
	})
}

type bench struct {
	rounds int
	quick  bool
	stock  release
}

func (b *bench) knows(c benchCase) bool { return !b.stock.before(c.since) }

func (b *bench) heading(what string) {
	fmt.Printf("\n%s\n%-38s  %8s %8s  %-21s  %8s %8s  %-21s  %s\n", what,
		"options", "linkperf", "stock", "Gbit/s: ratio", "linkperf", "stock", "CPU: ratio", "loss")
}

// rounds runs one pair of ends and another in turns.
func (b *bench) run(t *testing.T, link benchLink, c benchCase, one, other [2]peer) (ones, others []benchRun) {
	t.Helper()
	for round := range b.rounds {
		// Who goes first alternates as well.
		if round%2 == 0 {
			ones = append(ones, benchOnce(t, link, c, one))
			others = append(others, benchOnce(t, link, c, other))
		} else {
			others = append(others, benchOnce(t, link, c, other))
			ones = append(ones, benchOnce(t, link, c, one))
		}
	}
	return ones, others
}

func (b *bench) compare(t *testing.T, link benchLink, c benchCase, one, other [2]peer) {
	ours, stock := b.run(t, link, c, one, other)
	rate := func(r benchRun) float64 { return r.rate / 1e9 }
	cost := func(r benchRun) float64 { return r.cost }
	loss := ""
	if strings.Contains(c.args, "-u") {
		lost := func(r benchRun) float64 { return r.loss }
		loss = fmt.Sprintf("%.1f %% / %.1f %%", median(ours, lost), median(stock, lost))
	}
	fmt.Printf("%-38s  %8.2f %8.2f  %-21s  %8.3f %8.3f  %-21s  %s\n", c.args,
		median(ours, rate), median(stock, rate), ratios(ours, stock, rate),
		median(ours, cost), median(stock, cost), ratios(ours, stock, cost), loss)
}

func (b *bench) idle(t *testing.T, c benchCase, ours, stock peer) {
	o, s := b.run(t, loopbackLink(), c, [2]peer{ours, ours}, [2]peer{stock, stock})
	client := func(r benchRun) float64 { return 100 * r.client }
	server := func(r benchRun) float64 { return 100 * r.server }
	fmt.Printf("%-38s  %.1f, %.1f   %.1f, %.1f\n", c.args, median(o, client), median(o, server), median(s, client), median(s, server))
}

// benchOnce runs one case with one peer as client and one as server.
func benchOnce(t *testing.T, link benchLink, c benchCase, ends [2]peer) benchRun {
	t.Helper()
	const seconds = 2
	s := startServer(t, link.server(ends[1]), "-1", "-J")
	args := []string{"-c", link.address, "-p", s.portArg(), "-J", "-t", strconv.Itoa(seconds), "-i", "0"}
	o := run(t, link.client(ends[0]), append(args, strings.Fields(c.args)...)...)
	so := s.within(t, runDeadline)
	if o.code != 0 || so.code != 0 {
		t.Fatalf("%s: %v\n%v", c.args, o, so)
	}
	doc := mustDocument(t, ends[0], o.stdout)
	bytes, rate := doc.num(t, "end.sum_received.bytes"), doc.num(t, "end.sum_received.bits_per_second")
	if strings.Contains(c.args, "--bidir") {
		bytes += doc.num(t, "end.sum_received_bidir_reverse.bytes")
		rate += doc.num(t, "end.sum_received_bidir_reverse.bits_per_second")
	}
	r := benchRun{
		rate:   rate,
		cost:   (o.work() + so.work()).Seconds() / bytes * 1e9,
		client: o.work().Seconds() / seconds,
		server: so.work().Seconds() / seconds,
	}
	if strings.Contains(c.args, "-u") {
		r.loss = doc.num(t, "end.sum.lost_percent")
	}
	return r
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

// ratios is the median and the range of a / b, round by round. Of seven rounds
// the range is a confidence interval for the median at the level of 98 %.
func ratios(a, b []benchRun, of func(benchRun) float64) string {
	var values []float64
	for i := range a {
		values = append(values, of(a[i])/of(b[i]))
	}
	m := middle(values)
	return fmt.Sprintf("%.2f [%.2f .. %.2f]", m, values[0], values[len(values)-1])
}
