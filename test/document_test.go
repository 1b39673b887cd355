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

// shape maps each key path of a document to the type of its values, to several
// joined by "|" where they differ. Elements of arrays share one path, such as
// "intervals[].sum". A number is an "integer" if it is written without a
// fraction; "number" includes that.
func shape(doc document) map[string]string {
	kinds := make(map[string][]string)
	add := func(path, kind string) {
		if !slices.Contains(kinds[path], kind) {
			kinds[path] = append(kinds[path], kind)
		}
	}
	var walk func(path string, v any)
	walk = func(path string, v any) {
		switch x := v.(type) {
		case map[string]any:
			add(path, "object")
			for key, value := range x {
				walk(join(path, key), value)
			}
		case []any:
			add(path, "array")
			for _, value := range x {
				walk(path+"[]", value)
			}
		case string:
			add(path, "string")
		case bool:
			add(path, "boolean")
		case json.Number:
			if strings.ContainsAny(x.String(), ".eE") {
				add(path, "number")
			} else {
				add(path, "integer")
			}
		case nil:
			add(path, "null")
		}
	}
	walk("", map[string]any(doc))
	types := make(map[string]string)
	for path, list := range kinds {
		if slices.Contains(list, "number") {
			list = slices.DeleteFunc(list, func(kind string) bool { return kind == "integer" })
		}
		slices.Sort(list)
		types[path] = strings.Join(list, "|")
	}
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

// senderOnly are figures that the sending side keeps to itself. Where this
// side does not send, stock prints 0 for them; linkperf, which uses 0 for what
// was measured as 0, prints null.
var senderOnly = []string{
	"end.streams[].sender.max_snd_cwnd", "end.streams[].sender.max_snd_wnd", "end.streams[].sender.reorder",
	"end.streams[].sender.max_rtt", "end.streams[].sender.min_rtt", "end.streams[].sender.mean_rtt",
}

// receiverOnly is what the receiving side keeps to itself, likewise.
var receiverOnly = []string{"end.streams[].udp.out_of_order"}

// otherHalf are keys of the client's half, which a stock server does not know
// when it prints, and a linkperf server does.
var otherHalf = append([]string{
	"end.sum_sent.retransmits", "end.sum_sent_bidir_reverse.retransmits", "end.streams[].sender.retransmits",
	"end.sender_tcp_congestion", "end.receiver_tcp_congestion",
}, senderOnly...)

// shapeFaults holds linkperf's document against a stock one of the same mode
// and side: what it lacks, what has another type, and what stock has not.
func shapeFaults(ours, stock document, server bool, stockRelease release) []string {
	var faults []string
	have, wanted := shape(ours), shape(stock)
	// A side that does not send (receive) on some stream may not know what only
	// senders (receivers) know.
	unknown := func(path string) bool {
		keys := receiverOnly
		receives := slices.ContainsFunc(ours.objects("end.streams"), func(s document) bool {
			return s.get("sender.sender") == false || s.get("udp.sender") == false
		})
		sends := slices.ContainsFunc(ours.objects("end.streams"), func(s document) bool {
			return s.get("sender.sender") == true || s.get("udp.sender") == true
		})
		switch {
		case receives && sends:
			keys = append(slices.Clone(senderOnly), receiverOnly...)
		case receives:
			keys = senderOnly
		}
		return slices.Contains(keys, path)
	}
	for path, kind := range wanted {
		if underServerOutput(path) {
			continue
		}
		got, ok := have[path]
		if !ok {
			faults = append(faults, fmt.Sprintf("%s is missing, a stock peer has it as %s", path, kind))
			continue
		}
		plain := got
		if unknown(path) {
			plain = strings.TrimPrefix(strings.TrimSuffix(strings.TrimSuffix(got, "null"), "|"), "null|")
		}
		numeric := (plain == "integer" || plain == "number") && (kind == "number" || slices.Contains(fractional, lastWord(path)))
		if plain != "" && plain != kind && !numeric {
			faults = append(faults, fmt.Sprintf("%s is %s, a stock peer's is %s", path, got, kind))
		}
	}
	for path := range have {
		_, both := wanted[path]
		switch {
		case both, linkperfKey(path), underServerOutput(path), isLater(path, stockRelease):
		case server && slices.Contains(otherHalf, path):
		case ours.str("start.test_start.protocol") == "SCTP" && stockRelease.before(newest) && slices.Contains(tcpInfoKeys, lastWord(path)):
		default:
			faults = append(faults, fmt.Sprintf("%s (%s) is in no stock document of this mode", path, have[path]))
		}
	}
	slices.Sort(faults)
	return faults
}

func lastWord(path string) string { return path[strings.LastIndexByte(path, '.')+1:] }

// linkperfKey tells whether the path lies below one of the keys that linkperf
// adds.
func linkperfKey(path string) bool {
	for _, added := range []string{"linkperf", "intervals[].linkperf"} {
		if rest, ok := strings.CutPrefix(path, added); ok && (rest == "" || rest[0] == '.' || rest[0] == '[') {
			return true
		}
	}
	return false
}

// isLater tells whether the key came after the release.
func isLater(path string, r release) bool {
	for _, l := range later {
		if l.path == path && r.before(l.since) {
			return true
		}
	}
	return false
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
	if got := shapeFaults(stock, stock, false, newest); len(got) > 0 {
		t.Errorf("a document against itself: %v", got)
	}
	ours := parse(`{"start":{"cookie":7,"fq_rate":0,"more":1},"intervals":[{"sum":{"bytes":5.5,"seconds":1.5}}],"linkperf":{"x":1}}`)
	want := []string{
		"intervals[].sum.bytes is number, a stock peer's is integer",
		"start.cookie is integer, a stock peer's is string",
		"start.more (integer) is in no stock document of this mode",
		"start.tcp_mss is missing, a stock peer has it as integer",
	}
	if got := shapeFaults(ours, stock, false, release{3, 12}); !slices.Equal(got, want) {
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
