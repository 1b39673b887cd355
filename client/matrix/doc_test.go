package matrix

import (
	"flag"
	"fmt"
	"os"
	"strings"
	"testing"
)

var update = flag.Bool("update", false, "write docs/matrix.md anew")

// The table of keys in the documentation is the one in the code.
func TestDocumentedKeys(t *testing.T) {
	const file = "../../docs/matrix.md"
	raw, err := os.ReadFile(file)
	if err != nil {
		t.Fatal(err)
	}
	before, rest, ok := strings.Cut(string(raw), "by its tests -->\n")
	_, after, ok2 := strings.Cut(rest, "<!-- end of keys -->")
	if !ok || !ok2 {
		t.Fatal("the marks around the table are gone")
	}
	var table strings.Builder
	table.WriteString("| key | allowed | default | meaning |\n|---|---|---|---|\n")
	for _, k := range keys {
		fmt.Fprintf(&table, "| `%s` | %s | %s | %s |\n", k.name, k.allowed, k.byDefault, k.meaning)
	}
	want := before + "by its tests -->\n" + table.String() + "<!-- end of keys -->" + after
	if *update {
		if err := os.WriteFile(file, []byte(want), 0o666); err != nil {
			t.Fatal(err)
		}
	}
	if string(raw) != want && !*update {
		t.Error("docs/matrix.md is not up to date: go test ./client/matrix -update")
	}
}
