package test

import (
	"fmt"
	"math"
	"slices"
	"strings"
	"testing"
	"time"
)

// Row 7: a test of an amount ends at the amount. Row 8: what was sent is
// counted to the last byte where it arrives.
var _ = promise(
	truth{row: 7, name: "amount", run: testAmount},
	truth{row: 7, name: "elapsed", run: testElapsed},
	truth{row: 8, name: "file", run: testFileToTheLastByte},
)

// amountTest is a test of an amount, with what each direction has to move.
type amountTest struct {
	short bool
	args  string
	bytes float64
}

var amountTests = []amountTest{
	{true, "-n 5M", 5 << 20},
	{false, "-n 3000001 -l 10000", 3_010_000},
	{false, "-k 50 -l 8K", 50 * 8 << 10},
	{true, "-n 5M -P 4 -l 100000", 5_300_000},
	{false, "-k 51 -P 4 -l 100000", 5_100_000},
	{false, "-n 5M -i 0", 5 << 20},
	{true, "-n 400K -b 8M -l 8K", 400 << 10},
	{false, "-n 400K -b 8M -i 0", 512 << 10},
	{true, "-n 5M -R -l 100000", 5_300_000},
	{false, "-k 50 -R -P 4 -l 100000", 5_000_000},
	{false, "-n 400K -b 8M -R -l 8K", 400 << 10},
	{false, "-n 5M --bidir -b 80M -l 100000", 5_300_000},
	{true, "-u -n 5M -b 1G -l 1400", 3745 * 1400},
	{false, "-u -n 500K -b 20M -l 1000 -i 0", 512_000},
	{true, "-u -n 500K -b 20M -l 1000 -R", 512_000},
	{false, "-u -k 500 -b 20M -l 1000 -P 2", 500_000},
	{false, "-u -k 500 -b 20M -l 1000 -R", 500_000},
	{false, "-u -k 500 -b 10M -l 1000 --bidir", 500_000},
	{false, "-n 1M -O 1 -l 64K -b 40M", 1 << 20},
}

// testAmount asks every sender for exactly the amount, rounded up to a block.
// A receiving client may end a stock server's sending a little later, and a
// stock client its own.
func testAmount(t *testing.T) {
	for _, c := range amountTests {
		if !c.short && !everything() {
			continue
		}
		t.Run(c.args, func(t *testing.T) {
			eachPair(t, eitherSide, func(t *testing.T, client, server peer) {
				if reason := neverEnds(client, c.args); reason != "" && !stockOnTrial() {
					t.Skip(reason)
				}
				r := &trial{client: client, server: server, clientArgs: strings.Fields(c.args)}
				r.succeed(t)
				dir := directionOf(r.clientArgs)
				for _, v := range r.judgedViews() {
					for _, f := range v.flows(r.clientArgs) {
						sent, received := v.doc.num(t, f.sent+".bytes"), v.doc.num(t, f.received+".bytes")
						sender := client
						if f.sends != v.client {
							sender = server
						}
						if !judged(sender) {
							continue
						}
						switch {
						case dir == both:
							// One direction reaches the amount first and ends the test.
							if sent > c.bytes {
								t.Errorf("%v, %s: sent %.0f bytes, want %.0f at most", v, f.name, sent, c.bytes)
							}
						case !judged(client):
							// The other end decides when to stop, late or early. It would wait
							// for a lost datagram for ever, so that a server goes on sending.
							if sent > c.bytes && dir == reverse && !strings.HasPrefix(c.args, "-u") {
								t.Errorf("%v, %s: sent %.0f bytes, want %.0f at most", v, f.name, sent, c.bytes)
							}
						case sent != c.bytes:
							t.Errorf("%v, %s: sent %.0f bytes, want %.0f", v, f.name, sent, c.bytes)
						}
						if received > sent {
							t.Errorf("%v, %s: received %.0f of %.0f bytes", v, f.name, received, sent)
						}
						if v.doc.has(f.sent+".packets") && !slices.Contains(r.clientArgs, "-O") {
							length := v.doc.num(t, "start.test_start.blksize")
							if packets := v.doc.num(t, f.sent+".packets"); packets*length != sent {
								t.Errorf("%v, %s: %.0f datagrams of %.0f bytes are not %.0f bytes", v, f.name, packets, length, sent)
							}
						}
					}
				}
				if dir != both || !judged(client) {
					return
				}
				// One direction has reached it.
				most := 0.0
				for _, f := range flows(mode{dir: both}, true) {
					most = max(most, r.cdoc.num(t, f.own()+".bytes"))
				}
				if most < float64(amountIn(c.args)) {
					t.Errorf("the test ended with %.0f bytes, want %.0f", most, c.bytes)
				}
			})
		})
	}
}

// neverEnds tells why a test of this client has no end whatever the server
// does, "" for one that can end.
func neverEnds(client peer, args string) (reason string) {
	if client.ours || client.release.before(release{3, 16}) || directionOf(strings.Fields(args)) == reverse || !strings.Contains(args, "-i 0") {
		return ""
	}
	return "a stock " + client.release.String() + " client looks at the amount once an interval only: with -i 0 it sends for ever, to its own server too"
}

// amountIn returns the bytes that options ask for, before they are rounded up.
func amountIn(args string) (bytes int) {
	var n, length int
	f := strings.Fields(args)
	for i, word := range f {
		number := func() (v int) {
			unit := ""
			fmt.Sscanf(f[i+1], "%d%s", &v, &unit)
			switch unit {
			case "K":
				v <<= 10
			case "M":
				v <<= 20
			}
			return v
		}
		switch word {
		case "-n":
			return number()
		case "-k":
			n = number()
		case "-l":
			length = number()
		}
	}
	return n * length
}

// testElapsed gives an amount that takes half a second an interval of ten:
// neither the process nor the time that it reports may wait for it.
func testElapsed(t *testing.T) {
	const most = 9 // seconds, for a busy machine
	for _, c := range []struct {
		short bool
		args  string
		bits  float64 // before the last block, after which the test is over
	}{
		{true, "-n 500000 -b 8M -l 1000 -i 10", 499_000 * 8},
		{false, "-n 500000 -b 8M -l 1000 -i 10 -R", 499_000 * 8},
		{false, "-u -n 500000 -b 8M -l 1000 -i 10", 499_000 * 8},
		{true, "-u -n 500000 -b 8M -l 1000 -i 10 -R", 499_000 * 8},
		{false, "-k 50 -l 10000 -b 8M -i 0", 490_000 * 8},
	} {
		if !c.short && !everything() {
			continue
		}
		t.Run(c.args, func(t *testing.T) {
			eachQuietPair(t, theClient, func(t *testing.T, client, server peer) {
				r := &trial{client: client, server: server, clientArgs: strings.Fields(c.args), serverArgs: []string{"-i", "10"}}
				r.succeed(t)
				if r.c.took > most*time.Second {
					t.Errorf("took %v", r.c.took)
				}
				least := c.bits / 8e6
				for _, v := range r.judgedViews() {
					for _, f := range v.flows(r.clientArgs) {
						if !f.sends {
							continue // a receiver's time begins with the test, a sender's rate is known
						}
						if seconds := v.doc.num(t, f.sent+".seconds"); seconds < 0.99*least || seconds > most {
							t.Errorf("%v, %s: %v s, want %v or a little more", v, f.name, seconds, least)
						}
					}
				}
				f := flows(mode{dir: directionOf(r.clientArgs)}, true)[0]
				last := r.cdoc.objects("intervals")
				end := last[len(last)-1].num(t, f.interval+".end")
				if own := r.cdoc.num(t, f.own()+".seconds"); own > end+1e-3 || f.sends && math.Abs(own-end) > 1e-3 {
					t.Errorf("the intervals end at %v, the test at %v", end, own)
				}
			})
		})
	}
}

// testFileToTheLastByte sends a file that ends within a block.
func testFileToTheLastByte(t *testing.T) {
	eachPair(t, eitherSide, func(t *testing.T, client, server peer) {
		for _, extra := range [][]string{nil, {"-l", "7777"}} {
			p := newPairing(t, mode{client: extra, prepare: receiveFile, amount: &amount{bytes: fileSize}}, client, server)
			p.run(t)
			if judged(server) {
				fileArrived(t, p)
			}
			for _, v := range []view{{client, true, p.cdoc}, {server, false, p.sdoc}} {
				f := v.flows(nil)[0]
				// What the other end counted is its own affair.
				own := f.own()
				if !judged(v.peer) {
					continue
				}
				if got := v.doc.num(t, own+".bytes"); got != fileSize {
					t.Errorf("%v: %s.bytes is %.0f, the file has %d", v, own, got, fileSize)
				}
				if received := v.doc.num(t, f.received+".bytes"); judged(server) && received != fileSize {
					t.Errorf("%v: received %.0f bytes, the file has %d", v, received, fileSize)
				}
			}
		}
	})
}
