package sockopt

import (
	"context"
	"errors"
	"net"
	"net/netip"
	"runtime"
	"syscall"
	"testing"
	"time"

	"linkperf/protocol"
	"linkperf/protocol/measure"
)

func raw(t *testing.T, c any) syscall.RawConn {
	t.Helper()
	rc, err := c.(syscall.Conn).SyscallConn()
	if err != nil {
		t.Fatal(err)
	}
	return rc
}

func code(err error) protocol.Code {
	if pe, ok := errors.AsType[*protocol.Error](err); ok {
		return pe.Code
	}
	return -1
}

// connection returns a TCP connection on loopback with options set before it
// was made.
func connection(t *testing.T, o Options) *net.TCPConn {
	t.Helper()
	ln, err := net.Listen("tcp4", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { ln.Close() })
	d := net.Dialer{Control: Control(o), KeepAlive: -1}
	c, err := d.DialContext(t.Context(), "tcp4", ln.Addr().String())
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { c.Close() })
	return c.(*net.TCPConn)
}

func TestZeroOptionsChangeNothing(t *testing.T) {
	c := raw(t, connection(t, Options{}))
	snd, rcv, err := Buffers(c)
	if err != nil || snd <= 0 || rcv <= 0 {
		t.Fatalf("buffers %d, %d, %v", snd, rcv, err)
	}
	warnings, err := Apply(c, "tcp4", Options{})
	if err != nil || warnings != nil {
		t.Errorf("Apply = %v, %v", warnings, err)
	}
}

func TestOptions(t *testing.T) {
	for _, test := range []struct {
		name  string
		need  Feature
		o     Options
		check func(t *testing.T, c syscall.RawConn)
	}{
		{"window", Sendfile, Options{Window: 64 << 10}, func(t *testing.T, c syscall.RawConn) {
			if snd, rcv, err := Buffers(c); err != nil || snd < 64<<10 || rcv < 64<<10 || snd > 1<<20 {
				t.Errorf("buffers %d and %d, %v", snd, rcv, err)
			}
		}},
		{"MSS", Sendfile, Options{MSS: 1000}, func(t *testing.T, c syscall.RawConn) {
			if mss, err := MSS(c); err != nil || mss <= 0 || mss > 1000 {
				t.Errorf("MSS %d, %v", mss, err)
			}
		}},
		{"congestion", Congestions, Options{Congestion: "reno"}, func(t *testing.T, c syscall.RawConn) {
			if name, err := Congestion(c); err != nil || name != "reno" {
				t.Errorf("congestion control %q, %v", name, err)
			}
		}},
		{"keepalive", Sendfile, Options{KeepAlive: &measure.Keepalive{Idle: 33, Interval: 7, Count: 4}}, func(t *testing.T, c syscall.RawConn) {
			if k, err := KeepAlive(c); err != nil || k != (measure.Keepalive{Idle: 33, Interval: 7, Count: 4}) {
				t.Errorf("keepalive %+v, %v", k, err)
			}
		}},
		{"keepalive of the system", Sendfile, Options{KeepAlive: &measure.Keepalive{}}, func(t *testing.T, c syscall.RawConn) {
			if k, err := KeepAlive(c); err != nil || k.Idle <= 0 || k.Interval <= 0 || k.Count <= 0 {
				t.Errorf("keepalive %+v, %v", k, err)
			}
		}},
		{"the rest", UserTimeout, Options{NoDelay: true, TOS: 0x20, PacingRate: 1e9, UserTimeout: time.Second}, nil},
	} {
		t.Run(test.name, func(t *testing.T) {
			if !Supported(test.need) {
				t.Skipf("%s cannot", runtime.GOOS)
			}
			c := raw(t, connection(t, test.o))
			if test.check != nil {
				test.check(t, c)
			}
		})
	}
}

func TestErrorCodes(t *testing.T) {
	tcp, udp := raw(t, connection(t, Options{})), raw(t, packet(t, "udp4", "127.0.0.1:0"))
	for _, test := range []struct {
		name string
		need Feature
		c    syscall.RawConn
		o    Options
		want protocol.Code
	}{
		{"a window that nobody gets", Sendfile, tcp, Options{Window: protocol.MaxWindow}, protocol.CodeSetBuf2},
		{"an unknown algorithm", Congestions, tcp, Options{Congestion: "none-such"}, protocol.CodeSetCongestion},
		{"an MSS that is too small", Sendfile, tcp, Options{MSS: 1}, protocol.CodeSetMSS},
		{"a device that is not there", BindDevice, udp, Options{Device: "none-such"}, -1},
	} {
		t.Run(test.name, func(t *testing.T) {
			if !Supported(test.need) {
				t.Skipf("%s cannot", runtime.GOOS)
			}
			network := "tcp4"
			if test.c == udp {
				network = "udp4"
			}
			if _, err := Apply(test.c, network, test.o); err == nil || code(err) != test.want {
				t.Errorf("Apply = %v, want iperf3's error %d", err, test.want)
			}
		})
	}
	if !Supported(Congestions) {
		return
	}
	warnings, err := Apply(tcp, "tcp4", Options{Congestion: "none-such", CongestionOptional: true})
	if err != nil || len(warnings) != 1 {
		t.Errorf("optional algorithm: %q, %v", warnings, err)
	}
}

func TestUnsupportedSaysSo(t *testing.T) {
	c := raw(t, connection(t, Options{}))
	for f, o := range map[Feature]Options{
		Congestions: {Congestion: "reno"}, Pacing: {PacingRate: 1e6}, UserTimeout: {UserTimeout: time.Second},
	} {
		_, err := Apply(c, "tcp4", o)
		if Supported(f) {
			if err != nil {
				t.Errorf("%+v: %v", o, err)
			}
		} else if !errors.Is(err, errors.ErrUnsupported) {
			t.Errorf("%+v: %v", o, err)
		}
	}
}

func packet(t *testing.T, network, address string) net.PacketConn {
	t.Helper()
	c, err := net.ListenPacket(network, address)
	if err != nil {
		t.Skipf("no %s here: %v", address, err)
	}
	t.Cleanup(func() { c.Close() })
	return c
}

func TestUDPOptions(t *testing.T) {
	for _, network := range []string{"udp4", "udp6"} {
		address := map[string]string{"udp4": "127.0.0.1:0", "udp6": "[::1]:0"}[network]
		c := raw(t, packet(t, network, address))
		if _, err := Apply(c, network, Options{TOS: 0x48, DontFragment: true, ReuseAddr: true}); err != nil {
			t.Errorf("%s: %v", network, err)
		}
		before, _, err := Buffers(c)
		if err != nil {
			t.Fatal(err)
		}
		if got, err := GrowSendBuffer(c, before/2); err != nil || got != before {
			t.Errorf("a buffer that is large enough: %d of %d, %v", got, before, err)
		}
		if got, err := GrowReceiveBuffer(c, 1<<30); err != nil || got <= 0 {
			t.Errorf("a buffer beyond the limit: %d, %v", got, err)
		}
	}
}

func TestTCPInfo(t *testing.T) {
	c := connection(t, Options{})
	info, err := TCPInfo(raw(t, c))
	if !Supported(TCPInfos) {
		if !errors.Is(err, errors.ErrUnsupported) {
			t.Errorf("TCPInfo = %v", err)
		}
		return
	}
	if err != nil || info.MSS <= 0 || info.SndCwnd < info.MSS || info.RTT < 0 || info.Retransmits != 0 {
		t.Errorf("%+v, %v", info, err)
	}
	if _, err := TCPInfo(raw(t, packet(t, "udp4", "127.0.0.1:0"))); err == nil {
		t.Error("a UDP socket has TCP information")
	}
	c.Close()
	if _, err := TCPInfo(raw(t, c)); err == nil {
		t.Error("a closed socket has TCP information")
	}
}

// Drops counts what a full receive buffer costs.
func TestDrops(t *testing.T) {
	if runtime.GOOS != "linux" {
		_, err := Drops(raw(t, packet(t, "udp4", "127.0.0.1:0")))
		if !errors.Is(err, errors.ErrUnsupported) {
			t.Errorf("Drops = %v", err)
		}
		return
	}
	rx := packet(t, "udp4", "127.0.0.1:0")
	rc := raw(t, rx)
	if err := control(rc, "shrink", func(fd uintptr) error { return setReceiveBuffer(fd, 1) }); err != nil {
		t.Fatal(err)
	}
	if n, err := Drops(rc); n != 0 || err != nil {
		t.Fatalf("Drops = %d, %v", n, err)
	}
	tx := packet(t, "udp4", "127.0.0.1:0")
	const sent = 50
	for range sent {
		if _, err := tx.WriteTo(make([]byte, 1000), rx.LocalAddr()); err != nil {
			t.Fatal(err)
		}
	}
	got := int64(0)
	b := make([]byte, 2000)
	rx.SetReadDeadline(time.Now().Add(50 * time.Millisecond))
	for {
		if _, _, err := rx.ReadFrom(b); err != nil {
			break
		}
		got++
	}
	if n, err := Drops(rc); err != nil || n == 0 || n+got != sent {
		t.Errorf("%d received, %d dropped of %d, %v", got, n, sent, err)
	}
}

func TestFlowLabel(t *testing.T) {
	if err := ConnectFlow(raw(t, packet(t, "udp4", "127.0.0.1:0")), netip.AddrPort{}, netip.MustParseAddrPort("127.0.0.1:9"), 7); code(err) != protocol.CodeSetFlow {
		t.Errorf("IPv4: %v, want iperf3's error 127", err)
	}
	if !Supported(FlowLabels) {
		return
	}
	ln, err := net.Listen("tcp6", "[::1]:0")
	if err != nil {
		t.Skipf("no IPv6 here: %v", err)
	}
	defer ln.Close()
	to := ln.Addr().(*net.TCPAddr).AddrPort()
	for _, local := range []netip.AddrPort{{}, netip.MustParseAddrPort("[::1]:0")} {
		d := net.Dialer{Control: func(_, _ string, c syscall.RawConn) error { return ConnectFlow(c, local, to, 0x12345) }}
		c, err := d.DialContext(context.Background(), "tcp6", to.String())
		if err != nil {
			t.Fatal(err)
		}
		if got, err := sentFlowLabel(raw(t, c)); err != nil || got != 0x12345 {
			t.Errorf("label %#x, %v", got, err)
		}
		c.Close()
	}
}

func TestAffinity(t *testing.T) {
	for _, cpu := range []int{-1, 1 << 20} {
		if _, err := SetAffinity(cpu); code(err) != protocol.CodeAffinity {
			t.Errorf("CPU %d: %v, want iperf3's error 132", cpu, err)
		}
	}
	if !Supported(Affinity) {
		return
	}
	restore, err := SetAffinity(0)
	if err != nil {
		t.Skipf("CPU 0 is not ours: %v", err)
	}
	if err := restore(); err != nil {
		t.Error(err)
	}
}

// A system that cannot pace says so and goes on; a rate below a byte per second
// is none.
func TestPacing(t *testing.T) {
	c, err := net.ListenPacket("udp4", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	defer c.Close()
	for rate, warns := range map[uint64]bool{7: false, 8: !Supported(Pacing), 40e9: !Supported(Pacing), 1 << 63: !Supported(Pacing)} {
		warnings, err := Apply(raw(t, c), "udp4", Options{PacingRate: rate})
		if err != nil || (len(warnings) > 0) != warns {
			t.Errorf("%d bit/s: %q, %v", rate, warnings, err)
		}
	}
}
