package sockopt

import (
	"golang.org/x/sys/unix"

	"linkperf/protocol/measure"
)

func tcpInfo(fd uintptr) (measure.TCPInfo, error) {
	ti, err := unix.GetsockoptTCPConnectionInfo(int(fd), unix.IPPROTO_TCP, unix.TCP_CONNECTION_INFO)
	if err != nil {
		return measure.TCPInfo{}, err
	}
	return measure.TCPInfo{
		Retransmits: int64(ti.Txretransmitpackets),
		SndCwnd:     int64(ti.Snd_cwnd),
		SndWnd:      int64(ti.Snd_wnd),
		RTT:         int64(ti.Srtt) * 1000, // milliseconds
		RTTVar:      int64(ti.Rttvar) * 1000,
		PMTU:        -1,
		Reorder:     -1,
		MSS:         int64(ti.Maxseg),
	}, nil
}
