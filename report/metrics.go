package report

import (
	"time"

	"linkperf/protocol/measure"
)

// Directions returns the ways in which data of the test flowed, true meaning
// from client to server. It is empty for a test that failed before it began.
func (d *Document) Directions() []bool {
	var ways []bool
	if len(d.Result.Start.Streams) == 0 && len(d.Result.Streams) == 0 {
		return nil
	}
	for _, w := range directions(&d.Result.Start.Params) {
		ways = append(ways, w.toServer)
	}
	return ways
}

// totals returns a direction's sum over all streams at the receiver, or at the
// sender; nil if that end has not told.
func (d *Document) totals(toServer, sent bool) *measure.Totals {
	n := 0
	for i := range d.Result.Streams {
		if d.Result.Streams[i].Stream.ToServer(d.Side) == toServer {
			n++
		}
	}
	if n == 0 {
		return nil
	}
	s, r := sums(d.Side, d.Result, toServer)
	if sent {
		return s
	}
	return r
}

// Received returns what arrived in a direction, over all streams, in payload
// bits per second. ok is false when it was not measured, as for all metrics.
func (d *Document) Received(toServer bool) (bitsPerSecond float64, ok bool) {
	return speed(d.totals(toServer, false))
}

// Sent returns what was sent in a direction, over all streams, in payload bits
// per second.
func (d *Document) Sent(toServer bool) (bitsPerSecond float64, ok bool) {
	return speed(d.totals(toServer, true))
}

func speed(t *measure.Totals) (float64, bool) {
	if t == nil || t.Duration <= 0 {
		return 0, false
	}
	return t.BitsPerSecond(), true
}

// Retransmits returns the TCP segments that the senders of a direction sent
// again.
func (d *Document) Retransmits(toServer bool) (segments int64, ok bool) {
	t := d.totals(toServer, true)
	if t == nil || t.UDP != nil || t.Retransmits < 0 {
		return 0, false
	}
	return t.Retransmits, true
}

// Loss returns the share of the datagrams sent in a direction that did not
// arrive, in percent.
func (d *Document) Loss(toServer bool) (percentLost float64, ok bool) {
	sent, received := d.totals(toServer, true), d.totals(toServer, false)
	if received == nil || received.UDP == nil || received.LossUnknown {
		return 0, false
	}
	base := received.UDP.Packets
	if n, ok := datagramsSent(sent); ok {
		base = n
	}
	if base <= 0 {
		return 0, false
	}
	return percent(received.UDP.Lost, base), true
}

// Jitter returns the mean over the streams of a direction of the smoothed
// interarrival jitter at the end of the test (RFC 3550).
func (d *Document) Jitter(toServer bool) (jitter time.Duration, ok bool) {
	t := d.totals(toServer, false)
	if t == nil || t.UDP == nil {
		return 0, false
	}
	return time.Duration(t.UDP.Jitter * float64(time.Second)), true
}

// RTT returns the mean over the streams of a direction of the smoothed TCP
// round-trip times that their senders saw at each report.
func (d *Document) RTT(toServer bool) (mean time.Duration, ok bool) {
	var sum, n int64
	for i := range d.Result.Streams {
		sr := &d.Result.Streams[i]
		if sr.Stream.ToServer(d.Side) == toServer && sr.Sent != nil && sr.Sent.MeanRTT > 0 {
			sum += sr.Sent.MeanRTT
			n++
		}
	}
	if n == 0 {
		return 0, false
	}
	return time.Duration(sum) * time.Microsecond / time.Duration(n), true
}

// CPU returns the processor time that a side used, in percent of one core.
func (d *Document) CPU(side measure.Side) (measure.CPU, bool) {
	c := d.Result.RemoteCPU
	if side == d.Side {
		c = d.Result.LocalCPU
	}
	if c == nil {
		return measure.CPU{}, false
	}
	return *c, true
}

// Duration returns the length of the measured part on this side's clock.
func (d *Document) Duration() time.Duration { return d.Result.Duration }
