package sockopt

import (
	"fmt"
	"net"
	"time"

	"golang.org/x/sys/unix"

	"linkperf/protocol/measure"
)

// setReuseAddr sets both options: BSD systems demand SO_REUSEPORT of sockets
// with the very same address.
func setReuseAddr(fd uintptr) error {
	if err := setInt(fd, unix.SOL_SOCKET, unix.SO_REUSEADDR, 1); err != nil {
		return err
	}
	return setInt(fd, unix.SOL_SOCKET, unix.SO_REUSEPORT, 1)
}

func bindDevice(fd uintptr, ipv6 bool, device string) error {
	ifi, err := net.InterfaceByName(device)
	if err != nil {
		return fmt.Errorf("find interface %s: %w", device, err)
	}
	if ipv6 {
		return setInt(fd, unix.IPPROTO_IPV6, unix.IPV6_BOUND_IF, ifi.Index)
	}
	return setInt(fd, unix.IPPROTO_IP, unix.IP_BOUND_IF, ifi.Index)
}

func setDontFragment(fd uintptr) error {
	return setInt(fd, unix.IPPROTO_IP, unix.IP_DONTFRAG, 1)
}

func setPacingRate(uintptr, uint64) error         { return unsupported("SO_MAX_PACING_RATE") }
func setCongestion(uintptr, string) error         { return unsupported("TCP_CONGESTION") }
func getCongestion(uintptr) (string, error)       { return "", unsupported("TCP_CONGESTION") }
func setUserTimeout(uintptr, time.Duration) error { return unsupported("TCP_USER_TIMEOUT") }

// macOS calls the idle time TCP_KEEPALIVE (tcp(4)).
func setKeepIdle(fd uintptr, s int) error { return setInt(fd, unix.IPPROTO_TCP, unix.TCP_KEEPALIVE, s) }
func setKeepInterval(fd uintptr, s int) error {
	return setInt(fd, unix.IPPROTO_TCP, unix.TCP_KEEPINTVL, s)
}
func setKeepCount(fd uintptr, n int) error { return setInt(fd, unix.IPPROTO_TCP, unix.TCP_KEEPCNT, n) }

func getKeepAlive(fd uintptr) (measure.Keepalive, error) {
	return readKeepAlive(fd, unix.TCP_KEEPALIVE, unix.TCP_KEEPINTVL, unix.TCP_KEEPCNT)
}

func setWindowClamp(uintptr, int) error { return unsupported("a bound of the advertised window") }

func longestSegment(uintptr) (int, error) { return 0, unsupported("the longest segment") }
