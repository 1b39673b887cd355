package explain

import (
	"encoding/json"
	"fmt"
	"maps"
	"slices"
	"strings"
	"time"

	"linkperf/protocol/measure"
)

// recordMissing tells whose record is missing, and what this side sees of it.
func recordMissing(v *view) *Finding {
	if v.Result == nil || v.Result.Start == nil || !v.Result.Exchanged {
		return nil
	}
	own, peer := v.client, v.server
	if v.start.Side == measure.Server {
		own, peer = peer, own
	}
	if !own.known() || peer.known() {
		return nil
	}
	who := fmt.Sprintf("The %s is a stock iperf3, which sends no record", peer.side)
	if v.Result.PeerLinkperf {
		who = fmt.Sprintf("The %s is linkperf and sent no record", peer.side)
	}
	seen := []string{}
	if mtu := own.Peer.MTU; mtu != nil {
		seen = append(seen, fmt.Sprintf("an MTU of %d, from its MSS", *mtu))
	}
	if mtu := own.Path.MTU; mtu != nil {
		seen = append(seen, fmt.Sprintf("a path MTU of %d", *mtu))
	}
	if rtt := own.TCP.RTTMin; rtt != nil {
		seen = append(seen, "a least round trip of "+milliseconds(*rtt))
	}
	if hops := own.Peer.Hops; hops != nil {
		seen = append(seen, counted(*hops, "router between", "routers between"))
	}
	what := "nothing is known of it"
	if len(seen) > 0 {
		what = fmt.Sprintf("the %s alone sees %s", own.side, strings.Join(seen, ", "))
	}
	advice := "linkperf at both ends"
	if v.Result.PeerLinkperf {
		advice = peer.at("leave out --sysinfo=off")
	}
	f := say(who+": "+what+".", advice).about(peer.side).
		on(own, "peer.mtu_inferred_bytes", "path.mtu_bytes", "tcp.rtt_min_us", "peer.hops_estimated")
	return f.figure("peer_is_linkperf", v.Result.PeerLinkperf)
}

// clockDiffers compares when the two ends began to look: both do when the test
// begins.
func clockDiffers(v *view) *Finding {
	if !v.client.known() || !v.server.known() || v.client.CollectedAt.IsZero() || v.server.CollectedAt.IsZero() {
		return nil
	}
	apart := v.server.CollectedAt.Sub(v.client.CollectedAt).Seconds()
	if apart <= clockApart && apart >= -clockApart {
		return nil
	}
	order := "ahead of"
	if apart < 0 {
		order = "behind"
	}
	return say(fmt.Sprintf("The clock of the server is %s s %s the client's: times in the two ends' logs do not match. Rates are not affected.", short(max(apart, -apart)), order),
		"synchronise both clocks (NTP)").about(sideBoth).figure("client_collected_at", v.client.CollectedAt.UTC().Format(time.RFC3339)).
		figure("server_collected_at", v.server.CollectedAt.UTC().Format(time.RFC3339))
}

func changedDuring(_ *view, e *end) *Finding {
	if len(e.Changed) == 0 {
		return nil
	}
	var list []string
	f := say("", "repeat the test")
	for _, path := range slices.Sorted(maps.Keys(e.Changed)) {
		c := e.Changed[path]
		list = append(list, fmt.Sprintf("%s from %s to %s", path, anyValue(c[0]), anyValue(c[1])))
		f.Numbers[e.side+".changed."+path] = c
	}
	f.Sentence = fmt.Sprintf("Changed at the %s during the test: %s.", e.side, listed(list))
	return f
}

// anyValue writes a value of a record as JSON does.
func anyValue(v any) string {
	text, err := json.Marshal(v)
	if err != nil {
		return "?"
	}
	return strings.Trim(string(text), `"`)
}
