package sysinfo

import (
	"bytes"
	"flag"
	"fmt"
	"os"
	"regexp"
	"strings"
	"testing"
)

var updateDocs = flag.Bool("update-docs", false, "write the sources into docs/sysinfo.md anew")

var fieldRow = regexp.MustCompile("^\\| `([a-z_.0-9]+)` \\| ([^|]+) \\|")

// TestDocumentedFields keeps the table of docs/sysinfo.md in step: every field
// with its meaning, and its sources as the tables of the systems have them.
func TestDocumentedFields(t *testing.T) {
	const name = "../docs/sysinfo.md"
	text, err := os.ReadFile(name)
	if err != nil {
		t.Fatal(err)
	}
	documented := make(map[string]bool)
	_, fields, _ := bytes.Cut(text, []byte("\n## Fields\n"))
	for line := range strings.Lines(string(fields)) {
		m := fieldRow.FindStringSubmatch(line)
		if m == nil {
			continue
		}
		documented[m[1]] = true
		want := fmt.Sprintf("| `%s` | %s |", m[1], m[2])
		for _, goos := range systems {
			want += " " + documentedSources(tableOf(goos), m[1]) + " |"
		}
		want += "\n"
		if line != want {
			if !*updateDocs {
				t.Errorf("run with -update-docs: got %swant %s", line, want)
			}
			text = bytes.Replace(text, []byte(line), []byte(want), 1)
		}
	}
	for path := range leaves(new(Record)) {
		if !documented[path] {
			t.Errorf("%s is not documented", path)
		}
		delete(documented, path)
	}
	for path := range documented {
		t.Errorf("%s is documented and no field", path)
	}
	if *updateDocs {
		if err := os.WriteFile(name, text, 0o644); err != nil {
			t.Fatal(err)
		}
	}
}

func documentedSources(t table, path string) string {
	var names []string
	for _, s := range t.sources {
		if !s.answers(path) {
			continue
		}
		name := s.name
		if s.stage == onOrder {
			name += "*"
		}
		names = append(names, name)
	}
	if len(names) == 0 {
		return "–"
	}
	return strings.Join(names, "; ")
}
