package report

import "linkperf/protocol/measure"

// udpStream splits the one object that a UDP stream has into both ends. The
// bytes that arrived are not in it, see shareReceived.
func (c *converter) udpStream(sr *measure.StreamResult, f *wireFigures) {
	own := sr.Stream.Sender
	if c.known(f, own) {
		sr.Sent = totals(f)
		sr.Sent.UDP = &measure.UDPStats{Packets: f.Packets.at(0)}
	}
	if own && c.otherUnknown() || f.JitterMS == nil {
		return
	}
	sr.Received = totals(f)
	sr.Received.Bytes = 0
	sr.Received.LossUnknown = f.Lost == nil
	u := &measure.UDPStats{
		Packets: f.Packets.at(0), Lost: f.Lost.at(0), Jitter: f.JitterMS.float() / 1000,
		OutOfOrder: f.OutOfOrder.at(-1), Duplicates: -1, Dropped: -1,
	}
	if own && c.stock { // it counts on the receiving side only
		u.OutOfOrder = -1
	}
	sr.Received.UDP = u
}

// shareReceived gives UDP streams the bytes and datagrams that arrived. Stock
// iperf3 has them only in the sum of a direction: there each stream gets what
// its own counts make it, and the last one what is left of the sum. So it does
// with the losses, which 3.14 and later count one too high for a stream whose
// other end is older.
func (c *converter) shareReceived(streams []measure.StreamResult) {
	for _, d := range directions(&c.s.Params) {
		sum := c.w.End.Received
		if d.suffix != "" {
			sum = c.w.End.ReverseReceived
		}
		var of []*measure.StreamResult
		for i := range streams {
			sr := &streams[i]
			if sr.Received != nil && sr.Received.UDP != nil && sr.Stream.ToServer(c.side) == d.toServer {
				of = append(of, sr)
			}
		}
		if len(of) == 0 || c.datagramsTold(of) {
			continue
		}
		if sum == nil { // before 3.7
			sum = c.w.End.Sum
		}
		if sum == nil || sum.Bytes == nil {
			continue
		}
		bytes, packets, lost := sum.Bytes.at(0), sum.Packets.at(0), sum.Lost.at(0)
		for i, sr := range of {
			t := sr.Received
			if sum.End != nil {
				t.Duration = sum.End.duration()
			}
			if i == len(of)-1 {
				t.Bytes, t.UDP.Packets, t.UDP.Lost = bytes, packets, lost
				break
			}
			t.Bytes = min(bytes, max(0, t.UDP.Packets-t.UDP.Lost)*int64(c.s.Params.Length))
			bytes -= t.Bytes
			packets -= t.UDP.Packets
			lost -= t.UDP.Lost
		}
	}
}

// datagramsTold takes the figures of the key linkperf and reports whether they
// were there for all streams.
func (c *converter) datagramsTold(of []*measure.StreamResult) bool {
	if c.w.Linkperf == nil {
		return false
	}
	all := true
	for _, sr := range of {
		told := false
		for _, u := range c.w.Linkperf.UDP {
			if int(u.Socket.integer()) != sr.Stream.Socket {
				continue
			}
			t := sr.Received
			t.UDP.OutOfOrder, t.UDP.Duplicates, t.UDP.Dropped = u.OutOfOrder.at(-1), u.Duplicates.at(-1), u.Dropped.at(-1)
			t.UDP.DroppedAtLeast = u.AtLeast
			if u.Bytes != nil && u.Packets != nil {
				t.Bytes, t.Duration, t.UDP.Packets = u.Bytes.at(0), u.Seconds.duration(), u.Packets.at(0)
				told = true
			}
		}
		all = all && told
	}
	return all
}
