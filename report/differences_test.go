package report

import (
	"encoding/json"
	"maps"
	"slices"
	"testing"
)

// TestSteadyFacts shows the facts of a set-up, not those of single tests.
func TestSteadyFacts(t *testing.T) {
	run := func(record string) *StoredRun {
		l := &Linkperf{}
		l.Sysinfo.Client = json.RawMessage(record)
		return &StoredRun{Document: &Document{Linkperf: l}}
	}
	groups := map[string][]*StoredRun{
		"mtu=1500": {
			run(`{"link":{"mtu_bytes":1500,"name":"eth0"},"wifi":{"channel":1},"cpu":{"process_percent":2,"steal_percent":0},"tcp":{"congestion_control":"cubic","rtt_us":1}}`),
			run(`{"link":{"mtu_bytes":1500,"name":"eth0"},"wifi":{"channel":6},"cpu":{"process_percent":2,"steal_percent":0},"tcp":{"congestion_control":"cubic","rtt_us":1}}`),
		},
		"mtu=9000": {
			run(`{"link":{"mtu_bytes":9000,"name":"eth0"},"wifi":{"channel":1},"cpu":{"process_percent":2,"steal_percent":0},"tcp":{"congestion_control":"bbr","rtt_us":1}}`),
		},
	}
	differs := map[string]map[string]string{}
	for _, d := range Differences(groups) {
		differs[d.Side+" "+d.Fact] = d.Values
	}
	if got := slices.Sorted(maps.Keys(differs)); !slices.Equal(got, []string{"client link.mtu_bytes", "client tcp.congestion_control"}) {
		t.Errorf("differences: %q", got)
	}
	want := []string{"link.mtu_bytes", "link.name", "tcp.congestion_control"}
	if got := slices.Sorted(maps.Keys(steadyFacts(groups, differs, "client"))); !slices.Equal(got, want) {
		t.Errorf("facts %q, want %q", got, want)
	}
}
