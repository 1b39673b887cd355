package client

import (
	"context"
	"errors"
	"fmt"
	"net"
	"net/netip"
	"strconv"
	"strings"
	"syscall"

	"linkperf/protocol"
	"linkperf/protocol/session"
	"linkperf/protocol/sockopt"
)

// splitHost takes the brackets of an IPv6 literal away, and the interface of
// anything but a link-local address, whose scope belongs to it.
func splitHost(host string) (name, device string) {
	if s, ok := strings.CutPrefix(host, "["); ok {
		if s, ok = strings.CutSuffix(s, "]"); ok {
			host = s
		}
	}
	name, device, found := strings.Cut(host, "%")
	if !found {
		return host, ""
	}
	if a, err := netip.ParseAddr(name); err == nil && a.IsLinkLocalUnicast() && a.Is6() {
		return host, ""
	}
	return name, device
}

// lookup returns the addresses of a host, of the family that was asked for.
func (c *Config) lookup(ctx context.Context, host string) ([]netip.Addr, error) {
	network := "ip"
	switch {
	case c.IPv4Only:
		network = "ip4"
	case c.IPv6Only:
		network = "ip6"
	}
	if a, err := netip.ParseAddr(host); err == nil {
		a = a.Unmap()
		if a.IsLinkLocalUnicast() && a.Is6() && a.Zone() == "" {
			return nil, &hintError{
				protocol.NewError(protocol.CodeHostDev, nil),
				fmt.Sprintf("%s needs the interface that it is on, as in %s%%eth0", a, a),
			}
		}
		if network == "ip4" && !a.Is4() || network == "ip6" && !a.Is6() {
			return nil, &net.AddrError{Err: "Address family for hostname not supported"}
		}
		return []netip.Addr{a}, nil
	}
	found, err := net.DefaultResolver.LookupNetIP(ctx, network, host)
	if err != nil {
		return nil, err
	}
	for i, a := range found {
		found[i] = a.Unmap()
	}
	return found, nil
}

// controlOptions are those of the control connection.
func (c *Config) controlOptions(device string) sockopt.Options {
	return sockopt.Options{
		NoDelay: true, UserTimeout: c.SendTimeout, Device: device, KeepAlive: c.ControlKeepalive,
	}
}

// connect opens the control connection to the first address of the host that
// answers on the port.
func (t *test) connect(ctx context.Context) error {
	c := t.cfg
	name, device := splitHost(c.Host)
	t.device = c.BindDevice
	if device != "" {
		t.device = device
	}
	addresses, err := c.lookup(ctx, name)
	if err != nil {
		return connectError(ctx, err)
	}
	bind, bindDevice := splitHost(c.Bind)
	if bindDevice != "" {
		t.device = bindDevice
	}
	for _, a := range addresses {
		if err = t.bind(ctx, bind, a); err == nil {
			err = t.dial(ctx, netip.AddrPortFrom(a, uint16(t.port)))
		}
		if err == nil || ctx.Err() != nil {
			break
		}
	}
	if err != nil {
		return connectError(ctx, err)
	}
	return nil
}

func connectError(ctx context.Context, err error) error {
	if ctx.Err() != nil {
		return context.Cause(ctx)
	}
	if _, ok := errors.AsType[*protocol.Error](err); ok {
		return err // with its hint
	}
	return protocol.NewError(protocol.CodeConnect, err)
}

// bind finds the local address to use towards a remote one.
func (t *test) bind(ctx context.Context, host string, remote netip.Addr) error {
	t.local = netip.Addr{}
	if host == "" {
		return nil
	}
	found, err := t.cfg.lookup(ctx, host)
	if err != nil {
		return fmt.Errorf("bind to %s: %w", host, err)
	}
	for _, a := range found {
		if a.Is4() == remote.Is4() {
			t.local = a
			return nil
		}
	}
	return fmt.Errorf("bind to %s: no address of the family of %s", host, remote)
}

func (t *test) dial(ctx context.Context, remote netip.AddrPort) error {
	c := t.cfg
	t.remote = remote
	if c.ConnectTimeout > 0 {
		var cancel context.CancelFunc
		ctx, cancel = context.WithTimeoutCause(ctx, c.ConnectTimeout, syscall.ETIMEDOUT)
		defer cancel()
	}
	address := net.JoinHostPort(remote.Addr().String(), strconv.Itoa(int(remote.Port())))
	if c.DialControl != nil {
		conn, err := c.DialControl(ctx, "tcp", address)
		if err != nil {
			return err
		}
		t.ctl = session.NewControl(conn)
		if a, ok := conn.RemoteAddr().(*net.TCPAddr); ok {
			t.remote = a.AddrPort()
		}
		return nil
	}
	d := net.Dialer{Control: sockopt.Control(c.controlOptions(t.device)), KeepAlive: -1}
	if c.ControlKeepalive == nil {
		d.KeepAliveConfig = session.ControlKeepalive()
	}
	d.SetMultipathTCP(false)
	if t.local.IsValid() {
		d.LocalAddr = net.TCPAddrFromAddrPort(netip.AddrPortFrom(t.local, 0))
	}
	conn, err := d.DialContext(ctx, "tcp", address)
	if err != nil && context.Cause(ctx) == syscall.ETIMEDOUT {
		return syscall.ETIMEDOUT
	}
	if err != nil {
		return err
	}
	t.ctl = session.NewControl(conn)
	return nil
}

// rawControl returns the control connection's descriptor, nil if it has none.
func (t *test) rawControl() syscall.RawConn {
	sc, ok := t.ctl.NetConn().(syscall.Conn)
	if !ok {
		return nil
	}
	raw, err := sc.SyscallConn()
	if err != nil {
		return nil
	}
	return raw
}
