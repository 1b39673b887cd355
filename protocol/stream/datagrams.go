package stream

import (
	"math"
	"time"

	"linkperf/protocol"
)

// batch is a number of received messages. With receive offload a message holds
// several datagrams of the same length.
type batch struct {
	buf     []byte
	slot    int   // bytes of buf for each message
	n       int   // messages
	size    []int // bytes of message i
	segment []int // bytes of each datagram in message i but the last; 0 means one datagram
}

func newBatch(messages, slot int) *batch {
	return &batch{
		buf: make([]byte, messages*slot), slot: slot,
		size: make([]int, messages), segment: make([]int, messages),
	}
}

func (b *batch) message(i int) []byte { return b.buf[i*b.slot : (i+1)*b.slot] }

// sendDatagrams sends until something ends it. All datagrams of a batch carry
// the time at which the batch was put together.
func (s *Stream) sendDatagrams() error {
	length, wide := s.c.Length, s.c.WideCounters
	most := int64(s.path.batch(length))
	buf := make([]byte, int(most)*length)
	for i := 0; i < len(buf); i += length {
		copy(buf[i:i+length], s.c.Payload.block)
	}
	var counter int64
	for !s.stop.Load() {
		n, err := s.grant(most * int64(length))
		if n == 0 || err != nil {
			return err
		}
		now := s.epoch + int64(time.Since(s.base))
		h := protocol.Header{Sec: uint32(now / 1e9), Usec: uint32(now % 1e9 / 1e3)}
		for i := int64(0); i < n; i += int64(length) {
			h.Counter = uint64(counter + i/int64(length) + 1)
			protocol.PutHeader(buf[i:], h, wide)
		}
		m, err := s.path.sendDatagrams(buf[:n], length)
		counter += int64(m)
		s.n.packets.Store(counter)
		s.settle(int64(m) * int64(length))
		if err != nil {
			if !transient(err) {
				return err
			}
			if err := s.path.sleep(retryPause); err != nil {
				return err
			}
		}
	}
	return nil
}

// retryPause is how long a sender waits after an error that may pass.
const retryPause = 100 * time.Microsecond

// receiveDatagrams receives until it is stopped. All datagrams of a batch count
// as arrived at the time at which the batch was read.
func (s *Stream) receiveDatagrams() error {
	b := s.path.newBatch(s.c.Length)
	for !s.stop.Load() {
		if err := s.path.receiveDatagrams(b); err != nil {
			if transient(err) {
				continue
			}
			return err
		}
		now := time.Since(s.base)
		if s.mark.Load() && s.mark.Swap(false) {
			s.rx.restart()
		}
		at := s.epoch + int64(now)
		before, double := s.rx.bytes, s.rx.duplicates
		for i := range b.n {
			s.countMessage(b.message(i)[:b.size[i]], b.segment[i], at)
		}
		if s.rx.bytes != before || s.rx.duplicates != double {
			s.publish(now)
			if s.c.Budget != nil {
				s.c.Budget.charge(s.rx.bytes - before)
			}
		}
	}
	return nil
}

func (s *Stream) countMessage(m []byte, segment int, at int64) {
	if protocol.IsHello(m) {
		s.answer(m)
		return
	}
	if segment <= 0 {
		segment = len(m)
	}
	s.rx.message(m, segment, at)
}

// answer repeats the reply to a client that did not get the first one.
func (s *Stream) answer(hello []byte) {
	reply := protocol.HelloReply(hello)
	_, _ = s.path.send(reply[:]) // lost like any datagram
}

// publish shows other goroutines what the receiver has counted.
func (s *Stream) publish(now time.Duration) {
	c := &s.rx
	s.n.bytes.Store(c.bytes)
	s.n.packets.Store(c.unique)
	s.n.highest.Store(c.highest)
	s.n.lost.Store(c.highest - c.unique)
	s.n.late.Store(c.late)
	s.n.dup.Store(c.duplicates)
	s.n.jitter.Store(math.Float64bits(c.jitter))
	s.n.last.Store(int64(now))
}
