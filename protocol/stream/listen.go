package stream

import (
	"context"
	"errors"
	"fmt"
	"net"
	"net/netip"
	"sync"
	"time"

	"linkperf/protocol"
	"linkperf/protocol/sockopt"
)

// Listener waits for data connections of a transport that the TCP listener of
// the control connection cannot accept.
type Listener interface {
	// Accept returns the next data connection. It is not safe for use from
	// several goroutines.
	Accept(ctx context.Context) (Socket, error)
	// Close ends listening; sockets that were accepted live on.
	Close() error
}

// udpListener has one unconnected socket on the port, and makes a connected
// socket on the same port for every client socket that sends a hello. The
// system hands datagrams of connected sockets to those.
type udpListener struct {
	conn    *net.UDPConn
	local   netip.AddrPort
	options sockopt.Options
	allow   func(netip.Addr) bool
	streams []*answerer
}

// ListenUDP waits for the hellos of UDP streams on the server's own address and
// port. allow, if not nil, says whose hellos count; everything else that
// arrives is ignored. A hello that comes again gets its reply again and opens
// nothing. Replies leave from the address that the hello went to.
func ListenUDP(ctx context.Context, local netip.AddrPort, o sockopt.Options, allow func(netip.Addr) bool) (Listener, error) {
	o.ReuseAddr = true
	lo := o
	lo.Window, lo.DontFragment = 0, false // of the streams only
	lc := net.ListenConfig{Control: sockopt.Control(lo)}
	network, address := "udp", local.String()
	if !local.Addr().IsValid() {
		address = fmt.Sprintf(":%d", local.Port())
	} else if local.Addr().Is4() {
		network = "udp4"
	}
	pc, err := lc.ListenPacket(ctx, network, address)
	if err != nil {
		if pe, ok := errors.AsType[*protocol.Error](err); ok {
			return nil, pe
		}
		return nil, protocol.NewError(protocol.CodeStreamListen, err)
	}
	l := &udpListener{conn: pc.(*net.UDPConn), options: o, allow: allow}
	l.local = addrPort(l.conn.LocalAddr())
	if err := receiveDestinations(l.conn); err != nil {
		_ = l.conn.Close()
		return nil, protocol.NewError(protocol.CodeStreamListen, err)
	}
	return l, nil
}

func (l *udpListener) Close() error { return l.conn.Close() }

func (l *udpListener) Accept(ctx context.Context) (Socket, error) {
	late := make(chan struct{})
	stop := context.AfterFunc(ctx, func() {
		_ = l.conn.SetReadDeadline(time.Unix(1, 0))
		close(late)
	})
	s, err := l.accept(ctx)
	if !stop() {
		if err != nil {
			err = context.Cause(ctx)
		}
		<-late // the next call has a context of its own
		_ = l.conn.SetReadDeadline(time.Time{})
	}
	if err != nil {
		if pe, ok := errors.AsType[*protocol.Error](err); ok {
			return nil, pe
		}
		return nil, protocol.NewError(protocol.CodeStreamAccept, err)
	}
	return s, nil
}

func (l *udpListener) accept(ctx context.Context) (Socket, error) {
	b, oob := make([]byte, 64), make([]byte, 256)
	for {
		n, on, _, peer, err := l.conn.ReadMsgUDPAddrPort(b, oob)
		if err != nil {
			if truncated(err) || transient(err) {
				continue
			}
			return nil, err
		}
		remote := netip.AddrPortFrom(peer.Addr().Unmap(), peer.Port())
		if !protocol.IsHello(b[:n]) || l.allow != nil && !l.allow(remote.Addr()) {
			continue
		}
		if a := l.known(remote); a != nil {
			a.reply(b[:n])
			continue
		}
		return l.connect(ctx, remote, destination(oob[:on]), b[:n])
	}
}

// known returns the stream that this peer has opened already.
func (l *udpListener) known(remote netip.AddrPort) *answerer {
	for _, a := range l.streams {
		if a.remote == remote {
			return a
		}
	}
	return nil
}

// connect makes the stream's own socket and answers the hello from it.
func (l *udpListener) connect(ctx context.Context, remote netip.AddrPort, dst netip.Addr, hello []byte) (Socket, error) {
	c := DialConfig{Remote: remote, Local: l.local.Addr(), LocalPort: int(l.local.Port()), Options: l.options}
	if dst.IsValid() {
		c.Local = dst.Unmap()
		if zone := remote.Addr().Zone(); zone != "" && c.Local.Is6() {
			c.Local = c.Local.WithZone(zone)
		}
	}
	if c.Local.IsUnspecified() {
		c.Local = netip.Addr{}
	}
	conn, err := c.dial(ctx, "udp", false)
	if err != nil {
		return nil, err
	}
	// What arrived between bind and connect, when the socket was open to
	// everyone, is not of this stream.
	if err := drain(conn.(*net.UDPConn)); err != nil {
		_ = conn.Close()
		return nil, err
	}
	p, err := newNetPath(conn)
	if err != nil {
		_ = conn.Close()
		return nil, err
	}
	a := &answerer{netPath: p, remote: remote}
	a.reply(hello)
	a.start()
	l.streams = append(l.streams, a)
	return &socket{local: addrPort(conn.LocalAddr()), remote: remote, window: l.options.Window, path: a}, nil
}

// answerer is the path of an accepted UDP socket until its stream starts: it
// answers hellos that come again.
type answerer struct {
	*netPath
	remote netip.AddrPort
	wg     sync.WaitGroup
}

func (a *answerer) reply(hello []byte) {
	r := protocol.HelloReply(hello)
	_, _ = a.conn.Write(r[:]) // lost like any datagram
}

func (a *answerer) start() {
	a.wg.Go(func() {
		b := make([]byte, 64)
		for {
			n, err := a.conn.Read(b)
			switch {
			case err == nil && protocol.IsHello(b[:n]):
				a.reply(b[:n])
			case err != nil && !truncated(err) && !transient(err):
				return
			}
		}
	})
}

// take ends the answering and returns the path for data.
func (a *answerer) take() (*netPath, error) {
	if err := a.conn.SetReadDeadline(time.Unix(1, 0)); err != nil {
		return nil, err
	}
	a.wg.Wait()
	return a.netPath, a.conn.SetReadDeadline(time.Time{})
}

func (a *answerer) close() error {
	err := a.netPath.close()
	a.wg.Wait()
	return err
}
