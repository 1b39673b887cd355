package protocol

import "encoding/binary"

// The number of bytes of a Header with a 32-bit and with a 64-bit counter.
const (
	HeaderLength     = 12
	WideHeaderLength = 16
)

// A Header starts every UDP datagram of a test. Filler follows up to the length
// that was agreed on.
type Header struct {
	// Sec and Usec are the time of sending: since the epoch or, from 3.7 on,
	// since the sender's boot. Only differences mean something.
	Sec, Usec uint32
	// Counter numbers the datagrams of a stream from 1, over the omit period
	// too. Without wide counters only its lower 32 bits travel.
	Counter uint64
}

// HeaderLen returns the number of bytes of a header; wide means 64-bit counters.
func HeaderLen(wide bool) int {
	if wide {
		return WideHeaderLength
	}
	return HeaderLength
}

// PutHeader writes h to the start of b, which must have HeaderLen(wide) bytes.
func PutHeader(b []byte, h Header, wide bool) {
	_ = b[HeaderLen(wide)-1]
	binary.BigEndian.PutUint32(b, h.Sec)
	binary.BigEndian.PutUint32(b[4:], h.Usec)
	if wide {
		binary.BigEndian.PutUint64(b[8:], h.Counter)
		return
	}
	binary.BigEndian.PutUint32(b[8:], uint32(h.Counter))
}

// ParseHeader reads the header at the start of b; false means that b is too
// short for one.
func ParseHeader(b []byte, wide bool) (Header, bool) {
	if len(b) < HeaderLen(wide) {
		return Header{}, false
	}
	h := Header{Sec: binary.BigEndian.Uint32(b), Usec: binary.BigEndian.Uint32(b[4:])}
	if wide {
		h.Counter = binary.BigEndian.Uint64(b[8:])
	} else {
		h.Counter = uint64(binary.BigEndian.Uint32(b[8:]))
	}
	return h, true
}
