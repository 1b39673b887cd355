package session

import (
	"slices"
	"time"

	"linkperf/protocol/measure"
	"linkperf/protocol/stream"
)

// sample reports an interval whenever one is over and ends the omit period,
// until Stop.
func (g *Group) sample() {
	defer close(g.sampled)
	for {
		next, ok := g.next(time.Now())
		if !ok {
			<-g.stopping
			return
		}
		timer := time.NewTimer(time.Until(next))
		select {
		case <-g.stopping:
			timer.Stop()
			return
		case <-timer.C:
		}
		if now := time.Now(); g.omitted && now.Sub(g.base) >= g.omit {
			g.endOmit()
		} else {
			g.deliver(g.interval(now))
		}
	}
}

// next returns when something has to be done after now.
func (g *Group) next(now time.Time) (next time.Time, ok bool) {
	elapsed := now.Sub(g.start)
	length := g.planned
	if g.omitted {
		length = 0
	}
	tick, ticks := nextTick(elapsed, g.cfg.Interval, length)
	if !g.omitted {
		return g.start.Add(tick), ticks
	}
	if ticks && tick < g.omit {
		return g.start.Add(tick), true
	}
	return g.base.Add(g.omit), true
}

// nextTick returns when the first interval after elapsed is over. A tick that
// falls together with the planned end of the test, or comes in the moment that
// the peer's word of the end may take, is left to the last interval: otherwise
// a row would follow that is empty or lasts a few milliseconds.
func nextTick(elapsed, interval, planned time.Duration) (tick time.Duration, ok bool) {
	if interval <= 0 {
		return 0, false
	}
	tick = (elapsed/interval + 1) * interval
	if grace := planned + min(interval, time.Second); planned > 0 && tick >= planned && tick < grace {
		tick = (grace + interval - 1) / interval * interval
	}
	return tick, true
}

// endOmit reports what is left of the omit period and starts to count anew. A
// test with a single report has none for the omit period.
func (g *Group) endOmit() {
	now := time.Now()
	iv := g.interval(now)
	for _, b := range g.cfg.Budgets {
		b.Reset()
	}
	if g.cfg.Interval > 0 {
		g.deliver(iv)
	}
	g.mu.Lock()
	defer g.mu.Unlock()
	for _, m := range g.members {
		m.mark, m.waits = m.prev, m.Stream.Charges()
		m.Stream.Mark()
		m.tcp = tcpStats{}
	}
	g.omitted, g.start, g.last = false, now, now
	close(g.counting)
}

// counts returns a sample and where the measured part of the stream begins. All
// that a stream has moved which has not told yet is before that.
func (m *member) counts() (s, mark stream.Sample, told bool) {
	mark = m.mark
	if !m.waits {
		return m.Stream.Sample(), mark, true
	}
	bytes, datagrams, told := m.Stream.Uncharged() // first: the sample must not be older
	s = m.Stream.Sample()
	if !told {
		bytes, datagrams = s.Bytes, s.Packets
	}
	mark.Bytes, mark.Packets = bytes, datagrams
	return s, mark, told
}

// take is counts, and keeps what a stream tells.
func (g *Group) take(m *member) stream.Sample {
	s, mark, told := m.counts()
	if m.waits {
		g.mu.Lock()
		defer g.mu.Unlock()
		m.waits, m.mark = !told, mark
		m.prev.Bytes, m.prev.Packets = mark.Bytes, mark.Packets
	}
	return s
}

// interval samples all streams and returns what they moved since the last time.
func (g *Group) interval(now time.Time) *measure.Interval {
	iv := &measure.Interval{
		Time:  now.Round(0),
		Start: g.last.Sub(g.start), End: now.Sub(g.start),
		Omitted: g.omitted,
		Streams: make([]measure.StreamInterval, len(g.members)),
	}
	for i, m := range g.members {
		s := g.take(m)
		iv.Streams[i] = g.between(m, iv, &s)
		m.tcp.add(s.TCP)
		m.prev = s
	}
	g.last = now
	return iv
}

// deliver hands an interval to the sink and wakes the observer.
func (g *Group) deliver(iv *measure.Interval) {
	g.cfg.Observer.Interval()
	if g.cfg.Sink != nil {
		if err := g.cfg.Sink.Interval(iv); err != nil {
			g.sinkFailed(err)
		}
	}
}

// sinkFailed keeps an error unless it is known: a full disk says the same at
// every report.
func (g *Group) sinkFailed(err error) {
	if !slices.ContainsFunc(g.sinkErr, func(known error) bool { return known.Error() == err.Error() }) {
		g.sinkErr = append(g.sinkErr, err)
	}
}

// between makes one stream's part of an interval that ends with sample s.
func (g *Group) between(m *member, iv *measure.Interval, s *stream.Sample) measure.StreamInterval {
	si := measure.StreamInterval{
		Stream: m.info, Start: iv.Start, End: iv.End, Omitted: iv.Omitted,
		Bytes: s.Bytes - m.prev.Bytes,
	}
	if s.TCP != nil {
		t := *s.TCP
		if m.prev.TCP != nil {
			t.Retransmits -= m.prev.TCP.Retransmits
		}
		si.TCP = &t
	}
	if g.udp() {
		si.UDP = udpBetween(m.info, &m.prev, s)
	}
	return si
}

// udpBetween returns what a stream counted between two samples.
func udpBetween(info *measure.StreamInfo, from, to *stream.Sample) *measure.UDPStats {
	u := &measure.UDPStats{Packets: counted(info, to) - counted(info, from)}
	if info.Sender {
		return u
	}
	u.Lost = to.Lost - from.Lost
	u.OutOfOrder = to.OutOfOrder - from.OutOfOrder
	u.Duplicates = to.Duplicates - from.Duplicates
	u.Dropped = -1
	if to.Dropped >= 0 {
		u.Dropped = to.Dropped - max(from.Dropped, 0)
	}
	u.Jitter = to.Jitter
	return u
}

// counted returns how many datagrams a stream has sent, or must have been sent
// to it.
func counted(info *measure.StreamInfo, s *stream.Sample) int64 {
	if info.Sender {
		return s.Packets
	}
	return s.Highest
}

// tcpStats gathers what a sender's samples said about its connection.
type tcpStats struct {
	samples                int64
	maxSndCwnd, maxSndWnd  int64
	maxRTT, minRTT, sumRTT int64
}

// add takes a sample, which is nil where the system does not tell.
func (t *tcpStats) add(i *measure.TCPInfo) {
	if i == nil {
		return
	}
	if t.samples == 0 || i.RTT < t.minRTT {
		t.minRTT = i.RTT
	}
	t.samples++
	t.sumRTT += i.RTT
	t.maxRTT = max(t.maxRTT, i.RTT)
	t.maxSndCwnd = max(t.maxSndCwnd, i.SndCwnd)
	t.maxSndWnd = max(t.maxSndWnd, i.SndWnd)
}
