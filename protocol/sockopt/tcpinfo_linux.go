package sockopt

import (
	"golang.org/x/sys/unix"

	"linkperf/protocol/measure"
)

func tcpInfo(fd uintptr) (measure.TCPInfo, error) {
	ti, err := unix.GetsockoptTCPInfo(int(fd), unix.IPPROTO_TCP, unix.TCP_INFO)
	if err != nil {
		return measure.TCPInfo{}, err
	}
	info := measure.TCPInfo{
		Retransmits: int64(ti.Total_retrans),
		SndCwnd:     int64(ti.Snd_cwnd) * int64(ti.Snd_mss),
		SndWnd:      int64(ti.Snd_wnd), // 0 before Linux 5.4, which lacks it
		RTT:         int64(ti.Rtt),
		RTTVar:      int64(ti.Rttvar),
		PMTU:        int64(ti.Pmtu),
		Reorder:     int64(ti.Reord_seen),
		MSS:         int64(ti.Snd_mss),
	}
	return info, nil
}
