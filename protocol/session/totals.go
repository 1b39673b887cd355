package session

import (
	"math"
	"slices"
	"time"

	"linkperf/protocol"
	"linkperf/protocol/measure"
	"linkperf/protocol/sockopt"
)

// account is what is known of one stream when the test is over.
type account struct {
	sent, received *measure.Totals
	// What only the other side's figures revealed and the last interval has to
	// show as well: datagrams lost after the last one that arrived, and what
	// arrived but does not count, because to the sender it does not.
	tail, earlyBytes, earlyPackets int64
	// Datagrams of the omit period that came after it and are no loss of the
	// measured part.
	late int64
}

// own returns this side's totals of a stream.
func (g *Group) own(m *member) *measure.Totals {
	t := &measure.Totals{
		Bytes:       m.final.Bytes - m.mark.Bytes,
		Duration:    g.length(m),
		Retransmits: -1,
		Reorder:     -1,
	}
	if g.udp() {
		t.UDP = udpBetween(m.info, &m.mark, &m.final)
		t.UDP.DroppedAtLeast = m.coalesced
	}
	if i := m.final.TCP; i != nil {
		t.Retransmits, t.Reorder = i.Retransmits, i.Reorder
		if from := m.mark.TCP; from != nil {
			t.Retransmits -= from.Retransmits
			if t.Reorder >= 0 {
				t.Reorder -= max(from.Reorder, 0)
			}
		}
	}
	if m.tcp.samples > 0 {
		t.MaxSndCwnd, t.MaxSndWnd = m.tcp.maxSndCwnd, m.tcp.maxSndWnd
		t.MaxRTT, t.MinRTT, t.MeanRTT = m.tcp.maxRTT, m.tcp.minRTT, m.tcp.sumRTT/m.tcp.samples
	}
	return t
}

// length returns how long a stream was measured. A receiver's time ends with
// the last byte counted. In a test of fixed length it does not end before the
// test, though: a path that fails halfway must not look like a fast one.
func (g *Group) length(m *member) time.Duration {
	whole := g.end.Sub(g.start)
	if m.info.Sender || m.final.Bytes == m.mark.Bytes {
		return whole
	}
	last := g.base.Add(m.final.Last).Sub(g.start)
	if g.planned > 0 {
		return max(min(whole, g.planned), last) // the word of the end comes later than the end
	}
	return max(last, time.Nanosecond)
}

// account puts both sides' figures of a stream together. peer and there may be nil.
func (g *Group) account(m *member, peer *protocol.Results, there *extra) account {
	own := g.own(m)
	p := findStream(peer, m.info.ID)
	var a account
	switch {
	case m.info.Sender:
		a.sent = own
		if p != nil {
			a.received = g.peerReceived(m, own, p, there)
		}
	default:
		a.received = own
		if p != nil {
			a.sent = g.peerSent(own, p)
		}
	}
	if a.sent != nil && a.received != nil {
		g.reconcile(&a, m, p, there)
	}
	return a
}

// reconcile brings the two sides' figures of a stream together, which are about
// slightly different bytes and datagrams.
func (g *Group) reconcile(a *account, m *member, p *protocol.StreamResults, there *extra) {
	if g.udp() && !a.received.LossUnknown {
		g.addTail(a, m, p, there != nil)
	}
	a.forgive()
	if there != nil && g.align(a, m, p, there) {
		return
	}
	early := a.received.Bytes - a.sent.Bytes
	switch {
	case g.omit > 0 && !g.omitted:
		a.cut(g.removable(m, a))
	case early > 0 && early <= int64(g.cfg.Params.Length):
		// iperf3 does not count the block that it was sending at the end.
		a.cut(g.removable(m, a))
	}
	if g.omit > 0 {
		a.limitLost(g.cfg.Params.Length, g.removableLosses(m, a))
	}
}

// align counts as received what was sent in the sender's measured part, although
// the receiver's omit period ended at another byte or datagram. It reports
// whether the peer told enough. A client need not do it for what it sent: the
// server has.
func (g *Group) align(a *account, m *member, p *protocol.StreamResults, there *extra) bool {
	if g.omit == 0 {
		return false
	}
	if g.udp() {
		early := a.received.UDP.Packets - a.sent.UDP.Packets // all that were sent arrived or are lost
		if early >= 0 || a.received.LossUnknown {
			return false
		}
		a.received.UDP.Packets -= early
		a.earlyPackets = early
		a.earlyBytes = early * int64(g.cfg.Params.Length)
		a.received.Bytes -= a.earlyBytes
		return true
	}
	before, told := there.omitted(m.info.ID)
	switch {
	case !told:
		return false
	case !m.info.Sender: // the peer's measured part begins there
		a.earlyBytes = a.received.Bytes - max(m.final.Bytes-before, 0)
		most, _ := g.removable(m, a)
		a.earlyBytes = min(a.earlyBytes, most)
	case g.cfg.Side == measure.Server: // the peer's own ended there
		a.earlyBytes = a.received.Bytes - max(p.Bytes+before-m.mark.Bytes, 0)
	}
	a.received.Bytes -= a.earlyBytes
	return true
}

// removable returns what the last interval of a stream that this side receives
// can do without: the earlier ones have been reported, and none may show less
// than nothing. Where that is too little the receiver stays with more than the
// sender counts, as with iperf3.
func (g *Group) removable(m *member, a *account) (bytes, packets int64) {
	if m.info.Sender {
		return math.MaxInt64, math.MaxInt64
	}
	bytes = m.final.Bytes - m.prev.Bytes
	packets = m.final.Highest - m.prev.Highest + a.tail
	return bytes, max(packets, 0)
}

// removableLosses is the same for the datagrams that it shows as lost.
func (g *Group) removableLosses(m *member, a *account) int64 {
	if m.info.Sender {
		return math.MaxInt64
	}
	return max(m.final.Lost-m.prev.Lost+a.tail+a.late, 0)
}

// limitLost takes losses out of the measured part that must be those of the omit
// period, since less was sent after it than arrived and is missing; but no more
// than most.
func (a *account) limitLost(length int, most int64) {
	u := a.received.UDP
	if u == nil {
		return
	}
	arrived := min(a.received.Bytes/int64(max(length, 1)), u.Packets)
	if over := min(u.Lost-(u.Packets-arrived), most); over > 0 {
		u.Lost -= over
		a.late -= over
	}
}

// forgive takes out of the losses what was no loss: datagrams of the omit period
// that came after it undo losses which the measured part does not have.
func (a *account) forgive() {
	if u := a.received.UDP; u != nil && u.Lost < 0 {
		a.late, u.Lost = -u.Lost, 0
	}
}

// peerReceived returns what the peer received of a stream that this side sent.
func (g *Group) peerReceived(m *member, own *measure.Totals, p *protocol.StreamResults, there *extra) *measure.Totals {
	t := &measure.Totals{Bytes: max(p.Bytes, 0), Duration: peerLength(own, p), Retransmits: -1, Reorder: -1}
	if !g.udp() {
		return t
	}
	omitted := p.OmittedPackets
	if !p.HasOmitted {
		// Before 3.14 the peer does not tell; it will have omitted what we did.
		omitted = m.mark.Packets
		t.LossUnknown = g.omit > 0 && p.Errors > 0
	}
	t.UDP = &measure.UDPStats{
		Packets:    max(p.Packets-omitted, 0),
		Lost:       max(p.Errors-p.OmittedErrors, 0),
		OutOfOrder: -1, Duplicates: -1, Dropped: -1,
		Jitter: p.Jitter,
	}
	there.datagrams(m.info.ID, t.UDP)
	return t
}

// peerSent returns what the peer sent on a stream that this side received.
func (g *Group) peerSent(own *measure.Totals, p *protocol.StreamResults) *measure.Totals {
	t := &measure.Totals{Bytes: max(p.Bytes, 0), Duration: peerLength(own, p), Retransmits: max(p.Retransmits, -1), Reorder: -1}
	if g.udp() {
		t.UDP = &measure.UDPStats{Packets: max(p.Packets-p.OmittedPackets, 0)}
		// Some old senders tell only the bytes, and before 3.14 none tells how
		// many datagrams it omitted.
		if p.Packets == 0 || g.omit > 0 && !p.HasOmitted {
			t.UDP.Packets = t.Bytes / int64(max(g.cfg.Params.Length, 1))
		}
	}
	return t
}

// maxLength bounds what a peer may claim about the length of a test.
const maxLength = (protocol.MaxTime + protocol.MaxOmit) * time.Second

func peerLength(own *measure.Totals, p *protocol.StreamResults) time.Duration {
	seconds := p.EndTime - p.StartTime
	if !p.HasTimes || !(seconds > 0) || seconds > maxLength.Seconds() {
		return own.Duration
	}
	return time.Duration(seconds * float64(time.Second))
}

// addTail counts the datagrams that were sent after the highest one received.
// Only the two sides' counters together reveal them.
func (g *Group) addTail(a *account, m *member, p *protocol.StreamResults, linkperf bool) {
	sent, highest := m.final.Packets, p.Packets
	if !m.info.Sender {
		sent, highest = p.Packets, m.final.Highest
	}
	tail := max(sent-highest, 0)
	if m.info.Sender && !linkperf {
		// iperf3 stops counting at the end of the test at once and leaves what
		// is still under way; only more than that can be told from it.
		if perSecond := float64(a.sent.UDP.Packets) / a.sent.Duration.Seconds(); float64(tail) <= perSecond {
			tail = 0
		}
	}
	u := a.received.UDP
	tail = min(tail, max(a.sent.UDP.Packets-u.Lost, 0))
	u.Packets += tail
	u.Lost += tail
	a.tail = tail
}

// cut takes out of what was received what the sender does not count: what had
// been sent in the omit period and was under way when it ended. It takes no more
// than bytes and packets.
func (a *account) cut(bytes, packets int64) {
	if early := min(a.received.Bytes-a.sent.Bytes, bytes); early > 0 {
		a.received.Bytes -= early
		a.earlyBytes = early
	}
	if a.sent.UDP == nil || a.received.UDP == nil {
		return
	}
	if early := min(a.received.UDP.Packets-a.sent.UDP.Packets, packets); early > 0 {
		a.received.UDP.Packets -= early
		a.earlyPackets = early
	}
}

// nothing reports whether no side counted anything.
func (a *account) nothing() bool {
	return (a.sent == nil || a.sent.Bytes == 0) && (a.received == nil || a.received.Bytes == 0)
}

// accounts puts both sides' figures of all streams together.
func (g *Group) accounts(peer *protocol.Results, there *extra) []account {
	accounts := make([]account, len(g.members))
	for i, m := range g.members {
		accounts[i] = g.account(m, peer, there)
	}
	return accounts
}

// reportLast reports the last interval, which brings the sum of all intervals
// to the totals.
func (g *Group) reportLast(accounts []account) {
	iv := measure.Interval{
		Time:  g.base.Add(g.end.Sub(g.base)).Round(0),
		Start: g.last.Sub(g.start), End: g.end.Sub(g.start),
		Omitted: g.omitted, Last: true,
		Streams: make([]measure.StreamInterval, len(g.members)),
	}
	whole := iv.End
	for i, m := range g.members {
		si := g.between(m, &iv, &m.final)
		if l := g.length(m); l > si.Start { // otherwise nothing has come since
			si.End = l
		}
		a := &accounts[i]
		if !m.info.Sender {
			si.Bytes -= a.earlyBytes
			if si.UDP != nil {
				si.UDP.Packets += a.tail - a.earlyPackets
				si.UDP.Lost += a.tail + a.late
			}
		}
		whole = max(whole, si.End)
		iv.Streams[i] = si
		m.prev = m.final
	}
	iv.End = whole
	g.deliver(&iv)
}

// Finish ends the test: it takes the last samples, reports the last interval,
// and puts into the result what this side counted and, unless peer is nil, what
// the peer reported. The sockets stay open until Close. Of a group that was not
// started there is nothing to report.
func (g *Group) Finish(r *measure.Result, peer *protocol.Results) {
	if g.base.IsZero() {
		return
	}
	g.stopReceivers()
	there, warning := readExtra(peer)
	if warning != "" {
		r.Warnings = append(r.Warnings, warning)
	}
	r.Warnings = append(r.Warnings, g.doubts(peer)...)
	accounts := g.accounts(peer, there)
	g.reportLast(accounts)
	if g.omitted { // then nothing has been measured
		for i := range accounts {
			if a := &accounts[i]; a.nothing() {
				a.sent, a.received = nil, nil
			}
		}
	}

	g.describe(r)
	r.Duration = g.end.Sub(g.start)
	r.LocalCPU = g.cpu.used
	r.Streams = make([]measure.StreamResult, len(g.members))
	for i, m := range g.members {
		r.Streams[i] = measure.StreamResult{Stream: m.info, Sent: accounts[i].sent, Received: accounts[i].received}
		r.Streams[i].File = g.file(m, &accounts[i])
	}
	here, peers := g.Congestion(), ""
	if peer != nil {
		r.Exchanged = true
		peers = peer.CongestionUsed
		if there == nil || !there.CPUShared {
			r.RemoteCPU = &measure.CPU{Total: peer.CPUTotal, User: peer.CPUUser, System: peer.CPUSystem}
		}
		if g.cfg.Params.GetServerOutput { // 3.21 goes on sending it to clients that do not ask
			r.ServerOutputText, r.ServerOutputJSON = peer.ServerOutputText, peer.ServerOutputJSON
		}
	}
	if there != nil {
		r.PeerLinkperf, r.PeerVersion, r.PeerRecord = true, there.Version, there.Record
	}
	// In a bidirectional test the client counts as the sender, as in iperf3.
	if (g.cfg.Side == measure.Client) != g.cfg.Params.Reverse {
		r.SenderCongestion, r.ReceiverCongestion = here, peers
	} else {
		r.SenderCongestion, r.ReceiverCongestion = peers, here
	}
}

// describe puts into the result which way the streams' bytes went in the end,
// and what their data paths could not do as they were meant to.
func (g *Group) describe(r *measure.Result) {
	for _, m := range g.members {
		m.info.DataPath = m.Socket.Path()
		if w := m.Stream.Warning(); w != "" && !slices.Contains(r.Warnings, w) {
			r.Warnings = append(r.Warnings, w)
		}
	}
}

// SinkErrors returns what the sink has answered to intervals, each error once.
func (g *Group) SinkErrors() []error { return g.sinkErr }

// Congestion returns the congestion control algorithm of the last connection,
// "" if the transport has none or the system does not tell.
func (g *Group) Congestion() string {
	if g.cfg.Params.Transport != protocol.TCP || len(g.members) == 0 {
		return ""
	}
	raw, err := g.members[len(g.members)-1].Socket.RawConn()
	if err != nil {
		return ""
	}
	name, err := sockopt.Congestion(raw)
	if err != nil {
		return ""
	}
	return name
}

func (g *Group) file(m *member, a *account) *measure.File {
	if g.cfg.File == "" {
		return nil
	}
	f := &measure.File{Name: g.cfg.File}
	f.Size = m.Stream.FileSize()
	if a.sent != nil {
		f.Sent = a.sent.Bytes
	}
	if a.received != nil {
		f.Received = a.received.Bytes
	}
	return f
}
