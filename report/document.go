package report

import (
	"encoding/json"
	"math"
	"net/netip"
	"slices"
	"strings"
	"time"

	"linkperf/protocol"
	"linkperf/protocol/measure"
)

// schema is the version of what the key linkperf holds.
const schema = 1

// version is what stands in the place of iperf3's version, so that scripts that
// look at it go on working.
const version = "iperf " + protocol.Version

// startObject is the value of "start": all of it when the streams exist, what
// is known before. s is nil for a test that failed before its parameters were
// agreed.
func startObject(o *Options, s *measure.Start, started bool) object {
	out := object{
		{"connected", connected(s)},
		{"version", version},
		{"system_info", o.SystemInfo},
	}
	if s == nil {
		return out
	}
	p := &s.Params
	tcp := transport(p) == protocol.TCP
	buffers := func() {
		if started && transport(p) != protocol.SCTP {
			out.set("sock_bufsize", p.Window)
			out.set("sndbuf_actual", s.SendBuffer)
			out.set("rcvbuf_actual", s.ReceiveBuffer)
		}
	}
	peer := object{{"host", s.Peer.Host}, {"port", s.Peer.Port}}
	if s.Side == measure.Server && tcp {
		buffers()
	}
	out.set("timestamp", timestamp(s.Time))
	if s.Side == measure.Server {
		out.set("accepted_connection", peer)
	} else {
		out.set("connecting_to", peer)
	}
	out.set("cookie", s.Cookie)
	if tcp {
		if p.MSS > 0 {
			out.set("tcp_mss", p.MSS)
		} else {
			out.set("tcp_mss_default", s.ControlMSS)
		}
	}
	out.set("target_bitrate", p.Rate)
	out.set("fq_rate", p.FQRate)
	buffers()
	if started {
		out.set("test_start", testStart(s))
	}
	return out
}

func connected(s *measure.Start) array {
	out := array{}
	if s == nil {
		return out
	}
	for i := range s.Streams {
		st := &s.Streams[i]
		out = append(out, object{
			{"socket", st.Socket},
			{"local_host", address(st.Local)},
			{"local_port", int(st.Local.Port())},
			{"remote_host", address(st.Remote)},
			{"remote_port", int(st.Remote.Port())},
		})
	}
	return out
}

// address writes an address as iperf3 does, without zone.
func address(a netip.AddrPort) string {
	if !a.IsValid() {
		return ""
	}
	return a.Addr().Unmap().WithZone("").String()
}

// transport returns the transport of a test, whose zero value is TCP.
func transport(p *protocol.Params) protocol.Transport {
	if p.Transport == "" {
		return protocol.TCP
	}
	return p.Transport
}

// httpTime is the form of RFC 1123 that iperf3 uses for dates, always in UTC.
const httpTime = "Mon, 02 Jan 2006 15:04:05 GMT"

func timestamp(t time.Time) object {
	return object{
		{"time", t.UTC().Format(httpTime)},
		{"timesecs", t.Unix()},
		{"timemillisecs", t.UnixMilli()},
	}
}

func testStart(s *measure.Start) object {
	p := &s.Params
	return object{
		{"protocol", string(transport(p))},
		{"num_streams", max(p.Parallel, 1)},
		{"blksize", p.Length},
		{"omit", p.Omit},
		{"duration", p.Time},
		{"bytes", p.Bytes},
		{"blocks", p.Blocks},
		{"reverse", bit(p.Reverse)},
		{"tos", p.TOS},
		{"target_bitrate", p.Rate},
		{"bidir", bit(p.Bidirectional)},
		{"fqrate", p.FQRate},
		{"interval", s.Interval.Seconds()},
		{"gso", bit(p.GSO)},
		{"gro", bit(p.GRO)},
	}
}

func bit(b bool) int {
	if b {
		return 1
	}
	return 0
}

// seconds returns a duration in seconds, in whole microseconds as iperf3 does.
func seconds(d time.Duration) float64 { return float64(d.Round(time.Microsecond).Microseconds()) / 1e6 }

// percent returns part of whole in percent, 0 of nothing.
func percent(part, whole int64) float64 {
	if whole == 0 {
		return 0
	}
	return float64(part) * 100 / float64(whole)
}

// intervalObject is an element of "intervals".
func intervalObject(s *measure.Start, iv *measure.Interval) object {
	streams := array{}
	for i := range iv.Streams {
		st := &iv.Streams[i]
		o := object{{"socket", st.Stream.Socket}}
		streams = append(streams, appendInterval(o, st, st.Stream.Sender, true))
	}
	out := object{{"streams", streams}}
	for _, d := range directions(&s.Params) {
		sender := d.toServer == (s.Side == measure.Client)
		if sum, ok := iv.Sum(sender); ok {
			out.set("sum"+d.suffix, appendInterval(object{}, &sum, sender, false))
		}
	}
	if !iv.Time.IsZero() {
		out.set("linkperf", object{{"time", iv.Time.UTC().Format("2006-01-02T15:04:05.000Z")}})
	}
	return out
}

// direction is one way in which data of a test flows, with the end of the names
// of its sums.
type direction struct {
	toServer bool
	suffix   string
}

func directions(p *protocol.Params) []direction {
	if p.Bidirectional {
		return []direction{{true, ""}, {false, "_bidir_reverse"}}
	}
	return []direction{{!p.Reverse, ""}}
}

func appendInterval(o object, st *measure.StreamInterval, sender, stream bool) object {
	o = append(o,
		member{"start", seconds(st.Start)},
		member{"end", seconds(st.End)},
		member{"seconds", seconds(st.End - st.Start)},
		member{"bytes", st.Bytes},
		member{"bits_per_second", st.BitsPerSecond()},
	)
	switch {
	case st.UDP != nil && sender:
		o = append(o, member{"packets", st.UDP.Packets})
	case st.UDP != nil:
		o = append(o,
			member{"jitter_ms", st.UDP.Jitter * 1000},
			member{"lost_packets", st.UDP.Lost},
			member{"packets", st.UDP.Packets},
			member{"lost_percent", percent(st.UDP.Lost, st.UDP.Packets)},
		)
	case st.TCP != nil && sender:
		o = append(o, member{"retransmits", st.TCP.Retransmits})
		if stream {
			o = append(o,
				member{"snd_cwnd", st.TCP.SndCwnd},
				member{"snd_wnd", st.TCP.SndWnd},
				member{"rtt", st.TCP.RTT},
				member{"rttvar", st.TCP.RTTVar},
				member{"pmtu", st.TCP.PMTU},
				member{"reorder", st.TCP.Reorder},
			)
		}
	}
	return append(o, member{"omitted", st.Omitted}, member{"sender", sender})
}

// idle reports whether a last interval says nothing: shorter than a tenth of
// the others, and nothing moved. iperf3 leaves it out.
func idle(s *measure.Start, iv *measure.Interval) bool {
	if !iv.Last || s.Interval <= 0 || (iv.End-iv.Start)*10 >= s.Interval {
		return false
	}
	return !slices.ContainsFunc(iv.Streams, func(st measure.StreamInterval) bool {
		return st.Bytes != 0 || st.UDP != nil && (st.UDP.Packets != 0 || st.UDP.Lost != 0)
	})
}

// linkperfObject is the value of the key linkperf.
func linkperfObject(o *Options, s *measure.Start, r *measure.Result, x *Extra) object {
	out := object{{"schema", schema}, {"version", o.Version}}
	if s != nil {
		if s.Number > 0 {
			out.set("test", s.Number)
		}
		if path := dataPath(s, r); path != "" {
			out.set("data_path", path)
		}
		if udp := datagrams(s, r); len(udp) > 0 {
			out.set("udp", udp)
		}
	}
	client, server := r.LocalRecord, r.PeerRecord
	if o.Side == measure.Server {
		client, server = server, client
	}
	if client != nil || server != nil {
		out.set("sysinfo", object{{"client", orNull(client)}, {"server", orNull(server)}})
	}
	if x.Findings != nil {
		out.set("findings", x.Findings)
	}
	warnings := array{}
	for _, w := range slices.Concat(r.Warnings, x.Warnings) {
		warnings = append(warnings, w)
	}
	out.set("warnings", warnings)
	if x.Run != nil {
		out.set("run", x.Run)
	}
	return out
}

func orNull(raw json.RawMessage) any {
	if raw == nil {
		return nil
	}
	return raw
}

// dataPath names the ways in which this side moved bytes, each once: those that
// the streams ended with, or, of a test that broke off, began with.
func dataPath(s *measure.Start, r *measure.Result) string {
	var paths []string
	add := func(p string) {
		if p != "" && !slices.Contains(paths, p) {
			paths = append(paths, p)
		}
	}
	for i := range r.Streams {
		add(r.Streams[i].Stream.DataPath)
	}
	if len(paths) == 0 {
		for i := range s.Streams {
			add(s.Streams[i].DataPath)
		}
	}
	return strings.Join(paths, ",")
}

// datagrams tells of the receiver of each UDP stream what iperf3 has no key for:
// it gives bytes, time and counters for the sender or in sums only.
func datagrams(s *measure.Start, r *measure.Result) array {
	out := array{}
	if transport(&s.Params) != protocol.UDP {
		return out
	}
	for i := range r.Streams {
		sr := &r.Streams[i]
		if sr.Received == nil || sr.Received.UDP == nil {
			continue
		}
		u := sr.Received.UDP
		out = append(out, object{
			{"socket", sr.Stream.Socket},
			{"bytes", sr.Received.Bytes},
			{"seconds", seconds(sr.Received.Duration)},
			{"packets", u.Packets},
			{"out_of_order", counted(u.OutOfOrder)},
			{"duplicates", counted(u.Duplicates)},
			{"dropped_by_socket", counted(u.Dropped)},
			{"dropped_at_least", u.DroppedAtLeast},
		})
	}
	return out
}

// counted is a number of things, or null for -1, which stands for not counted.
func counted(n int64) any {
	if n < 0 {
		return nil
	}
	return n
}

// positive is a figure that can't be 0 when it was measured, or null.
func positive(n int64) any {
	if n <= 0 || n == math.MaxInt64 {
		return nil
	}
	return n
}
