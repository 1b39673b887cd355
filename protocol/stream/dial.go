package stream

import (
	"context"
	"errors"
	"fmt"
	"net"
	"net/netip"
	"os"
	"syscall"
	"time"

	"linkperf/protocol"
	"linkperf/protocol/sockopt"
)

// ReplyTimeout is how long [Dial] waits for the reply to a UDP hello if nothing
// else is asked for, as iperf3 does.
const ReplyTimeout = 30 * time.Second

// ErrNoReply says that a UDP hello was not answered in time: it or the reply
// was lost, or a firewall drops one of them. The hello must not be repeated: a
// server that got it would count it as data.
var ErrNoReply = errors.New("no reply to the UDP hello")

// DialConfig says how to open a data connection.
type DialConfig struct {
	Transport protocol.Transport // "" is TCP
	MPTCP     bool               // use Multipath TCP where both ends have it
	Remote    netip.AddrPort     // with a zone for link-local addresses
	Local     netip.Addr         // the zero Addr leaves it to the system
	LocalPort int                // 0 leaves it to the system
	Options   sockopt.Options
	Cookie    protocol.Cookie // TCP, SCTP: written first

	// Timeout is how long to wait for the reply to a UDP hello; 0 means
	// ReplyTimeout.
	Timeout time.Duration
	// Reverse tells that the server will send: its data can overtake the reply.
	Reverse bool

	XBind       []string // SCTP: local addresses of the association
	SCTPStreams int      // SCTP: outgoing streams; 0 leaves it to the system
}

// Dial opens one data connection and does what iperf3 does before data flows:
// TCP and SCTP write the cookie, UDP exchanges hello and reply. Errors are of
// type *[protocol.Error]; [ErrNoReply] can be recognised in them.
func Dial(ctx context.Context, c DialConfig) (Socket, error) {
	switch c.Transport {
	case protocol.UDP:
		return dialUDP(ctx, c)
	case protocol.SCTP:
		return dialSCTP(ctx, c)
	}
	return dialTCP(ctx, c)
}

func dialTCP(ctx context.Context, c DialConfig) (Socket, error) {
	conn, err := c.dial(ctx, "tcp", c.MPTCP)
	if err != nil {
		return nil, err
	}
	if err := writeCookie(ctx, conn, c.Cookie); err != nil {
		_ = conn.Close()
		return nil, err
	}
	return newSocket(conn, c.Options)
}

// writeCookie gives up when the context ends.
func writeCookie(ctx context.Context, conn net.Conn, cookie protocol.Cookie) error {
	stop := context.AfterFunc(ctx, func() { _ = conn.SetWriteDeadline(time.Unix(1, 0)) })
	err := protocol.WriteCookie(conn, cookie)
	if !stop() && err == nil {
		err = protocol.NewError(protocol.CodeSendCookie, context.Cause(ctx))
	}
	return err
}

// dial connects with the options that must be set before.
func (c *DialConfig) dial(ctx context.Context, transport string, mptcp bool) (net.Conn, error) {
	network := transport + "4"
	if c.Remote.Addr().Is6() && !c.Remote.Addr().Is4In6() {
		network = transport + "6"
	}
	local := netip.AddrPortFrom(c.Local, uint16(c.LocalPort))
	bind := c.Local.IsValid() || c.LocalPort != 0
	label := c.Options.FlowLabel
	d := net.Dialer{KeepAlive: -1}
	d.Control = func(network, address string, rc syscall.RawConn) error {
		if err := sockopt.Control(c.Options)(network, address, rc); err != nil || label == 0 {
			return err
		}
		return sockopt.ConnectFlow(rc, local, c.Remote, label)
	}
	d.SetMultipathTCP(mptcp)
	if bind && label == 0 {
		d.LocalAddr = localAddr(transport, local)
	}
	conn, err := d.DialContext(ctx, network, c.Remote.String())
	if err != nil {
		if pe, ok := errors.AsType[*protocol.Error](err); ok {
			return nil, pe
		}
		return nil, protocol.NewError(protocol.CodeStreamConnect, err)
	}
	if label != 0 && transport == "udp" {
		rc, err := conn.(*net.UDPConn).SyscallConn()
		if err == nil {
			err = sockopt.ConnectFlow(rc, netip.AddrPort{}, c.Remote, label)
		}
		if err != nil {
			_ = conn.Close()
			return nil, err
		}
	}
	return conn, nil
}

// localAddr is what a Dialer of that transport binds to.
func localAddr(transport string, ap netip.AddrPort) net.Addr {
	if transport == "udp" {
		return net.UDPAddrFromAddrPort(ap)
	}
	return net.TCPAddrFromAddrPort(ap)
}

// dialUDP sends the hello once and waits for the reply.
func dialUDP(ctx context.Context, c DialConfig) (Socket, error) {
	conn, err := c.dial(ctx, "udp", false)
	if err != nil {
		return nil, err
	}
	timeout := c.Timeout
	if timeout <= 0 {
		timeout = ReplyTimeout
	}
	if err := c.hello(ctx, conn, timeout); err != nil {
		_ = conn.Close()
		return nil, err
	}
	return newSocket(conn, c.Options)
}

func (c *DialConfig) hello(ctx context.Context, conn net.Conn, timeout time.Duration) error {
	hello := protocol.Hello()
	if _, err := conn.Write(hello[:]); err != nil {
		return protocol.NewError(protocol.CodeStreamWrite, fmt.Errorf("send the UDP hello: %w", err))
	}
	if err := conn.SetReadDeadline(time.Now().Add(timeout)); err != nil {
		return protocol.NewError(protocol.CodeStreamRead, err)
	}
	stop := context.AfterFunc(ctx, func() { _ = conn.SetReadDeadline(time.Unix(1, 0)) })
	err := c.awaitReply(conn)
	if !stop() {
		err = context.Cause(ctx)
	}
	if errors.Is(err, os.ErrDeadlineExceeded) {
		err = fmt.Errorf("%w from %v within %v", ErrNoReply, c.Remote, timeout)
	}
	if err != nil {
		return protocol.NewError(protocol.CodeStreamRead, err)
	}
	return conn.SetReadDeadline(time.Time{})
}

// awaitReply skips what is not a reply. In reverse mode a datagram as long as
// data says as much as the reply, which it then overtook or outlived; with a
// local port of the caller's choice it could be of an earlier test.
func (c *DialConfig) awaitReply(conn net.Conn) error {
	b := make([]byte, 64)
	for {
		n, err := conn.Read(b)
		if err != nil && !truncated(err) {
			return err
		}
		if protocol.IsReply(b[:n]) {
			return nil
		}
		if c.Reverse && c.LocalPort == 0 && n >= protocol.MinUDPLength {
			return nil
		}
	}
}

// newSocket makes a socket of a connection that is ready for data.
func newSocket(conn net.Conn, o sockopt.Options) (*socket, error) {
	p, err := newNetPath(conn)
	if tcp, ok := conn.(*net.TCPConn); ok && err == nil {
		// Package net switches Nagle's algorithm off, which iperf3 leaves on.
		if err = tcp.SetNoDelay(o.NoDelay); err != nil {
			err = protocol.NewError(protocol.CodeSetNoDelay, err)
		}
	}
	if err != nil {
		_ = conn.Close()
		if pe, ok := errors.AsType[*protocol.Error](err); ok {
			return nil, pe
		}
		return nil, protocol.NewError(protocol.CodeInitStream, err)
	}
	return &socket{
		local: addrPort(conn.LocalAddr()), remote: addrPort(conn.RemoteAddr()), window: o.Window, path: p,
	}, nil
}

// addrPort returns the address of a TCP or UDP socket, unmapped.
func addrPort(a net.Addr) netip.AddrPort {
	if a, ok := a.(interface{ AddrPort() netip.AddrPort }); ok {
		ap := a.AddrPort()
		return netip.AddrPortFrom(ap.Addr().Unmap(), ap.Port())
	}
	return netip.AddrPort{}
}

// FromConn makes a socket of a TCP connection that a server has accepted and
// whose cookie it has read, and nothing beyond the cookie. The connection
// belongs to the socket from then on, also when it fails.
func FromConn(conn net.Conn, o sockopt.Options) (Socket, []string, error) {
	s, err := newSocket(conn, o)
	if err != nil {
		return nil, nil, err
	}
	raw, _ := s.RawConn()
	o.Accepted = true
	warnings, err := sockopt.Apply(raw, "tcp", o)
	if err != nil {
		_ = s.Close()
		return nil, nil, err
	}
	if err := conn.SetDeadline(time.Time{}); err != nil {
		_ = s.Close()
		return nil, nil, protocol.NewError(protocol.CodeInitStream, err)
	}
	return s, warnings, nil
}
