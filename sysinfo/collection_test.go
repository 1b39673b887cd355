package sysinfo

import (
	"context"
	"errors"
	"fmt"
	"os"
	"reflect"
	"strings"
	"sync/atomic"
	"testing"
	"time"
)

// gather runs a table of one's own to its end.
func gather(t *testing.T, p *probe, tb table, by map[string]collector) *Record {
	t.Helper()
	r := collect(t.Context(), p, tb, by)
	checkReasons(t, r)
	return r
}

// checkReasons asserts what the record promises: each null has a reason, and
// nothing else has one.
func checkReasons(t *testing.T, r *Record) {
	t.Helper()
	explained := make(map[string]bool)
	for path, v := range leaves(r) {
		u, ok := r.Why(path)
		if v.IsNil() != ok {
			t.Errorf("%s is null: %v, has a reason: %v", path, v.IsNil(), ok)
		}
		if ok && u.Reason == "" {
			t.Errorf("%s has an empty reason", path)
		}
		for entry := range r.Unknown {
			if covers(entry, path) {
				explained[entry] = true
			}
		}
	}
	for entry := range r.Unknown {
		if !explained[entry] {
			t.Errorf("a reason for %s, which is no field", entry)
		}
	}
}

func TestSourcesAreAskedSideBySide(t *testing.T) {
	// Each waits for the other: one after the other they would never end.
	var met [2]chan struct{}
	met[0], met[1] = make(chan struct{}), make(chan struct{})
	meet := func(i int) collector {
		return func(ctx context.Context, _ *probe, r *Record) error {
			close(met[i])
			select {
			case <-met[1-i]:
			case <-ctx.Done():
				return ctx.Err()
			}
			if i == 0 {
				r.Host.Kernel = new("k")
			} else {
				r.Host.Model = new("m")
			}
			return nil
		}
	}
	r := gather(t, &probe{}, table{sources: []source{{name: "a", fields: []string{"host.kernel"}}, {name: "b", fields: []string{"host.model"}}}},
		map[string]collector{"a": meet(0), "b": meet(1)})
	if r.Host.Kernel == nil || r.Host.Model == nil {
		t.Errorf("got %+v, want both facts", r.Host)
	}
}

func TestEarlierSourceWins(t *testing.T) {
	first := make(chan struct{})
	for _, order := range []string{"better first", "better last"} {
		t.Run(order, func(t *testing.T) {
			first = make(chan struct{})
			set := func(value string, leads bool) collector {
				return func(_ context.Context, _ *probe, r *Record) error {
					if !leads {
						<-first
					}
					r.Host.Model = &value
					if leads {
						// The merge comes after the return: give it the lead.
						time.AfterFunc(20*time.Millisecond, func() { close(first) })
					}
					return nil
				}
			}
			tb := table{sources: []source{{name: "better", fields: []string{"host.model"}}, {name: "worse", fields: []string{"host"}}}}
			r := gather(t, &probe{}, tb, map[string]collector{"better": set("good", order == "better first"), "worse": set("bad", order != "better first")})
			if r.Host.Model == nil || *r.Host.Model != "good" {
				t.Errorf("model %v, want that of the earlier row", r.Host.Model)
			}
			if r.Sources["host"].Source != "better" {
				t.Errorf("sources %v, want better", r.Sources)
			}
		})
	}
}

func TestSourceThatFailsOrPanics(t *testing.T) {
	tb := table{
		sources: []source{
			{name: "fails", fields: []string{"host.model"}},
			{name: "panics", fields: []string{"host.kernel"}},
			{name: "refused", fields: []string{"host.os_build"}},
			{name: "partly", fields: []string{"cpu.model", "cpu.governor", "cpu.numa_nodes"}},
		},
		absent: []absence{{[]string{"wifi"}, NotSupported, "no radio here"}},
	}
	by := map[string]collector{
		"fails":   func(context.Context, *probe, *Record) error { return errors.New("broken") },
		"panics":  func(context.Context, *probe, *Record) error { panic("at the collector") },
		"refused": func(context.Context, *probe, *Record) error { return fmt.Errorf("open: %w", os.ErrPermission) },
		"partly": func(_ context.Context, _ *probe, r *Record) error {
			r.CPU.Model = new("m")
			r.unknown("cpu.governor", because(NotFound, "no file"))
			return nil
		},
	}
	r := gather(t, &probe{}, tb, by)
	for path, want := range map[string]Reason{
		"host.model": Failed, "host.kernel": Failed, "host.os_build": NoPermission, "cpu.governor": NotFound, "cpu.numa_nodes": NotSupported,
		"wifi.channel": NotSupported, "link.mtu_bytes": NotSupported,
	} {
		if u, _ := r.Why(path); u.Reason != want {
			t.Errorf("%s: %+v, want %s", path, u, want)
		}
	}
	if r.CPU.Model == nil {
		t.Error("the fact beside the unknown ones is lost")
	}
}

func TestSourceCutOffAfterItsTime(t *testing.T) {
	tb := table{sources: []source{{name: "hangs", fields: []string{"host.model"}, timeout: 20 * time.Millisecond}}}
	began := time.Now()
	r := gather(t, &probe{}, tb, map[string]collector{"hangs": func(ctx context.Context, _ *probe, _ *Record) error {
		<-ctx.Done()
		return ctx.Err()
	}})
	if u, _ := r.Why("host.model"); u.Reason != Timeout {
		t.Errorf("%+v, want timeout", u)
	}
	if took := time.Since(began); took > collectBudget/2 {
		t.Errorf("took %v", took)
	}
}

func TestSourceThatIgnoresItsContextIsLeftBehind(t *testing.T) {
	release := make(chan struct{})
	defer close(release)
	ctx, cancel := context.WithTimeout(t.Context(), 50*time.Millisecond)
	defer cancel()
	tb := table{sources: []source{{name: "deaf", fields: []string{"host.model"}}}}
	r := collect(ctx, &probe{}, tb, map[string]collector{"deaf": func(_ context.Context, _ *probe, r *Record) error {
		<-release
		r.Host.Model = new("late")
		return nil
	}})
	checkReasons(t, r)
	if u, _ := r.Why("host.model"); u.Reason != Timeout {
		t.Errorf("%+v, want timeout", u)
	}
}

func TestSlowAnswersAreKept(t *testing.T) {
	var asked atomic.Int32
	tb := table{sources: []source{
		{name: "slow", fields: []string{"host.model"}, keep: time.Hour},
		{name: "brief", fields: []string{"host.kernel"}, keep: time.Nanosecond},
		{name: "quick", fields: []string{"host.os_build"}},
	}}
	by := map[string]collector{}
	for i, s := range tb.sources {
		by[s.name] = func(_ context.Context, _ *probe, r *Record) error {
			asked.Add(1)
			*[]**string{&r.Host.Model, &r.Host.Kernel, &r.Host.OSBuild}[i] = new("x")
			return nil
		}
	}
	p := &probe{Options: Options{Cache: new(Cache)}}
	gather(t, p, tb, by)
	for began := time.Now(); !time.Now().After(began); { // Windows' clock stands still for up to 16 ms
	}
	if r := gather(t, p, tb, by); r.Host.Model == nil {
		t.Error("the kept answer is lost")
	}
	if n := asked.Load(); n != 5 {
		t.Errorf("asked %d times, want 3 and then the two that were not kept", n)
	}
	asked.Store(0)
	gather(t, &probe{}, tb, by)
	if asked.Load() != 3 {
		t.Error("without a cache something was kept")
	}
}

func TestLayersOfSeveralSourcesAreJoined(t *testing.T) {
	layer := func(name string, state *string, reason Reason) collector {
		return func(_ context.Context, _ *probe, r *Record) error {
			r.Firewall.Layers = []Layer{{Name: name, State: state, Reason: reason, OnPath: true}}
			return nil
		}
	}
	tb := table{sources: []source{{name: "a", fields: []string{"firewall.layers"}}, {name: "b", fields: []string{"firewall.layers"}}}}
	for _, c := range []struct {
		name string
		a, b collector
		want *string
	}{
		{"both off", layer("x", new(Off), ""), layer("y", new(Off), ""), new(Off)},
		{"one on", layer("x", new(Off), ""), layer("y", new(On), ""), new(On)},
		{"one on, one unknown", layer("x", nil, NoPermission), layer("y", new(On), ""), new(On)},
		{"one off, one unknown", layer("x", new(Off), ""), layer("y", nil, NoPermission), nil},
	} {
		t.Run(c.name, func(t *testing.T) {
			r := gather(t, &probe{}, tb, map[string]collector{"a": c.a, "b": c.b})
			if len(r.Firewall.Layers) != 2 {
				t.Errorf("layers %+v, want two", r.Firewall.Layers)
			}
			if !reflect.DeepEqual(r.Firewall.State, c.want) {
				t.Errorf("state %v, want %v", r.Firewall.State, c.want)
			}
			if c.want == nil {
				if u, _ := r.Why("firewall.state"); u.Reason != NoPermission {
					t.Errorf("%+v, want the reason of the unknown layer", u)
				}
			}
		})
	}
}

func TestFirewallOffThePathDoesNotCount(t *testing.T) {
	r := &Record{Unknown: map[string]Unknown{}}
	r.Firewall.Layers = []Layer{{Name: "a", State: new(On)}, {Name: "b", State: new(Off), OnPath: true}}
	finishFirewall(r)
	if r.Firewall.State == nil || *r.Firewall.State != Off {
		t.Errorf("state %v, want off", r.Firewall.State)
	}
}

func TestTextsFromOutsideAreMadePrintable(t *testing.T) {
	tb := table{sources: []source{{name: "a", fields: []string{"thunderbolt.peer_vendor", "devices"}}}}
	r := gather(t, &probe{}, tb, map[string]collector{"a": func(_ context.Context, _ *probe, r *Record) error {
		r.Thunderbolt.PeerVendor = new("Evil\x1b]0;title\x07")
		r.Devices = []Device{{Name: strings.Repeat("\x9b", 1000)}}
		return nil
	}})
	if got := *r.Thunderbolt.PeerVendor; got != "Evil\uFFFD]0;title\uFFFD" {
		t.Errorf("vendor %q", got)
	}
	if got := r.Devices[0].Name; len(got) > maxText || strings.Contains(got, "\x9b\x9b") {
		t.Errorf("name of %d bytes: %q", len(got), got)
	}
}

func TestCollectThisHost(t *testing.T) {
	began := time.Now()
	r := Collect(t.Context(), Options{Tool: "linkperf", Version: "1", Devices: true, HostName: true})
	if took := time.Since(began); took > collectBudget+time.Second {
		t.Errorf("took %v", took)
	}
	checkReasons(t, r)
	if r.Schema != Schema || r.Tool.Name == nil || r.Host.ProgramArch == nil {
		t.Errorf("schema %q, tool %+v, host %+v", r.Schema, r.Tool, r.Host)
	}
	if u, _ := r.Why("path.kind"); u.Reason != NotApplicable && u.Reason != NotSupported {
		t.Errorf("path: %+v, want not applicable without a connection", u)
	}
}
