package sysinfo

import (
	"context"
	"encoding/json"
	"io"
	"net"
	"net/netip"
	"runtime"
	"strings"
	"sync"
	"syscall"
	"testing"
	"time"

	"go.uber.org/goleak"
)

// pair is a TCP connection through loopback, as the two ends of a test have it.
func pair(t *testing.T, address string) (client, server *net.TCPConn) {
	t.Helper()
	ln, err := net.Listen("tcp", net.JoinHostPort(address, "0"))
	if err != nil {
		t.Skip(err)
	}
	defer ln.Close()
	accepted := make(chan net.Conn, 1)
	go func() {
		c, err := ln.Accept()
		if err != nil {
			close(accepted)
			return
		}
		accepted <- c
	}()
	c, err := net.Dial("tcp", ln.Addr().String())
	if err != nil {
		t.Fatal(err)
	}
	s, ok := <-accepted
	if !ok {
		t.Fatal("the connection was not accepted")
	}
	t.Cleanup(func() { c.Close(); s.Close() })
	return c.(*net.TCPConn), s.(*net.TCPConn)
}

// connOf describes a connection as callers do.
func connOf(t *testing.T, c net.Conn, sender bool) Conn {
	t.Helper()
	k, err := describeConn(c, sender)
	if err != nil {
		t.Fatal(err)
	}
	return k
}

func describeConn(c net.Conn, sender bool) (Conn, error) {
	raw, err := c.(syscall.Conn).SyscallConn()
	k := Conn{Raw: raw, Sender: sender, Transport: c.LocalAddr().Network()}
	switch local := c.LocalAddr().(type) {
	case *net.TCPAddr:
		k.Local, k.Remote = local.AddrPort(), c.RemoteAddr().(*net.TCPAddr).AddrPort()
	case *net.UDPAddr:
		k.Local, k.Remote = local.AddrPort(), c.RemoteAddr().(*net.UDPAddr).AddrPort()
	}
	return k, err
}

// move sends bytes from one end to the other and waits until they are there.
func move(t *testing.T, from io.Writer, to io.Reader, bytes int) {
	t.Helper()
	var received sync.WaitGroup
	received.Go(func() {
		if _, err := io.CopyN(io.Discard, to, int64(bytes)); err != nil {
			t.Error(err)
		}
	})
	buffer := make([]byte, 1<<16)
	for sent := 0; sent < bytes; sent += len(buffer) {
		if _, err := from.Write(buffer[:min(len(buffer), bytes-sent)]); err != nil {
			t.Fatal(err)
		}
	}
	received.Wait()
}

func TestWatchLoopback(t *testing.T) {
	defer goleak.VerifyNone(t, goleak.IgnoreCurrent())
	client, server := pair(t, "127.0.0.1")
	o := Watch(t.Context(), Target{Side: "client", Options: Options{Tool: "linkperf", Version: "1", Salt: []byte("cookie")}})
	began := time.Now()
	o.Start([]Conn{connOf(t, client, true)})
	if took := time.Since(began); took > 500*time.Millisecond {
		t.Errorf("the start took %v", took)
	}
	move(t, client, server, 50<<20)
	o.Interval()
	began = time.Now()
	text := o.End(Full)
	if took := time.Since(began); took > 500*time.Millisecond {
		t.Errorf("the end took %v", took)
	}
	r, err := ParseRecord(text)
	if err != nil {
		t.Fatal(err)
	}
	checkReasons(t, r)
	if r.Role != "client" || *r.Path.LocalAddress != "127.0.0.1" || *r.Path.Family != 4 || *r.Path.Transport != "tcp" {
		t.Errorf("role %s, path %+v", r.Role, r.Path)
	}
	if again := o.End(Full); string(again) != string(text) {
		t.Error("a second end gives another record")
	}
	checkPeer(t, o, r)
	if o.End(Nothing) != nil {
		t.Error("something is told with the level off")
	}
	if r.CollectMS > 500 {
		t.Errorf("the test was delayed by %v ms", r.CollectMS)
	}
	if runtime.GOOS == "linux" {
		checkLinuxLoopback(t, r)
	}
}

// checkPeer names the other end when the observation has ended.
func checkPeer(t *testing.T, o *Observation, before *Record) {
	t.Helper()
	if before.Peer.Tool != nil || before.Unknown["peer.tool"].Reason != NotAttempted {
		t.Errorf("the peer is known too soon: %+v", before.Peer)
	}
	for _, version := range []string{"3.12", ""} {
		o.SetPeer("iperf3", version)
		r := o.Record()
		checkReasons(t, r)
		if r.Peer.Tool == nil || *r.Peer.Tool != "iperf3" || (r.Peer.Version == nil) != (version == "") {
			t.Errorf("peer %+v, want version %q", r.Peer, version)
		}
	}
}

// checkLinuxLoopback asserts what Linux tells in every namespace and without
// privileges.
func checkLinuxLoopback(t *testing.T, r *Record) {
	t.Helper()
	for path, v := range leaves(r) {
		switch path {
		case "path.kind", "path.interface", "path.stack", "path.confirmed", "path.mtu_bytes", "link.mtu_bytes", "link.addresses",
			"tcp.mss_bytes", "tcp.rtt_min_us", "tcp.sent_segments", "tcp.retransmitted_percent", "tcp.congestion_control",
			"tcp.receive_window_limited_percent", "tcp.congestion_window_limited_percent", "counters.rx_bytes",
			"counters.udp_receive_buffer_errors", "cpu.model", "cpu.cores_logical", "limits.tcp_receive_buffer_max_bytes", "queue.discipline",
			"offload.tso", "host.kernel", "host.os", "interfaces", "cpu.process_percent":
			if v.IsNil() {
				u, _ := r.Why(path)
				t.Errorf("%s is unknown: %+v", path, u)
			}
		}
	}
	if t.Failed() {
		return
	}
	if *r.Path.Kind != KindLoopback || *r.Path.Interface != "lo" || !*r.Path.Confirmed {
		t.Errorf("path %s through %s, confirmed %v", *r.Path.Kind, *r.Path.Interface, *r.Path.Confirmed)
	}
	if r.Link.SpeedRx != nil || r.Unknown["link.speed_rx_bits_per_second"].Reason != NotApplicable {
		t.Errorf("speed of loopback: %v, %+v", r.Link.SpeedRx, r.Unknown["link.speed_rx_bits_per_second"])
	}
	if *r.Counters.RxBytes < 50<<20 {
		t.Errorf("loopback carried %d bytes of 50 MiB", *r.Counters.RxBytes)
	}
}

func TestWatchReceiverSeesMappedAddress(t *testing.T) {
	client, server := pair(t, "127.0.0.1")
	k := connOf(t, server, false)
	// A dual-stack server's sockets have mapped addresses.
	k.Local = netip.AddrPortFrom(netip.AddrFrom16(k.Local.Addr().As16()), k.Local.Port())
	k.Remote = netip.AddrPortFrom(netip.AddrFrom16(k.Remote.Addr().As16()), k.Remote.Port())
	o := Watch(t.Context(), Target{Side: "server"})
	o.Start([]Conn{k})
	move(t, client, server, 1<<20)
	r := o.Record()
	checkReasons(t, r)
	if *r.Path.RemoteAddress != "127.0.0.1" || *r.Path.Family != 4 {
		t.Errorf("remote address %s, family %d", *r.Path.RemoteAddress, *r.Path.Family)
	}
	if u, _ := r.Why("tcp.retransmitted_segments"); u.Reason != NotApplicable && runtime.GOOS == "linux" {
		t.Errorf("a receiver's retransmissions: %+v, want not applicable", u)
	}
}

func TestWatchUDP(t *testing.T) {
	notUnderWine(t, "SIO_UDP_NETRESET, which Go needs to listen")
	receiver, err := net.ListenUDP("udp4", &net.UDPAddr{IP: net.IPv4(127, 0, 0, 1)})
	if err != nil {
		t.Fatal(err)
	}
	defer receiver.Close()
	sender, err := net.DialUDP("udp4", nil, receiver.LocalAddr().(*net.UDPAddr))
	if err != nil {
		t.Fatal(err)
	}
	defer sender.Close()
	o := Watch(t.Context(), Target{Side: "client"})
	o.Start([]Conn{connOf(t, sender, true)})
	for range 100 {
		if _, err := sender.Write(make([]byte, 1000)); err != nil {
			t.Fatal(err)
		}
	}
	o.Transferred(100 * 1000)
	r := o.Record()
	checkReasons(t, r)
	if u := r.Unknown["tcp.mss_bytes"]; runtime.GOOS == "linux" && u.Reason != NotApplicable {
		t.Errorf("MSS of UDP: %+v", u)
	}
	if runtime.GOOS == "linux" && (r.Path.MTU == nil || *r.Path.MTU < 1280 || r.Path.Confirmed == nil || !*r.Path.Confirmed) {
		t.Errorf("path MTU %v, confirmed %v", r.Path.MTU, r.Path.Confirmed)
	}
}

func TestWatchWithoutConnection(t *testing.T) {
	defer goleak.VerifyNone(t, goleak.IgnoreCurrent())
	o := Watch(t.Context(), Target{Side: "client"})
	o.Interval()
	o.Start(nil)
	r := o.Record()
	checkReasons(t, r)
	if u, _ := r.Why("path.kind"); u.Reason != NotApplicable && u.Reason != NotSupported {
		t.Errorf("%+v", u)
	}
	if len(r.Changed) != 0 {
		t.Errorf("changes %v", r.Changed)
	}
}

// changing is a system whose facts the test controls.
type changing struct {
	mu  sync.Mutex
	mtu int64
}

func (c *changing) table() (table, map[string]collector) {
	return join(table{sources: []source{
			{name: "route", stage: ofPath, fields: []string{"path.interface", "path.kind", "path.stack"}},
			{name: "link", stage: ofLink, fields: []string{"link.mtu_bytes", "link.name"}},
			{name: "slow", stage: ofLink, fields: []string{"link.media"}, timeout: time.Minute, keep: time.Hour},
		}}, portableTable), map[string]collector{
			"route": func(_ context.Context, _ *probe, r *Record) error {
				r.Path.Interface, r.Path.Kind, r.Path.Stack = new("test0"), new(KindEthernet), []string{"test0"}
				return nil
			},
			"link": func(_ context.Context, p *probe, r *Record) error {
				c.mu.Lock()
				defer c.mu.Unlock()
				r.Link.MTU, r.Link.Name = new(c.mtu), new(p.link())
				return nil
			},
			"slow": func(ctx context.Context, _ *probe, r *Record) error {
				<-ctx.Done()
				return ctx.Err()
			},
			"program": collectProgram, "connection": collectConnection,
			"interfaces": func(context.Context, *probe, *Record) error { return nil },
		}
}

func TestWatchTellsWhatChanged(t *testing.T) {
	defer goleak.VerifyNone(t, goleak.IgnoreCurrent())
	system := &changing{mtu: 1500}
	tb, by := system.table()
	o := watch(t.Context(), Target{Side: "client"}, &probe{}, tb, by)
	conn := Conn{Local: netip.MustParseAddrPort("192.0.2.1:1"), Remote: netip.MustParseAddrPort("192.0.2.2:2"), Transport: "tcp"}
	began := time.Now()
	o.Start([]Conn{conn})
	// The MTU before must have been read before it changes.
	for {
		var mtu *int64
		o.c.update(func(r *Record) { mtu = r.Link.MTU })
		if mtu != nil {
			break
		}
		runtime.Gosched()
	}
	system.mu.Lock()
	system.mtu = 9000
	system.mu.Unlock()
	text := o.End(Full)
	if took := time.Since(began); took > time.Second {
		t.Errorf("start and end took %v beside a source that never answers", took)
	}
	r, err := ParseRecord(text)
	if err != nil {
		t.Fatal(err)
	}
	checkReasons(t, r)
	if *r.Link.MTU != 1500 || *r.Link.Name != "test0" {
		t.Errorf("MTU before %d of %s", *r.Link.MTU, *r.Link.Name)
	}
	if got, _ := json.Marshal(r.Changed); string(got) != `{"link.mtu_bytes":[1500,9000]}` {
		t.Errorf("changed %s", got)
	}
	if u, _ := r.Why("link.media"); u.Reason != Timeout || !strings.Contains(u.Detail, "slow") {
		t.Errorf("the source that never answered: %+v", u)
	}
	if u, _ := r.Why("tcp.mss_bytes"); u.Reason == "" {
		t.Error("no reason for the MSS of a connection without socket")
	}
}

func TestWatchFindsThePathLate(t *testing.T) {
	defer goleak.VerifyNone(t, goleak.IgnoreCurrent())
	tb, by := (&changing{mtu: 1500}).table()
	found := by["route"]
	release, linked := make(chan struct{}), make(chan struct{})
	by["route"] = func(ctx context.Context, p *probe, r *Record) error {
		<-release
		return found(ctx, p, r)
	}
	read := by["link"]
	by["link"] = func(ctx context.Context, p *probe, r *Record) error {
		defer close(linked)
		return read(ctx, p, r)
	}
	// The second asking finds no link to read.
	tb.sources[1].keep = time.Hour
	o := watch(t.Context(), Target{Side: "client"}, &probe{}, tb, by)
	began := time.Now()
	o.Start([]Conn{{Local: netip.MustParseAddrPort("192.0.2.1:1"), Remote: netip.MustParseAddrPort("192.0.2.2:2"), Transport: "tcp"}})
	if took := time.Since(began); took > 2*startBudget {
		t.Errorf("the start took %v", took)
	}
	close(release)
	<-linked
	r := o.Record()
	checkReasons(t, r)
	if r.Path.Interface == nil || *r.Path.Interface != "test0" {
		t.Errorf("the path that was found late is lost: %+v", r.Path)
	}
	if u, _ := r.Why("path.confirmed"); u.Reason != Timeout {
		t.Errorf("the counters that were read late prove nothing, but: %+v", u)
	}
}

func TestWatchEndsWithItsContext(t *testing.T) {
	defer goleak.VerifyNone(t, goleak.IgnoreCurrent())
	tb, by := (&changing{}).table()
	ctx, cancel := context.WithCancel(t.Context())
	o := watch(ctx, Target{}, &probe{}, tb, by)
	cancel()
	o.Start([]Conn{{Local: netip.MustParseAddrPort("192.0.2.1:1"), Remote: netip.MustParseAddrPort("192.0.2.2:2"), Transport: "tcp"}})
	r := o.Record()
	checkReasons(t, r)
}

func TestObservationFromManyGoroutines(t *testing.T) {
	client, server := pair(t, "127.0.0.1")
	o := Watch(t.Context(), Target{Side: "client", Options: Options{Cache: new(Cache)}})
	var all sync.WaitGroup
	for i := range 8 {
		all.Go(func() {
			o.Start([]Conn{connOf(t, client, true)})
			o.Interval()
			o.Restart()
			o.SetPeer("iperf3", "3")
			if i == 7 {
				o.End(Limited)
			}
			o.Interval()
		})
	}
	move(t, client, server, 1<<20)
	all.Wait()
	checkReasons(t, o.Record())
}
