package stream

import (
	"context"
	"net"
	"runtime"
	"strings"
	"testing"
	"time"

	"golang.org/x/sys/unix"

	"linkperf/protocol"
	"linkperf/protocol/measure"
	"linkperf/protocol/sockopt"
)

// smallMTU gives the calling goroutine a network of its own whose loopback
// interface has an MTU. The thread ends with the goroutine.
func smallMTU(t *testing.T, mtu uint32) {
	t.Helper()
	runtime.LockOSThread()
	if err := unix.Unshare(unix.CLONE_NEWNET); err != nil {
		runtime.UnlockOSThread()
		t.Skipf("cannot make a network namespace: %v", err)
	}
	fd, err := unix.Socket(unix.AF_INET, unix.SOCK_DGRAM|unix.SOCK_CLOEXEC, 0)
	if err != nil {
		t.Fatal(err)
	}
	defer unix.Close(fd)
	lo, err := unix.NewIfreq("lo")
	if err != nil {
		t.Fatal(err)
	}
	lo.SetUint32(mtu)
	if err := unix.IoctlIfreq(fd, unix.SIOCSIFMTU, lo); err != nil {
		t.Fatal(err)
	}
	lo.SetUint16(unix.IFF_UP)
	if err := unix.IoctlIfreq(fd, unix.SIOCSIFFLAGS, lo); err != nil {
		t.Fatal(err)
	}
}

// Segmentation offload cannot make fragments: a length above the MTU ends it,
// and the stream goes on.
func TestOffloadRefused(t *testing.T) {
	smallMTU(t, 1500)
	rx, err := net.ListenUDP("udp4", net.UDPAddrFromAddrPort(loopback4))
	if err != nil {
		t.Fatal(err)
	}
	tx, err := net.DialUDP("udp4", nil, rx.LocalAddr().(*net.UDPAddr))
	if err != nil {
		t.Fatal(err)
	}
	from, err := newSocket(tx, sockopt.Options{})
	if err != nil {
		t.Fatal(err)
	}
	rxPath, err := newNetPath(rx)
	if err != nil {
		t.Fatal(err)
	}
	to := &socket{local: addrPort(rx.LocalAddr()), path: rxPath}

	c := Config{Transport: protocol.UDP, Length: 4000}
	r, err := New(to, c, measure.StreamInfo{})
	if err != nil {
		t.Fatal(err)
	}
	defer r.Close()
	c.Budget = NewBlocks(20, c.Length)
	s, err := New(from, c, measure.StreamInfo{Sender: true})
	if err != nil {
		t.Fatal(err)
	}
	defer s.Close()
	if s.Info.DataPath != "sendmmsg+gso" {
		t.Skipf("data path %s: the kernel has no UDP_SEGMENT", s.Info.DataPath)
	}
	base := time.Now()
	r.Begin(base)
	s.Begin(base)
	ch := make(chan error, 1)
	go func() { ch <- r.Run(context.Background()) }()
	if err := s.Run(context.Background()); err != nil {
		t.Fatal(err)
	}
	if got := s.Socket().Path(); got != "sendmmsg" {
		t.Errorf("data path at the end %q", got)
	}
	if w := s.Warning(); !strings.Contains(w, "refused") {
		t.Errorf("warning %q", w)
	}
	eventually(t, "all datagrams arrive", func() bool { return r.Sample().Packets == 20 })
	if n := r.Sample(); n.Duplicates != 0 || n.Lost != 0 {
		t.Errorf("received %+v", n)
	}
	r.Stop()
	if err := <-ch; err != nil {
		t.Error(err)
	}
}
