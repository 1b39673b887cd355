package session

import (
	"testing"

	"linkperf/protocol/measure"
)

func TestLateDatagramsOfTheOmitPeriod(t *testing.T) {
	a := account{
		sent:     &measure.Totals{Bytes: 1000, UDP: &measure.UDPStats{Packets: 10}},
		received: &measure.Totals{Bytes: 1300, UDP: &measure.UDPStats{Packets: 12, Lost: -3}},
	}
	a.cut()
	a.forgive()
	if u := a.received.UDP; a.received.Bytes != 1000 || u.Packets != 10 || u.Lost != 0 {
		t.Errorf("received %d bytes, %+v", a.received.Bytes, u)
	}
	if a.earlyBytes != 300 || a.earlyPackets != 2 || a.late != 3 {
		t.Errorf("what the last interval has to show: %+v", a)
	}
	a.forgive()
	if a.late != 3 {
		t.Errorf("forgiven twice: %d", a.late)
	}
}
