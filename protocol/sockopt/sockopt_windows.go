package sockopt

import (
	"strings"
	"time"

	"golang.org/x/sys/windows"

	"linkperf/protocol/measure"
)

// Option numbers of ws2ipdef.h and ws2tcpip.h that x/sys does not name.
const (
	ipTOS          = 3
	ipDontFragment = 14
	ipv6TClass     = 39
	tcpKeepIdle    = 3
	tcpMaxSeg      = 4
	tcpKeepCount   = 16
	tcpKeepIntvl   = 17
)

func setInt(fd uintptr, level, name, value int) error {
	return windows.SetsockoptInt(windows.Handle(fd), level, name, value)
}

func getInt(fd uintptr, level, name int) (int, error) {
	return windows.GetsockoptInt(windows.Handle(fd), level, name)
}

// isIPv6 asks the socket itself, as elsewhere: the network of an accepted
// connection does not tell. One that is not bound yet has no address here.
func isIPv6(fd uintptr, network string) bool {
	sa, err := windows.Getsockname(windows.Handle(fd))
	if err != nil {
		return strings.HasSuffix(network, "6")
	}
	_, ok := sa.(*windows.SockaddrInet6)
	return ok
}

func setReuseAddr(fd uintptr) error {
	return setInt(fd, windows.SOL_SOCKET, windows.SO_REUSEADDR, 1)
}

func bindDevice(uintptr, bool, string) error { return unsupported("binding to a device") }

func setSendBuffer(fd uintptr, n int) error {
	return setInt(fd, windows.SOL_SOCKET, windows.SO_SNDBUF, n)
}

func setReceiveBuffer(fd uintptr, n int) error {
	return setInt(fd, windows.SOL_SOCKET, windows.SO_RCVBUF, n)
}

func buffers(fd uintptr) (send, receive int, err error) {
	if send, err = getInt(fd, windows.SOL_SOCKET, windows.SO_SNDBUF); err != nil {
		return 0, 0, err
	}
	receive, err = getInt(fd, windows.SOL_SOCKET, windows.SO_RCVBUF)
	return send, receive, err
}

func setNoDelay(fd uintptr) error    { return setInt(fd, windows.IPPROTO_TCP, windows.TCP_NODELAY, 1) }
func setMSS(fd uintptr, n int) error { return setInt(fd, windows.IPPROTO_TCP, tcpMaxSeg, n) }
func getMSS(fd uintptr) (int, error) { return getInt(fd, windows.IPPROTO_TCP, tcpMaxSeg) }
func setTOS(fd uintptr, n int) error { return setInt(fd, windows.IPPROTO_IP, ipTOS, n) }

func setTrafficClass(fd uintptr, n int) error {
	return setInt(fd, windows.IPPROTO_IPV6, ipv6TClass, n)
}

func setDontFragment(fd uintptr) error {
	return setInt(fd, windows.IPPROTO_IP, ipDontFragment, 1)
}

func setPacingRate(uintptr, uint64) error         { return unsupported("SO_MAX_PACING_RATE") }
func setCongestion(uintptr, string) error         { return unsupported("TCP_CONGESTION") }
func getCongestion(uintptr) (string, error)       { return "", unsupported("TCP_CONGESTION") }
func setUserTimeout(uintptr, time.Duration) error { return unsupported("TCP_USER_TIMEOUT") }

func setKeepAlive(fd uintptr) error {
	return setInt(fd, windows.SOL_SOCKET, windows.SO_KEEPALIVE, 1)
}

func setKeepIdle(fd uintptr, s int) error { return setInt(fd, windows.IPPROTO_TCP, tcpKeepIdle, s) }
func setKeepInterval(fd uintptr, s int) error {
	return setInt(fd, windows.IPPROTO_TCP, tcpKeepIntvl, s)
}
func setKeepCount(fd uintptr, n int) error { return setInt(fd, windows.IPPROTO_TCP, tcpKeepCount, n) }

func getKeepAlive(fd uintptr) (k measure.Keepalive, err error) {
	for _, o := range []struct {
		name  int
		value *int
	}{{tcpKeepIdle, &k.Idle}, {tcpKeepIntvl, &k.Interval}, {tcpKeepCount, &k.Count}} {
		if *o.value, err = getInt(fd, windows.IPPROTO_TCP, o.name); err != nil {
			return k, err
		}
	}
	return k, nil
}

func setWindowClamp(uintptr, int) error { return unsupported("a bound of the advertised window") }

func longestSegment(uintptr) (int, error) { return 0, unsupported("the longest segment") }
