package stream

import "time"

// sending is the state of a sender: what it has sent, and what it may send.
type sending struct {
	sent    int64 // bytes
	allowed int64 // bytes that the pacer lets go without being asked again

	reserved int64 // bytes taken from the budget and not sent
	held     bool  // they are not charged
	charged  bool  // something has been
}

// grant waits until something may be sent and returns how many bytes, at most
// n. It returns 0 when the budget is used up. settle must follow.
func (s *Stream) grant(n int64) (int64, error) {
	t := &s.tx
	if s.pacer != nil {
		for t.allowed <= 0 {
			allow, wait := s.pacer.Next(time.Since(s.base), t.sent)
			if t.allowed = allow; wait > 0 {
				if err := s.path.sleep(wait); err != nil {
					return 0, err
				}
			}
		}
		n = min(n, t.allowed)
	}
	if s.c.Budget != nil {
		if t.reserved == 0 {
			t.reserved, t.held = s.c.Budget.take(n, int64(s.c.Length))
			if !t.held && !t.charged {
				t.charged = true
				s.charges(t.sent)
			}
		}
		n = min(n, t.reserved)
	}
	return n, nil
}

// settle counts the bytes that were sent of those granted. A block that is begun
// stays reserved: iperf3's receivers wait for whole blocks.
func (s *Stream) settle(n int64) {
	t := &s.tx
	t.sent += n
	t.allowed -= n
	s.n.bytes.Store(t.sent)
	if s.c.Budget != nil {
		t.reserved -= n
		rest := t.sent % int64(s.c.Length)
		if rest > 0 {
			rest = min(int64(s.c.Length)-rest, t.reserved)
		}
		s.c.Budget.give(t.reserved-rest, n, t.held)
		t.reserved = rest
	}
}
