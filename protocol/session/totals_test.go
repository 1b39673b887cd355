package session

import (
	"math"
	"strings"
	"testing"
	"time"

	"linkperf/protocol"
	"linkperf/protocol/measure"
	"linkperf/protocol/stream"
)

func TestLateDatagramsOfTheOmitPeriod(t *testing.T) {
	a := account{
		sent:     &measure.Totals{Bytes: 1000, UDP: &measure.UDPStats{Packets: 10}},
		received: &measure.Totals{Bytes: 1300, UDP: &measure.UDPStats{Packets: 12, Lost: -3}},
	}
	a.forgive()
	a.cut(math.MaxInt64, math.MaxInt64)
	if u := a.received.UDP; a.received.Bytes != 1000 || u.Packets != 10 || u.Lost != 0 {
		t.Errorf("received %d bytes, %+v", a.received.Bytes, u)
	}
	if a.earlyBytes != 300 || a.earlyPackets != 2 || a.late != 3 {
		t.Errorf("what the last interval has to show: %+v", a)
	}
	a.forgive()
	if a.late != 3 {
		t.Errorf("forgiven twice: %d", a.late)
	}
}

// lastInterval is a sink that keeps an interval.
type lastInterval struct{ interval *measure.Interval }

func (l *lastInterval) Connect(*measure.Start) error     { return nil }
func (l *lastInterval) Start(*measure.Start) error       { return nil }
func (l *lastInterval) End(*measure.Result, error) error { return nil }
func (l *lastInterval) Interval(iv *measure.Interval) error {
	l.interval = iv
	return nil
}

// TestLastIntervalAfterOmit ends a test with an interval in which less has come
// than what belonged to the omit period. Intervals are never negative and add up.
func TestLastIntervalAfterOmit(t *testing.T) {
	const length = 100
	type counts struct{ bytes, packets, lost int64 }
	// A receiver that was at the first counts when the omit period ended and
	// at the second ones when its last interval but one did.
	sample := func(c counts) stream.Sample {
		return stream.Sample{Bytes: c.bytes, Highest: c.packets, Lost: c.lost, Dropped: -1, Last: 2 * time.Second}
	}
	for _, c := range []struct {
		name              string
		mark, prev, final counts
		sent              int64 // in the measured part, in blocks
		want              counts
		last              counts
	}{
		{"enough has come", counts{500, 5, 0}, counts{1500, 15, 0}, counts{2500, 25, 0}, 16,
			counts{1600, 16, 0}, counts{600, 6, 0}},
		{"too little has come", counts{500, 5, 0}, counts{1500, 15, 0}, counts{1700, 17, 0}, 7,
			counts{1000, 10, 0}, counts{0, 0, 0}},
		{"nothing has come", counts{500, 5, 0}, counts{1500, 15, 0}, counts{1500, 15, 0}, 7,
			counts{1000, 10, 0}, counts{0, 0, 0}},
		{"some was lost", counts{500, 5, 0}, counts{1500, 15, 0}, counts{1700, 20, 3}, 7,
			counts{1000, 10, 0}, counts{0, 0, 0}},
	} {
		for _, transport := range []protocol.Transport{protocol.TCP, protocol.UDP} {
			t.Run(c.name+" "+string(transport), func(t *testing.T) {
				last := &lastInterval{}
				base := time.Now()
				g := &Group{
					cfg: Config{
						Side: measure.Server, Sink: last,
						Params: &protocol.Params{Transport: transport, Length: length},
					},
					omit: time.Second, base: base, start: base.Add(time.Second),
					last: base.Add(1500 * time.Millisecond), end: base.Add(2 * time.Second),
				}
				m := &member{
					info: &measure.StreamInfo{ID: 1},
					mark: sample(c.mark), prev: sample(c.prev), final: sample(c.final),
				}
				g.members = []*member{m}
				peer := &protocol.Results{Streams: []protocol.StreamResults{{
					ID: 1, Bytes: c.sent * length, HasOmitted: true,
					Packets: c.final.packets, OmittedPackets: c.final.packets - c.sent,
				}}}
				accounts := g.accounts(peer, nil)
				g.reportLast(accounts)
				got, row := accounts[0].received, last.interval.Streams[0]
				if got.Bytes != c.want.bytes || row.Bytes != c.last.bytes || c.prev.bytes-c.mark.bytes+row.Bytes != got.Bytes {
					t.Errorf("%d bytes, %d of them at last, want %d and %d", got.Bytes, row.Bytes, c.want.bytes, c.last.bytes)
				}
				if transport != protocol.UDP {
					return
				}
				u := got.UDP
				if u.Packets != c.want.packets || u.Lost != c.want.lost || row.UDP.Packets != c.last.packets || row.UDP.Lost != c.last.lost {
					t.Errorf("%+v, at last %+v, want %+v and %+v", u, row.UDP, c.want, c.last)
				}
				if c.prev.packets-c.mark.packets+row.UDP.Packets != u.Packets {
					t.Errorf("the datagrams of the intervals are not %d", u.Packets)
				}
			})
		}
	}
}

// TestPeerSent checks how many datagrams a peer is taken to have sent.
func TestPeerSent(t *testing.T) {
	const length = 100
	for _, c := range []struct {
		name string
		omit time.Duration
		peer protocol.StreamResults
		want int64
	}{
		{"all of them count", 0, protocol.StreamResults{Bytes: 1000, Packets: 10}, 10},
		{"the peer tells what it omitted", time.Second, protocol.StreamResults{Bytes: 1000, Packets: 15, OmittedPackets: 5, HasOmitted: true}, 10},
		{"the peer does not tell", time.Second, protocol.StreamResults{Bytes: 1000, Packets: 15}, 10},
		{"only bytes", 0, protocol.StreamResults{Bytes: 1000}, 10},
		{"omitted more than was sent", time.Second, protocol.StreamResults{Bytes: 0, Packets: 3, OmittedPackets: 5, HasOmitted: true}, 0},
	} {
		g := Group{cfg: Config{Params: &protocol.Params{Transport: protocol.UDP, Length: length}}, omit: c.omit}
		if got := g.peerSent(&measure.Totals{}, &c.peer).UDP.Packets; got != c.want {
			t.Errorf("%s: %d datagrams, want %d", c.name, got, c.want)
		}
	}
}

// TestDoubts checks what of a peer's results is told to be impossible: no more
// can arrive than was sent.
func TestDoubts(t *testing.T) {
	const moved, block = 1000, 100
	for _, c := range []struct {
		name      string
		transport protocol.Transport
		sender    bool // this side is
		omit      time.Duration
		peer      []protocol.StreamResults
		want      string
	}{
		{"all arrived", protocol.TCP, true, 0, []protocol.StreamResults{{ID: 1, Bytes: moved}}, ""},
		{"a part is under way", protocol.TCP, true, 0, []protocol.StreamResults{{ID: 1, Bytes: 10}}, ""},
		{"more than all arrived", protocol.TCP, true, 0, []protocol.StreamResults{{ID: 1, Bytes: moved + 1}}, "received 1001 bytes on stream 1, of which only 1000 were sent"},
		{"more was sent", protocol.TCP, false, 0, []protocol.StreamResults{{ID: 1, Bytes: moved + 1}}, ""},
		{"less was sent", protocol.TCP, false, 0, []protocol.StreamResults{{ID: 1, Bytes: moved - block - 1}}, "sent 899 bytes on stream 1, on which 1000 arrived"},
		{"all but the last block", protocol.TCP, false, 0, []protocol.StreamResults{{ID: 1, Bytes: moved - block}}, ""},
		{"less was sent after the omit period", protocol.TCP, false, time.Second, []protocol.StreamResults{{ID: 1, Bytes: 1}}, ""},
		{"datagrams that were repeated", protocol.UDP, true, 0, []protocol.StreamResults{{ID: 1, Bytes: 2 * moved, Packets: 10}}, ""},
		{"datagrams that were not sent", protocol.UDP, true, 0, []protocol.StreamResults{{ID: 1, Bytes: moved, Packets: 11}}, "received 11 datagrams on stream 1, of which only 10"},
		{"less than nothing", protocol.UDP, false, 0, []protocol.StreamResults{{ID: 1, Bytes: -1, Packets: 10}}, "stream 1 has -1 bytes and 10 datagrams"},
		{"another stream", protocol.TCP, true, 0, []protocol.StreamResults{{ID: 3, Bytes: 10}}, "nothing about stream 1"},
	} {
		m := &member{info: &measure.StreamInfo{ID: 1, Sender: c.sender}, final: stream.Sample{Bytes: moved, Packets: 10, Highest: 10}}
		g := Group{cfg: Config{Params: &protocol.Params{Transport: c.transport, Length: block}}, omit: c.omit, members: []*member{m}}
		got := strings.Join(g.doubts(&protocol.Results{Streams: c.peer}), "\n")
		if (got == "") != (c.want == "") || !strings.Contains(got, c.want) || strings.Contains(got, "\n") {
			t.Errorf("%s: %q, want %q", c.name, got, c.want)
		}
		if got := g.doubts(nil); got != nil {
			t.Errorf("%s: %q without results", c.name, got)
		}
	}
}
