package report

import (
	"encoding/json"
	"fmt"
	"maps"
	"slices"
	"sort"
	"strconv"
	"strings"

	"linkperf/protocol/measure"
	"linkperf/report/compare"
)

// Difference is a fact of the hosts or the path that is the same in all runs
// of a group and not the same in all groups.
type Difference struct {
	Side   string            `json:"side"`   // client, server, or "" for the test itself
	Fact   string            `json:"fact"`   // path in the host record, such as link.mtu_bytes
	Values map[string]string `json:"values"` // group to value; at least two differ, and "unknown" may be a third
}

// A stratum is runs that are compared with each other: those of each group that
// are the same otherwise.
type stratum map[string][]*StoredRun

// strata groups the counted runs of sets by the value of an axis, within the
// cases that the other labels make.
func strata(axis string, runs []*StoredRun) []stratum {
	cases := map[string]stratum{}
	var names []string
	for _, r := range runs {
		if !r.Counted() {
			continue
		}
		labels := maps.Clone(r.Labels)
		delete(labels, axis)
		c := (&compare.Run{Labels: labels}).Case()
		if cases[c] == nil {
			cases[c] = stratum{}
			names = append(names, c)
		}
		cases[c][r.Labels[axis]] = append(cases[c][r.Labels[axis]], r)
	}
	var all []stratum
	for _, c := range names {
		if len(cases[c]) > 1 {
			all = append(all, cases[c])
		}
	}
	return all
}

// otherDifferences looks for what else differed between groups of runs, so that
// nobody credits one change with the effect of another. Facts that change
// from run to run (counters, load, times, ports) are not facts of a group and
// are left out, and so are those known in one group only: what is not known
// is no difference. A fact of a host has to differ in all strata, as what
// belongs to the groups does; one of the tests themselves is no accident.
func otherDifferences(all []stratum) []Difference {
	type found struct {
		values        map[string][]string // by group, each once
		known, differ int                 // strata
	}
	facts, unsteady := map[fact]*found{}, map[fact]bool{}
	groups := map[string]bool{}
	for _, s := range all {
		known, changing := groupFacts(s)
		maps.Copy(unsteady, changing)
		for g := range s {
			groups[g] = true
		}
		for f, byGroup := range known {
			if len(byGroup) < 2 {
				continue
			}
			if facts[f] == nil {
				facts[f] = &found{values: map[string][]string{}}
			}
			facts[f].known++
			if !differ(byGroup) {
				continue
			}
			facts[f].differ++
			for g, v := range byGroup {
				if !slices.Contains(facts[f].values[g], v) {
					facts[f].values[g] = append(facts[f].values[g], v)
				}
			}
		}
	}
	var ds []Difference
	for f, x := range facts {
		if unsteady[f] || x.differ == 0 || f.side != "" && x.differ < x.known {
			continue
		}
		d := Difference{Side: f.side, Fact: f.path, Values: map[string]string{}}
		for g := range groups {
			d.Values[g] = orUnknown(strings.Join(x.values[g], " or "))
		}
		ds = append(ds, d)
	}
	sortDifferences(ds)
	return ds
}

func sortDifferences(ds []Difference) {
	sort.Slice(ds, func(i, j int) bool {
		return ds[i].Side+" "+ds[i].Fact < ds[j].Side+" "+ds[j].Fact
	})
}

// unknown stands in records and reports for what was not found out.
const unknown = "unknown"

func orUnknown(value string) string {
	if value == "" {
		return unknown
	}
	return value
}

// fact is a fact of one end, or with the side "" of the test itself.
type fact struct{ side, path string }

// differ reports whether two groups have different values.
func differ(byGroup map[string]string) bool {
	distinct := map[string]bool{}
	for _, v := range byGroup {
		distinct[v] = true
	}
	return len(distinct) > 1
}

// groupFacts returns the facts that no group has two values of, with the value
// of each group that knows it, and apart those that change within a group.
func groupFacts(groups stratum) (steady map[fact]map[string]string, unsteady map[fact]bool) {
	steady, unsteady = map[fact]map[string]string{}, map[fact]bool{}
	for group, runs := range groups {
		for _, r := range runs {
			for side, facts := range r.facts() {
				for path, v := range facts {
					f := fact{side, path}
					if v == "" || v == unknown {
						continue
					}
					if steady[f] == nil {
						steady[f] = map[string]string{}
					}
					if old, ok := steady[f][group]; ok && old != v {
						unsteady[f] = true
					}
					steady[f][group] = v
				}
			}
		}
	}
	maps.DeleteFunc(steady, func(f fact, _ map[string]string) bool { return unsteady[f] })
	return steady, unsteady
}

// volatile are parts of a host record that belong to one test, not to a
// set-up.
var volatile = []string{"collect", "unknown", "sources", "changed", "schema", "role", "counters", "cpu.busy", "cpu.usage",
	"cpu.during", "cpu.per_core", "cpu.softirq", "cpu.frequency", "cpu.load", "cpu.process", "cpu.steal",
	"tcp.mss", "tcp.rtt", "tcp.delivery", "tcp.sent", "tcp.retransmitted", "tcp.receive_", "tcp.send_", "tcp.congestion_window", "peer.", "interfaces", "devices", "path.local_address", "path.remote_address",
	"path.confirmed", "path.evidence", "power.battery_percent", "thermal"}

// facts returns what a run's documents say of both ends and of the programs.
func (r *StoredRun) facts() map[string]map[string]string {
	f := map[string]map[string]string{"": {"program": r.Version, "system": r.SystemInfo}}
	for option, value := range r.parameters() {
		if _, ok := r.Labels[option]; !ok { // what makes the case is nothing else that differs
			f[""][option] = value
		}
	}
	if r.Linkperf != nil {
		f[""]["linkperf"] = r.Linkperf.Version
		f[""]["data_path"] = r.Linkperf.DataPath
		maps.Copy(f, r.recorded())
	}
	return f
}

// recorded returns the facts of both ends' records, which are read once.
func (r *StoredRun) recorded() map[string]map[string]string {
	if r.records == nil {
		r.records = map[string]map[string]string{}
		for side, raw := range map[measure.Side]json.RawMessage{measure.Client: r.Linkperf.Sysinfo.Client, measure.Server: r.Linkperf.Sysinfo.Server} {
			facts := map[string]string{}
			var v any
			if json.Unmarshal(raw, &v) == nil {
				flatten(facts, "", v)
			}
			r.records[side.String()] = facts
		}
	}
	return r.records
}

// parameters are what was asked of a test, by iperf3's option names, beside what
// always makes its case.
func (r *StoredRun) parameters() map[string]string {
	p := &r.Result.Start.Params
	if p.Length <= 0 { // the test failed before they were known
		return nil
	}
	o := map[string]string{"length": strconv.Itoa(p.Length), "omit": strconv.Itoa(p.Omit), "congestion": r.Result.SenderCongestion}
	if p.Time > 0 {
		o["time"] = strconv.Itoa(p.Time)
	}
	o["window"] = "default"
	if p.Window > 0 {
		o["window"] = strconv.Itoa(p.Window)
	}
	return o
}

// flatten puts each single fact of a record under its path. The elements of a
// list that have names are told apart by them: firewall.layers.nftables.state.
func flatten(to map[string]string, path string, v any) {
	for _, p := range volatile {
		if strings.HasPrefix(path, p) {
			return
		}
	}
	switch v := v.(type) {
	case nil:
	case map[string]any:
		for k, x := range v {
			flatten(to, strings.TrimPrefix(path+"."+oneLine(k), "."), x)
		}
	case []any:
		if named := byName(v); named != nil {
			flatten(to, path, named)
			return
		}
		to[path] = inWords(v)
	default:
		to[path] = inWords(v)
	}
}

// byName returns the elements of a list by their names, without these; nil if
// the elements do not all have names of their own.
func byName(list []any) map[string]any {
	named := map[string]any{}
	for _, x := range list {
		o, _ := x.(map[string]any)
		name, _ := o["name"].(string)
		if name == "" || named[name] != nil {
			return nil
		}
		rest := maps.Clone(o)
		delete(rest, "name")
		named[name] = rest
	}
	if len(named) == 0 {
		return nil
	}
	return named
}

// inWords is a value of a record as text for people.
func inWords(v any) string {
	switch v := v.(type) {
	case nil:
		return unknown
	case float64:
		return number6(v, true)
	case map[string]any:
		var parts []string
		for _, k := range slices.Sorted(maps.Keys(v)) {
			parts = append(parts, oneLine(k)+" "+inWords(v[k]))
		}
		return strings.Join(parts, ", ")
	case []any:
		if len(v) == 0 {
			return "none"
		}
		var parts []string
		separator := ", "
		for _, x := range v {
			if _, ok := x.(map[string]any); ok {
				separator = "; "
			}
			parts = append(parts, inWords(x))
		}
		return strings.Join(parts, separator)
	}
	return oneLine(fmt.Sprint(v))
}
