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

// setPacingRate takes bytes per second. Kernels from 4.20 on accept 64 bits.
func setPacingRate(fd uintptr, rate uint64) error {
	err := unix.SetsockoptUint64(int(fd), unix.SOL_SOCKET, unix.SO_MAX_PACING_RATE, rate)
	if err != nil {
		err = setInt(fd, unix.SOL_SOCKET, unix.SO_MAX_PACING_RATE, int(uint32(min(rate, 1<<32-1))))
	}
	return err
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
