package test

import (
	"os"
	"os/exec"
	"strings"
	"testing"
	"time"
)

// The tests of this file change the kernel's network set-up as they like, and
// need modules that an ordinary kernel may lack: TestUML runs them.

func wantUML(t *testing.T) {
	t.Helper()
	if os.Getenv(insideUML) == "" {
		t.Skip("runs inside User Mode Linux (make test-uml)")
	}
}

// sh runs a command of the system and fails the test when it fails.
func sh(t *testing.T, command string) string {
	t.Helper()
	argv := strings.Fields(command)
	out, err := exec.Command(argv[0], argv[1:]...).CombinedOutput()
	if err != nil {
		t.Fatalf("%s: %v: %s", command, err, out)
	}
	return string(out)
}

// discipline gives the loopback interface a queueing discipline until the end
// of the test.
func discipline(t *testing.T, description string) {
	t.Helper()
	sh(t, "tc qdisc replace dev lo root "+description)
	t.Cleanup(func() { sh(t, "tc qdisc del dev lo root") })
}

// eachPairing runs a mode with linkperf as client, as server and as both, and
// hands each run to the check.
func eachPairing(t *testing.T, m mode, check func(t *testing.T, r *pairing)) {
	t.Helper()
	ours := linkperf(t)
	pairs := [][2]peer{{ours, ours}}
	for _, stock := range stockPeers(t) {
		pairs = append(pairs, [2]peer{ours, stock}, [2]peer{stock, ours})
	}
	for _, p := range pairs {
		t.Run(p[0].name+"->"+p[1].name, func(t *testing.T) {
			r := perform(t, m, p[0], p[1])
			r.verify(t)
			if check != nil && !t.Failed() {
				check(t, r)
			}
		})
	}
}

var sctpModes = []mode{
	{name: "sctp", client: []string{"--sctp"}, check: overSCTP},
	{name: "sctp-R", client: []string{"--sctp", "-R"}, dir: reverse, check: overSCTP},
	{name: "sctp-bidir", client: []string{"--sctp", "--bidir"}, dir: both, check: overSCTP},
	{name: "sctp-P2", client: []string{"--sctp", "-P", "2"}, streams: 2, check: overSCTP},
	{name: "sctp-N-b", client: []string{"--sctp", "-N", "-b", "20M", "-l", "8K"}, rate: 20e6, check: overSCTP},
	// The kernel's SCTP crawls at times, whoever uses it: 64 KiB take 0.2 s.
	{name: "sctp-n", client: []string{"--sctp", "-n", "256K"}, amount: &amount{bytes: 256 << 10}, check: overSCTP},
	{name: "sctp-ipv6", client: []string{"--sctp"}, host: "::1", check: overSCTP},
}

// overSCTP asks both sides for what they say about the protocol.
func overSCTP(t *testing.T, r *pairing) {
	for _, doc := range []document{r.cdoc, r.sdoc} {
		if got := doc.str("start.test_start.protocol"); got != "SCTP" {
			t.Errorf("protocol is %q", got)
		}
	}
}

func TestKernelSCTP(t *testing.T) {
	wantUML(t)
	reference := newestStock(t)
	for _, m := range sctpModes {
		t.Run(m.name, func(t *testing.T) {
			stock := newPairing(t, m, reference, reference)
			stock.run(t)
			eachPairing(t, m, func(t *testing.T, r *pairing) { r.compareShapes(t, stock) })
		})
	}
}

// TestKernelSCTPStreams has no stock client: there --nstreams also sets the
// rate to as many bits per second.
func TestKernelSCTPStreams(t *testing.T) {
	wantUML(t)
	ours := linkperf(t)
	m := mode{client: []string{"--sctp", "--nstreams", "3"}, check: overSCTP}
	for _, server := range append(stockPeers(t), ours) {
		t.Run(ours.name+"->"+server.name, func(t *testing.T) { perform(t, m, ours, server).verify(t) })
	}
}

// TestKernelDelay lets packets take 20 ms each way, and looks for that in the
// sender's round trip times.
func TestKernelDelay(t *testing.T) {
	wantUML(t)
	discipline(t, "netem delay 20ms limit 100000")
	m := mode{client: []string{"-b", "20M", "-l", "16K"}}
	eachPairing(t, m, func(t *testing.T, r *pairing) {
		for _, key := range []string{"min_rtt", "mean_rtt", "max_rtt"} {
			if got := r.cdoc.num(t, "end.streams.0.sender."+key); got < 40_000 || got > 400_000 {
				t.Errorf("%s is %v us over a path with 40 ms", key, got)
			}
		}
	})
}

// TestKernelLoss drops every tenth packet or so of a UDP test, and doubles and
// reorders some. A stock server's control connection suffers as well, but TCP
// repairs that.
func TestKernelLoss(t *testing.T) {
	wantUML(t)
	discipline(t, "netem delay 2ms loss 10% duplicate 2% reorder 90% limit 100000")
	m := mode{udp: true, client: []string{"-u", "-b", "4M", "-l", "1000"}, host: "127.0.0.1"}
	ours := linkperf(t)
	t.Run("linkperf->linkperf", func(t *testing.T) {
		r := newPairing(t, m, ours, ours)
		// A lost hello makes the client start over, and uses up a server's only
		// test: that is another try, not a fault.
		for range 6 {
			s := startServer(t, ours, r.mode.server...)
			r.c = runWithin(t, runDeadline, ours, append([]string{"-c", m.host, "-p", s.portArg(), "-J"}, r.mode.client...)...)
			r.s = s.within(t, 15*time.Second)
			if r.c.code == 0 {
				break
			}
		}
		r.cdoc, r.sdoc = mustDocument(t, ours, r.c.stdout), mustDocument(t, ours, r.s.stdout)
		r.verify(t)
		// netem drops what one call sent as one packet, and this kernel's coarse
		// clock makes calls send several: the share varies more than chance.
		got := r.cdoc.num(t, "end.sum_received.lost_percent")
		if got < 1 || got > 40 {
			t.Errorf("lost %v %%, dropped were about 10 %%", got)
		}
		if there := r.sdoc.num(t, "end.sum_received.lost_percent"); there != got {
			t.Errorf("the server lost %v %%, the client says %v %%", there, got)
		}
		if got := r.sdoc.num(t, "end.streams.0.udp.out_of_order"); got == 0 {
			t.Error("no datagram out of order")
		}
	})
}

// TestKernelPacing asks the kernel, not the program, to keep a rate.
func TestKernelPacing(t *testing.T) {
	wantUML(t)
	discipline(t, "fq")
	m := mode{client: []string{"--fq-rate", "50M"}}
	eachPairing(t, m, func(t *testing.T, r *pairing) {
		// The socket buffer takes what was not sent yet: the receiver tells. A busy
		// machine may be slower, but nothing makes it faster.
		if got := r.cdoc.num(t, "end.sum_received.bits_per_second"); got < 5e6 || got > 55e6 {
			t.Errorf("received at %v bit/s, the kernel was to send at no more than 50e6", got)
		}
	})
}
