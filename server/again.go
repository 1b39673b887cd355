package server

import (
	"errors"
	"time"

	"linkperf/protocol"
	"linkperf/protocol/measure"
)

// ErrGaveUp says that a client gave the set-up of its UDP streams up, because a
// hello or the answer to one was lost, and will start over. Such a test does
// not use up a server with OneOff; if the client does not come again within a
// few seconds, Serve returns all the same.
var ErrGaveUp = errors.New("the client gave up the set-up of its UDP streams: a first datagram was lost")

const (
	// setUpTime is when a client that has not heard of its streams is certain
	// to have given up. Linkperf's waits 3 s for each.
	setUpTime = 6 * time.Second
	// againTime is how long the last client of a one-off server may take to
	// come again.
	againTime = 5 * time.Second
)

// gaveUp reports whether the client left before it knew of all its UDP streams.
// If only an answer was lost, the test has begun on this side, and may send; from
// the client nothing has come then.
func (t *test) gaveUp() bool {
	switch {
	case !t.done || t.params.Transport != protocol.UDP:
		return false
	case t.group == nil || t.began.IsZero():
		return true
	case time.Since(t.began) > setUpTime:
		return false
	}
	return t.group.Total(func(s *measure.StreamInfo) bool { return !s.Sender }) == 0
}

// expectAgain lets a one-off server wait a moment for a client that gave up.
func (t *test) expectAgain() {
	t.mu.Lock()
	defer t.mu.Unlock()
	if t.places == t.all && (t.IdleTimeout <= 0 || t.IdleTimeout > againTime) {
		t.endUnused(againTime)
	}
}
