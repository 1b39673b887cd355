package sysinfo

import (
	"context"
	"fmt"
)

// collectLimits reads what bounds socket buffers, see tcp(7) and socket(7).
func collectLimits(_ context.Context, p *probe, r *Record) error {
	const dir = "/proc/sys/net/"
	for _, f := range []struct {
		file, path string
		into       **int64
		greatest   bool // the last of three values
	}{
		{"ipv4/tcp_rmem", "limits.tcp_receive_buffer_max_bytes", &r.Limits.TCPReceiveMax, true},
		{"ipv4/tcp_wmem", "limits.tcp_send_buffer_max_bytes", &r.Limits.TCPSendMax, true},
		{"core/rmem_max", "limits.socket_receive_buffer_max_bytes", &r.Limits.SocketReceiveMax, false},
		{"core/wmem_max", "limits.socket_send_buffer_max_bytes", &r.Limits.SocketSendMax, false},
		{"core/netdev_max_backlog", "queue.receive_backlog", &r.Queue.Backlog, false},
	} {
		text, err := p.readText(dir + f.file)
		if err != nil {
			r.unknown(f.path, err)
			continue
		}
		values, err := parseIntegers([]byte(text))
		if err != nil || f.greatest && len(values) != 3 || !f.greatest && len(values) != 1 {
			r.unknown(f.path, notUnderstood(f.file, []byte(text)))
			continue
		}
		*f.into = &values[len(values)-1]
	}
	if n, err := p.readInt(dir + "ipv4/tcp_moderate_rcvbuf"); err == nil {
		r.Limits.AutoTuning = new("disabled")
		if n != 0 {
			r.Limits.AutoTuning = new("normal")
		}
	} else {
		r.unknown("limits.auto_tuning", err)
	}
	if name, err := p.readText(dir + "ipv4/tcp_congestion_control"); err == nil && name != "" {
		r.TCP.CongestionDefault = &name
	} else {
		r.unknown("tcp.congestion_control_default", fmt.Errorf("default congestion control: %w", err))
	}
	return nil
}
