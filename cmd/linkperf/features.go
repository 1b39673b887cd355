package main

import (
	"runtime"

	"linkperf/protocol"
	"linkperf/protocol/sockopt"
)

// A feature is something that not every system can do.
type feature struct {
	name    string        // in iperf3's words, "" if it does not list it
	had     bool          // by this system
	missing protocol.Code // the error of an option that needs it
}

var (
	affinity   = &feature{"CPU affinity setting", sockopt.Supported(sockopt.Affinity), protocol.CodeUnimp}
	flowLabel  = &feature{"IPv6 flow label", sockopt.Supported(sockopt.FlowLabels), protocol.CodeUnimp}
	sctp       = &feature{"SCTP", sockopt.Supported(sockopt.SCTP), protocol.CodeNoSCTP}
	congestion = &feature{"TCP congestion algorithm setting", sockopt.Supported(sockopt.Congestions), protocol.CodeUnimp}
	sendfile   = &feature{"sendfile / zerocopy", sockopt.Supported(sockopt.Sendfile), protocol.CodeNoSendfile}
	pacing     = &feature{"socket pacing", sockopt.Supported(sockopt.Pacing), protocol.CodeUnimp}
	login      = &feature{"authentication", true, protocol.CodeUnimp}
	bindDevice = &feature{"bind to device", sockopt.Supported(sockopt.BindDevice), protocol.CodeBindDevNoSupport}
	dontFrag   = &feature{"support IPv4 don't fragment", sockopt.Supported(sockopt.DontFragment), protocol.CodeUnimp}
	offload    = &feature{"GSO/GRO support", sockopt.Supported(sockopt.UDPOffload), protocol.CodeUnimp}

	multipath   = &feature{"", sockopt.Supported(sockopt.MPTCP), protocol.CodeUnimp}
	userTimeout = &feature{"", sockopt.Supported(sockopt.UserTimeout), protocol.CodeUnimp}
	background  = &feature{"", runtime.GOOS != "windows", protocol.CodeUnimp} // -D
)

// listedFeatures are in the order in which iperf3 lists them.
var listedFeatures = []*feature{affinity, flowLabel, sctp, congestion, sendfile, pacing, login, bindDevice, dontFrag, offload}

// require returns the feature's error if this system does not have it. Nil is
// no feature, and is had by every system.
func (f *feature) require() error {
	if f == nil || f.had {
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
