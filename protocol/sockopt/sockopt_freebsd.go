package sockopt

import (
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

func bindDevice(uintptr, bool, string) error { return unsupported("binding to a device") }

func setDontFragment(fd uintptr) error {
	return setInt(fd, unix.IPPROTO_IP, unix.IP_DONTFRAG, 1)
}

// setPacingRate takes bytes per second; the option has 32 bits (setsockopt(2)).
func setPacingRate(fd uintptr, rate uint64) error {
	return setInt(fd, unix.SOL_SOCKET, unix.SO_MAX_PACING_RATE, int(uint32(min(rate, 1<<32-1))))
}

func setCongestion(fd uintptr, name string) error {
	return unix.SetsockoptString(int(fd), unix.IPPROTO_TCP, unix.TCP_CONGESTION, name)
}

func getCongestion(fd uintptr) (string, error) {
	return unix.GetsockoptString(int(fd), unix.IPPROTO_TCP, unix.TCP_CONGESTION)
}

func setUserTimeout(uintptr, time.Duration) error { return unsupported("TCP_USER_TIMEOUT") }

func setKeepIdle(fd uintptr, s int) error { return setInt(fd, unix.IPPROTO_TCP, unix.TCP_KEEPIDLE, s) }
func setKeepInterval(fd uintptr, s int) error {
	return setInt(fd, unix.IPPROTO_TCP, unix.TCP_KEEPINTVL, s)
}
func setKeepCount(fd uintptr, n int) error { return setInt(fd, unix.IPPROTO_TCP, unix.TCP_KEEPCNT, n) }

func getKeepAlive(fd uintptr) (measure.Keepalive, error) {
	return readKeepAlive(fd, unix.TCP_KEEPIDLE, unix.TCP_KEEPINTVL, unix.TCP_KEEPCNT)
}

func setWindowClamp(uintptr, int) error { return unsupported("a bound of the advertised window") }

func longestSegment(uintptr) (int, error) { return 0, unsupported("the longest segment") }
