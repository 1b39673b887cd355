package test

import (
	"fmt"
	"math"
	"os"
	"strconv"
	"strings"
	"syscall"
	"testing"
	"time"
)

// Row 11: intervals are what the totals are made of. Row 13: an interrupted
// test ends in good order. Row 14: a server knows both halves of a test.
var _ = promise(
	truth{row: 11, name: "sums", run: testIntervalSums},
	truth{row: 11, name: "rows", run: testIntervalRows},
	truth{row: 13, name: "client", run: testInterruptedClient},
	truth{row: 13, name: "server", run: testInterruptedServer},
	truth{row: 14, name: "halves", run: testBothHalves},
)

// testIntervalSums adds up the intervals.
func testIntervalSums(t *testing.T) {
	for _, args := range options([]string{
		"-t 1 --bidir -P 2",
		"-t 1 -u -b 20M -l 1000 -R",
	}, []string{
		"-t 1",
		"-t 1 -R",
		"-t 1 -P 4 -R -b 50M",
		"-n 20M",
		"-O 1 -t 1 -R",
		"-t 1 -u -b 20M -l 1000",
		"-t 1 -u -b 0 -l 1000",
		"-t 1 -u -b 10M -l 1000 --bidir -P 2",
		"-u -k 500 -b 8M -l 1000",
		"-O 1 -t 1 -u -b 8M -l 1000 --bidir",
	}) {
		t.Run(args, func(t *testing.T) {
			eachPair(t, eitherSide, func(t *testing.T, client, server peer) {
				r := &trial{
					client: client, server: server,
					clientArgs: append(strings.Fields(args), "-i", "0.3"), serverArgs: []string{"-i", "0.3"},
				}
				r.succeed(t)
				for _, v := range r.judgedViews() {
					for _, f := range v.flows(r.clientArgs) {
						checkSums(t, v, f)
					}
				}
			})
		})
	}
}

// checkSums holds the sum of all intervals of one direction against the total
// that the same side measured, and the intervals against each other: they
// follow one another, each is there once.
func checkSums(t *testing.T, v view, f flow) {
	t.Helper()
	sum := make(map[string]float64)
	end := 0.0
	for i, interval := range v.doc.objects("intervals") {
		row := interval.object(f.interval)
		if row["omitted"] == true {
			continue
		}
		for _, key := range []string{"bytes", "packets", "lost_packets", "retransmits"} {
			if n, ok := row.float(key); ok {
				sum[key] += n
			}
		}
		if start := row.num(t, "start"); math.Abs(start-end) > 2e-6 {
			t.Errorf("%v, %s: interval %d starts at %v, the one before ended at %v", v, f.name, i, start, end)
		}
		end = row.num(t, "end")
	}
	for key, got := range sum {
		if want, ok := v.doc.float(f.own() + "." + key); ok && got != want {
			t.Errorf("%v, %s: the intervals add up to %.0f %s, the total is %.0f", v, f.name, got, key, want)
		}
	}
	if sum["bytes"] == 0 {
		t.Errorf("%v, %s: nothing in the intervals", v, f.name)
	}
}

// testIntervalRows counts rows: the last one is neither missing nor a remnant.
func testIntervalRows(t *testing.T) {
	for _, c := range []struct {
		short    bool
		interval float64
		args     string
	}{
		{true, 0.3, "-t 2"}, {false, 1, "-t 2"}, {false, 0.3, "-t 2 -R"}, {false, 1, "-t 2 -u -b 8M -l 1000"}, {true, 1, "-t 2 -u -b 8M -l 1000 --bidir"},
	} {
		if !c.short && !everything() {
			continue
		}
		name := fmt.Sprintf("-i %v %s", c.interval, c.args)
		t.Run(name, func(t *testing.T) {
			eachQuietPair(t, eitherSide, func(t *testing.T, client, server peer) {
				every := []string{"-i", strconv.FormatFloat(c.interval, 'f', -1, 64)}
				r := &trial{client: client, server: server, clientArgs: append(strings.Fields(c.args), every...), serverArgs: every}
				if !strings.Contains(c.args, "-u") {
					r.clientArgs = append(r.clientArgs, "-b", "100M", "-l", "16K") // leave the machine idle
				}
				r.succeed(t)
				for _, v := range r.judgedViews() {
					for _, f := range v.flows(r.clientArgs) {
						checkRows(t, v, f, c.interval, 2)
					}
				}
			})
		})
	}
}

func checkRows(t *testing.T, v view, f flow, interval, length float64) {
	t.Helper()
	rows := v.doc.objects("intervals")
	heldUp := false // a row came late, and took the next one's place
	for i, row := range rows {
		seconds, bytes := row.num(t, f.interval+".seconds"), row.num(t, f.interval+".bytes")
		heldUp = heldUp || seconds > 1.5*interval
		if seconds < 0.5*interval && !heldUp {
			t.Errorf("%v, %s: row %d of %d lasts %v s", v, f.name, i, len(rows), seconds)
		}
		if bytes == 0 {
			t.Errorf("%v, %s: row %d of %d is empty", v, f.name, i, len(rows))
		}
	}
	if want := int(math.Ceil(length / interval)); len(rows) != want && !heldUp {
		t.Errorf("%v, %s: %d rows, want %d", v, f.name, len(rows), want)
	}
}

// interruptions are the directions and transports of an interrupted test.
func interruptions() []string {
	return options([]string{"-u -b 8M -l 1000 -R"}, []string{
		"-b 50M -l 16K", "-b 50M -l 16K -R", "-b 50M -l 16K --bidir", "-u -b 8M -l 1000", "",
	})
}

// midway starts a test of ten seconds between the peers and returns when the
// client has reported twice.
func midway(t *testing.T, by, at peer, args string) (c *process, s *server) {
	t.Helper()
	s = startServer(t, at, "-1", "-J", "-i", "0.5")
	argv := append([]string{"-c", "127.0.0.1", "-p", s.portArg(), "-t", "10", "-i", "0.5"}, strings.Fields(args)...)
	shows := `{"event":"interval"`
	switch {
	case by.ours:
		argv = append(argv, "--json-stream", "--json-stream-full-output")
	case !judged(by):
		argv = append(argv, "--forceflush")
		shows = "bits/sec"
	case by.release.before(release{3, 17}): // shows nothing before the end
		c = begin(t, by.command(t.Context(), append(argv, "-J")...))
		time.Sleep(2500 * time.Millisecond)
		return c, s
	default:
		argv = append(argv, "--json-stream")
	}
	c = begin(t, by.command(t.Context(), argv...))
	for deadline := time.Now().Add(15 * time.Second); strings.Count(c.out.String(), shows) < 2; time.Sleep(10 * time.Millisecond) {
		if time.Now().After(deadline) {
			t.Fatalf("no two intervals: %s %s", c.out.String(), c.err.String())
		}
	}
	return c, s
}

// checkBroken holds the document of a test that ended early against itself:
// what this side measured is there, and the other half is known or null.
func checkBroken(t *testing.T, v view, args string, exchanged bool) {
	t.Helper()
	if len(v.doc.objects("intervals")) == 0 {
		t.Errorf("%v: no intervals: %v", v, v.doc)
		return
	}
	for _, f := range v.flows(strings.Fields(args)) {
		checkSums(t, v, f)
		other := f.received
		if f.own() == f.received {
			other = f.sent
		}
		bytes, known := v.doc.float(other + ".bytes")
		switch {
		case known != exchanged:
			t.Errorf("%v, %s: %s.bytes is %v, exchanged: %v", v, f.name, other, v.doc.get(other+".bytes"), exchanged)
		case known && bytes == 0:
			t.Errorf("%v, %s: %s.bytes is 0", v, f.name, other)
		}
	}
}

// testInterruptedClient interrupts a client that has measured for a while.
func testInterruptedClient(t *testing.T) {
	for _, args := range interruptions() {
		for _, signal := range []os.Signal{os.Interrupt, syscall.SIGTERM} {
			if signal != os.Interrupt && args != "" {
				continue
			}
			t.Run(strings.TrimSpace(signal.String()+" "+args), func(t *testing.T) {
				eachQuietPair(t, eitherSide, func(t *testing.T, client, server peer) {
					cp, s := midway(t, client, server, args)
					cp.cmd.Process.Signal(signal)
					o, so := cp.within(t, 10*time.Second), s.within(t, 10*time.Second)
					if judged(client) {
						if o.code != 0 {
							t.Errorf("exit status: %v", o)
						}
						doc := mustDocument(t, client, lastJSON(o.stdout))
						if !strings.Contains(doc.str("error"), "interrupt - the client has terminated by signal") {
							t.Errorf("error: %v", doc.get("error"))
						}
						checkBroken(t, view{client, true, doc}, args, true)
						checkEvents(t, o.stdout)
					}
					if judged(server) {
						doc := mustDocument(t, server, so.stdout)
						// A client that breaks off without a word leaves the server half of it.
						checkBroken(t, view{server, false, doc}, args, judged(client))
						if doc.has("error") == judged(client) {
							t.Errorf("error: %v", doc.get("error"))
						}
					}
				})
			})
		}
	}
}

// testInterruptedServer interrupts a server in the middle of a test.
func testInterruptedServer(t *testing.T) {
	for _, args := range interruptions() {
		t.Run(strings.TrimSpace("interrupt "+args), func(t *testing.T) {
			eachQuietPair(t, eitherSide, func(t *testing.T, client, server peer) {
				cp, s := midway(t, client, server, args)
				s.cmd.Process.Signal(os.Interrupt)
				o, so := cp.within(t, 10*time.Second), s.within(t, 10*time.Second)
				if judged(server) {
					doc := mustDocument(t, server, so.stdout)
					if so.code != 0 || !strings.Contains(doc.str("error"), "interrupt - the server has terminated by signal") {
						t.Errorf("exit status %d, error %v", so.code, doc.get("error"))
					}
					checkBroken(t, view{server, false, doc}, args, false)
				}
				if judged(client) {
					doc := mustDocument(t, client, lastJSON(o.stdout))
					if o.code != 1 || !strings.Contains(doc.str("error"), "the server has terminated") {
						t.Errorf("exit status %d, error %v", o.code, doc.get("error"))
					}
					checkBroken(t, view{client, true, doc}, args, false)
					checkEvents(t, o.stdout)
				}
			})
		})
	}
}

// testBothHalves asks the server for what was sent and what was received.
func testBothHalves(t *testing.T) {
	for _, args := range options(
		[]string{"-n 5M -R", "-t 1 --bidir -b 50M -l 16K", "-u -t 1 -b 8M -l 1000 -R"},
		[]string{"-n 5M", "-n 5M -R -P 4", "-u -k 200 -b 8M -l 1000", "-u -t 1 -b 8M -l 1000 --bidir"},
	) {
		t.Run(args, func(t *testing.T) {
			eachQuietPair(t, theServer, func(t *testing.T, client, server peer) {
				r := &trial{client: client, server: server, clientArgs: strings.Fields(args)}
				r.succeed(t)
				v := view{server, false, r.sdoc}
				for _, f := range v.flows(r.clientArgs) {
					for _, sum := range []string{f.sent, f.received} {
						if bytes, seconds := v.doc.num(t, sum+".bytes"), v.doc.num(t, sum+".seconds"); bytes <= 0 || seconds <= 0 {
							t.Errorf("%s: %s has %v bytes in %v s", f.name, sum, bytes, seconds)
						}
						if got, want := v.doc.num(t, sum+".bytes"), r.cdoc.num(t, sum+".bytes"); got != want && judged(client) {
							t.Errorf("%s: %s.bytes is %.0f for the server, %.0f for the client", f.name, sum, got, want)
						}
					}
				}
				for i, s := range v.doc.objects("end.streams") {
					for _, half := range []string{"sender", "receiver", "udp"} {
						if _, known := s.float(half + ".bytes"); s.has(half) && !known {
							t.Errorf("stream %d: %s.bytes is %v", i, half, s.get(half+".bytes"))
						}
					}
				}
			})
		})
	}
}
