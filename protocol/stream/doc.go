// Package stream moves the bytes of one data stream: one direction of one TCP,
// UDP, SCTP or MPTCP connection. It paces, counts and samples; it knows
// nothing of the control connection, of flags and of output.
//
// A [Socket] comes from [Dial], [FromConn] or a [Listener]; [New] makes a
// [Stream] of it and chooses, once, the data path: how bytes get from the
// program into the kernel and back. Every path does the same; the portable one
// over net.Conn is the reference that the others are tested against.
package stream
