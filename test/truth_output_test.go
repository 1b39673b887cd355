package test

import (
	"encoding/json"
	"strings"
	"testing"
)

// event is a line of the streaming output.
type event struct {
	Event string          `json:"event"`
	Data  json.RawMessage `json:"data"`
}

// events reads the events that the text begins with; a whole document may
// follow them.
func events(t *testing.T, text string) []event {
	t.Helper()
	var list []event
	for line := range strings.Lines(text) {
		if !strings.HasPrefix(line, `{"event":`) {
			break
		}
		var e event
		if err := json.Unmarshal([]byte(line), &e); err != nil {
			t.Fatalf("%v in %q", err, line)
		}
		if repeated, err := repeatedKeys(line); err != nil || len(repeated) > 0 {
			t.Errorf("keys that stand twice: %v %v", repeated, err)
		}
		list = append(list, e)
	}
	return list
}

// checkEvents asks for a start, intervals each of which is there once, and an
// end.
func checkEvents(t *testing.T, text string) {
	t.Helper()
	var names []string
	seen := make(map[string]bool)
	for _, e := range events(t, text) {
		if e.Event != "interval" {
			names = append(names, e.Event)
			continue
		}
		doc, err := parseDocument(string(e.Data))
		if err != nil {
			t.Fatal(err)
		}
		if start := doc.object("sum")["start"].(json.Number).String(); seen[start] {
			t.Errorf("the interval that starts at %s is there twice", start)
		} else {
			seen[start] = true
		}
	}
	if len(names) < 2 || names[0] != "start" || names[len(names)-1] != "end" {
		t.Errorf("events: %v", names)
	}
}
