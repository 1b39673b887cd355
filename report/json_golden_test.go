package report

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"math"
	"os"
	"path/filepath"
	"sort"
	"strings"
	"testing"

	"linkperf/protocol"
	"linkperf/protocol/measure"
)

// recording is a run of iperf3 that was recorded.
type recording struct {
	Case, Version, Role, Command string
	File                         string `json:"stdout_file"`
	Stderr                       string
	Client                       string `json:"-"` // command of the client in the same case
}

func (r *recording) name() string { return r.Case + "_" + r.Version + "_" + r.Role }

func recordings(t *testing.T, kind string) []recording {
	t.Helper()
	raw, err := os.ReadFile(filepath.Join("testdata", kind, "manifest.json"))
	if err != nil {
		t.Fatal(err)
	}
	var out []recording
	if err := json.Unmarshal(raw, &out); err != nil {
		t.Fatal(err)
	}
	if len(out) < 100 {
		t.Fatalf("%d recordings in %s", len(out), kind)
	}
	for i := range out {
		for j := range out {
			if out[j].Case == out[i].Case && strings.HasPrefix(out[j].Role, "client") {
				out[i].Client = out[j].Command
			}
		}
	}
	return out
}

// notRendered are recorded JSON runs whose output is not a matter of rendering.
var notRendered = map[string]string{
	// A server that failed before its parameters were agreed has one key more
	// in stock, target_bitrate, which tells nothing that the client does not.
	"bitrate-limit-request_3.21_server":         "start.target_bitrate of parameters that were refused",
	"bitrate-limit-request_3.12-to-3.21_server": "start.target_bitrate of parameters that were refused",
	"server-max-duration_3.21_server":           "start.target_bitrate of parameters that were refused",
	// A 3.12 server refuses after the streams were made; the client has their
	// buffers, but no test_start, then.
	"bitrate-limit-request_3.21-to-3.12_client": "a start between Connect and Start",
}

// Every recorded document of iperf3 3.21, read and written again, has the same
// keys in the same order with values of the same type and, but for what is
// listed in difference, the same values.
func TestJSONAgainstRecordings(t *testing.T) {
	seen := map[string]int{}
	for _, rec := range recordings(t, "json") {
		if rec.File == "" || strings.HasPrefix(rec.Version, "3.12-to") != (rec.Role == "server") && rec.Version != "3.21" {
			continue // the other end of a mixed pair is 3.12
		}
		t.Run(rec.name(), func(t *testing.T) {
			if why, ok := notRendered[rec.name()]; ok {
				t.Skip(why)
			}
			raw, err := os.ReadFile(filepath.Join("testdata", "json", rec.File))
			if err != nil {
				t.Fatal(err)
			}
			if strings.HasPrefix(rec.Case, "get-server-output-text") && rec.Role == "server" || strings.HasSuffix(rec.Case, "get-server-output-text") && rec.Role == "server" {
				t.Skip("a server's text, see TestTextAgainstRecordings")
			}
			docs, err := Read(bytes.NewReader(raw))
			if err != nil && !strings.HasPrefix(rec.Case, "verbose") {
				t.Fatal(err)
			}
			if len(docs) != 1 {
				t.Fatalf("%d documents", len(docs))
			}
			d := docs[0]
			side := measure.Client
			if rec.Role == "server" {
				side = measure.Server
			}
			d.Side = side
			if strings.Contains(rec.Command, "--sctp") { // known from test_start only
				d.Result.Start.Params.Transport = protocol.SCTP
			}
			out := render(t, rec, d)
			want, got := values(t, raw), values(t, out)
			compareValues(t, &rec, want, got, func(kind string) { seen[kind]++ })
		})
	}
	for kind := range differences {
		if seen[kind] == 0 {
			t.Errorf("the difference %q does not occur any more", kind)
		}
	}
}

// render shows the test of a document again.
func render(t *testing.T, rec recording, d *Document) []byte {
	t.Helper()
	o := Options{Side: d.Side, Kind: JSON, SystemInfo: d.SystemInfo, Version: "test"}
	if strings.Contains(rec.Command, "--json-stream") {
		o.Kind, o.FullOutput = JSONStream, strings.Contains(rec.Command, "-full-output")
	}
	var buf bytes.Buffer
	sink, err := New(&buf, nil, o)
	if err != nil {
		t.Fatal(err)
	}
	replay(t, sink, d)
	return buf.Bytes()
}

// replay tells a sink what happened in the test of a document.
func replay(t *testing.T, sink measure.Sink, d *Document) {
	t.Helper()
	s := d.Result.Start
	check := func(err error) {
		if err != nil {
			t.Fatal(err)
		}
	}
	if s.Cookie != "" {
		check(sink.Connect(s))
		if s.Params.Length > 0 { // told by test_start
			check(sink.Start(s))
		}
	}
	for i := range d.Result.Intervals {
		check(sink.Interval(&d.Result.Intervals[i]))
	}
	if d.Complete {
		check(sink.End(d.Result, failure(d)))
	}
}

// failure makes an error of the text in a document.
func failure(d *Document) error {
	text := d.Error
	if d.Side == measure.Server {
		text = strings.TrimPrefix(text, "error - ")
	}
	switch {
	case text == "":
		return nil
	case strings.HasPrefix(text, "interrupt - "):
		signal := &SignalError{"Interrupt", 2}
		if strings.Contains(text, "Terminated") {
			signal = &SignalError{"Terminated", 15}
		}
		return fmt.Errorf("stopped: %w", signal)
	case text == "the client has terminated":
		return protocol.NewError(protocol.CodeClientTerm, nil)
	case text == "the client has unexpectedly closed the connection":
		return protocol.NewError(protocol.CodeCtrlClose, nil)
	}
	remote := strings.HasPrefix(text, "SERVER ERROR - ")
	text = strings.TrimPrefix(text, "SERVER ERROR - ")
	for code := protocol.Code(0); code < 400; code++ {
		e := &protocol.Error{Code: code, Remote: remote}
		if reason, ok := strings.CutPrefix(text, strings.TrimSuffix(e.Error(), ": ")); ok && code.Text("") != "" {
			if reason != "" {
				e.Err = errors.New(strings.TrimPrefix(reason, ": "))
			}
			return e
		}
	}
	return errors.New(text)
}

// value is a leaf of a JSON document, or an empty object or array.
type value struct{ path, text string }

// values lists the leaves of all JSON values in raw, in order; text around them
// is left out, and of a key that occurs twice the last one stays.
func values(t *testing.T, raw []byte) []value {
	t.Helper()
	var out []value
	for len(raw) > 0 {
		i := bytes.IndexByte(raw, '{')
		if i < 0 {
			break
		}
		raw = raw[i:]
		dec := json.NewDecoder(bytes.NewReader(raw))
		var one json.RawMessage
		if err := dec.Decode(&one); err != nil {
			t.Fatal(err)
		}
		raw = raw[dec.InputOffset():]
		tree := lastKeys(t, one)
		if tree.(object).get("event") == "linkperf" {
			continue
		}
		out = appendLeaves(out, "", tree)
	}
	return out
}

// lastKeys parses a value so that of equal keys the last stays, in its place.
func lastKeys(t *testing.T, raw []byte) any {
	tree, err := parseValue(raw)
	if err != nil {
		t.Fatal(err)
	}
	if o, ok := tree.(object); ok {
		for i := range o {
			if start, ok := o[i].value.(object); ok && (o[i].key == "start" || o[i].key == "data" || o[i].key == "server_output_json") {
				o[i].value = rateLast(start)
			}
		}
	}
	return tree
}

// rateLast moves target_bitrate to where stock servers print it the second
// time: before fq_rate.
func rateLast(o object) object {
	for i := range o {
		if inner, ok := o[i].value.(object); ok && o[i].key == "start" {
			o[i].value = rateLast(inner)
		}
	}
	if o.get("test_start") == nil || o.get("target_bitrate") == nil {
		return o
	}
	var out object
	for _, m := range o {
		if m.key == "target_bitrate" {
			continue
		}
		if m.key == "fq_rate" {
			out = append(out, member{"target_bitrate", o.get("target_bitrate")})
		}
		out = append(out, m)
	}
	return out
}

func appendLeaves(out []value, path string, v any) []value {
	switch v := v.(type) {
	case object:
		if len(v) == 0 {
			return append(out, value{path, "{}"})
		}
		for _, m := range v {
			if m.key != "linkperf" {
				out = appendLeaves(out, path+"."+m.key, m.value)
			}
		}
		return out
	case array:
		if len(v) == 0 {
			return append(out, value{path, "[]"})
		}
		for i, e := range v {
			out = appendLeaves(out, fmt.Sprintf("%s[%d]", path, i), e)
		}
		return out
	}
	return append(out, value{path, string(appendValue(nil, v, compact))})
}

// differences are the ways in which values differ from 3.21's on purpose.
var differences = map[string]string{
	"version":          "linkperf presents itself as the release, the recorded program was a later build",
	"not measured":     "3.21 prints 0 for what this side does not know, linkperf null",
	"single":           "3.21 keeps the seconds of an interval as a 32-bit float",
	"after omit":       "3.21 prints seconds that are not end - start in the first interval after the omit period",
	"receiver time":    "3.21 divides by this side's time of the first stream; linkperf has the receiver's",
	"loss of a server": "3.21's server has no lost_percent of a stream, for want of the number sent",
	"packets of 3.12":  "3.21 has no packets in sum_sent of a 3.12 sender, but in the stream",
	"lost of 3.12":     "3.21 counts one datagram too many of a 3.12 peer with -O",
	"shared":           "UDP streams' sums are added up from streams in another order",
}

// difference names why two values of the same path may differ, "" if they may
// not.
func difference(rec *recording, want, got value) string {
	key := want.path[strings.LastIndexByte(want.path, '.')+1:]
	w, errW := json.Number(want.text).Float64()
	g, errG := json.Number(got.text).Float64()
	near := func(by float64) bool {
		return errW == nil && errG == nil && math.Abs(w-g) <= by*math.Abs(w)
	}
	switch {
	case key == "version":
		return "version"
	case got.text == "null" && want.text == "0":
		return "not measured"
	case got.text == "null" && (key == "end" || key == "seconds") && (strings.Contains(want.path, "end.") || strings.Contains(want.path, "data.")):
		return "not measured"
	case strings.Contains(want.path, "intervals[") || strings.HasPrefix(want.path, ".data."):
		if (key == "seconds" || key == "bits_per_second") && near(1e-4) {
			return "single"
		}
		if (key == "seconds" || key == "bits_per_second") && near(1e-2) {
			return "after omit"
		}
	}
	switch {
	case key == "lost_percent" && want.text == "0" && strings.Contains(want.path, ".udp."):
		return "loss of a server"
	case strings.HasPrefix(key, "lost_") && strings.Contains(want.path, ".udp.") && strings.Contains(rec.Version, "to-3.12"):
		return "lost of 3.12"
	case key == "packets" && want.text == "0" && strings.Contains(want.path, ".sum_sent.") && strings.Contains(rec.Version, "to-3.12"):
		return "packets of 3.12"
	case key == "seconds" && strings.Contains(want.path, ".receiver.") && near(0.2):
		return "receiver time"
	case (key == "bits_per_second" || key == "jitter_ms" || strings.HasSuffix(key, "_percent")) && near(1e-9):
		return "shared"
	}
	return ""
}

func compareValues(t *testing.T, rec *recording, want, got []value, seen func(string)) {
	t.Helper()
	// linkperf has an event of its own.
	n := min(len(want), len(got))
	for i := range n {
		w, g := want[i], got[i]
		if w.path != g.path {
			t.Fatalf("value %d: %s, want %s", i, g.path, w.path)
		}
		if w.text == g.text {
			continue
		}
		why := difference(rec, w, g)
		if why == "" {
			t.Errorf("%s: %s, want %s", w.path, g.text, w.text)
			continue
		}
		seen(why)
	}
	if len(want) != len(got) {
		var missing []string
		for _, v := range want[n:] {
			missing = append(missing, v.path)
		}
		sort.Strings(missing)
		t.Errorf("%d values, want %d; missing %v", len(got), len(want), missing)
	}
}
