package stream

import (
	"fmt"
	"time"

	"linkperf/protocol"
)

// maxChunk is about the most that a byte stream moves with one system call, in
// bytes. Where the length was asked for, the data path keeps the blocks apart.
const maxChunk = 1 << 20

// chunk is the most that a byte stream should be asked to move at once, in
// bytes: whole blocks. Messages of SCTP are kept apart by the transport.
func (c *Config) chunk() int {
	if c.Transport == protocol.SCTP {
		return c.Length
	}
	return max(maxChunk/c.Length, 1) * c.Length
}

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
			return err
		}
	}
	return nil
}

// receiveBytes takes a byte stream's payload until the peer ends it. A
// connection that breaks is no such end.
func (s *Stream) receiveBytes() error {
	take := s.discard()
	if s.file != nil {
		take = s.store()
	}
	var received int64
	charged := false
	for !s.stop.Load() {
		n, err := take()
		if n > 0 {
			received += int64(n)
			s.n.last.Store(int64(time.Since(s.base)))
			s.n.bytes.Store(received)
			if s.c.Budget != nil {
				if s.c.Budget.charge(int64(n)) && !charged {
					charged = true
					s.charges(received - int64(n))
				}
			}
		}
		if err != nil {
			return err
		}
	}
	return nil
}

// discard returns a function that receives and throws away.
func (s *Stream) discard() func() (int, error) {
	n := s.c.chunk()
	return func() (int, error) { return s.path.discard(n) }
}

// store returns a function that receives into the file.
func (s *Stream) store() func() (int, error) {
	buf := make([]byte, s.c.Length)
	return func() (int, error) {
		n, err := s.path.receive(buf)
		if n > 0 {
			if _, werr := s.file.Write(buf[:n]); werr != nil {
				return n, protocol.NewError(protocol.CodeFile, fmt.Errorf("write: %w", werr))
			}
		}
		return n, err
	}
}
