package sockopt

import (
	"encoding/binary"
	"net"
	"syscall"
	"testing"
	"unsafe"

	"golang.org/x/sys/unix"

	"linkperf/protocol"
)

// sentFlowLabel asks the label manager for the label that a connection sends
// (IPV6_FL_A_GET of a getsockopt).
func sentFlowLabel(c syscall.RawConn) (label uint32, err error) {
	err = control(c, "read flow label", func(fd uintptr) error {
		var request [flowLabelRequest]byte
		size := uint32(len(request))
		_, _, errno := unix.Syscall6(unix.SYS_GETSOCKOPT, fd, unix.IPPROTO_IPV6, ipv6FlowLabelMgr,
			uintptr(unsafe.Pointer(&request)), uintptr(unsafe.Pointer(&size)), 0)
		if errno != 0 {
			return errno
		}
		label = binary.BigEndian.Uint32(request[16:])
		return nil
	})
	return label & protocol.MaxFlowLabel, err
}

func TestPinThreads(t *testing.T) {
	var before, now unix.CPUSet
	if err := unix.SchedGetaffinity(0, &before); err != nil {
		t.Fatal(err)
	}
	restore, err := SetAffinity(0)
	if err != nil {
		t.Skip(err)
	}
	if err := unix.SchedGetaffinity(0, &now); err != nil || now.Count() != 1 || !now.IsSet(0) {
		t.Errorf("this thread may use %d CPUs, %v", now.Count(), err)
	}
	if err := restore(); err != nil {
		t.Fatal(err)
	}
	if err := unix.SchedGetaffinity(0, &now); err != nil || now != before {
		t.Errorf("%d CPUs after restoring, %d before, %v", now.Count(), before.Count(), err)
	}
}

func TestTrafficClassReadBack(t *testing.T) {
	for network, option := range map[string][2]int{
		"udp4": {unix.IPPROTO_IP, unix.IP_TOS}, "udp6": {unix.IPPROTO_IPV6, unix.IPV6_TCLASS},
	} {
		c := raw(t, packet(t, network, map[string]string{"udp4": "127.0.0.1:0", "udp6": "[::1]:0"}[network]))
		if _, err := Apply(c, network, Options{TOS: 0x48}); err != nil {
			t.Fatal(err)
		}
		err := control(c, "read", func(fd uintptr) error {
			got, err := getInt(fd, option[0], option[1])
			if got != 0x48 {
				t.Errorf("%s: %#x", network, got)
			}
			return err
		})
		if err != nil {
			t.Error(err)
		}
	}
}

// An accepted connection whose segments are longer than its window keeps the
// buffer that its offer needs, and bounds the window instead.
func TestLateWindow(t *testing.T) {
	ln, err := net.Listen("tcp4", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	defer ln.Close()
	for _, c := range []struct {
		o       Options
		buffer  int // what the kernel says, twice what was set; 0 is the system's
		clamped bool
	}{
		{Options{Window: 5000, Accepted: true}, 0, true},
		{Options{Window: 5000}, 10000, false},
		{Options{Window: 5000, Accepted: true, MSS: 1000}, 10000, false},
		{Options{Window: 50000, Accepted: true}, 100000, false},
	} {
		d, err := net.Dial("tcp4", ln.Addr().String())
		if err != nil {
			t.Fatal(err)
		}
		defer d.Close()
		s, err := ln.Accept()
		if err != nil {
			t.Fatal(err)
		}
		defer s.Close()
		_, system, _ := Buffers(raw(t, s))
		if _, err := Apply(raw(t, s), "tcp", c.o); err != nil {
			t.Fatal(err)
		}
		_, buffer, _ := Buffers(raw(t, s))
		clamp := 0
		_ = control(raw(t, s), "clamp", func(fd uintptr) (err error) {
			clamp, err = getInt(fd, unix.IPPROTO_TCP, unix.TCP_WINDOW_CLAMP)
			return err
		})
		want := c.buffer
		if want == 0 {
			want = system
		}
		if buffer != want || (clamp == c.o.Window) != c.clamped {
			t.Errorf("%+v: a buffer of %d bytes, want %d; a bound of %d", c.o, buffer, want, clamp)
		}
	}
}
