package session

import (
	"encoding/json"
	"fmt"

	"linkperf/protocol"
	"linkperf/protocol/measure"
)

// The bounds of the key "linkperf", in bytes.
const (
	maxExtra  = 128 << 10 // accepted from a peer
	maxRecord = 64 << 10  // sent as an observer's record
)

// extra is what linkperf adds to the results under its own key. Other peers
// ignore it.
type extra struct {
	Version string          `json:"version,omitempty"`
	Record  json.RawMessage `json:"record,omitempty"`
	// CPUShared says that the CPU figures are not those of this test, because
	// the process ran others beside it.
	CPUShared bool          `json:"cpu_shared,omitempty"`
	Streams   []extraStream `json:"streams,omitempty"`
	// Omitted tells of streams of bytes what of them was before the measured part,
	// by this side's clock.
	Omitted []extraOmitted `json:"omitted,omitempty"`
}

type extraOmitted struct {
	ID    int   `json:"id"`
	Bytes int64 `json:"bytes"`
}

// extraStream is what iperf3's results do not say about a receiver of datagrams.
type extraStream struct {
	ID         int   `json:"id"`
	OutOfOrder int64 `json:"out_of_order"`
	Duplicates int64 `json:"duplicates"`
	Dropped    int64 `json:"dropped"`
	// DroppedAtLeast says that Dropped is a lower bound.
	DroppedAtLeast bool `json:"dropped_at_least,omitempty"`
}

// Marker returns the value of the parameters' key "linkperf", by which a
// linkperf server recognises a linkperf client.
func Marker(version string) json.RawMessage {
	b, err := json.Marshal(extra{Version: version})
	if err != nil {
		return nil
	}
	return b
}

// readExtra returns the key "linkperf" of a peer's results, nil if there is
// none that can be used.
func readExtra(peer *protocol.Results) (e *extra, warning string) {
	if peer == nil || len(peer.Linkperf) == 0 {
		return nil, ""
	}
	e = &extra{}
	if len(peer.Linkperf) > maxExtra {
		return e, fmt.Sprintf("the peer's record of %d bytes is too long and was left out", len(peer.Linkperf))
	}
	if err := json.Unmarshal(peer.Linkperf, e); err != nil {
		return &extra{}, "the peer's record cannot be read and was left out"
	}
	return e, ""
}

// datagrams adds what the peer counted on a stream beside iperf3's figures.
func (e *extra) datagrams(id int, u *measure.UDPStats) {
	if e == nil {
		return
	}
	for _, s := range e.Streams {
		if s.ID == id {
			u.OutOfOrder, u.Duplicates, u.Dropped = max(s.OutOfOrder, 0), max(s.Duplicates, 0), max(s.Dropped, -1)
			u.DroppedAtLeast = s.DroppedAtLeast
		}
	}
}

// omitted returns how many bytes of a stream the peer's omit period had.
func (e *extra) omitted(id int) (bytes int64, told bool) {
	if e == nil {
		return 0, false
	}
	for _, o := range e.Omitted {
		if o.ID == id {
			return max(o.Bytes, 0), true
		}
	}
	return 0, false
}

// Results returns what this side tells the peer, after it has taken the last
// samples. A server, which knows the client's results by then, passes them; a
// client passes nil. record is the observer's, version linkperf's own.
func (g *Group) Results(peer *protocol.Results, version string, record json.RawMessage) (r *protocol.Results, warning string) {
	g.stopReceivers()
	r = &protocol.Results{SenderHasRetransmits: -1, CongestionUsed: g.Congestion()}
	if c := g.cpu.used; c != nil {
		r.CPUTotal, r.CPUUser, r.CPUSystem = c.Total, c.User, c.System
	}
	e := extra{Version: version, Record: record, CPUShared: g.cpu.used == nil}
	if len(record) > maxRecord {
		e.Record = nil
		warning = fmt.Sprintf("the record of this side has %d bytes, which is too much to send", len(record))
	}
	there, _ := readExtra(peer)
	for _, m := range g.members {
		a := g.account(m, peer, there)
		r.Streams = append(r.Streams, g.streamResults(m, &a))
		if g.omit > 0 && !g.udp() {
			e.Omitted = append(e.Omitted, extraOmitted{m.info.ID, m.mark.Bytes})
		}
		if m.info.Sender {
			r.SenderHasRetransmits = max(r.SenderHasRetransmits, 0)
			if a.sent.Retransmits >= 0 {
				r.SenderHasRetransmits = 1
			}
		} else if u := a.received.UDP; u != nil {
			e.Streams = append(e.Streams, extraStream{m.info.ID, u.OutOfOrder, u.Duplicates, u.Dropped, u.DroppedAtLeast})
		}
	}
	if b, err := json.Marshal(e); err == nil {
		r.Linkperf = b
	}
	return r, warning
}

// streamResults returns this side's half of a stream in iperf3's form: counts
// of datagrams include the omit period, which is told beside them.
func (g *Group) streamResults(m *member, a *account) protocol.StreamResults {
	r := protocol.StreamResults{ID: m.info.ID, Retransmits: -1, HasOmitted: true, HasTimes: true}
	if m.info.Sender {
		r.Bytes, r.EndTime, r.Retransmits = a.sent.Bytes, a.sent.Duration.Seconds(), a.sent.Retransmits
		if g.udp() {
			r.Packets, r.OmittedPackets = m.final.Packets, m.mark.Packets
		}
		return r
	}
	r.Bytes, r.EndTime = a.received.Bytes, a.received.Duration.Seconds()
	if u := a.received.UDP; u != nil {
		r.Jitter = u.Jitter
		r.Packets, r.OmittedPackets = m.final.Highest+a.tail, m.mark.Highest+a.earlyPackets
		r.Errors, r.OmittedErrors = max(m.mark.Lost, 0)+u.Lost, max(m.mark.Lost, 0)
		// iperf3 wants no negative counts; datagrams of the omit period that
		// came late make up for losses counted within it.
		r.Errors = max(r.Errors, r.OmittedErrors)
	}
	return r
}

func findStream(r *protocol.Results, id int) *protocol.StreamResults {
	if r == nil {
		return nil
	}
	for i := range r.Streams {
		if r.Streams[i].ID == id {
			return &r.Streams[i]
		}
	}
	return nil
}
