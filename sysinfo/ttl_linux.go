package sysinfo

import (
	"encoding/binary"
	"unsafe"

	"golang.org/x/sys/unix"
)

// readTTL asks for the TTL with which the peer's packets arrive. A TCP socket
// keeps that of the packet that opened an accepted connection (IPv4), or of the
// last one if asked to (IPv6); a connection that this host opened over IPv4 has
// none.
func (s *socketSample) readTTL(fd int, c Conn) {
	if c.Transport != "tcp" {
		return
	}
	level, ask, ancillary, kind := unix.IPPROTO_IP, unix.IP_RECVTTL, unix.IP_PKTOPTIONS, int32(unix.IP_TTL)
	if remote := c.Remote.Addr(); remote.Is6() && !remote.Is4In6() {
		level, ask, ancillary, kind = unix.IPPROTO_IPV6, unix.IPV6_RECVHOPLIMIT, unix.IPV6_2292PKTOPTIONS, unix.IPV6_HOPLIMIT
	}
	before, err := unix.GetsockoptInt(fd, level, ask)
	if err != nil || unix.SetsockoptInt(fd, level, ask, 1) != nil {
		return
	}
	defer unix.SetsockoptInt(fd, level, ask, before)
	var b [256]byte
	size := uint32(len(b))
	_, _, errno := unix.Syscall6(unix.SYS_GETSOCKOPT, uintptr(fd), uintptr(level), uintptr(ancillary),
		uintptr(unsafe.Pointer(&b)), uintptr(unsafe.Pointer(&size)), 0)
	if errno != 0 {
		return
	}
	messages, err := unix.ParseSocketControlMessage(b[:min(int(size), len(b))])
	if err != nil {
		return
	}
	for _, m := range messages {
		if int(m.Header.Level) == level && m.Header.Type == kind && len(m.Data) >= 4 {
			// 1 is the field's first value, for multicast, and means that no
			// packet set it.
			if ttl := int64(binary.NativeEndian.Uint32(m.Data)); ttl > 1 && ttl <= 255 {
				s.TTL = &ttl
			}
		}
	}
}
