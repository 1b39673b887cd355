package test

import (
	"os"
	"slices"
	"strconv"
	"strings"
	"testing"
	"time"
)

// mode is one way to run a test: its options, and what must come of it.
type mode struct {
	name    string
	client  []string // options of the client, besides -c, -p, -J and the ones below
	server  []string // options of the server, besides -s, -p, -1 and -J
	short   bool     // belongs to the short subset
	since   release  // the stock release that brought the options
	udp     bool
	dir     direction
	streams int     // in each direction; 0 means 1
	omit    int     // -O, in seconds
	rate    float64 // bits per second of each stream that must be kept, 0 for none
	// amount is what the test ends after, with the options for it in client;
	// nil for a timed test.
	amount  *amount
	host    string // 127.0.0.1 if empty
	text    bool   // the server prints text
	prepare func(t *testing.T, r *pairing)
	check   func(t *testing.T, r *pairing)

	// Set for each run:
	seconds                  float64 // time of a timed test
	busy                     bool    // the machine was busy with other things
	stockClient, stockServer bool
	// A release before 3.14 does not tell what was lost in the omit period, so
	// that linkperf at the other end cannot say what was lost after it.
	lossUnknown bool
}

// amount is the end of a test by volume.
type amount struct {
	bytes  float64
	blocks float64
}

func (m mode) allStreams() int {
	if m.dir == both {
		return 2 * m.streams
	}
	return m.streams
}

// pairing is one run of a mode: who was what, and what they left.
type pairing struct {
	mode           mode
	client, server peer
	dir            string // for files of this run
	c, s           outcome
	cdoc, sdoc     document
}

// modes is the table of everything that two peers must be able to do.
var modes = []mode{
	{name: "tcp", short: true},
	{name: "tcp-R", short: true, client: []string{"-R"}, dir: reverse},
	{name: "tcp-bidir", short: true, client: []string{"--bidir"}, dir: both},
	{name: "tcp-P4", short: true, client: []string{"-P", "4"}, streams: 4},
	{name: "tcp-P4-R", client: []string{"-P", "4", "-R"}, streams: 4, dir: reverse},
	{name: "tcp-P2-bidir", client: []string{"-P", "2", "--bidir"}, streams: 2, dir: both},
	{name: "tcp-P16", client: []string{"-P", "16"}, streams: 16},
	{name: "tcp-Z", short: true, client: []string{"-Z"}},
	{name: "tcp-Z-R", client: []string{"-Z", "-R"}, dir: reverse},
	{name: "tcp-l", client: []string{"-l", "16K"}, check: blockSize(16 << 10)},
	{name: "tcp-w", client: []string{"-w", "256K"}, check: window(256 << 10)},
	{name: "tcp-M", client: []string{"-M", "1400"}, check: number("start.tcp_mss", 1400)},
	{name: "tcp-N", client: []string{"-N"}},
	{name: "tcp-C", client: []string{"-C", "cubic"}, check: congestion("cubic")},
	{name: "tcp-S", client: []string{"-S", "0x10"}, check: number("start.test_start.tos", 16)},
	{name: "tcp-b", short: true, client: []string{"-b", "100M"}, rate: 100e6},
	{name: "tcp-b-R", client: []string{"-b", "100M", "-R"}, rate: 100e6, dir: reverse},
	{name: "tcp-b-P2-bidir", client: []string{"-b", "50M", "-P", "2", "--bidir", "-l", "16K"}, rate: 50e6, streams: 2, dir: both},
	{name: "tcp-b-burst", client: []string{"-b", "100M/4", "-l", "16K"}, rate: 100e6},
	{name: "tcp-n", short: true, client: []string{"-n", "50M"}, amount: &amount{bytes: 50 << 20}},
	{name: "tcp-n-R", client: []string{"-n", "50M", "-R"}, amount: &amount{bytes: 50 << 20}, dir: reverse},
	{name: "tcp-n-P4", client: []string{"-n", "50M", "-P", "4"}, amount: &amount{bytes: 50 << 20}, streams: 4},
	{name: "tcp-k", client: []string{"-k", "500"}, amount: &amount{blocks: 500}},
	{name: "tcp-O", client: []string{"-O", "1"}, omit: 1},
	{name: "tcp-O-R", client: []string{"-O", "1", "-R"}, omit: 1, dir: reverse},
	{name: "tcp-i", client: []string{"-i", "0.2"}, server: []string{"-i", "0.2"}, check: intervalCount(0.2)},
	{name: "tcp-i0", client: []string{"-i", "0"}, server: []string{"-i", "0"}, check: oneInterval},
	{name: "tcp-ipv6", short: true, host: "::1"},
	{name: "tcp-B", client: []string{"-B", "127.0.0.2"}, check: localHost("127.0.0.2")},
	{name: "tcp-cport", check: localPort, prepare: freeClientPort},
	{name: "tcp-repeating-payload", client: []string{"--repeating-payload"}},
	{name: "tcp-skip-rx-copy", client: []string{"--skip-rx-copy"}, since: release{3, 19}},
	{name: "tcp-F", prepare: sendFile, amount: &amount{bytes: fileSize}, check: fileReported},
	{name: "tcp-F-received", prepare: receiveFile, amount: &amount{bytes: fileSize}, check: fileArrived},
	{name: "tcp-title-extra-data", client: []string{"-T", "a title", "--extra-data", "more"}, check: titled},
	{name: "tcp-get-server-output-text", client: []string{"--get-server-output"}, text: true, check: serverText},
	{name: "tcp-get-server-output-json", client: []string{"--get-server-output"}, check: serverDocument},
	{name: "tcp-auth", short: true, prepare: authenticate},
	{name: "tcp-limits", server: []string{"--server-bitrate-limit", "500M/1"}, client: []string{"-b", "100M"}, rate: 100e6},
	{name: "mptcp", client: []string{"-m"}, server: []string{"-m"}, since: release{3, 19}},
	{name: "udp", short: true, udp: true, client: []string{"-u", "-l", "1400", "-b", "20M"}, rate: 20e6},
	{name: "udp-default-rate", udp: true, client: []string{"-u", "-l", "1000"}, rate: 1 << 20},
	{name: "udp-R", short: true, udp: true, client: []string{"-u", "-l", "1400", "-b", "20M", "-R"}, rate: 20e6, dir: reverse},
	{name: "udp-bidir", short: true, udp: true, client: []string{"-u", "-l", "1400", "-b", "20M", "--bidir"}, rate: 20e6, dir: both},
	{name: "udp-P4", udp: true, client: []string{"-u", "-l", "1400", "-b", "10M", "-P", "4"}, rate: 10e6, streams: 4},
	{name: "udp-P4-R", udp: true, client: []string{"-u", "-l", "1400", "-b", "10M", "-P", "4", "-R"}, rate: 10e6, streams: 4, dir: reverse},
	{name: "udp-P16", udp: true, client: []string{"-u", "-l", "1400", "-b", "2M", "-P", "16"}, rate: 2e6, streams: 16},
	{name: "udp-burst", udp: true, client: []string{"-u", "-b", "20M/10", "-l", "1400"}, rate: 20e6},
	{name: "udp-fast", udp: true, client: []string{"-u", "-b", "0"}},
	{name: "udp-l", udp: true, client: []string{"-u", "-b", "20M", "-l", "1200"}, rate: 20e6, check: blockSize(1200)},
	{name: "udp-64bit", udp: true, client: []string{"-u", "-l", "1400", "-b", "20M", "--udp-counters-64bit"}, rate: 20e6},
	{name: "udp-64bit-R", udp: true, client: []string{"-u", "-l", "1400", "-b", "20M", "--udp-counters-64bit", "-R"}, rate: 20e6, dir: reverse},
	{name: "udp-dont-fragment", udp: true, client: []string{"-u", "-b", "20M", "--dont-fragment", "-l", "1400"}, rate: 20e6},
	{name: "udp-repeating-payload", udp: true, client: []string{"-u", "-l", "1400", "-b", "20M", "--repeating-payload"}, rate: 20e6},
	{name: "udp-n", udp: true, client: []string{"-u", "-l", "1400", "-b", "50M", "-n", "5M"}, amount: &amount{bytes: 5 << 20}},
	{name: "udp-k", udp: true, client: []string{"-u", "-b", "20M", "-k", "200", "-l", "1400"}, amount: &amount{blocks: 200}},
	{name: "udp-O", udp: true, client: []string{"-u", "-l", "1400", "-b", "20M", "-O", "1"}, rate: 20e6, omit: 1},
	{name: "udp-ipv6", udp: true, client: []string{"-u", "-l", "1400", "-b", "20M"}, rate: 20e6, host: "::1"},
	{name: "udp-cport", udp: true, client: []string{"-u", "-l", "1400", "-b", "20M"}, check: localPort, prepare: freeClientPort, rate: 20e6},
	{name: "udp-gsro", udp: true, client: []string{"-u", "-b", "100M", "--gsro", "-l", "1400"}, rate: 100e6, since: release{3, 21}},
	{name: "udp-get-server-output-json", udp: true, client: []string{"-u", "-l", "1400", "-b", "20M", "--get-server-output"}, rate: 20e6, check: serverDocument},
}

// TestInterop runs every mode with linkperf as client, as server and as both.
func TestInterop(t *testing.T) {
	ours, stocks := linkperf(t), stockPeers(t)
	reference := newestStock(t)
	for _, m := range modes {
		if !m.short && !everything() {
			continue
		}
		t.Run(m.name, func(t *testing.T) {
			var pairs [][2]peer
			for _, stock := range stocks {
				if !stock.release.before(m.since) {
					pairs = append(pairs, [2]peer{ours, stock}, [2]peer{stock, ours})
				}
			}
			pairs = append(pairs, [2]peer{ours, ours})
			var stockRun *pairing
			if !reference.release.before(m.since) {
				stockRun = newPairing(t, m, reference, reference)
				stockRun.run(t)
			}
			for _, p := range pairs {
				t.Run(p[0].name+"->"+p[1].name, func(t *testing.T) {
					r := perform(t, m, p[0], p[1])
					r.verify(t)
					if stockRun != nil {
						r.compareShapes(t, stockRun)
					}
				})
			}
		})
	}
}

// TestStockAgainstStock runs the table without linkperf, to see what the
// checks ask of programs that are known to be right in most of it.
func TestStockAgainstStock(t *testing.T) {
	want(t, "LINKPERF_TEST_STOCK", "to check the tests themselves")
	for _, stock := range stockPeers(t) {
		for _, m := range modes {
			if !stock.release.before(m.since) && (m.short || everything()) {
				t.Run(stock.name+"/"+m.name, func(t *testing.T) {
					perform(t, m, stock, stock).verify(t)
				})
			}
		}
	}
}

// busyMachine is the part of a run that this process may wait for a processor
// before durations and rates stop to say something about the peers.
const busyMachine = 0.02

// perform runs one mode between two peers. A run whose duration or rate is off
// is repeated. That of the last attempt counts, unless the machine was so busy
// meanwhile that time says nothing. Inside User Mode Linux, where a nap takes
// 10 ms more than it should and SCTP seconds to deliver the rest of a test,
// neither is looked at.
func perform(t *testing.T, m mode, client, server peer) *pairing {
	t.Helper()
	const attempts = 3
	for attempt := 1; ; attempt++ {
		r := newPairing(t, m, client, server)
		meter := startStallMeter()
		r.run(t)
		stalled := meter.share()
		r.mode.busy = stalled >= busyMachine
		faults := timingFaults(r.mode, true, r.cdoc)
		if r.sdoc != nil {
			faults = append(faults, timingFaults(r.mode, false, r.sdoc)...)
		}
		if len(faults) == 0 || os.Getenv(insideUML) != "" {
			return r
		}
		t.Logf("attempt %d, %s -> %s, machine stalled for %.0f %% of the time: %s",
			attempt, client.name, server.name, 100*stalled, strings.Join(faults, "; "))
		if attempt == attempts {
			if !r.mode.busy {
				t.Error("duration or rate off in all attempts, and the machine was not busy")
			}
			return r
		}
	}
}

// newPairing completes the options of a mode for two peers.
func newPairing(t *testing.T, m mode, client, server peer) *pairing {
	t.Helper()
	m.streams = max(m.streams, 1)
	m.stockClient, m.stockServer = !client.ours, !server.ours
	m.lossUnknown = m.omit > 0 && (client.release.before(release{3, 14}) || server.release.before(release{3, 14}))
	m.client, m.server = slices.Clone(m.client), slices.Clone(m.server)
	if m.amount == nil {
		m.seconds = 1
		if everything() {
			m.seconds = 2
		}
		m.client = append(m.client, "-t", strconv.FormatFloat(m.seconds, 'f', -1, 64))
	}
	if !slices.Contains(m.client, "-i") {
		m.client = append(m.client, "-i", "0.5")
		m.server = append(m.server, "-i", "0.5")
	}
	if m.host == "" {
		m.host = "127.0.0.1"
	}
	m.server = append(m.server, "-1")
	if !m.text {
		m.server = append(m.server, "-J")
	}
	r := &pairing{mode: m, client: client, server: server, dir: t.TempDir()}
	if m.prepare != nil {
		m.prepare(t, r)
	}
	return r
}

// run runs both sides to their end, asks for exit status 0 and reads the
// documents.
func (r *pairing) run(t *testing.T) {
	t.Helper()
	s := startServer(t, r.server, r.mode.server...)
	limit := runDeadline + time.Duration((r.mode.seconds+float64(r.mode.omit))*float64(time.Second))
	r.c = runWithin(t, limit, r.client, append([]string{"-c", r.mode.host, "-p", s.portArg(), "-J"}, r.mode.client...)...)
	r.s = s.within(t, 15*time.Second)
	for _, o := range []outcome{r.c, r.s} {
		if o.code != 0 {
			t.Errorf("exit status %d: %v", o.code, o)
		}
	}
	t.Cleanup(func() {
		if t.Failed() {
			t.Logf("client: %s\nserver: %s", r.c.command, r.s.command)
		}
	})
	r.cdoc = mustDocument(t, r.client, r.c.stdout)
	if !r.mode.text {
		r.sdoc = mustDocument(t, r.server, r.s.stdout)
	}
}

// verify holds a run against what its mode promises.
func (r *pairing) verify(t *testing.T) {
	t.Run("client", func(t *testing.T) { checkSide(t, r.mode, r.client, true, r.cdoc) })
	if r.sdoc != nil {
		t.Run("server", func(t *testing.T) { checkSide(t, r.mode, r.server, false, r.sdoc) })
	}
	if t.Failed() {
		return
	}
	if r.sdoc != nil {
		checkAgreement(t, r.mode, r.server, r.cdoc, r.sdoc)
	}
	r.checkAmount(t)
	if r.mode.check != nil {
		r.mode.check(t, r)
	}
}

// compareShapes holds the keys and types of linkperf's documents against those
// of a stock run of the same mode.
func (r *pairing) compareShapes(t *testing.T, stock *pairing) {
	t.Helper()
	sides := []struct {
		name        string
		p           peer
		ours, other document
	}{{"client", r.client, r.cdoc, stock.cdoc}, {"server", r.server, r.sdoc, stock.sdoc}}
	for _, side := range sides {
		if !side.p.ours || side.ours == nil || side.other == nil {
			continue
		}
		for _, fault := range shapeFaults(side.ours, side.other, side.name == "server", stock.client.release) {
			if r.mode.lossUnknown && strings.Contains(fault, "lost_p") && strings.Contains(fault, " is null, ") {
				continue
			}
			t.Errorf("%s document: %s", side.name, fault)
		}
	}
}

// checkAmount holds a test that ends by volume against its volume. linkperf
// as a sending client stops at the block that reaches it.
func (r *pairing) checkAmount(t *testing.T) {
	t.Helper()
	a := r.mode.amount
	if a == nil {
		return
	}
	block := r.cdoc.num(t, "start.test_start.blksize")
	least := max(a.bytes, a.blocks*block)
	own := flows(r.mode, true)[0].own() + ".bytes"
	got := r.cdoc.num(t, own)
	if got < least {
		t.Errorf("%s is %.0f, want at least %.0f", own, got, least)
	}
	if most := least + block*float64(r.mode.streams); r.client.ours && r.mode.dir == forward && got > most {
		t.Errorf("%s is %.0f, want at most %.0f", own, got, most)
	}
}
