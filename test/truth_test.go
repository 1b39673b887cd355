package test

import (
	"os"
	"strconv"
	"testing"
)

// truth is a promise about something that stock gets wrong. The rows of the
// promises are numbered; a row can have several.
type truth struct {
	row  int
	name string
	long bool // not part of the short subset
	run  func(t *testing.T)
}

// truths are all promises, registered by the files truth_*_test.go.
var truths []truth

// promise registers truths while the package is initialised.
func promise(list ...truth) bool {
	truths = append(truths, list...)
	return true
}

// truthRows is how many rows there are.
const truthRows = 17

// TestTruth runs every promise as TestTruth/ROW/NAME.
func TestTruth(t *testing.T) {
	for row := 1; row <= truthRows; row++ {
		t.Run(strconv.Itoa(row), func(t *testing.T) {
			for _, p := range truths {
				if p.row == row && (!p.long || everything()) {
					t.Run(p.name, p.run)
				}
			}
		})
	}
}

// stockOnTrial tells that stock stands in linkperf's place, to see that it
// fails what it is known to get wrong.
func stockOnTrial() bool { return os.Getenv("LINKPERF_TEST_STOCK") != "" }

// judged tells whether a promise is held against this peer, or only against
// the other end.
func judged(p peer) bool { return p.ours || stockOnTrial() }

// eachTruthPair runs the test with linkperf as client, as server and as both,
// or with stock as both when stock is on trial.
func eachTruthPair(t *testing.T, run func(t *testing.T, client, server peer)) {
	t.Helper()
	stocks := stockPeers(t)
	var pairs [][2]peer
	if stockOnTrial() {
		for _, stock := range stocks {
			pairs = append(pairs, [2]peer{stock, stock})
		}
	} else {
		ours := linkperf(t)
		pairs = append(pairs, [2]peer{ours, ours})
		for _, stock := range stocks {
			pairs = append(pairs, [2]peer{ours, stock}, [2]peer{stock, ours})
		}
	}
	for _, p := range pairs {
		t.Run(p[0].name+"->"+p[1].name, func(t *testing.T) { run(t, p[0], p[1]) })
	}
}
