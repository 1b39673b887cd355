package stream

import (
	"syscall"
	"unsafe"

	"golang.org/x/sys/unix"
)

const (
	// maxSuper is the largest message with several datagrams, in bytes: what a
	// UDP packet can hold on sending, and a little more than that on receiving.
	maxSuper = 65535
	// maxSegments is how many datagrams the kernel makes of one message
	// (UDP_MAX_SEGMENTS); before Linux 6.9 it is 64.
	maxSegments, oldMaxSegments = 128, 64
)

// segmentation switches UDP_SEGMENT on, if the kernel has it. The datagrams on
// the wire are the same; the sender does the work for a whole train at once.
func (u *udpCalls) segmentation(fd, length int) {
	n := min(maxSegments, 65507/length)
	if n < 2 {
		return
	}
	if unix.SetsockoptInt(fd, unix.IPPROTO_UDP, unix.UDP_SEGMENT, length) == nil {
		u.gso.Store(true)
		u.segments = n
	}
}

// refused reports whether a call failed because of segmentation offload, which
// is then given up: the length does not fit into the MTU (EINVAL, EMSGSIZE), or
// the interface computes no checksums (EIO). A kernel that takes fewer segments
// gets fewer.
func (u *udpCalls) refused(errno syscall.Errno, fd int) bool {
	if !u.gso.Load() {
		return false
	}
	switch errno {
	case unix.EINVAL, unix.EMSGSIZE:
		if u.segments > oldMaxSegments {
			u.segments = oldMaxSegments
			return true
		}
	case unix.EIO, unix.EOPNOTSUPP:
	default:
		return false
	}
	u.gso.Store(false)
	u.segments, u.refusal = 1, errno
	return unix.SetsockoptInt(fd, unix.IPPROTO_UDP, unix.UDP_SEGMENT, 0) == nil
}

// coalescing switches UDP_GRO on, if the kernel has it: datagrams that arrived
// back to back come in one message, with their length beside it.
func (u *udpCalls) coalescing(fd int) {
	u.gro = unix.SetsockoptInt(fd, unix.IPPROTO_UDP, unix.UDP_GRO, 1) == nil
}

// groControl holds the control message with the segment size, an int.
type groControl struct {
	header unix.Cmsghdr
	size   int32
	_      int32
}

func (u *udpCalls) resetControl(n int) {
	for i := range n {
		m := &u.messages[i]
		m.Control = (*byte)(unsafe.Pointer(&u.control[i]))
		m.SetControllen(int(unsafe.Sizeof(u.control[i])))
	}
}

// segmentSize returns the length of the datagrams in message i, 0 if it is one.
func (u *udpCalls) segmentSize(i int) int {
	c := &u.control[i]
	if uintptr(u.messages[i].Controllen) < unsafe.Offsetof(c.size)+unsafe.Sizeof(c.size) ||
		c.header.Level != unix.IPPROTO_UDP || c.header.Type != unix.UDP_GRO {
		return 0
	}
	return int(c.size)
}
