package stream

import (
	"io"
	"time"
)

// maxChunk is the most that a byte stream moves with one system call when the
// length was not asked for, in bytes.
const maxChunk = 1 << 20

// sendBytes moves a byte stream's payload until something ends it.
func (s *Stream) sendBytes() error {
	src := s.source()
	for !s.stop.Load() {
		n, err := s.grant(int64(src.chunk()))
		if n == 0 || err != nil {
			return err
		}
		m, err := src.send(int(n))
		s.settle(int64(m))
		if err != nil {
			if peerClosed(err) {
				return io.EOF
			}
			return err
		}
	}
	return nil
}

// receiveBytes takes a byte stream's payload until the peer ends it.
func (s *Stream) receiveBytes() error {
	buf := make([]byte, s.receiveLength())
	var received int64
	for !s.stop.Load() {
		n, err := s.path.receive(buf)
		if n > 0 {
			if s.file != nil {
				if _, err := s.file.Write(buf[:n]); err != nil {
					return err
				}
			}
			received += int64(n)
			s.n.last.Store(int64(time.Since(s.base)))
			s.n.bytes.Store(received)
			if s.c.Budget != nil {
				s.c.Budget.charge(int64(n))
			}
		}
		if err != nil {
			if peerClosed(err) {
				return io.EOF
			}
			return err
		}
	}
	return nil
}

// receiveLength is how much one read asks for: a block, or several as long as
// the buffers of all streams together stay small.
func (s *Stream) receiveLength() int {
	if s.c.LengthSet || s.file != nil {
		return s.c.Length
	}
	return max(s.c.Length, min(maxChunk, maxBuffers/s.c.Streams))
}

// maxBuffers bounds the receive buffers of all streams of a test, in bytes.
const maxBuffers = 16 << 20
