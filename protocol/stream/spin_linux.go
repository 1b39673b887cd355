package stream

import "time"

// spin makes a receiver of datagrams that come one by one try again for a while
// before it waits. To wake it up is work of the sender, which on one host costs
// it an eighth of its throughput. Where many datagrams come in one message the
// receiver rather sleeps: that they come less often costs nothing.
type spin struct {
	worth bool // the next datagram is likely to come soon
	since time.Time
}

const (
	// spinTime is how long a receiver tries again.
	spinTime = 50 * time.Microsecond
	// spinBelow is how long a wait for a datagram may have been for the next one
	// to be likely.
	spinBelow = 2 * spinTime
)

// again tells whether an empty socket is worth another try.
func (s *spin) again() bool {
	now := time.Now()
	if s.since.IsZero() {
		s.since = now
	}
	return s.worth && now.Sub(s.since) < spinTime
}

// received ends the tries: single datagrams have come.
func (s *spin) received(single bool) {
	if !s.since.IsZero() || !single {
		s.worth = single && time.Since(s.since) < spinBelow
		s.since = time.Time{}
	}
}
