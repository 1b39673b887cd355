package test

import (
	"fmt"
	"os/exec"
	"strconv"
	"strings"
	"syscall"
	"testing"
	"time"
)

// What the path does to a test: a slow one, one that drops datagrams, and one
// that is cut.
var _ = promise(
	truth{row: 8, name: "slow link", run: testSlowArrival},
	truth{row: 9, name: "loss", run: testLossCounted},
	truth{row: 9, name: "lost tail", run: testLostTail},
	truth{row: 9, name: "socket buffer", run: testSocketBuffer},
	truth{row: 10, name: "lost handshake", run: testLostHandshake},
	truth{row: 10, name: "no UDP", long: true, run: testNoUDP},
	truth{row: 13, name: "client of a stopped server", run: testInterruptedAlone},
)

// filtered makes two hosts on whose cable datagrams travel one by one, so that
// a filter sees each of them.
func filtered(t *testing.T) (left, right host) {
	t.Helper()
	left, right = newPair(t, 1500)
	for _, program := range []string{"nft", "ethtool"} {
		_, err := exec.LookPath(program)
		need(t, err == nil, "needs %s, from the package nftables or ethtool", program)
	}
	for _, h := range []host{left, right} {
		h.sh(t, "ethtool -K eth0 tx-udp-segmentation off gso off gro off")
	}
	return left, right
}

// filter gives the host's input one rule that drops, with a counter of what it
// has dropped, in place of an earlier one.
func (h host) filter(t *testing.T, matches string) {
	t.Helper()
	h.sh(t, fmt.Sprintf(`nft -f - <<-'END'
		table inet truth
		delete table inet truth
		table inet truth {
			counter dropped {}
			chain input {
				type filter hook input priority 0;
				%s counter name dropped drop
			}
		}
	END`, matches))
}

// dropped is what the rule of filter has dropped.
func (h host) dropped(t *testing.T) float64 {
	t.Helper()
	f := strings.Fields(h.sh(t, "nft list counter inet truth dropped"))
	for i, word := range f {
		if word == "packets" {
			n, err := strconv.ParseFloat(f[i+1], 64)
			if err != nil {
				t.Fatal(err)
			}
			return n
		}
	}
	t.Fatalf("no counter in %q", f)
	panic("not reached")
}

// data matches the datagrams of a stream, which are longer than its handshake.
const data = "udp length > 500"

// receiving returns the host that receives in a direction.
func receiving(dir direction, left, right host) host {
	if dir == reverse {
		return left
	}
	return right
}

// testSlowArrival asks that all that was sent over 20 Mbit/s is counted, and
// that the receiver's time lasts until then.
func testSlowArrival(t *testing.T) {
	for _, args := range options([]string{"-n 1M", "-t 1 -R"}, []string{"-t 1", "-n 1M -R"}) {
		t.Run(args, func(t *testing.T) {
			eachQuietPair(t, eitherSide, func(t *testing.T, client, server peer) {
				left, right := newPair(t, 1500)
				for _, h := range []host{left, right} {
					h.sh(t, "tc qdisc add dev eth0 root tbf rate 20mbit burst 32k latency 100ms")
				}
				r := &trial{client: left.runs(client), server: right.runs(server), host: right.v4, clientArgs: strings.Fields(args)}
				r.succeed(t)
				for _, v := range r.judgedViews() {
					f := v.flows(r.clientArgs)[0]
					receiver := server
					if !f.sends == v.client {
						receiver = client
					}
					if !judged(receiver) {
						continue // stops counting at the end of the test
					}
					sent, received := v.doc.num(t, f.sent+".bytes"), v.doc.num(t, f.received+".bytes")
					if slack := r.uncounted(t, v, f); received < sent-slack || received > sent+slack {
						t.Errorf("%v: received %.0f of %.0f bytes", v, received, sent)
					}
					// The burst of 32 kB passes at once.
					if bits, seconds := 8*received, v.doc.num(t, f.received+".seconds"); bits > 20e6*seconds+8*64<<10 {
						t.Errorf("%v: %.0f bits within %v s over 20 Mbit/s", v, bits, seconds)
					}
				}
			})
		})
	}
}

// uncounted is by how many bytes a stock sender's figure may be off.
func (r *trial) uncounted(t *testing.T, v view, f flow) float64 {
	sender := r.server
	if f.sends == v.client {
		sender = r.client
	}
	if judged(sender) {
		return 0
	}
	return v.doc.num(t, "start.test_start.blksize")
}

// testLossCounted drops datagrams in the receiver's firewall, which counts
// them: the loss that is reported is that number.
func testLossCounted(t *testing.T) {
	for _, args := range options(
		[]string{"-u -k 1000 -b 8M -l 1000", "-u -t 1 -b 8M -l 1000 -R"},
		[]string{"-u -t 1 -b 4M -l 1000 -P 2", "-u -k 1000 -b 8M -l 1000 -R --udp-counters-64bit"},
	) {
		t.Run(args, func(t *testing.T) {
			eachQuietPair(t, eitherSide, func(t *testing.T, client, server peer) {
				left, right := filtered(t)
				dir := directionOf(strings.Fields(args))
				h := receiving(dir, left, right)
				h.filter(t, data+" numgen inc mod 10 == 3")
				r := &trial{client: left.runs(client), server: right.runs(server), host: right.v4, clientArgs: strings.Fields(args)}
				r.succeed(t)
				dropped := h.dropped(t)
				if dropped == 0 {
					t.Fatal("nothing was dropped")
				}
				for _, v := range r.judgedViews() {
					f := v.flows(r.clientArgs)[0]
					checkLost(t, v, f)
					receiver := server
					if !f.sends == v.client {
						receiver = client
					}
					if !judged(receiver) {
						continue
					}
					// A stock sender can go on for a datagram of each stream after
					// it has told how many it has sent.
					slack := 0.0
					if r.uncounted(t, v, f) > 0 {
						slack = v.doc.num(t, "start.test_start.num_streams")
					}
					if lost := v.doc.num(t, f.received+".lost_packets"); lost > dropped || lost < dropped-slack {
						t.Errorf("%v: lost %.0f datagrams, the filter dropped %.0f", v, lost, dropped)
					}
				}
			})
		})
	}
}

// testLostTail cuts the path after a third of the test's datagrams.
func testLostTail(t *testing.T) {
	const all, pass = 900, 300
	for _, args := range options([]string{""}, []string{"-R"}) {
		t.Run("cut"+args, func(t *testing.T) {
			eachQuietPair(t, eitherSide, func(t *testing.T, client, server peer) {
				left, right := filtered(t)
				// 300 a second: to a client of a stock server, which may not have
				// counted what arrived at the very end, only more than a second is loss.
				words := append(strings.Fields("-u -b 2400000 -l 1000"), strings.Fields(args)...)
				dir := directionOf(words)
				if judged(client) || dir == forward {
					words = append(words, "-k", strconv.Itoa(all))
				} else {
					words = append(words, "-t", "3") // a stock client waits for ever for an amount
				}
				receiving(dir, left, right).filter(t, fmt.Sprintf("%s numgen inc mod 1000000000 >= %d", data, pass))
				r := &trial{client: left.runs(client), server: right.runs(server), host: right.v4, clientArgs: words}
				r.succeed(t)
				for _, v := range r.judgedViews() {
					f := v.flows(words)[0]
					checkLost(t, v, f)
					sent, lost := v.doc.num(t, f.sent+".packets"), v.doc.num(t, f.received+".lost_packets")
					if lost != sent-pass {
						t.Errorf("%v: lost %.0f of %.0f datagrams, %d arrived", v, lost, sent, pass)
					}
					if percent := v.doc.num(t, f.received+".lost_percent"); !near(percent, 100*(sent-pass)/sent, 0.001) || !near(percent, 67, 0.15) {
						t.Errorf("%v: lost %v %%", v, percent)
					}
				}
			})
		})
	}
}

// testSocketBuffer stops the receiver for a while: its socket buffer overflows.
func testSocketBuffer(t *testing.T) {
	for _, args := range options([]string{"-R"}, []string{""}) {
		t.Run("stopped"+args, func(t *testing.T) {
			eachQuietPair(t, theReceiver(args), func(t *testing.T, client, server peer) {
				words := append(strings.Fields("-u -b 20M -l 1000 -w 64K -t 2"), strings.Fields(args)...)
				dir := directionOf(words)
				r := &trial{client: client, server: server, clientArgs: words}
				r.during = func(client, server *process) {
					stopped := server
					if dir == reverse {
						stopped = client
					}
					// Data flow for two of these seconds; a quarter of one overflows 64 kB.
					for range 12 {
						stopped.cmd.Process.Signal(syscall.SIGSTOP)
						time.Sleep(250 * time.Millisecond)
						stopped.cmd.Process.Signal(syscall.SIGCONT)
						select {
						case <-client.done:
							return
						case <-time.After(250 * time.Millisecond):
						}
					}
				}
				r.succeed(t)
				for _, v := range r.judgedViews() {
					f := v.flows(words)[0]
					checkLost(t, v, f)
					lost, dropped := v.doc.num(t, f.received+".lost_packets"), v.doc.num(t, "linkperf.udp.0.dropped_by_socket")
					if dropped <= 0 || dropped > lost {
						t.Errorf("%v: lost %.0f datagrams, the socket dropped %.0f", v, lost, dropped)
					}
				}
			})
		})
	}
}

// testLostHandshake loses the first datagram of a test in either direction.
func testLostHandshake(t *testing.T) {
	for _, lost := range []string{"hello", "reply"} {
		t.Run(lost, func(t *testing.T) {
			eachQuietPair(t, theClient, func(t *testing.T, client, server peer) {
				left, right := newPair(t, 1500)
				h := right
				if lost == "reply" {
					h = left
				}
				h.filter(t, "meta l4proto udp numgen inc mod 1000000000 == 0")
				r := &trial{client: left.runs(client), server: right.runs(server), host: right.v4}
				r.clientArgs = strings.Fields("-u -k 100 -b 8M -l 1000")
				// To a one-off server of stock the attempt that is given up is its only test.
				var serverArgs []string
				if judged(server) {
					serverArgs = []string{"-1", "-J"}
				}
				s := startServer(t, r.server, serverArgs...)
				o := run(t, r.client, append([]string{"-c", r.host, "-p", s.portArg(), "-J"}, r.clientArgs...)...)
				doc := mustDocument(t, r.client, o.stdout)
				if o.code != 0 || doc.has("error") {
					t.Fatalf("the test failed: %v", o)
				}
				if h.dropped(t) != 1 {
					t.Errorf("dropped %v datagrams, want one", h.dropped(t))
				}
				// A stock server does not count what is still under way at the end.
				packets, lost := doc.num(t, "end.sum_received.packets"), doc.num(t, "end.sum_received.lost_packets")
				if lost != 0 || packets > 100 || packets < 100 && judged(server) {
					t.Errorf("lost %.0f of %.0f datagrams, want 0 of 100", lost, packets)
				}
				if !judged(server) {
					return
				}
				so := s.within(t, 15*time.Second)
				if sdoc := mustDocument(t, server, so.stdout); so.code != 0 || sdoc.has("error") || sdoc.num(t, "end.sum_received.packets") != 100 {
					t.Errorf("the server of one test: %v", so)
				}
			})
		})
	}
}

// testNoUDP blocks UDP altogether.
func testNoUDP(t *testing.T) {
	for _, args := range []string{"", "-R"} {
		t.Run("blocked"+args, func(t *testing.T) {
			eachQuietPair(t, theClient, func(t *testing.T, client, server peer) {
				left, right := newPair(t, 1500)
				right.filter(t, "meta l4proto udp")
				s := startServer(t, right.runs(server))
				words := append([]string{"-c", right.v4, "-p", s.portArg(), "-u"}, strings.Fields(args)...)
				patient(t, func() verdict {
					o := begin(t, left.runs(client).command(t.Context(), words...)).within(t, 30*time.Second)
					want := fmt.Sprintf("UDP port %d got no answer", s.port)
					if o.code != 1 || !strings.Contains(o.stderr, want) || !strings.Contains(o.stderr, "firewall") {
						t.Fatalf("want %q: %v", want, o)
					}
					return func(heldUp time.Duration) []string {
						if o.took > 10*time.Second+heldUp {
							return []string{fmt.Sprintf("said so after %v", o.took)}
						}
						return nil
					}
				})
				if judged(server) {
					right.sh(t, "nft delete table inet truth")
					if o := run(t, left.runs(client), append(words, "-t", "1")...); o.code != 0 {
						t.Errorf("the next test: %v", o)
					}
				}
			})
		})
	}
}

// testInterruptedAlone interrupts a client whose server does not answer any
// more: what it did not hear is not known.
func testInterruptedAlone(t *testing.T) {
	for _, args := range interruptions() {
		t.Run(strings.TrimSpace("interrupt "+args), func(t *testing.T) {
			eachQuietPair(t, theClient, func(t *testing.T, client, server peer) {
				cp, s := midway(t, client, server, args)
				s.cmd.Process.Signal(syscall.SIGSTOP)
				cp.cmd.Process.Signal(syscall.SIGINT)
				o := cp.within(t, 10*time.Second)
				doc := mustDocument(t, client, lastJSON(o.stdout))
				if o.code != 0 || !strings.Contains(doc.str("error"), "interrupt - the client has terminated") {
					t.Errorf("exit status %d, error %v", o.code, doc.get("error"))
				}
				checkBroken(t, view{client, true, doc}, args, false)
				checkEvents(t, o.stdout)
			})
		})
	}
}
