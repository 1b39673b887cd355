package compare

import (
	"linkperf/protocol/measure"
)

// Metric is a number taken from a result.
type Metric struct {
	Name     string // as in JSON and CSV, for example "to_server_bits_per_second"
	Title    string // for people
	Unit     string
	Higher   bool // whether a higher value is better
	Relative bool // compared as a ratio; otherwise as a difference (a share can be 0)

	// Value takes the number from a result; ok is false when it was not
	// measured in this kind of test.
	Value func(*measure.Result) (v float64, ok bool)
}

// Metrics are all metrics, in the order of reports. Throughput is what the
// receiver got (RFC 1242 section 3.17 counts what is forwarded, not what is
// offered).
var metrics = []Metric{
	{Name: "bits_per_second", Title: "throughput", Unit: "bit/s", Higher: true, Relative: true, Value: total},
	{Name: "to_server_bits_per_second", Title: "throughput to server", Unit: "bit/s", Higher: true, Relative: true, Value: throughput(true)},
	{Name: "to_client_bits_per_second", Title: "throughput to client", Unit: "bit/s", Higher: true, Relative: true, Value: throughput(false)},
	{Name: "retransmit_percent", Title: "retransmitted segments", Unit: "%", Value: retransmits},
	{Name: "lost_percent", Title: "lost datagrams", Unit: "%", Value: loss},
	{Name: "jitter_ms", Title: "jitter", Unit: "ms", Relative: true, Value: jitter},
	{Name: "rtt_ms", Title: "round-trip time under load", Unit: "ms", Relative: true, Value: rtt},
	{Name: "client_cpu_seconds_per_gigabyte", Title: "client CPU per GB", Unit: "s/GB", Relative: true, Value: cpuPerGB(measure.Client)},
	{Name: "server_cpu_seconds_per_gigabyte", Title: "server CPU per GB", Unit: "s/GB", Relative: true, Value: cpuPerGB(measure.Server)},
}

// Metrics returns the metrics in the order of reports.
func Metrics() []Metric { return append([]Metric(nil), metrics...) }

// Values takes every metric that the result has.
func Values(r *measure.Result) map[string]float64 {
	v := map[string]float64{}
	if r == nil || r.Start == nil {
		return v
	}
	for _, m := range metrics {
		if x, ok := m.Value(r); ok {
			v[m.Name] = x
		}
	}
	return v
}

// sums returns what one end counted in every direction in which the test moved
// data. ok is false unless all of them were measured: half of a bidirectional
// test cannot be compared with a whole one.
func sums(r *measure.Result, sent bool) (all []measure.Totals, ok bool) {
	p := &r.Start.Params
	for _, toServer := range []bool{true, false} {
		if !p.Bidirectional && toServer == p.Reverse {
			continue
		}
		t, ok := r.Sum(toServer, sent)
		if !ok {
			return nil, false
		}
		all = append(all, t)
	}
	return all, true
}

// total is what was received in all directions of the test.
func total(r *measure.Result) (sum float64, ok bool) {
	all, ok := sums(r, false)
	for _, t := range all {
		if t.Duration <= 0 {
			return 0, false
		}
		sum += t.BitsPerSecond()
	}
	return sum, ok
}

func throughput(toServer bool) func(*measure.Result) (float64, bool) {
	return func(r *measure.Result) (float64, bool) {
		t, ok := r.Sum(toServer, false)
		if !ok || t.Duration <= 0 {
			return 0, false
		}
		return t.BitsPerSecond(), true
	}
}

// retransmits is the share of segments sent again, with the number of
// segments taken from the bytes and the segment size that the kernel or the
// control connection reported.
func retransmits(r *measure.Result) (float64, bool) {
	mss := float64(r.Start.ControlMSS)
	if r.Start.Params.MSS > 0 {
		mss = float64(r.Start.Params.MSS)
	}
	all, ok := sums(r, true)
	var again, bytes float64
	for _, t := range all {
		if t.Retransmits < 0 {
			return 0, false
		}
		again, bytes = again+float64(t.Retransmits), bytes+float64(t.Bytes)
	}
	if !ok || mss <= 0 || bytes <= 0 {
		return 0, false
	}
	return 100 * again / (bytes/mss + again), true
}

// loss is lost over sent datagrams of all directions. Where a sender has not
// told, its datagrams are those that its receiver knows of.
func loss(r *measure.Result) (float64, bool) {
	received, ok := sums(r, false)
	told, sentKnown := sums(r, true)
	var lost, sent float64
	for i, t := range received {
		if t.UDP == nil || t.LossUnknown {
			return 0, false
		}
		lost += float64(t.UDP.Lost)
		packets := t.UDP.Packets
		if sentKnown && told[i].UDP != nil && told[i].UDP.Packets > 0 {
			packets = told[i].UDP.Packets
		}
		sent += float64(packets)
	}
	if !ok || sent <= 0 {
		return 0, false
	}
	return 100 * lost / sent, true
}

// jitter is the mean over the directions.
func jitter(r *measure.Result) (float64, bool) {
	all, ok := sums(r, false)
	sum := 0.0
	for _, t := range all {
		if t.UDP == nil {
			return 0, false
		}
		sum += t.UDP.Jitter
	}
	if !ok {
		return 0, false
	}
	return 1000 * sum / float64(len(all)), true
}

// rtt is the mean over the streams of the senders' mean smoothed round-trip
// time.
func rtt(r *measure.Result) (float64, bool) {
	sum, n := 0.0, 0
	for i := range r.Streams {
		if t := r.Streams[i].Sent; t != nil && t.MeanRTT > 0 {
			sum, n = sum+float64(t.MeanRTT), n+1
		}
	}
	if n == 0 {
		return 0, false
	}
	return sum / float64(n) / 1000, true
}

// cpuPerGB is the processor time of one end per 10^9 bytes that the test
// moved in all directions.
func cpuPerGB(side measure.Side) func(*measure.Result) (float64, bool) {
	return func(r *measure.Result) (float64, bool) {
		cpu := r.RemoteCPU
		if side == r.Start.Side {
			cpu = r.LocalCPU
		}
		all, ok := sums(r, false)
		bytes, seconds := 0.0, 0.0
		for _, t := range all {
			bytes += float64(t.Bytes)
			seconds = max(seconds, t.Duration.Seconds())
		}
		if !ok || cpu == nil || bytes == 0 || seconds == 0 {
			return 0, false
		}
		return cpu.Total / 100 * seconds / (bytes / 1e9), true
	}
}
