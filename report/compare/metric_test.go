package compare

import (
	"maps"
	"math"
	"slices"
	"testing"
	"time"

	"linkperf/protocol"
	"linkperf/protocol/measure"
)

// TestMetricsNeedEveryDirection leaves out what one end counted of one
// direction of a bidirectional test: what is about both is not measured then.
func TestMetricsNeedEveryDirection(t *testing.T) {
	tcp := func() *measure.Totals {
		return &measure.Totals{Bytes: 1e9, Duration: time.Second, Retransmits: 10, MeanRTT: 100}
	}
	udp := func() *measure.Totals {
		return &measure.Totals{Bytes: 1e9, Duration: time.Second, Retransmits: -1, UDP: &measure.UDPStats{Packets: 1000, Lost: 10, Jitter: 0.001}}
	}
	result := func(p protocol.Params, totals func() *measure.Totals, senders ...bool) *measure.Result {
		r := &measure.Result{Start: &measure.Start{Params: p, ControlMSS: 1000}, LocalCPU: &measure.CPU{Total: 100}, RemoteCPU: &measure.CPU{Total: 50}}
		for i, sender := range senders {
			r.Streams = append(r.Streams, measure.StreamResult{
				Stream: &measure.StreamInfo{ID: i + 1, Sender: sender}, Sent: totals(), Received: totals(),
			})
		}
		return r
	}
	const (
		all      = "bits_per_second"
		toServer = "to_server_bits_per_second"
		toClient = "to_client_bits_per_second"
		again    = "retransmit_percent"
		lost     = "lost_percent"
		rtt      = "rtt_ms"
		clientS  = "client_cpu_seconds_per_gigabyte"
		serverS  = "server_cpu_seconds_per_gigabyte"
	)
	bidir := protocol.Params{Bidirectional: true}
	for name, test := range map[string]struct {
		result *measure.Result
		spoil  func(*measure.Result)
		want   map[string]float64
	}{
		"forward": {result(protocol.Params{}, tcp, true), nil,
			map[string]float64{all: 8e9, toServer: 8e9, again: 100 * 10 / (1e6 + 10.), rtt: 0.1, clientS: 1, serverS: 0.5}},
		"reverse": {result(protocol.Params{Reverse: true}, tcp, false), nil,
			map[string]float64{all: 8e9, toClient: 8e9, again: 100 * 10 / (1e6 + 10.), rtt: 0.1, clientS: 1, serverS: 0.5}},
		"both": {result(bidir, tcp, true, false), nil,
			map[string]float64{all: 16e9, toServer: 8e9, toClient: 8e9, again: 100 * 10 / (1e6 + 10.), rtt: 0.1, clientS: 0.5, serverS: 0.25}},
		"both, the server's receiver unknown": {result(bidir, tcp, true, false), func(r *measure.Result) { r.Streams[0].Received = nil },
			map[string]float64{toClient: 8e9, again: 100 * 10 / (1e6 + 10.), rtt: 0.1}},
		"both, the server's sender unknown": {result(bidir, tcp, true, false), func(r *measure.Result) { r.Streams[1].Sent = nil },
			map[string]float64{all: 16e9, toServer: 8e9, toClient: 8e9, rtt: 0.1, clientS: 0.5, serverS: 0.25}},
		"both asked for, one made": {result(bidir, tcp, true), nil,
			map[string]float64{toServer: 8e9, rtt: 0.1}},
		"datagrams": {result(bidir, udp, true, false), nil,
			map[string]float64{all: 16e9, toServer: 8e9, toClient: 8e9, lost: 1, "jitter_ms": 1, clientS: 0.5, serverS: 0.25}},
		"datagrams, one loss unknown": {result(bidir, udp, true, false), func(r *measure.Result) { r.Streams[0].Received.LossUnknown = true },
			map[string]float64{all: 16e9, toServer: 8e9, toClient: 8e9, "jitter_ms": 1, clientS: 0.5, serverS: 0.25}},
		"datagrams, one receiver unknown": {result(bidir, udp, true, false), func(r *measure.Result) { r.Streams[0].Received = nil },
			map[string]float64{toClient: 8e9}},
	} {
		t.Run(name, func(t *testing.T) {
			if test.spoil != nil {
				test.spoil(test.result)
			}
			got := Values(test.result)
			if !slices.Equal(slices.Sorted(maps.Keys(got)), slices.Sorted(maps.Keys(test.want))) {
				t.Fatalf("got %v, want %v", got, test.want)
			}
			for k, want := range test.want {
				if diff := got[k]/want - 1; diff > 1e-9 || diff < -1e-9 {
					t.Errorf("%s: got %v, want %v", k, got[k], want)
				}
			}
		})
	}
}

func TestFigure(t *testing.T) {
	for x, want := range map[float64]string{0: "0", math.Copysign(0, -1): "0", 1234.5: "1230", 0.0000123456: "0.0000123", 12.345: "12.3", -0.5: "-0.5", 1e9: "1000000000"} {
		if got := Figure(x); got != want {
			t.Errorf("%v is %s, want %s", x, got, want)
		}
	}
}
