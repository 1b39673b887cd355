package explain

import (
	"math"
	"testing"

	"linkperf/protocol"
)

// TestCeiling compares with values computed by hand: payload over what one
// packet takes on the wire.
func TestCeiling(t *testing.T) {
	const tcp, udp = protocol.TCP, protocol.UDP
	for _, c := range []struct {
		name  string
		speed float64
		f     Framing
		want  float64 // bit/s
	}{
		{"1448/1538", 1e9, Framing{Transport: tcp, Family: 4, MTU: 1500, Timestamps: true}, 941.48e6},
		{"1460/1538", 1e9, Framing{Transport: tcp, Family: 4, MTU: 1500}, 949.28e6},
		{"1428/1538", 1e9, Framing{Transport: tcp, Family: 6, MTU: 1500, Timestamps: true}, 928.48e6},
		{"1440/1538", 1e9, Framing{Transport: tcp, Family: 6, MTU: 1500}, 936.28e6},
		{"1472/1538", 1e9, Framing{Transport: udp, Family: 4, MTU: 1500}, 957.09e6},
		{"1452/1538", 1e9, Framing{Transport: udp, Family: 6, MTU: 1500}, 944.08e6},
		{"8948/9038", 1e9, Framing{Transport: tcp, Family: 4, MTU: 9000, Timestamps: true}, 990.04e6},
		{"8960/9038", 1e9, Framing{Transport: tcp, Family: 4, MTU: 9000}, 991.37e6},
		{"8928/9038", 1e9, Framing{Transport: tcp, Family: 6, MTU: 9000, Timestamps: true}, 987.83e6},
		{"8972/9038", 1e9, Framing{Transport: udp, Family: 4, MTU: 9000}, 992.70e6},
		{"1448/1542, one VLAN tag", 1e9, Framing{Transport: tcp, Family: 4, MTU: 1500, Timestamps: true, VLANTags: 1}, 939.04e6},
		{"1448/1546, two", 1e9, Framing{Transport: tcp, Family: 4, MTU: 1500, Timestamps: true, VLANTags: 2}, 936.61e6},
		{"10GBASE-T", 10e9, Framing{Transport: tcp, Family: 4, MTU: 1500, Timestamps: true}, 9414.82e6},
		{"10GBASE-T, 9000", 10e9, Framing{Transport: tcp, Family: 4, MTU: 9000, Timestamps: true}, 9900.42e6},
		{"536/626: -M 536", 1e9, Framing{Transport: tcp, Family: 4, MTU: 1500, Timestamps: true, Payload: 536}, 536.0 / 626 * 1e9},
		{"1/84: the smallest frame", 1e9, Framing{Transport: udp, Family: 4, MTU: 1500, Payload: 1}, 1.0 / 84 * 1e9},
		{"18/84: just fills it", 1e9, Framing{Transport: udp, Family: 4, MTU: 1500, Payload: 18}, 18.0 / 84 * 1e9},
		{"14/84: with a tag", 1e9, Framing{Transport: udp, Family: 4, MTU: 1500, Payload: 14, VLANTags: 1}, 14.0 / 84 * 1e9},
		// 1473+8 bytes in fragments of 1480 and 1: 1538 + the smallest frame.
		{"1473/(1538+84)", 1e9, Framing{Transport: udp, Family: 4, MTU: 1500, Payload: 1473}, 1473.0 / 1622 * 1e9},
		// 8192+8 bytes: 5 of 1480 and one of 800+20+38.
		{"8192/(5·1538+858)", 1e9, Framing{Transport: udp, Family: 4, MTU: 1500, Payload: 8192}, 8192.0 / 8548 * 1e9},
		// IPv6: 8200 bytes in fragments of 1448, each with 48 of header; the last of 960.
		{"8192/(5·1534+1046)", 1e9, Framing{Transport: udp, Family: 6, MTU: 1500, Payload: 8192}, 8192.0 / 8716 * 1e9},
		// 1448/1514·0.985: the published 9.4 Gbit/s of two Thunderbolt 3 computers.
		{"Thunderbolt 3", 10e9, Framing{Medium: Thunderbolt3, Transport: tcp, Family: 4, MTU: 1500, Timestamps: true}, 9420.61e6},
		// 8948/9014·0.955
		{"USB4, 9000", 20e9, Framing{Medium: USB4, Transport: tcp, Family: 4, MTU: 9000, Timestamps: true}, 18960.15e6},

		{"no IP version", 1e9, Framing{Transport: tcp, MTU: 1500}, 0},
		{"no MTU", 1e9, Framing{Transport: tcp, Family: 4}, 0},
		{"no room", 1e9, Framing{Transport: udp, Family: 6, MTU: 48, Payload: 100}, 0},
		{"SCTP", 1e9, Framing{Transport: protocol.SCTP, Family: 4, MTU: 1500}, 0},
		{"no such MTU", 1e9, Framing{Transport: tcp, Family: 4, MTU: math.MaxInt64}, 0},
	} {
		t.Run(c.name, func(t *testing.T) {
			if got := c.f.Ceiling(c.speed); math.Abs(got-c.want) > 0.01e6 {
				t.Errorf("%.2f Mbit/s, want %.2f", got/1e6, c.want/1e6)
			}
		})
	}
}
