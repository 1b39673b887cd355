package test

import (
	"fmt"
	"math"
	"runtime"
	"slices"
	"testing"
)

// direction is where the data of a test goes.
type direction int

const (
	forward direction = iota // client to server
	reverse                  // server to client
	both
)

// flow is one direction of a test as one side's document shows it: the names
// of the sums in each interval and at the end.
type flow struct {
	name      string
	sends     bool // does this side send
	fromStock bool // is the sender a stock peer
	interval  string
	sent      string
	received  string
}

// flows lists the directions that a document of this mode shows.
func flows(m mode, client bool) []flow {
	up := flow{"client to server", client, m.stockClient, "sum", "end.sum_sent", "end.sum_received"}
	down := flow{"server to client", !client, m.stockServer, "sum", "end.sum_sent", "end.sum_received"}
	switch m.dir {
	case reverse:
		return []flow{down}
	case both:
		down.interval, down.sent, down.received = "sum_bidir_reverse", "end.sum_sent_bidir_reverse", "end.sum_received_bidir_reverse"
		return []flow{up, down}
	}
	return []flow{up}
}

// inFlight is what may be on its way at the moment when the omit period ends:
// sent in it, received after it. Both ends' socket buffers hold that much at
// most.
const inFlight = 64 << 20

// checkSide holds one side's document against the mode and against itself.
// Of stock peers only what they get right is asked.
func checkSide(t *testing.T, m mode, p peer, client bool, doc document) {
	t.Helper()
	if doc.has("error") {
		t.Errorf("error: %v", doc.get("error"))
		return
	}
	for _, key := range []string{"start", "intervals", "end"} {
		if !doc.has(key) {
			t.Errorf("no %q in the document", key)
			return
		}
	}
	checkStreams(t, m, doc)
	for _, f := range flows(m, client) {
		t.Run(f.name, func(t *testing.T) {
			checkTiling(t, m, p, f, doc)
			checkTotals(t, m, p, f, doc)
		})
	}
	for _, key := range []string{"host_total", "host_user", "host_system"} {
		v := doc.num(t, "end.cpu_utilization_percent."+key)
		if limit := 100*float64(runtime.NumCPU()) + 50; v < 0 || v > limit {
			t.Errorf("cpu_utilization_percent.%s is %v, not within 0 and %v", key, v, limit)
		}
	}
}

// checkStreams counts the streams and holds the sums of each interval against
// them.
func checkStreams(t *testing.T, m mode, doc document) {
	t.Helper()
	n := m.allStreams()
	connected := doc.objects("start.connected")
	if len(connected) != n {
		t.Errorf("start.connected has %d streams, want %d", len(connected), n)
	}
	var sockets []float64
	for _, c := range connected {
		sockets = append(sockets, c.num(t, "socket"))
	}
	slices.Sort(sockets)
	if len(slices.Compact(sockets)) != n {
		t.Errorf("start.connected has %d different sockets, want %d", len(sockets), n)
	}
	if got := len(doc.objects("end.streams")); got != n {
		t.Errorf("end.streams has %d streams, want %d", got, n)
	}
	for i, interval := range doc.objects("intervals") {
		streams := interval.objects("streams")
		if len(streams) != n {
			t.Errorf("interval %d has %d streams, want %d", i, len(streams), n)
		}
		sums := []string{"sum"}
		if m.dir == both {
			sums = append(sums, "sum_bidir_reverse")
		}
		for _, sum := range sums {
			sender := interval.get(sum + ".sender")
			total := 0.0
			for _, s := range streams {
				if s.get("sender") == sender {
					total += s.num(t, "bytes")
				}
			}
			if got := interval.num(t, sum+".bytes"); got != total {
				t.Errorf("interval %d: %s.bytes is %.0f, its streams have %.0f", i, sum, got, total)
			}
		}
	}
}

// checkTiling asks that the intervals of every stream follow each other
// without a gap or an overlap, from the beginning to the end of the test.
func checkTiling(t *testing.T, m mode, p peer, f flow, doc document) {
	t.Helper()
	gap := 2e-6 // two roundings to microseconds
	if !p.ours {
		gap = 50e-3 // stock reads the clock twice, on a busy machine at different times
	}
	if !p.ours && m.omit > 0 {
		return // stock's first interval after the omit period is a mixture
	}
	ends := make(map[float64]float64)
	for i, interval := range doc.objects("intervals") {
		for _, s := range append(interval.objects("streams"), interval.object(f.interval)) {
			if s.get("sender") != f.sends || s.get("omitted") == true {
				continue
			}
			id := -1.0 // the sum of all streams
			if s.has("socket") {
				id = s.num(t, "socket")
			}
			start, end, seconds := s.num(t, "start"), s.num(t, "end"), s.num(t, "seconds")
			if math.Abs(start-ends[id]) > gap {
				t.Errorf("interval %d, stream %v starts at %v, the one before ended at %v", i, id, start, ends[id])
			}
			if end <= start || math.Abs(end-start-seconds) > gap {
				t.Errorf("interval %d, stream %v: from %v to %v is not %v s", i, id, start, end, seconds)
			}
			if bps := s.num(t, "bits_per_second"); !near(bps, 8*s.num(t, "bytes")/seconds, 1e-3) {
				t.Errorf("interval %d, stream %v: %v bit/s do not match %v bytes in %v s", i, id, bps, s.num(t, "bytes"), seconds)
			}
			ends[id] = end
		}
	}
	if len(ends) != m.streams+1 {
		t.Errorf("%d streams and sums in the intervals, want %d", len(ends), m.streams+1)
	}
	whole := doc.num(t, f.own()+".seconds")
	for id, end := range ends {
		if m.amount != nil && !f.sends && end > whole {
			continue // the receiver's time ends with the last byte, the intervals with the test
		}
		if math.Abs(end-whole) > 0.1*whole+0.01 && !m.busy {
			t.Errorf("the intervals of stream %v end at %v, the test at %v", id, end, whole)
		}
	}
}

// own is the name of the sum that this side measured itself.
func (f flow) own() string {
	if f.sends {
		return f.sent
	}
	return f.received
}

// checkTotals holds the sums at the end against the intervals, each other and
// what the test was asked to do.
func checkTotals(t *testing.T, m mode, p peer, f flow, doc document) {
	t.Helper()
	measured := 0.0
	for _, interval := range doc.objects("intervals") {
		if interval.get(f.interval+".omitted") != true {
			measured += interval.num(t, f.interval+".bytes")
		}
	}
	own := doc.num(t, f.own()+".bytes")
	switch {
	case own <= 0:
		t.Errorf("%s.bytes is %v", f.own(), own)
	case p.ours && measured != own:
		t.Errorf("the intervals add up to %.0f bytes, %s.bytes is %.0f", measured, f.own(), own)
	case !near(measured, own, 0.1): // stock leaves out what came after the last interval
		t.Errorf("the intervals add up to %.0f bytes, %s.bytes is %.0f", measured, f.own(), own)
	}

	for _, sum := range []string{f.sent, f.received} {
		seconds, bytes := doc.num(t, sum+".seconds"), doc.num(t, sum+".bytes")
		if seconds <= 0 {
			t.Errorf("%s.seconds is %v", sum, seconds)
			continue
		}
		if bps := doc.num(t, sum+".bits_per_second"); bytes > 0 && !near(bps, 8*bytes/seconds, 0.02) {
			t.Errorf("%s: %v bit/s do not match %.0f bytes in %v s", sum, bps, bytes, seconds)
		}
	}

	sent, received := doc.num(t, f.sent+".bytes"), doc.num(t, f.received+".bytes")
	if sent == 0 && !p.ours {
		return // a stock server never knows the other half
	}
	slack := 0.0
	if m.omit > 0 {
		slack = inFlight
	}
	if !p.ours { // 3.21 counts a block after it has sent it, or not any more
		slack += float64(m.streams) * doc.num(t, "start.test_start.blksize")
	}
	if received > sent+slack {
		t.Errorf("received %.0f bytes of %.0f", received, sent)
	}
	if m.udp {
		checkDatagrams(t, m, f, doc)
	}
}

// checkDatagrams holds the counts of datagrams against each other.
func checkDatagrams(t *testing.T, m mode, f flow, doc document) {
	t.Helper()
	if m.lossUnknown && !doc.has(f.received+".lost_packets") {
		return
	}
	packets, lost := doc.num(t, f.received+".packets"), doc.num(t, f.received+".lost_packets")
	if lost < 0 || lost > packets {
		t.Errorf("lost %.0f of %.0f datagrams", lost, packets)
	}
	if percent := doc.num(t, f.received+".lost_percent"); percent < 0 || percent > 100 {
		t.Errorf("lost %v %%", percent)
	}
	if jitter := doc.num(t, f.received+".jitter_ms"); jitter < 0 || jitter > 1000 {
		t.Errorf("jitter of %v ms", jitter)
	}
	length := doc.num(t, "start.test_start.blksize")
	uncounted := 0.0
	if f.fromStock { // counts a datagram after it has sent it, or not any more
		uncounted = float64(m.streams)
	}
	sent, bytes := doc.num(t, f.sent+".packets"), doc.num(t, f.sent+".bytes")
	if math.Abs(sent*length-bytes) > uncounted*length {
		t.Errorf("%.0f datagrams of %.0f bytes are not the %.0f bytes sent", sent, length, bytes)
	}
}

// checkAgreement holds the two sides' documents against each other.
func checkAgreement(t *testing.T, m mode, server peer, c, s document) {
	t.Helper()
	if a, b := c.str("start.cookie"), s.str("start.cookie"); a != b || a == "" {
		t.Errorf("cookies differ: %q and %q", a, b)
	}
	local, remote := ports(t, c, "local_port"), ports(t, s, "remote_port")
	if !slices.Equal(local, remote) {
		t.Errorf("the client's ports are %v, the server sees %v", local, remote)
	}
	for _, key := range []string{
		"protocol", "num_streams", "blksize", "omit", "duration", "bytes", "blocks", "reverse", "tos",
		"target_bitrate", "bidir", "fqrate",
	} {
		path := "start.test_start." + key
		if a, b := c.get(path), s.get(path); a != b && c.has(path) && s.has(path) {
			t.Errorf("%s is %v for the client, %v for the server", path, a, b)
		}
	}
	for _, f := range flows(m, true) {
		compare := []string{f.received + ".bytes"}
		if f.sends && server.ours || !f.sends {
			compare = append(compare, f.sent+".bytes")
		}
		if !f.sends {
			// The server prints before it has what the client received.
			compare = compare[1:]
			if server.ours {
				compare = append(compare, f.received+".bytes")
			}
		}
		if m.udp && (f.sends || server.ours) {
			compare = append(compare, f.received+".lost_packets")
		}
		for _, path := range compare {
			slack := 0.0
			if !server.ours { // a stock sender may print a block less than it reports
				slack = float64(m.streams) * c.num(t, "start.test_start.blksize")
			}
			if m.omit > 0 { // linkperf does not show more as received than as sent
				slack = inFlight
			}
			if a, b := c.num(t, path), s.num(t, path); math.Abs(a-b) > slack {
				t.Errorf("%s is %.0f for the client, %.0f for the server", path, a, b)
			}
		}
	}
}

// ports lists one side's ports of all streams.
func ports(t *testing.T, doc document, key string) []string {
	t.Helper()
	var list []string
	for _, c := range doc.objects("start.connected") {
		list = append(list, fmt.Sprint(c.num(t, key)))
	}
	slices.Sort(list)
	return list
}

// timingFaults holds the duration of a test and the rate of a paced one
// against what was asked for. Both suffer when the machine is busy with other
// things, which says nothing about the peers.
func timingFaults(m mode, client bool, doc document) []string {
	var faults []string
	for _, f := range flows(m, client) {
		for _, sum := range []string{f.sent, f.received} {
			seconds, ok := doc.float(sum + ".seconds")
			if ok && m.seconds > 0 && !near(seconds, m.seconds, 0.1) {
				faults = append(faults, fmt.Sprintf("%s.seconds is %v, want %v within 10 %%", sum, seconds, m.seconds))
			}
		}
		want := m.rate * float64(m.streams)
		if bps, ok := doc.float(f.sent + ".bits_per_second"); ok && bps > 0 && want > 0 && !near(bps, want, 0.02) {
			faults = append(faults, fmt.Sprintf("%s: sent at %.0f bit/s, want %.0f within 2 %%", f.name, bps, want))
		}
	}
	return faults
}

// near tells whether got is within the given part of want.
func near(got, want, part float64) bool {
	return math.Abs(got-want) <= part*math.Abs(want)
}

// TestChecks shows that near refuses what it should: the other checks rest on
// it.
func TestChecks(t *testing.T) {
	for _, c := range []struct {
		got, want, part float64
		is              bool
	}{
		{1.1, 1, 0.1, false}, {1.05, 1, 0.1, true}, {0.95, 1, 0.1, true}, {0.89, 1, 0.1, false}, {0, 0, 0.1, true}, {1, 0, 0.1, false},
	} {
		if near(c.got, c.want, c.part) != c.is {
			t.Errorf("near(%v, %v, %v) is %v", c.got, c.want, c.part, !c.is)
		}
	}
}
