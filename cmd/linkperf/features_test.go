package main

import (
	"errors"
	"runtime"
	"slices"
	"testing"

	"linkperf/client"
	"linkperf/protocol"
)

// TestFeatures checks that the command line refuses an option where the library
// refuses its field, and that the list of what there is agrees with both.
func TestFeatures(t *testing.T) {
	for _, tc := range []struct {
		feature *feature
		config  client.Config
	}{
		{affinity, client.Config{Affinity: new(0)}},
		{flowLabel, client.Config{FlowLabel: 1}},
		{sctp, client.Config{Transport: protocol.SCTP}},
		{congestion, client.Config{Congestion: "cubic"}},
		{sendfile, client.Config{ZeroCopy: true}},
		{pacing, client.Config{FQRate: 1}},
		{bindDevice, client.Config{BindDevice: "eth0"}},
		{dontFrag, client.Config{Transport: protocol.UDP, DontFragment: true}},
		{multipath, client.Config{MPTCP: true}},
		{userTimeout, client.Config{SendTimeout: 1}},
	} {
		tc.config.Host = "localhost"
		has := tc.config.Validate() == nil
		if err := tc.feature.require(); (err == nil) != has || err != nil && !errors.Is(err, protocol.NewError(tc.feature.missing, nil)) {
			t.Errorf("%q: the option is refused with %v, the field taken: %v", tc.feature.name, err, has)
		}
		if listed := slices.Contains(featureNames(), tc.feature.name); tc.feature.name != "" && listed != has {
			t.Errorf("%q: listed: %v, taken: %v", tc.feature.name, listed, has)
		}
	}
	if want := 10; runtime.GOOS == "linux" && len(featureNames()) != want {
		t.Errorf("%q, want all %d", featureNames(), want)
	}
}
