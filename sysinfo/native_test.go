//go:build darwin || windows

package sysinfo

import (
	"runtime"
	"strings"
	"testing"
	"time"
)

// The real calls of this system, as far as any machine has an answer. Under
// wine, calls that it lacks give a reason.
func TestNativeHost(t *testing.T) {
	r := Collect(t.Context(), Options{Devices: true, Cache: new(Cache)})
	checkReasons(t, r)
	if r.Host.OS == nil || r.Host.Kernel == nil || r.CPU.Logical == nil || r.Interfaces == nil {
		t.Fatalf("system, kernel, cores or interfaces are unknown: %+v", r.Unknown)
	}
	if runtime.GOOS == "windows" && *r.CPU.Logical < int64(runtime.NumCPU()) {
		t.Errorf("%d cores, the runtime may use %d", *r.CPU.Logical, runtime.NumCPU())
	}
	for path, u := range r.Unknown {
		fellOver(t, path, u)
	}
	if r.CollectMS > 2*float64(collectBudget/time.Millisecond) {
		t.Errorf("took %.0f ms", r.CollectMS)
	}
}

func TestNativeLoopbackInterface(t *testing.T) {
	list, err := listInterfaces(t.Context(), &probe{})
	if err != nil {
		t.Fatal(err)
	}
	for _, i := range list {
		if i.Kind != KindLoopback {
			continue
		}
		if !i.Up || i.SpeedTx != nil || i.Reason != NotApplicable || !strings.Contains(strings.Join(i.Addresses, " "), "127.0.0.1") {
			t.Errorf("%+v", i)
		}
		return
	}
	t.Errorf("no loopback in %+v", list)
}

func TestNativeTimes(t *testing.T) {
	before, err := readCPUTimes(&probe{})
	if err != nil {
		t.Fatal(err)
	}
	spentBefore, err := readProcessCPU()
	if err != nil {
		t.Fatal(err)
	}
	work(func() bool {
		now, err := readProcessCPU()
		return err != nil || now > spentBefore
	})
	spent, err := readProcessCPU()
	if err != nil || spent <= spentBefore {
		t.Errorf("process: %v after %v, %v", spent, spentBefore, err)
	}
	after, err := readCPUTimes(&probe{})
	if err != nil || len(after) != len(before) || len(after) == 0 {
		t.Fatalf("%d cores, then %d, %v", len(before), len(after), err)
	}
	grown := false
	for i := range after {
		used := after[i].since(before[i])
		grown = grown || used.total() > 0
		if used.busy() < 0 || used.busy() > 100 {
			t.Errorf("core %d: %+v", i, used)
		}
	}
	if !grown {
		t.Error("no core's time went on")
	}
}

// work keeps the processor busy until done says so.
func work(done func() bool) {
	x := uint64(1)
	for !done() {
		for range 10_000_000 {
			x = x*6364136223846793005 + 1
		}
	}
	runtime.KeepAlive(x)
}

// Every source of a path over the loopback, one after the other and without
// the limits of a test's time.
func TestNativePath(t *testing.T) {
	client, server := pair(t, "127.0.0.1")
	move(t, client, server, 8<<20)
	conn := connOf(t, client, true)
	p := &probe{conns: []Conn{conn}, Options: Options{Cache: new(Cache)}}
	all := allCollectors()
	r := new(Record)
	for _, st := range []stage{ofPath, ofLink} {
		for _, s := range tableOf(runtime.GOOS).sources {
			if s.stage != st {
				continue
			}
			if err := attempt(t.Context(), all[s.name], p, r); err != nil {
				u := unknownOf(err)
				t.Logf("%s: %+v", s.name, u)
				fellOver(t, s.name, u)
			}
		}
		p.path = r.Path
	}
	if r.Path.Kind == nil || *r.Path.Kind != KindLoopback || r.Path.Interface == nil || !*r.Path.OnLink {
		t.Fatalf("path %+v", r.Path)
	}
	if r.Link.Virtual == nil || !*r.Link.Virtual || r.Link.SpeedTx != nil {
		t.Errorf("link %+v", r.Link)
	}
	if c, err := readLink(p, p.link()); err != nil || c.RxBytes == nil || c.TxBytes == nil {
		t.Errorf("counters %+v, %v", c, err)
	}
	if _, err := readStack(p); err != nil {
		fellOver(t, "counters of the protocols", unknownOf(err))
	}
	// wine has no SIO_TCP_INFO; the buffers are told all the same.
	s, err := readSocket(conn)
	if s.SendBuffer == nil || s.ReceiveBuffer == nil {
		t.Errorf("socket %+v, %v", s, err)
	}
	if err == nil && (s.MSS == nil || *s.MSS <= 0) {
		t.Errorf("MSS of %+v", s)
	}
}

func fellOver(t *testing.T, what string, u Unknown) {
	t.Helper()
	if strings.Contains(u.Detail, "runtime error") || strings.Contains(u.Detail, "Failed to find") {
		t.Errorf("%s fell over: %+v", what, u)
	}
}
