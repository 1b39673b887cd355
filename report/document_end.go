package report

import (
	"slices"

	"linkperf/protocol"
	"linkperf/protocol/measure"
)

// endObject is the value of "end". What an end of a stream has not told is null.
func endObject(s *measure.Start, r *measure.Result) object {
	streams := array{}
	udp := s != nil && transport(&s.Params) == protocol.UDP
	for i := range r.Streams {
		sr := &r.Streams[i]
		if udp {
			streams = append(streams, object{{"udp", udpStream(sr)}})
		} else {
			streams = append(streams, tcpStream(sr))
		}
	}
	out := object{{"streams", streams}}
	ways := []direction{{true, ""}}
	side := measure.Client
	if s != nil {
		ways, side = directions(&s.Params), s.Side
	}
	for _, d := range ways {
		sender := d.toServer == (side == measure.Client)
		sent, received := sums(side, r, d.toServer)
		if udp {
			out.set("sum"+d.suffix, udpSum(sent, received, sender))
			out.set("sum_sent"+d.suffix, udpSentSum(sent))
			out.set("sum_received"+d.suffix, udpReceivedSum(sent, received))
			continue
		}
		o := span(object{}, sent)
		switch {
		case len(r.Streams) == 0: // iperf3 has the key, with a 0
			o.set("retransmits", nil)
		case sent != nil && sent.Retransmits >= 0:
			o.set("retransmits", sent.Retransmits)
		}
		o.set("sender", sender)
		out.set("sum_sent"+d.suffix, o)
		out.set("sum_received"+d.suffix, append(span(object{}, received), member{"sender", sender}))
	}
	out.set("cpu_utilization_percent", cpu(r))
	if r.SenderCongestion != "" {
		out.set("sender_tcp_congestion", r.SenderCongestion)
	}
	if r.ReceiverCongestion != "" {
		out.set("receiver_tcp_congestion", r.ReceiverCongestion)
	}
	return out
}

// sums adds up both ends of a direction. An end of which not all streams are
// known has no sum, nor has a test that had none yet; the sum of a direction that
// it does not have is 0.
func sums(side measure.Side, r *measure.Result, toServer bool) (sent, received *measure.Totals) {
	if len(r.Streams) == 0 {
		return nil, nil
	}
	if !slices.ContainsFunc(r.Streams, func(sr measure.StreamResult) bool { return sr.Stream.ToServer(side) == toServer }) {
		return &measure.Totals{}, &measure.Totals{}
	}
	if t, ok := r.Sum(toServer, true); ok {
		sent = &t
	}
	if t, ok := r.Sum(toServer, false); ok {
		received = &t
	}
	return sent, received
}

// span appends the times, bytes and rate that every figure begins with.
func span(o object, t *measure.Totals) object {
	o = append(o, member{"start", 0})
	if t == nil {
		return append(o, member{"end", nil}, member{"seconds", nil}, member{"bytes", nil}, member{"bits_per_second", nil})
	}
	return append(o,
		member{"end", seconds(t.Duration)},
		member{"seconds", seconds(t.Duration)},
		member{"bytes", t.Bytes},
		member{"bits_per_second", t.BitsPerSecond()},
	)
}

func tcpStream(sr *measure.StreamResult) object {
	st := sr.Stream
	sender := span(object{{"socket", st.Socket}}, sr.Sent)
	if t := sr.Sent; t != nil && t.Retransmits >= 0 {
		// A peer's window of 0 throughout is a measurement, other than a
		// congestion window of 0: with one, the other was read as well.
		window := positive(t.MaxSndWnd)
		if t.MaxSndCwnd > 0 {
			window = t.MaxSndWnd
		}
		sender = append(sender,
			member{"retransmits", t.Retransmits},
			member{"reorder", counted(t.Reorder)},
			member{"max_snd_cwnd", positive(t.MaxSndCwnd)},
			member{"max_snd_wnd", window},
			member{"max_rtt", positive(t.MaxRTT)},
			member{"min_rtt", positive(t.MinRTT)},
			member{"mean_rtt", positive(t.MeanRTT)},
		)
	}
	sender = append(sender, member{"sender", st.Sender})
	out := object{{"sender", sender}}
	if sr.File != nil {
		out.set("diskfile", diskFile(sr))
	}
	receiver := span(object{{"socket", st.Socket}}, sr.Received)
	out.set("receiver", append(receiver, member{"sender", st.Sender}))
	return out
}

func diskFile(sr *measure.StreamResult) object {
	f := sr.File
	share := func(own bool, bytes int64, other *measure.Totals) (any, any) {
		if !own {
			if other == nil {
				return nil, nil
			}
			bytes = other.Bytes
		}
		return bytes, int64(percent(bytes, f.Size))
	}
	sent, percentSent := share(sr.Stream.Sender, f.Sent, sr.Sent)
	received, percentReceived := share(!sr.Stream.Sender, f.Received, sr.Received)
	return object{
		{"sent", sent},
		{"received", received},
		{"size", f.Size},
		{"percent_sent", percentSent},
		{"percent_received", percentReceived},
		{"filename", f.Name},
	}
}

// loss holds what the receiver knows about datagrams, as JSON values.
type loss struct{ jitter, lost, packets, percent, outOfOrder any }

// lossOf returns the loss of a period. The share is of what was sent, or of the
// counters the receiver saw go by where that is not known.
func lossOf(sent, received *measure.Totals) loss {
	var l loss
	base := int64(-1)
	if n, ok := datagramsSent(sent); ok {
		base = n
		l.packets = n
	}
	if received == nil || received.UDP == nil {
		return l
	}
	u := received.UDP
	if base < 0 {
		base = u.Packets
		l.packets = base
	}
	l.jitter = u.Jitter * 1000
	l.outOfOrder = counted(u.OutOfOrder)
	if !received.LossUnknown {
		l.lost, l.percent = u.Lost, percent(u.Lost, base)
	}
	return l
}

// datagramsSent returns the datagrams that a sender counted; false if it does
// not tell (iperf3 before 3.14 on a server that sends).
func datagramsSent(sent *measure.Totals) (int64, bool) {
	if sent == nil || sent.UDP == nil || sent.UDP.Packets == 0 && sent.Bytes > 0 {
		return 0, false
	}
	return sent.UDP.Packets, true
}

func udpStream(sr *measure.StreamResult) object {
	l := lossOf(sr.Sent, sr.Received)
	o := span(object{{"socket", sr.Stream.Socket}}, sr.Sent)
	if sr.Sent == nil && sr.Received != nil {
		o.set("end", seconds(sr.Received.Duration))
		o.set("seconds", seconds(sr.Received.Duration))
	}
	return append(o,
		member{"jitter_ms", l.jitter},
		member{"lost_packets", l.lost},
		member{"packets", l.packets},
		member{"lost_percent", l.percent},
		member{"out_of_order", l.outOfOrder},
		member{"sender", sr.Stream.Sender},
	)
}

// udpSum has the receiver's times and the sender's bytes and rate, as iperf3's.
func udpSum(sent, received *measure.Totals, sender bool) object {
	o := span(object{}, sent)
	if received != nil {
		o.set("end", seconds(received.Duration))
		o.set("seconds", seconds(received.Duration))
	}
	return appendLoss(o, lossOf(sent, received), sender)
}

func udpSentSum(sent *measure.Totals) object {
	var l loss
	if sent != nil {
		l = loss{jitter: 0, lost: 0, percent: 0}
	}
	if n, ok := datagramsSent(sent); ok {
		l.packets = n
	}
	return appendLoss(span(object{}, sent), l, true)
}

func udpReceivedSum(sent, received *measure.Totals) object {
	l := lossOf(sent, received)
	l.packets = nil
	if received != nil && received.UDP != nil {
		l.packets = received.UDP.Packets
	}
	return appendLoss(span(object{}, received), l, false)
}

func appendLoss(o object, l loss, sender bool) object {
	return append(o,
		member{"jitter_ms", l.jitter},
		member{"lost_packets", l.lost},
		member{"packets", l.packets},
		member{"lost_percent", l.percent},
		member{"sender", sender},
	)
}

// cpu has processor time in percent of one core; a side that is not known has
// null.
func cpu(r *measure.Result) object {
	var o object
	for _, side := range []struct {
		name string
		cpu  *measure.CPU
	}{{"host", r.LocalCPU}, {"remote", r.RemoteCPU}} {
		total, user, system := any(nil), any(nil), any(nil)
		if side.cpu != nil {
			total, user, system = side.cpu.Total, side.cpu.User, side.cpu.System
		}
		o = append(o, member{side.name + "_total", total}, member{side.name + "_user", user}, member{side.name + "_system", system})
	}
	return o
}
