package sockopt

import (
	"errors"
	"fmt"
	"runtime"
	"strings"
	"syscall"
	"time"

	"linkperf/protocol"
	"linkperf/protocol/measure"
)

// Options are the socket options of a data or control connection. The zero
// value changes nothing.
type Options struct {
	// Window is the size of the send and of the receive buffer in bytes
	// (SO_SNDBUF, SO_RCVBUF). A kernel that grants less is an error.
	Window  int
	NoDelay bool // TCP_NODELAY
	// MSS is the TCP maximum segment size in bytes (TCP_MAXSEG); for SCTP the
	// largest fragment.
	MSS int
	// Congestion names the TCP congestion control algorithm (TCP_CONGESTION).
	Congestion string
	// CongestionOptional makes a missing algorithm a warning.
	CongestionOptional bool
	TOS                int // IP type of service, IPv6 traffic class; 0 to 255, 0 leaves the system's
	// Accepted tells that the socket is that of an accepted TCP connection, to
	// whose peer a window has been offered already.
	Accepted bool
	// FlowLabel is the IPv6 flow label of outgoing packets, 1 to 1048575. It is
	// set by [ConnectFlow], not by [Apply].
	FlowLabel int
	// PacingRate limits what the kernel sends, in bit/s (SO_MAX_PACING_RATE).
	PacingRate   uint64
	DontFragment bool          // IPv4: the DF bit, never fragment here
	UserTimeout  time.Duration // TCP_USER_TIMEOUT, whole milliseconds
	// KeepAlive switches TCP keepalive on; parts that are 0 keep the system's
	// value. nil changes nothing.
	KeepAlive *measure.Keepalive
	// Device is the interface that packets leave and enter through
	// (SO_BINDTODEVICE, IP_BOUND_IF).
	Device string
	// ReuseAddr lets several UDP sockets have the same local port.
	ReuseAddr bool
}

// Control returns a function for [net.Dialer] or [net.ListenConfig] that sets
// the options before the socket is bound, which some of them need: the window
// decides about window scaling, the segment size is negotiated at the start.
// Package net sets keepalive afterwards unless its own KeepAlive is negative.
func Control(o Options) func(network, address string, c syscall.RawConn) error {
	return func(network, _ string, c syscall.RawConn) error {
		_, err := Apply(c, network, o)
		return err
	}
}

// Apply sets the options on a socket of the network ("tcp4", "udp6", …) that c
// belongs to. Errors are of type *[protocol.Error] and carry iperf3's number,
// except for Device, whose failure is one of connecting or listening.
func Apply(c syscall.RawConn, network string, o Options) (warnings []string, err error) {
	cerr := c.Control(func(fd uintptr) {
		a := &applier{fd: fd, network: network, tcp: strings.HasPrefix(network, "tcp")}
		a.apply(&o)
		warnings, err = a.warnings, a.err
	})
	if err == nil && cerr != nil {
		err = fmt.Errorf("set socket options: %w", cerr)
	}
	return warnings, err
}

// applier sets one option after the other until one fails.
type applier struct {
	fd       uintptr
	network  string
	tcp      bool
	warnings []string
	err      error
}

// do takes the result of one step.
func (a *applier) do(code protocol.Code, what string, err error) {
	if err != nil && a.err == nil {
		a.err = protocol.NewError(code, fmt.Errorf("%s: %w", what, err))
	}
}

func (a *applier) apply(o *Options) {
	if o.ReuseAddr {
		a.do(protocol.CodeReuseAddr, "set SO_REUSEADDR", setReuseAddr(a.fd))
	}
	if o.Device != "" {
		if err := bindDevice(a.fd, isIPv6(a.fd, a.network), o.Device); err != nil {
			a.err = fmt.Errorf("bind to device %s: %w", o.Device, err)
		}
	}
	if o.Window > 0 {
		a.window(o)
	}
	if o.DontFragment && !a.tcp && !isIPv6(a.fd, a.network) {
		a.do(protocol.CodeSetDontFragment, "set the DF bit", setDontFragment(a.fd))
	}
	if o.TOS > 0 {
		a.trafficClass(o.TOS)
	}
	if rate := o.PacingRate / 8; rate > 0 {
		if err := setPacingRate(a.fd, rate); err != nil { // no reason to end a test, as with iperf3
			a.warnings = append(a.warnings, fmt.Sprintf("Unable to set socket pacing: %v", err))
		}
	}
	if !a.tcp {
		return
	}
	if o.NoDelay {
		a.do(protocol.CodeSetNoDelay, "set TCP_NODELAY", setNoDelay(a.fd))
	}
	if o.MSS > 0 {
		a.do(protocol.CodeSetMSS, "set TCP_MAXSEG", setMSS(a.fd, o.MSS))
	}
	if o.Congestion != "" {
		a.congestion(o)
	}
	if o.UserTimeout > 0 {
		a.do(protocol.CodeSetUserTimeout, "set TCP_USER_TIMEOUT", setUserTimeout(a.fd, o.UserTimeout))
	}
	if k := o.KeepAlive; k != nil {
		a.keepalive(k)
	}
}

// leastReceive is the least receive buffer, in bytes, that an accepted connection
// gets whose segments are longer. It has offered its peer a window already, and
// the peer sends segments as long as that, on loopback of 64 KiB. What does not
// fit is dropped, again and again. Such a window is bounded by itself: it shrinks
// as the offer is used up.
const leastReceive = 16 << 10

// tooLate reports whether a receive buffer of n bytes cannot be set any more.
func (a *applier) tooLate(o *Options) bool {
	n := o.Window
	if !a.tcp || !o.Accepted || n >= leastReceive || o.MSS > 0 && o.MSS <= n {
		return false
	}
	longest, err := longestSegment(a.fd)
	return err == nil && longest > n
}

func (a *applier) window(o *Options) {
	n := o.Window
	a.do(protocol.CodeSetBuf, fmt.Sprintf("set SO_SNDBUF to %d", n), setSendBuffer(a.fd, n))
	if !a.tooLate(o) || setWindowClamp(a.fd, n) != nil {
		a.do(protocol.CodeSetBuf, fmt.Sprintf("set SO_RCVBUF to %d", n), setReceiveBuffer(a.fd, n))
	}
	if a.err != nil {
		return
	}
	snd, rcv, err := buffers(a.fd)
	if err == nil && min(snd, rcv) < n {
		err = fmt.Errorf("the system grants %d bytes for sending and %d for receiving of %d", snd, rcv, n)
	}
	a.do(protocol.CodeSetBuf2, "check socket buffers", err)
}

// trafficClass sets the IPv6 traffic class and, since an IPv6 socket can have
// an IPv4 peer, the IPv4 type of service as well.
func (a *applier) trafficClass(tos int) {
	if !isIPv6(a.fd, a.network) {
		a.do(protocol.CodeSetTOS, "set IP_TOS", setTOS(a.fd, tos))
		return
	}
	a.do(protocol.CodeSetCOS, "set IPV6_TCLASS", setTrafficClass(a.fd, tos))
	_ = setTOS(a.fd, tos) // refused where IPv6 sockets have no IPv4 options
}

func (a *applier) congestion(o *Options) {
	err := setCongestion(a.fd, o.Congestion)
	if err != nil && o.CongestionOptional {
		a.warnings = append(a.warnings, fmt.Sprintf("TCP congestion control %q is not available here: %v", o.Congestion, err))
		return
	}
	a.do(protocol.CodeSetCongestion, fmt.Sprintf("set TCP congestion control to %q", o.Congestion), err)
}

func (a *applier) keepalive(k *measure.Keepalive) {
	a.do(protocol.CodeSetCntlKA, "set SO_KEEPALIVE", setKeepAlive(a.fd))
	if k.Idle > 0 {
		a.do(protocol.CodeSetCntlKAKeepIdle, "set the keepalive idle time", setKeepIdle(a.fd, k.Idle))
	}
	if k.Interval > 0 {
		a.do(protocol.CodeSetCntlKAInterval, "set the keepalive interval", setKeepInterval(a.fd, k.Interval))
	}
	if k.Count > 0 {
		a.do(protocol.CodeSetCntlKACount, "set the keepalive count", setKeepCount(a.fd, k.Count))
	}
}

// control runs f on c's descriptor and says what failed.
func control(c syscall.RawConn, what string, f func(fd uintptr) error) error {
	var err error
	if cerr := c.Control(func(fd uintptr) { err = f(fd) }); cerr != nil {
		err = cerr
	}
	if err != nil {
		return fmt.Errorf("%s: %w", what, err)
	}
	return nil
}

// Buffers returns the sizes of the send and of the receive buffer in bytes, as
// the system reports them (Linux: twice what was set, socket(7)).
func Buffers(c syscall.RawConn) (send, receive int, err error) {
	err = control(c, "read socket buffer sizes", func(fd uintptr) (err error) {
		send, receive, err = buffers(fd)
		return err
	})
	return send, receive, err
}

// GrowReceiveBuffer asks for a receive buffer of n bytes if the present one is
// smaller; the system may grant less. It returns what there is then.
func GrowReceiveBuffer(c syscall.RawConn, n int) (granted int, err error) {
	err = control(c, "grow the receive buffer", func(fd uintptr) (err error) {
		if _, granted, err = buffers(fd); err != nil || granted >= n {
			return err
		}
		if err = setReceiveBuffer(fd, n); err != nil {
			return err
		}
		_, granted, err = buffers(fd)
		return err
	})
	return granted, err
}

// GrowSendBuffer is [GrowReceiveBuffer] for the send buffer.
func GrowSendBuffer(c syscall.RawConn, n int) (granted int, err error) {
	err = control(c, "grow the send buffer", func(fd uintptr) (err error) {
		if granted, _, err = buffers(fd); err != nil || granted >= n {
			return err
		}
		if err = setSendBuffer(fd, n); err != nil {
			return err
		}
		granted, _, err = buffers(fd)
		return err
	})
	return granted, err
}

// MSS returns the maximum segment size of a TCP connection in bytes
// (TCP_MAXSEG).
func MSS(c syscall.RawConn) (mss int, err error) {
	err = control(c, "read TCP_MAXSEG", func(fd uintptr) (err error) {
		mss, err = getMSS(fd)
		return err
	})
	return mss, err
}

// Congestion returns the name of a TCP connection's congestion control
// algorithm.
func Congestion(c syscall.RawConn) (name string, err error) {
	err = control(c, "read TCP_CONGESTION", func(fd uintptr) (err error) {
		name, err = getCongestion(fd)
		return err
	})
	return name, err
}

// KeepAlive returns a TCP connection's keepalive settings, whether or not it
// is switched on.
func KeepAlive(c syscall.RawConn) (k measure.Keepalive, err error) {
	err = control(c, "read TCP keepalive settings", func(fd uintptr) (err error) {
		k, err = getKeepAlive(fd)
		return err
	})
	return k, err
}

// unsupported is the error of an option that this system does not have.
func unsupported(what string) error {
	return fmt.Errorf("%s on %s: %w", what, runtime.GOOS, errors.ErrUnsupported)
}
