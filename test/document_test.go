package test

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"slices"
	"strconv"
	"strings"
	"testing"
)

// document is an iperf3 JSON document. Numbers are kept as they were written.
type document map[string]any

// parseDocument reads text that is exactly one JSON object.
func parseDocument(text string) (document, error) {
	d := json.NewDecoder(strings.NewReader(text))
	d.UseNumber()
	var doc document
	if err := d.Decode(&doc); err != nil {
		return nil, err
	}
	if _, err := d.Token(); !errors.Is(err, io.EOF) {
		return nil, errors.New("something follows the document")
	}
	return doc, nil
}

// repeatedKeys returns the paths of keys that stand twice in one object.
func repeatedKeys(text string) ([]string, error) {
	var repeated []string
	d := json.NewDecoder(strings.NewReader(text))
	var value func(path string) error
	value = func(path string) error {
		tok, err := d.Token()
		if err != nil {
			return err
		}
		open, isDelim := tok.(json.Delim)
		if !isDelim {
			return nil
		}
		seen := make(map[string]bool)
		for d.More() {
			at := path + "[]"
			if open == '{' {
				key, err := d.Token()
				if err != nil {
					return err
				}
				at = join(path, key.(string))
				if seen[at] {
					repeated = append(repeated, at)
				}
				seen[at] = true
			}
			if err := value(at); err != nil {
				return err
			}
		}
		_, err = d.Token() // the closing delimiter
		return err
	}
	err := value("")
	return repeated, err
}

func join(path, key string) string {
	if path == "" {
		return key
	}
	return path + "." + key
}

// mustDocument reads what a peer printed with -J. Of linkperf's documents no
// key may stand twice; stock's have known duplicates.
func mustDocument(t testing.TB, p peer, text string) document {
	t.Helper()
	doc, err := parseDocument(text)
	if err != nil {
		t.Fatalf("%s printed no JSON document: %v\n%s", p.name, err, clip(text))
	}
	if p.ours {
		repeated, err := repeatedKeys(text)
		if err != nil {
			t.Fatal(err)
		}
		if len(repeated) > 0 {
			t.Errorf("keys that stand twice: %v", repeated)
		}
	}
	return doc
}

// get returns the value at a path such as "end.streams.0.sender", nil if there
// is none.
func (d document) get(path string) any {
	var v any = map[string]any(d)
	for key := range strings.SplitSeq(path, ".") {
		switch x := v.(type) {
		case map[string]any:
			v = x[key]
		case []any:
			i, err := strconv.Atoi(key)
			if err != nil || i >= len(x) {
				return nil
			}
			v = x[i]
		default:
			return nil
		}
	}
	return v
}

func (d document) has(path string) bool { return d.get(path) != nil }

// num returns a number of the document and fails the test if it is not there.
func (d document) num(t testing.TB, path string) float64 {
	t.Helper()
	f, ok := d.float(path)
	if !ok {
		t.Fatalf("no number at %s: %v", path, d.get(path))
	}
	return f
}

func (d document) float(path string) (f float64, ok bool) {
	n, ok := d.get(path).(json.Number)
	if !ok {
		return 0, false
	}
	f, err := n.Float64()
	return f, err == nil
}

func (d document) str(path string) string {
	s, _ := d.get(path).(string)
	return s
}

func (d document) object(path string) document {
	m, _ := d.get(path).(map[string]any)
	return m
}

// objects returns the elements of an array of objects.
func (d document) objects(path string) []document {
	list, _ := d.get(path).([]any)
	var docs []document
	for _, v := range list {
		if m, ok := v.(map[string]any); ok {
			docs = append(docs, m)
		}
	}
	return docs
}

// shape maps each key path of a document to the type of its values. Elements
// of arrays are one path, "intervals[].sum". Numbers are of type "integer" as
// long as all of them are written without a fraction.
func shape(doc document) map[string]string {
	types := make(map[string]string)
	var walk func(path string, v any)
	walk = func(path string, v any) {
		kind := ""
		switch x := v.(type) {
		case map[string]any:
			kind = "object"
			for key, value := range x {
				walk(join(path, key), value)
			}
		case []any:
			kind = "array"
			for _, value := range x {
				walk(path+"[]", value)
			}
		case string:
			kind = "string"
		case bool:
			kind = "boolean"
		case json.Number:
			kind = "integer"
			if strings.ContainsAny(x.String(), ".eE") || types[path] == "number" {
				kind = "number"
			}
		case nil:
			kind = "null"
		}
		types[path] = kind
	}
	walk("", map[string]any(doc))
	return types
}

// fractional are the last words of the key paths whose numbers may have a
// fraction. (Stock prints an integral value of them without one.)
var fractional = []string{
	"start", "end", "seconds", "interval", "bits_per_second", "jitter_ms", "lost_percent",
	"host_total", "host_user", "host_system", "remote_total", "remote_user", "remote_system",
}

// later are the key paths that a release older than the given one lacks.
var later = []struct {
	since release
	path  string
}{
	{release{3, 13}, "start.fq_rate"},
	{release{3, 13}, "start.test_start.bidir"},
	{release{3, 13}, "start.test_start.fqrate"},
	{release{3, 17}, "start.test_start.interval"},
	{release{3, 20}, "start.timestamp.timemillisecs"},
	{release{3, 20}, "intervals[].streams[].reorder"},
	{release{3, 20}, "end.streams[].sender.reorder"},
	{release{3, 21}, "start.test_start.gso"},
	{release{3, 21}, "start.test_start.gro"},
}

// tcpInfoKeys are what 3.21 tells of an SCTP sender as well, and 3.12 of a TCP
// sender only.
var tcpInfoKeys = []string{
	"retransmits", "snd_cwnd", "snd_wnd", "rtt", "rttvar", "pmtu", "reorder",
	"max_snd_cwnd", "max_snd_wnd", "max_rtt", "min_rtt", "mean_rtt",
}

// shapeFaults holds linkperf's document against a stock one of the same mode
// and side: what it lacks, what has another type, and what stock has not.
func shapeFaults(ours, stock document, stockRelease release) []string {
	var faults []string
	have, wanted := shape(ours), shape(stock)
	for path, kind := range wanted {
		if underServerOutput(path) {
			continue
		}
		got, ok := have[path]
		word := path[strings.LastIndexByte(path, '.')+1:]
		switch numeric := got == "integer" || got == "number"; {
		case !ok:
			faults = append(faults, fmt.Sprintf("%s is missing, a stock peer has it as %s", path, kind))
		case got == kind, numeric && (kind == "number" || slices.Contains(fractional, word)):
		default:
			faults = append(faults, fmt.Sprintf("%s is %s, a stock peer's is %s", path, got, kind))
		}
	}
	for path := range have {
		if _, ok := wanted[path]; ok || path == "linkperf" || strings.HasPrefix(path, "linkperf.") ||
			strings.HasPrefix(path, "linkperf[]") || strings.HasPrefix(path, "intervals[].linkperf") || underServerOutput(path) {
			continue
		}
		known := slices.Contains(tcpInfoKeys, path[strings.LastIndexByte(path, '.')+1:]) &&
			ours.str("start.test_start.protocol") == "SCTP" && stockRelease.before(newest)
		known = known || slices.ContainsFunc(later, func(l struct {
			since release
			path  string
		}) bool {
			return l.path == path && stockRelease.before(l.since)
		})
		if !known {
			faults = append(faults, fmt.Sprintf("%s (%s) is in no stock document of this mode", path, have[path]))
		}
	}
	slices.Sort(faults)
	return faults
}

// underServerOutput tells whether the path lies inside the document that the
// server sent along. It is held against stock as the server's own.
func underServerOutput(path string) bool {
	return strings.HasPrefix(path, "server_output_json.")
}

func TestRepeatedKeys(t *testing.T) {
	got, err := repeatedKeys(`{"a":1,"b":{"a":2,"a":[{"x":1},{"x":2}]},"a":3}`)
	if want := []string{"b.a", "a"}; err != nil || !slices.Equal(got, want) {
		t.Errorf("got %v, %v, want %v", got, err, want)
	}
}

func TestShapeFaults(t *testing.T) {
	parse := func(s string) document {
		doc, err := parseDocument(s)
		if err != nil {
			t.Fatal(err)
		}
		return doc
	}
	stock := parse(`{"start":{"cookie":"a","tcp_mss":1},"intervals":[{"sum":{"bytes":5,"seconds":1}}]}`)
	if got := shapeFaults(stock, stock, newest); len(got) > 0 {
		t.Errorf("a document against itself: %v", got)
	}
	ours := parse(`{"start":{"cookie":7,"fq_rate":0,"more":1},"intervals":[{"sum":{"bytes":5.5,"seconds":1.5}}],"linkperf":{"x":1}}`)
	want := []string{
		"intervals[].sum.bytes is number, a stock peer's is integer",
		"start.cookie is integer, a stock peer's is string",
		"start.more (integer) is in no stock document of this mode",
		"start.tcp_mss is missing, a stock peer has it as integer",
	}
	if got := shapeFaults(ours, stock, release{3, 12}); !slices.Equal(got, want) {
		t.Errorf("got  %q\nwant %q", got, want)
	}
}

// lastJSON returns the last JSON document of a text that may hold several.
func lastJSON(text string) string {
	d := json.NewDecoder(strings.NewReader(text))
	var last json.RawMessage
	for {
		var doc json.RawMessage
		if d.Decode(&doc) != nil {
			return string(bytes.TrimSpace(last))
		}
		last = doc
	}
}
