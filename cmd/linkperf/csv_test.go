package main

import (
	"encoding/csv"
	"encoding/json"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"testing"
)

// TestCSV checks that each client appends one row, failed ones too.
func TestCSV(t *testing.T) {
	t.Parallel()
	file := filepath.Join(t.TempDir(), "runs.csv")
	_, port := serve(t)
	for _, args := range [][]string{{"-n", "1M"}, {"-n", "1M", "-R", "-J"}} {
		if got := measureWith(t, port, append(args, "--csv", file)...); got.status != 0 || got.stderr != "" {
			t.Errorf("%q: %+v", args, got)
		}
	}
	if got := measureWith(t, strconv.Itoa(freePort(t)), "--csv", file); got.status != 1 {
		t.Errorf("%+v", got)
	}
	f, err := os.Open(file)
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	rows, err := csv.NewReader(f).ReadAll()
	if err != nil || len(rows) != 4 {
		t.Fatalf("%v, %d rows: %q", err, len(rows), rows)
	}
	column := func(name string) (values []string) {
		i := slices.Index(rows[0], name)
		if i < 0 {
			t.Fatalf("no column %s in %q", name, rows[0])
		}
		for _, row := range rows[1:] {
			values = append(values, row[i])
		}
		return values
	}
	if got := column("direction"); !slices.Equal(got, []string{"client_to_server", "server_to_client", ""}) {
		t.Errorf("direction %q", got)
	}
	if got := column("received_bytes"); got[0] != "1048576" || got[1] != "1048576" || got[2] != "" {
		t.Errorf("received_bytes %q", got)
	}
	if got := column("status"); !slices.Equal(got, []string{"ok", "ok", "failed"}) {
		t.Errorf("status %q", got)
	}
}

// TestCSVRefused checks that a table that cannot be written is found out before
// the server is asked for anything.
func TestCSVRefused(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	other := filepath.Join(dir, "other.csv")
	if err := os.WriteFile(other, []byte("name,value\n"), 0o600); err != nil {
		t.Fatal(err)
	}
	server, port := serve(t)
	for file, want := range map[string]string{
		filepath.Join(dir, "none", "runs.csv"): "open the table for --csv: ",
		dir:                                    "open the table for --csv: ",
		other:                                  "is no table of runs",
	} {
		got := measureWith(t, port, "-n", "1K", "--csv", file)
		if got.status != 1 || got.stdout != "" || !strings.HasPrefix(got.stderr, "iperf3: error - ") || !strings.Contains(got.stderr, want) {
			t.Errorf("%s: %+v", file, got)
		}
		got = measureWith(t, port, "-n", "1K", "-J", "--csv", file)
		var document struct{ Error string }
		if err := json.Unmarshal([]byte(got.stdout), &document); err != nil || got.status != 1 || !strings.Contains(document.Error, want) {
			t.Errorf("%s: %v, %+v", file, err, got)
		}
	}
	if got := server.stdout.String(); strings.Contains(got, "Accepted") {
		t.Errorf("a test was made:\n%s", got)
	}
	if content, err := os.ReadFile(other); err != nil || string(content) != "name,value\n" {
		t.Errorf("%v: the other table is now %q", err, content)
	}
}
