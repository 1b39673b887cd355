package measure

import (
	"testing"
	"time"
)

// What one part of a sum does not know, the sum does not know; a sum is of one
// direction only.
func TestIntervalSum(t *testing.T) {
	up, down := &StreamInfo{Sender: true}, &StreamInfo{}
	udp := func(bytes, lost, order, drops int64, jitter float64) StreamInterval {
		return StreamInterval{Stream: down, Bytes: bytes, UDP: &UDPStats{Packets: 10, Lost: lost, OutOfOrder: order, Dropped: drops, Jitter: jitter}}
	}
	iv := Interval{Start: time.Second, End: 3 * time.Second, Streams: []StreamInterval{
		{Stream: up, Bytes: 1000, TCP: &TCPInfo{Retransmits: 2, RTT: 9}}, udp(100, 1, 2, -1, 0.25), udp(150, -1, 3, 4, 0.75),
	}}
	sent, ok := iv.Sum(true)
	if !ok || sent.Bytes != 1000 || sent.TCP == nil || sent.TCP.Retransmits != 2 || sent.TCP.RTT != 0 || sent.UDP != nil {
		t.Errorf("sent %+v", sent)
	}
	sum, ok := iv.Sum(false)
	want := UDPStats{Packets: 20, Lost: 0, OutOfOrder: 5, Dropped: -1, Jitter: 0.5}
	if !ok || sum.Bytes != 250 || sum.BitsPerSecond() != 1000 || sum.UDP == nil || *sum.UDP != want {
		t.Errorf("received %+v %+v, want %+v", sum, sum.UDP, want)
	}
	if _, ok := (&Interval{}).Sum(true); ok {
		t.Error("a sum of no streams")
	}
}

// The sum of a direction of which not every stream was reported is not known: a
// part would pass for the whole.
func TestResultSum(t *testing.T) {
	up := &StreamInfo{Sender: true}
	r := Result{Start: &Start{Side: Client}, Streams: []StreamResult{
		{Stream: up, Sent: &Totals{Bytes: 1, Retransmits: 2}, Received: &Totals{Bytes: 1, Retransmits: -1}},
		{Stream: up, Sent: &Totals{Bytes: 2, Retransmits: 3}},
	}}
	if sum, ok := r.Sum(true, true); !ok || sum.Bytes != 3 || sum.Retransmits != 5 {
		t.Errorf("sent: %+v, %v", sum, ok)
	}
	for _, sent := range []bool{true, false} {
		if sum, ok := r.Sum(false, sent); ok {
			t.Errorf("a sum of no streams: %+v", sum)
		}
	}
	if sum, ok := r.Sum(true, false); ok {
		t.Errorf("a sum of half of the streams: %+v", sum)
	}
}
