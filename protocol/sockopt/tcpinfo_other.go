//go:build !linux && !darwin

package sockopt

import "linkperf/protocol/measure"

func tcpInfo(uintptr) (measure.TCPInfo, error) {
	return measure.TCPInfo{}, unsupported("TCP_INFO")
}
