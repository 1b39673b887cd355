package stream

import (
	"testing"
	"time"
)

func TestSpin(t *testing.T) {
	var s spin
	if s.again() {
		t.Error("tries again before anything has come")
	}
	s.since = time.Now().Add(time.Hour) // so that no time has passed, however long this takes
	s.received(true)
	if !s.again() {
		t.Error("does not try again though a datagram came at once")
	}
	s.since = time.Now().Add(-spinTime)
	if s.again() {
		t.Error("tries for too long")
	}
	s.since = time.Now().Add(-spinBelow)
	s.received(true)
	if s.again() {
		t.Error("tries again though the datagram took its time")
	}
	s.received(true)
	s.received(false)
	if s.again() {
		t.Error("tries again though datagrams come many at once")
	}
}
