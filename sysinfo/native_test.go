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
		if strings.Contains(u.Detail, "runtime error") || strings.Contains(u.Detail, "Failed to find") {
			t.Errorf("%s: a collector fell over: %+v", path, u)
		}
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

func TestNativePath(t *testing.T) {
	client, server := pair(t, "127.0.0.1")
	o := Watch(t.Context(), Target{Side: "client"})
	o.Start([]Conn{connOf(t, client, true)})
	move(t, client, server, 8<<20)
	o.Transferred(8 << 20)
	r := o.Record()
	checkReasons(t, r)
	if r.Path.Kind == nil || *r.Path.Kind != KindLoopback || r.Path.Interface == nil {
		t.Fatalf("path %+v, %+v", r.Path, r.Unknown)
	}
	if r.Link.Virtual == nil || !*r.Link.Virtual {
		u, _ := r.Why("link.virtual")
		t.Errorf("loopback is not virtual: %+v", u)
	}
	for path, u := range r.Unknown {
		if strings.Contains(u.Detail, "runtime error") || strings.Contains(u.Detail, "Failed to find") {
			t.Errorf("%s: a collector fell over: %+v", path, u)
		}
	}
}
