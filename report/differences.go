package report

import (
	"encoding/json"
	"fmt"
	"sort"
	"strings"

	"linkperf/protocol/measure"
)

// Difference is a fact of the hosts or the path that is the same in all runs
// of a group and not the same in all groups.
type Difference struct {
	Side   string            `json:"side"`   // client, server, or "" for the test itself
	Fact   string            `json:"fact"`   // path in the host record, such as link.mtu_bytes
	Values map[string]string `json:"values"` // group to value; "unknown" where a group's record does not have it
}

// Differences looks for what else differed between groups of runs, so that
// nobody credits one change with the effect of another. Facts that change
// from run to run (counters, load, times, ports) are not facts of a group and
// are left out.
func Differences(groups map[string][]*StoredRun) []Difference {
	type fact struct{ side, path string }
	values := map[fact]map[string]string{}
	unsteady := map[fact]bool{}
	for group, runs := range groups {
		for i, r := range runs {
			for side, facts := range r.facts() {
				for path, v := range facts {
					f := fact{side, path}
					if values[f] == nil {
						values[f] = map[string]string{}
					}
					if old, ok := values[f][group]; ok && old != v || !ok && i > 0 {
						unsteady[f] = true
					}
					values[f][group] = v
				}
			}
		}
	}
	var ds []Difference
	for f, byGroup := range values {
		if unsteady[f] || len(groups) < 2 {
			continue
		}
		d := Difference{Side: f.side, Fact: f.path, Values: map[string]string{}}
		distinct := map[string]bool{}
		for group := range groups {
			v, ok := byGroup[group]
			if !ok {
				v = "unknown"
			}
			d.Values[group], distinct[v] = v, true
		}
		if len(distinct) > 1 {
			ds = append(ds, d)
		}
	}
	sort.Slice(ds, func(i, j int) bool {
		return ds[i].Side+" "+ds[i].Fact < ds[j].Side+" "+ds[j].Fact
	})
	return ds
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
	if r.Linkperf != nil {
		f[""]["linkperf"] = r.Linkperf.Version
		f[""]["data_path"] = r.Linkperf.DataPath
		for side, raw := range map[measure.Side]json.RawMessage{measure.Client: r.Linkperf.Sysinfo.Client, measure.Server: r.Linkperf.Sysinfo.Server} {
			facts := map[string]string{}
			var v any
			if json.Unmarshal(raw, &v) == nil {
				flatten(facts, "", v)
			}
			f[side.String()] = facts
		}
	}
	return f
}

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
			flatten(to, strings.TrimPrefix(path+"."+k, "."), x)
		}
	case []any:
		var parts []string
		for _, x := range v {
			parts = append(parts, fmt.Sprint(x))
		}
		to[path] = oneLine(strings.Join(parts, " "))
	case float64:
		to[path] = number6(v, true)
	default:
		to[path] = oneLine(fmt.Sprint(v))
	}
}
