package main

import (
	"runtime"
	"slices"

	"linkperf/protocol"
)

// A feature is something that not every system can do.
type feature struct {
	name    string        // in iperf3's words, "" if it does not list it
	systems []string      // values of runtime.GOOS
	missing protocol.Code // the error of an option that needs it
}

var (
	everywhere = []string{"linux", "darwin", "freebsd", "windows"}

	affinity   = &feature{"CPU affinity setting", []string{"linux", "windows"}, protocol.CodeUnimp}
	flowLabel  = &feature{"IPv6 flow label", []string{"linux"}, protocol.CodeUnimp}
	sctp       = &feature{"SCTP", []string{"linux"}, protocol.CodeNoSCTP}
	congestion = &feature{"TCP congestion algorithm setting", []string{"linux", "freebsd"}, protocol.CodeUnimp}
	sendfile   = &feature{"sendfile / zerocopy", []string{"linux", "darwin", "freebsd"}, protocol.CodeNoSendfile}
	pacing     = &feature{"socket pacing", []string{"linux", "freebsd"}, protocol.CodeUnimp}
	login      = &feature{"authentication", everywhere, protocol.CodeUnimp}
	bindDevice = &feature{"bind to device", []string{"linux", "darwin"}, protocol.CodeBindDevNoSupport}
	dontFrag   = &feature{"support IPv4 don't fragment", everywhere, protocol.CodeUnimp}
	offload    = &feature{"GSO/GRO support", []string{"linux"}, protocol.CodeUnimp}

	multipath   = &feature{"", []string{"linux"}, protocol.CodeUnimp}
	userTimeout = &feature{"", []string{"linux"}, protocol.CodeUnimp}
	background  = &feature{"", []string{"linux", "darwin", "freebsd"}, protocol.CodeUnimp}
)

// listedFeatures are in the order in which iperf3 lists them.
var listedFeatures = []*feature{affinity, flowLabel, sctp, congestion, sendfile, pacing, login, bindDevice, dontFrag, offload}

// require returns the feature's error if this system does not have it. Nil is
// no feature, and is had by every system.
func (f *feature) require() error {
	if f == nil || slices.Contains(f.systems, runtime.GOOS) {
		return nil
	}
	return protocol.NewError(f.missing, nil)
}

// featureNames are those that iperf3 would list for this system.
func featureNames() []string {
	var names []string
	for _, f := range listedFeatures {
		if f.require() == nil {
			names = append(names, f.name)
		}
	}
	return names
}
