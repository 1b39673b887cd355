package stream

import (
	"context"
	"errors"
	"fmt"
	"io"
	"net"
	"net/netip"
	"os"
	"time"
	"unsafe"

	"golang.org/x/sys/unix"

	"linkperf/protocol"
	"linkperf/protocol/sockopt"
)

// Options of SCTP sockets (linux/sctp.h, RFC 6458).
const (
	solSCTP       = 132
	sctpInitMsg   = 2
	sctpNoDelay   = 3
	sctpMaxSeg    = 13
	sctpBindxAdd  = 100
	maxAssocNames = 16 // local addresses that XBind may resolve to
)

// sctpSocket opens a one-to-one style socket: it behaves like a TCP socket that
// keeps message boundaries.
func sctpSocket(domain int, o sockopt.Options, streams int) (fd int, err error) {
	fd, err = unix.Socket(domain, unix.SOCK_STREAM|unix.SOCK_NONBLOCK|unix.SOCK_CLOEXEC, unix.IPPROTO_SCTP)
	if err != nil {
		return -1, os.NewSyscallError("socket", err)
	}
	defer func() {
		if err != nil {
			_ = unix.Close(fd)
		}
	}()
	if err := unix.SetsockoptInt(fd, unix.SOL_SOCKET, unix.SO_REUSEADDR, 1); err != nil {
		return -1, protocol.NewError(protocol.CodeReuseAddr, err)
	}
	if _, err := sockopt.Apply(fdControl(fd), "sctp", o); err != nil {
		return -1, err
	}
	if o.NoDelay {
		if err := unix.SetsockoptInt(fd, solSCTP, sctpNoDelay, 1); err != nil {
			return -1, protocol.NewError(protocol.CodeSetNoDelay, err)
		}
	}
	if o.MSS > 0 {
		// struct sctp_assoc_value: association (0: this one), value.
		value := [2]uint32{0, uint32(o.MSS)}
		if err := setsockopt(fd, sctpMaxSeg, unsafe.Pointer(&value), unsafe.Sizeof(value)); err != nil {
			return -1, protocol.NewError(protocol.CodeSetMSS, err)
		}
	}
	if streams > 0 {
		// struct sctp_initmsg: outgoing and incoming streams, attempts, timeout.
		value := [4]uint16{uint16(min(streams, 1<<16-1))}
		if err := setsockopt(fd, sctpInitMsg, unsafe.Pointer(&value), unsafe.Sizeof(value)); err != nil {
			return -1, protocol.NewError(protocol.CodeSetSCTPNStream, err)
		}
	}
	return fd, nil
}

func setsockopt(fd, name int, value unsafe.Pointer, size uintptr) error {
	_, _, errno := unix.Syscall6(unix.SYS_SETSOCKOPT, uintptr(fd), solSCTP, uintptr(name), uintptr(value), size, 0)
	if errno != 0 {
		return errno
	}
	return nil
}

// fdControl is a syscall.RawConn for a bare descriptor.
type fdControl int

func (c fdControl) Control(f func(uintptr)) error { f(uintptr(c)); return nil }
func (fdControl) Read(func(uintptr) bool) error   { return errors.ErrUnsupported }
func (fdControl) Write(func(uintptr) bool) error  { return errors.ErrUnsupported }

func dialSCTP(ctx context.Context, c DialConfig) (Socket, error) {
	s, err := connectSCTP(ctx, &c)
	if err != nil {
		if pe, ok := errors.AsType[*protocol.Error](err); ok {
			return nil, pe
		}
		return nil, protocol.NewError(protocol.CodeStreamConnect, err)
	}
	return s, nil
}

func connectSCTP(ctx context.Context, c *DialConfig) (s *socket, err error) {
	remote := netip.AddrPortFrom(c.Remote.Addr().Unmap(), c.Remote.Port())
	domain := unix.AF_INET
	if remote.Addr().Is6() {
		domain = unix.AF_INET6
	}
	fd, err := sctpSocket(domain, c.Options, c.SCTPStreams)
	if err != nil {
		return nil, err
	}
	p, err := wrapFD(fd)
	if err != nil {
		_ = unix.Close(fd)
		return nil, err
	}
	p.sctp = true
	defer func() {
		if err != nil {
			_ = p.close()
		}
	}()
	if c.Local.IsValid() || c.LocalPort != 0 {
		local := c.Local
		if !local.IsValid() {
			local = unspecified(domain)
		}
		if err := unix.Bind(fd, sockaddr(netip.AddrPortFrom(local, uint16(c.LocalPort)), domain)); err != nil {
			return nil, os.NewSyscallError("bind", err)
		}
	}
	if err := bindx(ctx, fd, domain, c.XBind, c.LocalPort); err != nil {
		return nil, err
	}
	stop := context.AfterFunc(ctx, p.interrupt)
	defer func() {
		if !stop() && err == nil {
			err = context.Cause(ctx)
		}
	}()
	if err := p.connect(sockaddr(remote, domain)); err != nil {
		return nil, err
	}
	if _, err := p.send(c.Cookie[:]); err != nil {
		return nil, protocol.NewError(protocol.CodeSendCookie, err)
	}
	return sctpHandle(p)
}

func (p *fdPath) connect(sa unix.Sockaddr) error {
	err := unix.Connect(p.fd, sa)
	if err == unix.EINPROGRESS || err == unix.EINTR {
		if err := p.wait(unix.POLLOUT); err != nil {
			return err
		}
		var code int
		if code, err = unix.GetsockoptInt(p.fd, unix.SOL_SOCKET, unix.SO_ERROR); err == nil && code != 0 {
			err = unix.Errno(code)
		}
	}
	return os.NewSyscallError("connect", err)
}

// sctpHandle asks the kernel for the addresses of a connected socket.
func sctpHandle(p *fdPath) (*socket, error) {
	local, err := unix.Getsockname(p.fd)
	if err != nil {
		return nil, os.NewSyscallError("getsockname", err)
	}
	remote, err := unix.Getpeername(p.fd)
	if err != nil {
		return nil, os.NewSyscallError("getpeername", err)
	}
	return &socket{local: sockaddrPort(local), remote: sockaddrPort(remote), path: p}, nil
}

// bindx adds local addresses to the association (sctp_bindx(3)).
func bindx(ctx context.Context, fd, domain int, names []string, port int) error {
	var packed []byte
	n := 0
	for _, name := range names {
		addrs, err := net.DefaultResolver.LookupNetIP(ctx, "ip", name)
		if err != nil {
			return protocol.NewError(protocol.CodeSetSCTPBindx, fmt.Errorf("resolve %s: %w", name, err))
		}
		for _, a := range addrs {
			if a = a.Unmap(); a.Is6() && domain == unix.AF_INET || n == maxAssocNames {
				continue
			}
			packed = appendSockaddr(packed, netip.AddrPortFrom(a, uint16(port)))
			n++
		}
	}
	if n == 0 {
		return nil
	}
	if err := setsockopt(fd, sctpBindxAdd, unsafe.Pointer(unsafe.SliceData(packed)), uintptr(len(packed))); err != nil {
		return protocol.NewError(protocol.CodeSetSCTPBindx, os.NewSyscallError("sctp_bindx", err))
	}
	return nil
}

// appendSockaddr appends a struct sockaddr_in or sockaddr_in6.
func appendSockaddr(b []byte, a netip.AddrPort) []byte {
	port := [2]byte{byte(a.Port() >> 8), byte(a.Port())}
	if a.Addr().Is4() {
		sa := unix.RawSockaddrInet4{Family: unix.AF_INET, Addr: a.Addr().As4()}
		*(*[2]byte)(unsafe.Pointer(&sa.Port)) = port
		return append(b, (*[unix.SizeofSockaddrInet4]byte)(unsafe.Pointer(&sa))[:]...)
	}
	sa := unix.RawSockaddrInet6{Family: unix.AF_INET6, Addr: a.Addr().As16(), Scope_id: zoneIndex(a.Addr())}
	*(*[2]byte)(unsafe.Pointer(&sa.Port)) = port
	return append(b, (*[unix.SizeofSockaddrInet6]byte)(unsafe.Pointer(&sa))[:]...)
}

func unspecified(domain int) netip.Addr {
	if domain == unix.AF_INET {
		return netip.IPv4Unspecified()
	}
	return netip.IPv6Unspecified()
}

func sockaddr(a netip.AddrPort, domain int) unix.Sockaddr {
	if domain == unix.AF_INET {
		return &unix.SockaddrInet4{Port: int(a.Port()), Addr: a.Addr().Unmap().As4()}
	}
	return &unix.SockaddrInet6{Port: int(a.Port()), Addr: a.Addr().As16(), ZoneId: zoneIndex(a.Addr())}
}

func zoneIndex(a netip.Addr) uint32 {
	if a.Zone() == "" {
		return 0
	}
	if ifi, err := net.InterfaceByName(a.Zone()); err == nil {
		return uint32(ifi.Index)
	}
	return 0
}

func sockaddrPort(sa unix.Sockaddr) netip.AddrPort {
	switch sa := sa.(type) {
	case *unix.SockaddrInet4:
		return netip.AddrPortFrom(netip.AddrFrom4(sa.Addr), uint16(sa.Port))
	case *unix.SockaddrInet6:
		a := netip.AddrFrom16(sa.Addr).Unmap()
		if a.IsLinkLocalUnicast() && a.Is6() {
			if ifi, err := net.InterfaceByIndex(int(sa.ZoneId)); err == nil {
				a = a.WithZone(ifi.Name)
			}
		}
		return netip.AddrPortFrom(a, uint16(sa.Port))
	}
	return netip.AddrPort{}
}

// fitMessage makes the send buffer hold a message; SCTP takes it whole or not
// at all.
func (p *fdPath) fitMessage(length int) error {
	have, err := unix.GetsockoptInt(p.fd, unix.SOL_SOCKET, unix.SO_SNDBUF)
	if err != nil || have >= 2*length {
		return err
	}
	return unix.SetsockoptInt(p.fd, unix.SOL_SOCKET, unix.SO_SNDBUF, 2*length)
}

// sctpListener accepts associations that begin with the test's cookie.
type sctpListener struct {
	p      *fdPath
	cookie protocol.Cookie
}

// ListenSCTP waits for SCTP data connections on the server's own address and
// port; only those that send the test's cookie are accepted. xbind names more
// local addresses. Without SCTP in the kernel it fails with iperf3's error 202.
func ListenSCTP(ctx context.Context, local netip.AddrPort, o sockopt.Options, xbind []string, cookie protocol.Cookie) (Listener, error) {
	l, err := listenSCTP(ctx, local, o, xbind, cookie)
	if err != nil {
		if pe, ok := errors.AsType[*protocol.Error](err); ok {
			return nil, pe
		}
		return nil, protocol.NewError(protocol.CodeStreamListen, err)
	}
	return l, nil
}

func listenSCTP(ctx context.Context, local netip.AddrPort, o sockopt.Options, xbind []string, cookie protocol.Cookie) (*sctpListener, error) {
	domain := unix.AF_INET6
	if local.Addr().Is4() {
		domain = unix.AF_INET
	}
	fd, err := sctpSocket(domain, o, 0)
	if errors.Is(err, unix.EAFNOSUPPORT) && !local.Addr().IsValid() { // no IPv6 here
		domain = unix.AF_INET
		fd, err = sctpSocket(domain, o, 0)
	}
	if err != nil {
		return nil, err
	}
	addr := local.Addr()
	if !addr.IsValid() {
		addr = unspecified(domain)
	}
	if domain == unix.AF_INET6 && addr.IsUnspecified() {
		if err := unix.SetsockoptInt(fd, unix.IPPROTO_IPV6, unix.IPV6_V6ONLY, 0); err != nil {
			_ = unix.Close(fd)
			return nil, protocol.NewError(protocol.CodeV6Only, err)
		}
	}
	err = os.NewSyscallError("bind", unix.Bind(fd, sockaddr(netip.AddrPortFrom(addr, local.Port()), domain)))
	if err == nil {
		err = bindx(ctx, fd, domain, xbind, int(local.Port()))
	}
	if err == nil {
		err = os.NewSyscallError("listen", unix.Listen(fd, protocol.MaxStreams))
	}
	var p *fdPath
	if err == nil {
		p, err = wrapFD(fd)
	}
	if err != nil {
		_ = unix.Close(fd)
		return nil, err
	}
	return &sctpListener{p: p, cookie: cookie}, nil
}

func (l *sctpListener) Close() error { return l.p.close() }

// cookieTimeout is how long an association may take to send its cookie.
const cookieTimeout = 2 * time.Second

func (l *sctpListener) Accept(ctx context.Context) (Socket, error) {
	defer context.AfterFunc(ctx, l.p.interrupt)()
	for {
		fd, _, err := unix.Accept4(l.p.fd, unix.SOCK_NONBLOCK|unix.SOCK_CLOEXEC)
		switch {
		case err == nil:
			if s := l.greet(ctx, fd); s != nil {
				return s, nil
			}
			continue
		case err == unix.EAGAIN:
			if err = l.p.wait(unix.POLLIN); err == nil {
				continue
			}
		case err == unix.EINTR || err == unix.ECONNABORTED:
			continue
		}
		if ctx.Err() != nil {
			err = context.Cause(ctx)
		}
		return nil, protocol.NewError(protocol.CodeStreamAccept, err)
	}
}

// greet reads the cookie; a stranger is turned away.
func (l *sctpListener) greet(ctx context.Context, fd int) *socket {
	p, err := wrapFD(fd)
	if err != nil {
		_ = unix.Close(fd)
		return nil
	}
	p.sctp = true
	ctx, cancel := context.WithTimeout(ctx, cookieTimeout)
	defer cancel()
	stop := context.AfterFunc(ctx, p.interrupt)
	got, err := protocol.ReadCookie(readerFunc(p.receive))
	if s, herr := sctpHandle(p); stop() && err == nil && herr == nil && got.Equal(l.cookie) {
		return s
	}
	if err == nil {
		_, _ = p.send([]byte{0xff}) // ACCESS_DENIED
	}
	_ = p.close()
	return nil
}

type readerFunc func([]byte) (int, error)

func (f readerFunc) Read(b []byte) (int, error) { return f(b) }

var _ io.Reader = readerFunc(nil)
