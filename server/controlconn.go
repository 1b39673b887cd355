package server

import (
	"net"
	"syscall"

	"linkperf/protocol/session"
	"linkperf/protocol/sockopt"
)

// controlOptions sets what was asked for the control connection.
func (t *test) controlOptions() error {
	raw := rawConn(t.ctl.NetConn())
	if raw == nil || t.ControlKeepalive == nil && t.SendTimeout == 0 {
		return nil
	}
	_, err := sockopt.Apply(raw, "tcp", sockopt.Options{
		UserTimeout: t.SendTimeout, KeepAlive: t.ControlKeepalive,
	})
	return err
}

// prepare makes a connection a control connection.
func prepare(conn net.Conn, s *Server) {
	tcp, ok := conn.(*net.TCPConn)
	if !ok {
		return
	}
	_ = tcp.SetNoDelay(true)
	if s.ControlKeepalive == nil {
		_ = tcp.SetKeepAliveConfig(session.ControlKeepalive())
	}
}

func rawConn(conn net.Conn) syscall.RawConn {
	sc, ok := conn.(syscall.Conn)
	if !ok {
		return nil
	}
	raw, err := sc.SyscallConn()
	if err != nil {
		return nil
	}
	return raw
}
