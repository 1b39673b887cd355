package protocol

// HelloLength is the number of bytes of a hello and of its reply.
const HelloLength = 4

// The handshake that opens a UDP stream. The numbers were written in host byte
// order until 3.16, so each occurs in both orders.
var (
	hello       = [4]byte{0x39, 0x38, 0x37, 0x36} // "9876": 3.12 and later
	helloSwap   = [4]byte{0x36, 0x37, 0x38, 0x39} // 3.12 to 3.16, big-endian host
	helloOld    = [4]byte{0x15, 0xCD, 0x5B, 0x07} // 3.11 and earlier: 123456789
	helloOldBig = [4]byte{0x07, 0x5B, 0xCD, 0x15} // the same, big-endian host

	reply       = [4]byte{0x36, 0x37, 0x38, 0x39} // "6789": 3.12 and later
	replySwap   = [4]byte{0x39, 0x38, 0x37, 0x36} // 3.12 to 3.16, big-endian host
	replyOld    = [4]byte{0xB1, 0x68, 0xDE, 0x3A} // 3.11 and earlier: 987654321
	replyOldBig = [4]byte{0x3A, 0xDE, 0x68, 0xB1} // the same, big-endian host
)

// Hello returns the datagram with which a client opens a UDP stream.
func Hello() [4]byte { return hello }

// IsHello reports whether a datagram is exactly one of the four hellos in use.
// Anything else, such as late data of an earlier test, must not open a stream.
func IsHello(b []byte) bool {
	if len(b) != HelloLength {
		return false
	}
	switch [4]byte(b) {
	case hello, helloSwap, helloOld, helloOldBig:
		return true
	}
	return false
}

// HelloReply returns the answer that the sender of a hello understands.
func HelloReply(b []byte) [4]byte {
	if len(b) == HelloLength {
		switch [4]byte(b) {
		case helloOldBig:
			return replyOldBig
		case helloSwap:
			return replySwap
		}
	}
	return reply
}

// IsReply reports whether a datagram starts with one of the four replies in
// use. Longer ones count, as they do for iperf3.
func IsReply(b []byte) bool {
	if len(b) < HelloLength {
		return false
	}
	switch [4]byte(b) {
	case reply, replySwap, replyOld, replyOldBig:
		return true
	}
	return false
}
