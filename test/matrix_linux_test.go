package test

import (
	"path/filepath"
	"strings"
	"testing"
	"time"
)

// A host without an exposed address says so and compares the rest.
func TestMatrixExposed(t *testing.T) {
	left, _ := newPair(t, 1500)
	for _, tc := range []struct {
		name, before string
		skipped      int
	}{{"exposed", "true", 0}, {"none", "ip address flush dev " + left.device, 1}} {
		t.Run(tc.name, func(t *testing.T) {
			left.sh(t, tc.before)
			dir := filepath.Join(t.TempDir(), "out")
			o := runWithin(t, 60*time.Second, left.runs(linkperf(t)), "matrix", "--axis", "address=loopback,exposed", "--repeat", "1", "-o", dir)
			if o.code != 0 {
				t.Fatal(o)
			}
			skipped := 0
			for _, r := range storedRuns(t, dir) {
				if r.Linkperf.Run.Status == "skipped" {
					skipped++
				}
			}
			if skipped != tc.skipped || tc.skipped > 0 != strings.Contains(o.stdout, "no address that others could reach") {
				t.Errorf("%d skipped: %v", skipped, o)
			}
		})
	}
}
