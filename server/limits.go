package server

import (
	"fmt"
	"time"

	"linkperf/protocol"
)

// refuse returns why a client's parameters are not served, nil if they are.
func (s *Server) refuse(p *protocol.Params) error {
	switch {
	case s.MaxDuration > 0 && (p.Time == 0 || time.Duration(p.Time+p.Omit)*time.Second > s.MaxDuration):
		return protocol.NewError(protocol.CodeMaxServerTestDurationExceeded, nil)
	case s.File != "" && p.Transport == protocol.UDP:
		return protocol.NewError(protocol.CodeUDPFileTransfer, nil)
	case s.File != "" && p.Bidirectional:
		return protocol.NewError(protocol.CodeFile, fmt.Errorf("%s would be read and overwritten at once (-F with --bidir)", s.File))
	case s.BitrateLimit > 0 && max(askedRate(p, p.Rate), askedRate(p, p.FQRate)) > float64(s.BitrateLimit):
		return protocol.NewError(protocol.CodeTotalRate, nil)
	}
	return nil
}

// askedRate is what all streams of a test make of a rate, in bit/s.
func askedRate(p *protocol.Params, rate uint64) float64 {
	return float64(p.Streams()) * float64(rate)
}

// rateLimit watches the mean rate over a time that slides along. Its zero value
// has no limit.
type rateLimit struct {
	limit   float64 // bit/s
	over    time.Duration
	samples []rateSample // of the last while, oldest first
}

type rateSample struct {
	at    time.Time
	total int64 // bytes
}

func (s *Server) rateLimit() rateLimit {
	l := rateLimit{limit: float64(s.BitrateLimit), over: s.BitrateAverage}
	if l.over == 0 {
		l.over = DefaultBitrateAverage
	}
	return l
}

// exceeded takes the bytes moved so far and reports whether the mean over the
// last while is above the limit. It is false until that while has passed once.
func (l *rateLimit) exceeded(total int64, now time.Time) bool {
	if l.limit <= 0 {
		return false
	}
	l.samples = append(l.samples, rateSample{now, total})
	// The oldest sample that is kept is the youngest one old enough.
	for len(l.samples) > 1 && now.Sub(l.samples[1].at) >= l.over {
		l.samples = l.samples[1:]
	}
	first := l.samples[0]
	elapsed := now.Sub(first.at)
	if elapsed < l.over {
		return false
	}
	return float64(total-first.total)*8 > l.limit*elapsed.Seconds()
}
