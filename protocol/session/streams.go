package session

import (
	"linkperf/protocol"
	"linkperf/protocol/measure"
	"linkperf/protocol/sockopt"
	"linkperf/protocol/stream"
)

// StreamConfig returns how a stream moves data, as both sides make it of a
// test's parameters. file is this side's -F. The sender's payload and budget are
// still to be set; LengthSet is true if the length is not the transport's
// default, which a client, who knows whether it was asked for, may know better.
func StreamConfig(p *protocol.Params, file string) stream.Config {
	return stream.Config{
		Transport: p.Transport, Length: p.Length, LengthSet: p.Length != p.Transport.DefaultLength(),
		Rate: p.Rate, Burst: p.Burst, Streams: p.Streams(),
		WideCounters: p.UDPCounters64, ZeroCopy: p.ZeroCopy && sockopt.Supported(sockopt.Sendfile),
		SkipRxCopy:       p.SkipRxCopy && p.Transport != protocol.UDP,
		RepeatingPayload: p.RepeatingPayload,
		File:             file,
	}
}

// firstSocket and socketStep give streams the numbers that people know from
// iperf3, where they are descriptors.
const (
	firstSocket = 5
	socketStep  = 2
)

// StreamInfo names the k-th stream in the order of creation, counted from 0.
func StreamInfo(k int, sender bool) measure.StreamInfo {
	return measure.StreamInfo{ID: protocol.StreamID(k), Socket: firstSocket + socketStep*k, Sender: sender}
}
