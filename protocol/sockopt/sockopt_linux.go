package sockopt

import (
	"time"

	"golang.org/x/sys/unix"

	"linkperf/protocol/measure"
)

func setReuseAddr(fd uintptr) error { return setInt(fd, unix.SOL_SOCKET, unix.SO_REUSEADDR, 1) }

func bindDevice(fd uintptr, _ bool, device string) error {
	return unix.SetsockoptString(int(fd), unix.SOL_SOCKET, unix.SO_BINDTODEVICE, device)
}

func setDontFragment(fd uintptr) error {
	return setInt(fd, unix.IPPROTO_IP, unix.IP_MTU_DISCOVER, unix.IP_PMTUDISC_DO)
}

// setPacingRate takes bytes per second. Kernels from 4.20 on accept 64 bits;
// earlier ones take half of them without a word, and all bits set for no limit.
func setPacingRate(fd uintptr, rate uint64) error {
	const most = 1<<32 - 2
	if rate > most {
		err := unix.SetsockoptUint64(int(fd), unix.SOL_SOCKET, unix.SO_MAX_PACING_RATE, rate)
		if err != nil {
			return err
		}
		if got, err := unix.GetsockoptUint64(int(fd), unix.SOL_SOCKET, unix.SO_MAX_PACING_RATE); err == nil && got == rate {
			return nil
		}
	}
	return setInt(fd, unix.SOL_SOCKET, unix.SO_MAX_PACING_RATE, int(int32(uint32(min(rate, most)))))
}

// longestSegment is what this side has told the peer that it takes, in bytes. The
// segment size in use may be less, because of the peer's own window.
func longestSegment(fd uintptr) (int, error) {
	ti, err := unix.GetsockoptTCPInfo(int(fd), unix.IPPROTO_TCP, unix.TCP_INFO)
	if err != nil {
		return 0, err
	}
	return int(ti.Advmss), nil
}

// setWindowClamp bounds the window that is advertised (tcp(7)).
func setWindowClamp(fd uintptr, n int) error {
	return setInt(fd, unix.IPPROTO_TCP, unix.TCP_WINDOW_CLAMP, n)
}

func setCongestion(fd uintptr, name string) error {
	return unix.SetsockoptString(int(fd), unix.IPPROTO_TCP, unix.TCP_CONGESTION, name)
}

func getCongestion(fd uintptr) (string, error) {
	return unix.GetsockoptString(int(fd), unix.IPPROTO_TCP, unix.TCP_CONGESTION)
}

func setUserTimeout(fd uintptr, d time.Duration) error {
	return setInt(fd, unix.IPPROTO_TCP, unix.TCP_USER_TIMEOUT, int(d.Milliseconds()))
}

func setKeepIdle(fd uintptr, s int) error { return setInt(fd, unix.IPPROTO_TCP, unix.TCP_KEEPIDLE, s) }
func setKeepInterval(fd uintptr, s int) error {
	return setInt(fd, unix.IPPROTO_TCP, unix.TCP_KEEPINTVL, s)
}
func setKeepCount(fd uintptr, n int) error { return setInt(fd, unix.IPPROTO_TCP, unix.TCP_KEEPCNT, n) }

func getKeepAlive(fd uintptr) (k measure.Keepalive, err error) {
	return readKeepAlive(fd, unix.TCP_KEEPIDLE, unix.TCP_KEEPINTVL, unix.TCP_KEEPCNT)
}
