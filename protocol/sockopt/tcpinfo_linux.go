package sockopt

import (
	"unsafe"

	"golang.org/x/sys/unix"

	"linkperf/protocol/measure"
)

func tcpInfo(fd uintptr) (measure.TCPInfo, error) {
	var ti unix.TCPInfo
	n := uint32(unsafe.Sizeof(ti))
	_, _, errno := unix.Syscall6(unix.SYS_GETSOCKOPT, fd, unix.IPPROTO_TCP, unix.TCP_INFO,
		uintptr(unsafe.Pointer(&ti)), uintptr(unsafe.Pointer(&n)), 0)
	if errno != 0 {
		return measure.TCPInfo{}, errno
	}
	return tcpInfoOf(&ti, uintptr(n)), nil
}

// tcpInfoOf reads the first n bytes of what the kernel told. Older ones tell
// less: reord_seen came with 4.19, snd_wnd with 5.4.
func tcpInfoOf(ti *unix.TCPInfo, n uintptr) measure.TCPInfo {
	info := measure.TCPInfo{
		Retransmits: int64(ti.Total_retrans),
		SndCwnd:     int64(ti.Snd_cwnd) * int64(ti.Snd_mss),
		SndWnd:      -1,
		RTT:         int64(ti.Rtt),
		RTTVar:      int64(ti.Rttvar),
		PMTU:        int64(ti.Pmtu),
		Reorder:     -1,
		MSS:         int64(ti.Snd_mss),
	}
	if n >= unsafe.Offsetof(ti.Snd_wnd)+unsafe.Sizeof(ti.Snd_wnd) {
		info.SndWnd = int64(ti.Snd_wnd)
	}
	if n >= unsafe.Offsetof(ti.Reord_seen)+unsafe.Sizeof(ti.Reord_seen) {
		info.Reorder = int64(ti.Reord_seen)
	}
	return info
}
