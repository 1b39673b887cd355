package report

import (
	"bytes"
	"errors"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"linkperf/report/compare"
)

// TestRepeatedRun checks that a failed run of a plan which was made again is told
// by its last line alone, in the set, the report and the tables.
func TestRepeatedRun(t *testing.T) {
	dir := planDir(t, 2, 1)
	name := filepath.Join(dir, "runs.jsonl")
	text, err := os.ReadFile(name)
	if err != nil {
		t.Fatal(err)
	}
	lines := strings.SplitAfter(string(text), "\n")
	failed := lines[len(lines)-2]
	again := strings.Replace(lines[1], `"round":1`, `"round":3`, 1) // what failed was round 3 of firewall=on
	if !strings.Contains(failed, `"round":3`) || !strings.Contains(again, `"round":3`) || !strings.Contains(again, "firewall=on") {
		t.Fatal("the stored plan is another one")
	}
	for _, c := range []struct {
		appended     string
		runs, failed int
	}{{"", 6, 1}, {failed, 6, 1}, {failed + again, 6, 0}, {strings.ReplaceAll(again, `"firewall":"on"`, `"firewall":"off"`), 7, 1}} {
		if err := os.WriteFile(name, []byte(string(text)+c.appended), 0o666); err != nil {
			t.Fatal(err)
		}
		s, err := LoadSet(dir)
		if err != nil || len(s.Runs) != c.runs {
			t.Errorf("%d runs, want %d; %v", len(s.Runs), c.runs, err)
		}
		var csv, report bytes.Buffer
		if err := errors.Join(s.WriteRunsCSV(&csv), Analyse(s, compare.Options{}).WriteText(&report)); err != nil {
			t.Fatal(err)
		}
		if rows := readCSV(t, bytes.NewReader(csv.Bytes())); len(rows) != c.runs || strings.Count(csv.String(), "failed") != c.failed || strings.Count(report.String(), "failed: ") != c.failed {
			t.Errorf("%d rows\n%s\n%s", len(rows), &csv, &report)
		}
	}
}
