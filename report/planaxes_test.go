package report

import "testing"

// TestOrderOfCases checks that cases come in the plan's order, then by number.
func TestOrderOfCases(t *testing.T) {
	labels := func(direction, parallel string) map[string]string {
		return map[string]string{"direction": direction, "parallel": parallel}
	}
	want := []map[string]string{labels("reverse", "1"), labels("reverse", "2"), labels("reverse", "10"), labels("forward", "2"), {"direction": "forward", "parallel": "2", "udp": "true"}}
	written := planAxes([]byte("axes:\n  direction: [reverse, {value: forward}]\n"))
	for i, a := range want {
		for j, b := range want {
			if got := new(Set).lessCase(written, a, b); got != (i < j) {
				t.Errorf("%v before %v: %v", a, b, got)
			}
		}
	}
	// The library panics on these.
	for _, plan := range []string{"axes:\n   !0\x00\x02000 00!00cccccc[0:", "axes:\n  0tu: !0000000000 "} {
		if axes := planAxes([]byte(plan)); len(axes) != 0 {
			t.Errorf("%q: %v", plan, axes)
		}
	}
}
