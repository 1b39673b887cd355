package main

import (
	"os"
	"path/filepath"
	"strings"
	"testing"
)

// The name of a page is printed when the page has been written, not before.
func TestReportPage(t *testing.T) {
	page := filepath.Join(t.TempDir(), "page.html")
	args := []string{"linkperf", "report", recordings + "tcp_3.21_client.json", "--html", "-o"}
	if got := call(t, append(args, page)...); got.status != 0 || got.stdout != page+"\n" || got.stderr != "" {
		t.Errorf("%+v", got)
	}
	if fi, err := os.Stat(page); err != nil || fi.Size() == 0 {
		t.Errorf("no page: %v", err)
	}
	if got := call(t, append(args, filepath.Join(page, "x"))...); got.status != 1 || got.stdout != "" || !strings.Contains(got.stderr, page) {
		t.Errorf("%+v", got)
	}
}

// An input that holds no test is told once, with its name and what is expected,
// and nothing is printed.
func TestReportNothing(t *testing.T) {
	for _, text := range []string{"", "[]", "3", `"x"`, "{}", `{"start":{},"intervals":[],"end":{}}`, "text"} {
		file := filepath.Join(t.TempDir(), "in.json")
		if err := os.WriteFile(file, []byte(text), 0o666); err != nil {
			t.Fatal(err)
		}
		for _, command := range [][]string{{"report", file}, {"report", file, "--csv"}, {"report", file, "--json"}, {"compare", file, recordings + "tcp_3.21_client.json"}} {
			got := call(t, append([]string{"linkperf"}, command...)...)
			if got.status != 1 || got.stdout != "" || strings.Count(got.stderr, "\n") != 1 ||
				!strings.Contains(got.stderr, file) || !strings.Contains(got.stderr, "expected is the document of a test") {
				t.Errorf("%q: %q: %+v", text, command[0], got)
			}
		}
	}
}

// Results of which none counts are shown, and the exit status tells.
func TestReportOfFailures(t *testing.T) {
	good, refused := recordings+"tcp_3.21_client.json", recordings+"connection-refused_3.21_client.json"
	dir := t.TempDir()
	for _, form := range [][]string{nil, {"--csv"}, {"--json"}, {"--markdown"}, {"--html", "-o", filepath.Join(dir, "page.html")}, {"--csv", "-o", dir}} {
		got := call(t, append([]string{"linkperf", "report", refused}, form...)...)
		if got.status != 1 || got.stderr != "linkperf report: the only run gave no result\n" || got.stdout == "" && len(form) < 3 {
			t.Errorf("%q: %+v", form, got)
		}
		if got := call(t, append([]string{"linkperf", "report", refused, good}, form...)...); got.status != 0 || got.stderr != "" {
			t.Errorf("%q: one that counts: %+v", form, got)
		}
	}
}

// A level of confidence is a number within its range.
func TestConfidence(t *testing.T) {
	file := recordings + "tcp_3.21_client.json"
	for _, level := range []string{"nan", "0.49", "inf", "-1", "1"} {
		for _, args := range [][]string{{"report", file}, {"compare", file, file}} {
			if got := call(t, append([]string{"linkperf"}, append(args, "--confidence", level)...)...); got.status != 1 ||
				got.stdout != "" || !strings.Contains(got.stderr, "allowed are 0.5 to 0.999") {
				t.Errorf("%q %s: %+v", args[0], level, got)
			}
		}
	}
}

// Standard input is one source, not one among others.
func TestStandardInputAlone(t *testing.T) {
	file := recordings + "tcp_3.21_client.json"
	for _, args := range [][]string{{"report", "-", file}, {"compare", file, "-"}} {
		if got := call(t, append([]string{"linkperf"}, args...)...); got.status != 1 || got.stdout != "" || !strings.Contains(got.stderr, "standard input") {
			t.Errorf("%q: %+v", args, got)
		}
	}
}
