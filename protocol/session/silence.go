package session

import (
	"net"
	"time"

	"linkperf/protocol"
)

// ControlKeepalive is how both sides watch the control connection, which is
// silent during a test, if nothing else is asked for. A peer that has vanished
// is noticed within 9 s, and a NAT in between does not forget the connection.
func ControlKeepalive() net.KeepAliveConfig {
	return net.KeepAliveConfig{Enable: true, Idle: 3 * time.Second, Interval: time.Second, Count: 6}
}

// Silence tells for how long nothing has moved. Its zero value is ready.
type Silence struct {
	total int64
	since time.Time
}

// Lasts returns for how long the total has not grown.
func (s *Silence) Lasts(total int64, now time.Time) time.Duration {
	if s.since.IsZero() || total > s.total {
		s.total, s.since = total, now
	}
	return now.Sub(s.since)
}

// Patience returns how long a stream with these parameters may be silent before
// that means something: at least three of the pauses that its own rate makes.
func Patience(p *protocol.Params, atLeast time.Duration) time.Duration {
	rate := p.Rate
	if p.FQRate > 0 && (rate == 0 || p.FQRate < rate) {
		rate = p.FQRate
	}
	if rate == 0 {
		return atLeast
	}
	block := p.Length
	if p.GSO { // sent as one
		block = protocol.GSOBuffer(p.Length)
	}
	pause := 8e9 * float64(block) * float64(max(p.Burst, 1)) / float64(rate)
	return max(atLeast, time.Duration(min(3*pause, 1<<62)))
}
