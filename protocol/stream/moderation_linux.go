package stream

import (
	"time"

	"golang.org/x/sys/unix"
)

// moderation lets a receiver of a fast byte stream sleep until more than a
// segment has come (socket(7): SO_RCVLOWAT), as network cards moderate their
// interrupts. A receiver that wakes up for every segment sends an
// acknowledgement for every other one; over a virtual cable between two
// namespaces the sender then got a third of the throughput in most runs.
type moderation struct {
	bytes int64 // received since
	since time.Time
	mark  int // the low-water mark, bytes; 1 is the system's
}

const (
	// moderateFrom is the rate below which a receiver wakes up for every
	// segment, in bytes per second.
	moderateFrom = 1e9
	// moderateTime is how long a sleep may last at the present rate.
	moderateTime = 500 * time.Microsecond
	// moderatePart is the part of the receive buffer that may fill meanwhile: the
	// window of the sender must stay open.
	moderatePart = 8
	// moderateEvery is how often the rate is looked at.
	moderateEvery = time.Millisecond
)

// lowWater is the low-water mark for a rate in bytes per second and a receive
// buffer in bytes.
func lowWater(rate float64, buffer int) int {
	if rate < moderateFrom {
		return 1
	}
	return max(min(int(rate*moderateTime.Seconds()), buffer/moderatePart), 1)
}

// moderate adapts the low-water mark before a receiver waits.
func (p *fdPath) moderate() {
	m := &p.moderation
	now := time.Now()
	elapsed := now.Sub(m.since)
	if elapsed < moderateEvery {
		return
	}
	rate := float64(m.bytes) / elapsed.Seconds()
	m.bytes, m.since = 0, now
	if rate < moderateFrom && m.mark <= 1 {
		return
	}
	buffer, err := unix.GetsockoptInt(p.fd, unix.SOL_SOCKET, unix.SO_RCVBUF)
	if err != nil {
		return
	}
	mark := lowWater(rate, buffer)
	if mark == 1 || mark > 2*m.mark || mark < m.mark/2 {
		if unix.SetsockoptInt(p.fd, unix.SOL_SOCKET, unix.SO_RCVLOWAT, mark) == nil {
			m.mark = mark
		}
	}
}
