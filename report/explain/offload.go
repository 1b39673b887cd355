package explain

import (
	"fmt"
	"slices"
	"strings"

	"linkperf/sysinfo"
)

// offloadsOff are the offloads that the test would have used at that end, and
// that are off.
func (e *end) offloadsOff(v *view) []string {
	if !e.known() || e.Path.Kind == nil || e.inside() || !no(e.Link.Virtual) || is(e.Path.Kind, sysinfo.KindTunnel, sysinfo.KindVirtual) {
		return nil
	}
	var off []string
	add := func(name string, state *bool) {
		if no(state) {
			off = append(off, name)
		}
	}
	if v.sends(e) {
		if v.tcp() {
			add("tso", e.Offload.TSO)
			add("gso", e.Offload.GSO)
		}
		add("checksum_tx", e.Offload.ChecksumTx)
	}
	if v.receives(e) && v.tcp() {
		// One of the kinds of joining segments is enough.
		if !yes(e.Offload.GRO) && !yes(e.Offload.LRO) && !yes(e.Offload.RSC) {
			add("gro", e.Offload.GRO)
			add("rsc", e.Offload.RSC)
			if e.Offload.GRO == nil && e.Offload.RSC == nil {
				add("lro", e.Offload.LRO)
			}
		}
	}
	return off
}

func offloadOff(v *view, e *end) *Finding {
	off := e.offloadsOff(v)
	if len(off) == 0 || or(e.CPU.BusyMax, 0) < coreNearlyUp {
		return nil
	}
	paths := []string{"cpu.busy_max_percent", "link.virtual"}
	for _, name := range off {
		paths = append(paths, "offload."+name)
	}
	return say(fmt.Sprintf("Off at the %s: %s. The busiest core there was busy for up to %s, and does packet by packet what they do in bulk.", e.side, strings.Join(off, ", "), percent(*e.CPU.BusyMax)),
		e.setOffloads(off)).on(e, paths...)
}

// setOffloads is the command that switches offloads on.
func (e *end) setOffloads(names []string) string {
	switch or(e.Host.OS, "") {
	case "linux":
		command := "sudo ethtool -K " + e.device()
		for _, n := range names {
			if n == "checksum_tx" {
				n = "tx" // ethtool's name
			}
			command += " " + n + " on"
		}
		return e.at(command)
	case "macos":
		return e.at("sudo sysctl -w net.inet.tcp.tso=1 net.inet.tcp.lro=1")
	case "windows":
		if slices.Contains(names, "rsc") {
			return e.at("Enable-NetAdapterRsc -Name " + e.device() + " (PowerShell as administrator)")
		}
		return e.at("Enable-NetAdapterLso -Name " + e.device() + " (PowerShell as administrator)")
	}
	return ""
}
