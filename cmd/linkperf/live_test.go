package main

import (
	"bytes"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"
)

const recordings = "../../report/testdata/json/"

func recording(t *testing.T, name string) string {
	t.Helper()
	b, err := os.ReadFile(filepath.Join(recordings, name))
	if err != nil {
		t.Fatal(err)
	}
	return string(b)
}

// live shows the input live.
func live(t *testing.T, input string) finished {
	t.Helper()
	var stdout, stderr bytes.Buffer
	status := run(t.Context(), []string{"linkperf", "report", "-"}, strings.NewReader(input), &stdout, &stderr)
	return finished{status, stdout.String(), stderr.String()}
}

// However long a test lasts, the live view keeps no more of it than its start.
func TestLiveKeepsLittle(t *testing.T) {
	var out bytes.Buffer
	v := liveView{w: &out, open: map[int]*part{}}
	var kept int
	for i := range 1000 {
		line := fmt.Sprintf(`{"event":"interval","data":{"sum":{"start":%d,"end":%d,"bits_per_second":1e6}}}`+"\n", i, i+1)
		if i == 0 {
			line = `{"event":"start","data":{}}` + "\n"
			kept = len(line)
		}
		v.line([]byte(line), inputLine{line: i + 1})
		v.line([]byte("some text\n"), inputLine{line: i + 1})
	}
	if len(v.open) != 1 || len(v.open[0].text) != kept || len(v.open[0].places) != 1 {
		t.Errorf("%d parts, the first of %d bytes", len(v.open), len(v.open[0].text))
	}
	if n := strings.Count(out.String(), "1 Mbit/s"); n != 999 {
		t.Errorf("%d intervals shown", n)
	}
	v.line([]byte(`{"event":"end","data":{}}`+"\n"), inputLine{line: 1001})
	if len(v.open) != 0 || len(v.errs) != 1 || v.tests != 1 {
		t.Errorf("%d parts after the end, %d tests, errors %v", len(v.open), v.tests, v.errs)
	}
}

// Every test of the input is shown once, whatever form it comes in.
func TestLiveForms(t *testing.T) {
	stream, document := recording(t, "json-stream_3.21_client.ndjson"), recording(t, "tcp_3.21_client.json")
	head, _, _ := strings.Cut(stream, `{"event":"end"`)
	for _, c := range []struct {
		name, input      string
		received, failed int
		complaint        string
	}{
		{"a stream", stream, 1, 0, ""},
		{"two streams", stream + stream, 2, 0, ""},
		{"a document", document, 1, 0, ""},
		{"both", stream + document + stream, 3, 0, ""},
		{"a stream with its document", recording(t, "json-stream-full-output_3.21_client.txt"), 1, 0, ""},
		{"a stream without an end", head, 0, 1, "the only run gave no result"},
		{"two without an end", head + head, 0, 2, "none of 2 runs gave a result"},
		{"a stream without an end before another", head + stream, 1, 1, ""},
		{"a cut document before another", document[:len(document)/2] + "\n" + document, 1, 0, "standard input: line 1 (byte 0): the document is cut off"},
		{"text before a stream", "Connecting\nto\n" + stream, 1, 0, "line 1 (byte 0): not JSON"},
		{"a broken event", head + `{"event":"end","data":[]}` + "\n", 0, 1, fmt.Sprintf(`line %d (byte %d): event "end": a list`, strings.Count(head, "\n")+1, len(head))},
		{"two broken documents", "[\n" + document[:99] + "\n" + document, 1, 0, "\nlinkperf report: standard input: line 2 (byte 2): the document is cut off"},
		{"nothing", "\n", 0, 0, "no test in it; expected is"},
		{"control characters", `{"start":{},"error":"\u001b[31mred\u009b"}`, 0, 1, "the only run gave no result"},
	} {
		got := live(t, c.input)
		if strings.Count(got.stdout, " received\n") != c.received || strings.Count(got.stdout, "the test failed: ") != c.failed ||
			!strings.Contains(got.stderr, c.complaint) || (got.status == 0) != (c.complaint == "") {
			t.Errorf("%s: %d, %s%s", c.name, got.status, got.stdout, got.stderr)
		}
		if strings.ContainsAny(got.stdout, "\x1b\u009b") {
			t.Errorf("%s: control characters in %q", c.name, got.stdout)
		}
	}
}
