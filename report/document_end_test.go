package report

import (
	"encoding/json"
	"testing"

	"linkperf/protocol"
	"linkperf/protocol/measure"
)

// A test that broke off before it had streams has measured nothing, not 0.
func TestEndWithoutStreams(t *testing.T) {
	s := &measure.Start{Side: measure.Client, Params: protocol.Params{Transport: protocol.TCP, Parallel: 1}}
	b := appendValue(nil, endObject(s, &measure.Result{}), 0)
	var end map[string]map[string]any
	_ = json.Unmarshal(b, &end) // some members are no objects
	for _, half := range []string{"sum_sent", "sum_received"} {
		if v, there := end[half]["bytes"]; !there || v != nil {
			t.Errorf("%s: %v in %s", half, v, b)
		}
	}
}
