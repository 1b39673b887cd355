package main

import (
	"encoding/json"
	"net/netip"
	"slices"
	"strings"

	"linkperf/protocol/measure"
)

// redactedHost stands for a host that is not to be named.
const redactedHost = "redacted"

// A redactedSink leaves the addresses and names of a test out of its report.
// Ports stay, and so does the family of an address: it becomes 0.0.0.0 or ::.
type redactedSink struct{ measure.Sink }

func (s redactedSink) Connect(start *measure.Start) error {
	return s.Sink.Connect(redactedStart(start))
}

func (s redactedSink) Start(start *measure.Start) error { return s.Sink.Start(redactedStart(start)) }

func (s redactedSink) ServerOutput(r *measure.Result) (string, json.RawMessage) {
	return serverOutput(s.Sink, redactedResult(r))
}

func (s redactedSink) End(r *measure.Result, err error) error {
	return s.Sink.End(redactedResult(r), err)
}

func redactedStart(start *measure.Start) *measure.Start {
	if start == nil {
		return nil
	}
	s := *start
	s.Peer.Host = redactedHost
	s.Streams = slices.Clone(s.Streams)
	for i := range s.Streams {
		s.Streams[i].Local = withoutAddress(s.Streams[i].Local)
		s.Streams[i].Remote = withoutAddress(s.Streams[i].Remote)
	}
	return &s
}

func withoutAddress(a netip.AddrPort) netip.AddrPort {
	nowhere := netip.IPv4Unspecified()
	if a.Addr().Is6() {
		nowhere = netip.IPv6Unspecified()
	}
	return netip.AddrPortFrom(nowhere, a.Port())
}

// redactedResult also drops what the server printed, which is full of
// addresses.
func redactedResult(result *measure.Result) *measure.Result {
	r := *result
	r.Start = redactedStart(r.Start)
	if r.ServerOutputText != "" || r.ServerOutputJSON != nil {
		r.ServerOutputText, r.ServerOutputJSON = "", nil
		r.Warnings = append(slices.Clone(r.Warnings), "the server's output is left out because of --redact")
	}
	return &r
}

// withoutHostName takes the host's name, the second word, out of the line about
// this system.
func withoutHostName(systemInfo string) string {
	words := strings.SplitN(systemInfo, " ", 3)
	if len(words) > 1 {
		words[1] = redactedHost
	}
	return strings.Join(words, " ")
}
