package report

import (
	"encoding/json"
	"slices"
	"strings"
	"testing"

	"linkperf/protocol/measure"
	"linkperf/report/compare"
)

// TestSteadyFacts shows the facts of a set-up, not those of single tests.
func TestSteadyFacts(t *testing.T) {
	run := func(record string) *StoredRun {
		l := &Linkperf{}
		l.Sysinfo.Client = json.RawMessage(record)
		return &StoredRun{Document: &Document{Result: &measure.Result{Start: &measure.Start{}}, Linkperf: l}}
	}
	groups := stratum{
		"mtu=1500": {
			run(`{"link":{"mtu_bytes":1500,"name":"eth0"},"wifi":{"channel":1},"cpu":{"process_percent":2,"steal_percent":0},"tcp":{"congestion_control":"cubic","rtt_us":1}}`),
			run(`{"link":{"mtu_bytes":1500,"name":"eth0"},"wifi":{"channel":6},"cpu":{"process_percent":2,"steal_percent":0},"tcp":{"congestion_control":"cubic","rtt_us":1}}`),
		},
		"mtu=9000": {
			run(`{"link":{"mtu_bytes":9000,"name":"eth0"},"wifi":{"channel":1},"cpu":{"process_percent":2,"steal_percent":0},"tcp":{"congestion_control":"bbr","rtt_us":1}}`),
		},
	}
	var differing []string
	for _, d := range otherDifferences([]stratum{groups}) {
		differing = append(differing, d.Side+" "+d.Fact)
	}
	if !slices.Equal(differing, []string{"client link.mtu_bytes", "client tcp.congestion_control"}) {
		t.Errorf("differences: %q", differing)
	}
	var steady []string
	facts, _ := groupFacts(groups)
	for f := range facts {
		if f.side == "client" {
			steady = append(steady, f.path)
		}
	}
	slices.Sort(steady)
	want := []string{"link.mtu_bytes", "link.name", "tcp.congestion_control"}
	if !slices.Equal(steady, want) {
		t.Errorf("facts %q, want %q", steady, want)
	}
}

// TestNestedFacts tells lists apart by the names of their elements, shows
// nothing in Go's notation, and takes nothing unknown for a difference.
func TestNestedFacts(t *testing.T) {
	run := func(client string) *StoredRun {
		l := &Linkperf{}
		l.Sysinfo.Client = json.RawMessage(client)
		return &StoredRun{Document: &Document{Result: &measure.Result{Start: &measure.Start{}}, Linkperf: l}}
	}
	groups := stratum{
		"a": {run(`{"firewall":{"layers":[{"name":"nftables","state":"on","detail":"2 rules"},{"name":"ebpf","state":"off"}]},
			"x":[{"b":true,"a":[1,2]},{"c":null}],"link":{"driver":"veth","duplex":"unknown","addresses":[]},"host":{"os":"linux"}}`)},
		"b": {run(`{"firewall":{"layers":[{"name":"nftables","state":"off","detail":"2 rules"},{"name":"ebpf","state":"off"}]},
			"x":[],"link":{"driver":null,"duplex":"full","addresses":["10.0.0.1/8","::1/128"]}}`)},
		"c": {{Document: &Document{Result: &measure.Result{Start: &measure.Start{}}}}},
	}
	ds := otherDifferences([]stratum{groups})
	want := []string{
		"client firewall.layers.nftables.state is on with a; off with b; unknown with c",
		"client link.addresses is none with a; 10.0.0.1/8, ::1/128 with b; unknown with c",
		"client x is a 1, 2, b true; c unknown with a; none with b; unknown with c",
	}
	if got := differenceLines(ds, 10); !slices.Equal(got, want) {
		t.Errorf("got\n%s\nwant\n%s", strings.Join(got, "\n"), strings.Join(want, "\n"))
	}
	delete(groups, "b")
	if ds := otherDifferences([]stratum{groups}); len(ds) > 0 {
		t.Errorf("known in one group only: %v", ds)
	}
	var set Set
	for group, runs := range groups {
		runs[0].Labels, runs[0].Status = map[string]string{"group": group}, "ok"
		set.Runs = append(set.Runs, *runs[0])
	}
	for _, host := range (&Analysis{Set: &set}).hosts() {
		for _, f := range host.Facts {
			if len(f.Values) != len(host.Groups) {
				t.Errorf("%s: %q for %q", f.Name, f.Values, host.Groups)
			}
		}
	}
}

// TestOtherParameters tells of parameters that make no case, and says why an axis
// has no verdict.
func TestOtherParameters(t *testing.T) {
	set := func(name string, changes ...string) *Set {
		s := &Set{Name: name}
		docs, err := Read(strings.NewReader(strings.NewReplacer(changes...).Replace(recorded(t, "udp_3.21_client.json"))))
		if err != nil || len(docs) != 1 {
			t.Fatal(len(docs), err)
		}
		s.Add(name, docs...)
		return s
	}
	a, b := set("a"), set("b", `"blksize":	32768`, `"blksize":	1000`, `"omit":	0`, `"omit":	1`)
	c, err := CompareSets(a, b, compare.Options{})
	if err != nil {
		t.Fatal(err)
	}
	if got, want := differenceLines(c.Differences, 9), []string{"length is 32768 with a; 1000 with b", "omit is 0 with a; 1 with b"}; !slices.Equal(got, want) {
		t.Errorf("%q, want %q", got, want)
	}
	a.Runs = append(a.Runs, b.Runs...)
	for i, length := range []string{"32768", "1000"} {
		a.Runs[i].Labels = map[string]string{"length": length, "other": length}
	}
	if _, err := CompareAxis(a, "length", compare.Options{}); err == nil || !strings.Contains(err.Error(), "no two cases of a differ in length alone; it has length=1000 other=1000; length=32768 other=32768") {
		t.Error(err)
	}
	if w := strings.Join(Analyse(a, compare.Options{}).Warnings, "\n"); !strings.Contains(w, "length: no verdict, as no two cases with results differ in length alone") {
		t.Errorf("%q", w)
	}
	if got := differenceLines(otherDifferences([]stratum{{"a": {&a.Runs[0]}, "b": {&a.Runs[1]}}}), 9); !slices.Equal(got, []string{"omit is 0 with a; 1 with b"}) {
		t.Errorf("an axis among what else differed: %q", got)
	}
}

// TestDifferencesWithinCases compares runs of the same case only: what differs
// between the cases of a set hides no difference, and makes none.
func TestDifferencesWithinCases(t *testing.T) {
	run := func(direction, set string, length int, record string) *StoredRun {
		r := &StoredRun{Document: &Document{Result: &measure.Result{Start: &measure.Start{}}, Linkperf: &Linkperf{}}, Status: "ok",
			Labels: map[string]string{"direction": direction, "set": set}}
		r.Result.Start.Params.Length = length
		r.Linkperf.Sysinfo.Client = json.RawMessage(record)
		return r
	}
	got := differenceLines(otherDifferences(strata("set", []*StoredRun{
		run("forward", "a", 100, `{"link":{"mtu_bytes":1500,"driver":"x"},"path":{"kind":"vpn"}}`),
		run("forward", "b", 200, `{"link":{"mtu_bytes":9000,"driver":"y"},"path":{"kind":"vpn"}}`),
		run("reverse", "a", 300, `{"link":{"mtu_bytes":1500,"driver":"x"},"path":{"kind":"lan"}}`),
		run("reverse", "b", 300, `{"link":{"mtu_bytes":9000,"driver":"x"},"path":{"kind":"lan"}}`),
		run("bidir", "a", 400, `{"link":{"mtu_bytes":4000,"driver":"x"},"path":{"kind":"wan"}}`),
	})), 9)
	if want := []string{"length is 100 with a; 200 with b", "client link.mtu_bytes is 1500 with a; 9000 with b"}; !slices.Equal(got, want) {
		t.Errorf("%q, want %q", got, want)
	}
}
