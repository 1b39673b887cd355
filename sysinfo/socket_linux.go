package sysinfo

import (
	"fmt"
	"unsafe"

	"golang.org/x/sys/unix"
)

// readSocket asks the kernel about one data connection.
func readSocket(c Conn) (socketSample, error) {
	var s socketSample
	if c.Raw == nil {
		return s, because(NotAttempted, "no socket was given")
	}
	var asked error
	err := c.Raw.Control(func(fd uintptr) {
		switch c.Transport {
		case "tcp", "mptcp":
			asked = s.readTCP(int(fd))
		default:
			if mtu, err := pathMTU(int(fd), c); err == nil {
				s.PathMTU = &mtu
			}
		}
		s.readBuffers(int(fd))
		s.readTTL(int(fd), c)
	})
	if err != nil {
		return s, fmt.Errorf("read socket: %w", err)
	}
	return s, asked
}

// Flags of tcpi_options, see linux/tcp.h.
const (
	tcpOptionTimestamps = 1
	tcpOptionWScale     = 4
)

func (s *socketSample) readTCP(fd int) error {
	info, length, err := tcpInfo(fd)
	if err != nil {
		return fmt.Errorf("read TCP_INFO: %w", err)
	}
	n := func(v uint32) *int64 { return new(int64(v)) }
	s.MSS, s.MSSAdvertised, s.PathMTU = n(info.Snd_mss), n(info.Advmss), n(info.Pmtu)
	s.Timestamps, s.WindowScaling = new(info.Options&tcpOptionTimestamps != 0), new(info.Options&tcpOptionWScale != 0)
	s.RTT, s.Retransmits = n(info.Rtt), n(info.Total_retrans)
	// Older kernels fill less of the structure. What they do not fill is not
	// zero but unknown.
	told := func(field unsafe.Pointer, size uintptr) bool {
		return uintptr(field)-uintptr(unsafe.Pointer(&info))+size <= length
	}
	big := func(v *uint64, scale int64) *int64 {
		if !told(unsafe.Pointer(v), 8) {
			return nil
		}
		return new(int64(*v) * scale)
	}
	if told(unsafe.Pointer(&info.Min_rtt), 4) {
		// All ones until there was a measurement.
		if info.Min_rtt != ^uint32(0) {
			s.RTTMin = n(info.Min_rtt)
		}
	}
	if told(unsafe.Pointer(&info.Data_segs_out), 4) {
		s.Segments = n(info.Data_segs_out)
	}
	s.DeliveryRate = big(&info.Delivery_rate, 8)
	s.Busy, s.WindowLimited, s.BufferLimited = big(&info.Busy_time, 1), big(&info.Rwnd_limited, 1), big(&info.Sndbuf_limited, 1)
	s.SentBytes, s.ReceivedBytes = big(&info.Bytes_sent, 1), big(&info.Bytes_received, 1)
	if name, err := unix.GetsockoptString(fd, unix.IPPROTO_TCP, unix.TCP_CONGESTION); err == nil {
		s.CongestionControl = &name
	}
	return nil
}

// tcpInfo reads TCP_INFO and how many bytes of it the kernel filled, which the
// call of x/sys does not tell.
func tcpInfo(fd int) (info unix.TCPInfo, length uintptr, err error) {
	size := uint32(unsafe.Sizeof(info))
	_, _, errno := unix.Syscall6(unix.SYS_GETSOCKOPT, uintptr(fd), unix.IPPROTO_TCP, unix.TCP_INFO,
		uintptr(unsafe.Pointer(&info)), uintptr(unsafe.Pointer(&size)), 0)
	if errno != 0 {
		return info, 0, errno
	}
	return info, uintptr(size), nil
}

// pathMTU is what the kernel knows of the way of a connected socket.
func pathMTU(fd int, c Conn) (int64, error) {
	level, option := unix.IPPROTO_IP, unix.IP_MTU
	if remote := c.Remote.Addr(); remote.Is6() && !remote.Is4In6() {
		level, option = unix.IPPROTO_IPV6, unix.IPV6_MTU
	}
	n, err := unix.GetsockoptInt(fd, level, option)
	return int64(n), err
}

// readBuffers reads the buffer sizes; the kernel tells twice what a program
// asked for, the half of it for its own overhead.
func (s *socketSample) readBuffers(fd int) {
	if n, err := unix.GetsockoptInt(fd, unix.SOL_SOCKET, unix.SO_SNDBUF); err == nil {
		s.SendBuffer = new(int64(n))
	}
	if n, err := unix.GetsockoptInt(fd, unix.SOL_SOCKET, unix.SO_RCVBUF); err == nil {
		s.ReceiveBuffer = new(int64(n))
	}
}
