package report

import (
	"bytes"
	"errors"
	"fmt"
	"math"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"linkperf/protocol"
	"linkperf/protocol/measure"
)

// Every recorded document of every version is read, and kept byte for byte.
func TestReadRecordings(t *testing.T) {
	files, _ := filepath.Glob("testdata/json/*_*")
	if len(files) < 180 {
		t.Fatalf("%d recordings", len(files))
	}
	for _, file := range files {
		name := filepath.Base(file)
		if strings.Contains(name, "get-server-output-text") && strings.HasSuffix(name, "_server.txt") {
			continue // a server's text
		}
		raw, err := os.ReadFile(file)
		if err != nil {
			t.Fatal(err)
		}
		docs, err := Read(bytes.NewReader(raw))
		if noise := strings.HasPrefix(name, "verbose") && strings.HasSuffix(name, ".txt"); (err != nil) != noise {
			t.Errorf("%s: %v", name, err)
		}
		if len(docs) != 1 {
			t.Errorf("%s: %d documents", name, len(docs))
			continue
		}
		d := docs[0]
		if !bytes.Contains(raw, d.Raw) || bytes.Count(d.Raw, []byte("\n")) < bytes.Count(raw, []byte("\n"))-8 {
			t.Errorf("%s: %d of %d bytes kept", name, len(d.Raw), len(raw))
		}
		server := strings.HasSuffix(strings.TrimSuffix(name, filepath.Ext(name)), "server")
		if len(d.Result.Start.Streams) > 0 && (d.Side == measure.Server) != server {
			t.Errorf("%s: document of a %v", name, d.Side)
		}
		if !strings.HasPrefix(d.Version, "iperf 3.") && d.Complete && !bytes.HasPrefix(d.Raw, []byte(`{"event":`)) {
			t.Errorf("%s: version %q", name, d.Version)
		}
		if d.Linkperf != nil {
			t.Errorf("%s: taken for one of linkperf", name)
		}
		checkMetrics(t, name, d)
	}
}

// checkMetrics checks what holds for the metrics of every whole test.
func checkMetrics(t *testing.T, name string, d *Document) {
	t.Helper()
	if d.Error != "" || !d.Complete {
		return
	}
	client := d.Side == measure.Client
	udp := d.Result.Start.Params.Transport == protocol.UDP
	if len(d.Directions()) == 0 {
		t.Errorf("%s: no direction", name)
	}
	for _, toServer := range d.Directions() {
		sends := toServer == client
		sent, okSent := d.Sent(toServer)
		received, okReceived := d.Received(toServer)
		if !okSent && (client || sends) || !okReceived && (client || !sends) {
			t.Errorf("%s: sent %v, received %v", name, okSent, okReceived)
		}
		if okSent && okReceived && received > sent*1.1 {
			t.Errorf("%s: received %v of %v", name, received, sent)
		}
		loss, okLoss := d.Loss(toServer)
		_, okJitter := d.Jitter(toServer)
		wanted := udp && (client || !sends)
		if okLoss != wanted || okJitter != wanted || loss < 0 || loss > 100 {
			t.Errorf("%s: loss %v %v, jitter %v", name, loss, okLoss, okJitter)
		}
		_, okRetransmits := d.Retransmits(toServer)
		if okRetransmits != (!udp && (client || sends)) {
			t.Errorf("%s: retransmits %v", name, okRetransmits)
		}
		rtt, okRTT := d.RTT(toServer)
		if !udp && sends && !okRTT || okRTT && (rtt <= 0 || rtt > time.Second) {
			t.Errorf("%s: rtt %v %v", name, rtt, okRTT)
		}
	}
	if _, ok := d.CPU(d.Side); !ok {
		t.Errorf("%s: no processor time", name)
	}
	if _, ok := d.CPU(1 - d.Side); ok != client {
		t.Errorf("%s: processor time of the other side: %v", name, ok)
	}
}

func readOne(t *testing.T, text string) *Document {
	t.Helper()
	docs, err := Read(strings.NewReader(text))
	if err != nil || len(docs) != 1 {
		t.Fatalf("%d documents, %v", len(docs), err)
	}
	return docs[0]
}

// What stands in a recorded document is what is read from it.
func TestReadValues(t *testing.T) {
	raw, err := os.ReadFile("testdata/json/udp-bidir-loss-reorder_3.21_client.json")
	if err != nil {
		t.Fatal(err)
	}
	d := readOne(t, string(raw))
	r := d.Result
	p := r.Start.Params
	if p.Transport != protocol.UDP || !p.Bidirectional || p.Length != 1000 || p.Rate != 1e6 || r.Start.Interval != time.Second {
		t.Errorf("parameters %+v", p)
	}
	for _, c := range []struct {
		name      string
		got, want float64
	}{
		{"received to the server", first(d.Received(true)), 894787.71},
		{"sent to the client", first(d.Sent(false)), 1003629.73},
		{"loss to the client", first(d.Loss(false)), 9.8814},
		{"out of order", float64(r.Streams[1].Received.UDP.OutOfOrder), 5},
		{"received bytes", float64(r.Streams[1].Received.Bytes), 227000},
		{"processor time", r.LocalCPU.Total, 1.8476738830032244},
	} {
		if math.Abs(c.got-c.want) > 1e-4*c.want {
			t.Errorf("%s: %v, want %v", c.name, c.got, c.want)
		}
	}
	if n := r.Streams[0].Received.UDP.OutOfOrder; n != -1 {
		t.Errorf("a stock server has told %d out of order", n)
	}
}

func first[T any](v T, _ bool) T { return v }

// 3.12 prints a negative count as an unsigned number.
func TestReadUnsigned(t *testing.T) {
	d := readOne(t, `{"start":{"connecting_to":{"host":"a","port":1},"test_start":{"protocol":"UDP","num_streams":1}},
		"intervals":[{"streams":[{"socket":5,"start":0,"end":1e0,"bytes":1.5e3,"packets":18446744073709551615,"lost_packets":18446744073709551608}]}],
		"end":{"sum_sent":{"packets":18446744073709551615}}}`)
	st := d.Result.Intervals[0].Streams[0]
	if st.UDP.Packets != -1 || st.UDP.Lost != -8 || st.Bytes != 1500 || st.End != time.Second {
		t.Errorf("%+v %+v", st, st.UDP)
	}
}

// Several documents, with text between them and one of them cut off: what can
// be read is, and the error says where the rest is.
func TestReadSeveral(t *testing.T) {
	one, err := os.ReadFile("testdata/json/tcp_3.12_client.json")
	if err != nil {
		t.Fatal(err)
	}
	stream, err := os.ReadFile("testdata/json/json-stream_3.21_client.ndjson")
	if err != nil {
		t.Fatal(err)
	}
	cut := one[:len(one)/2]
	input := string(one) + "Control connection MSS 32768\n" + string(stream) + string(cut) + "\n" + string(one) + `{"event":"start","data":{"cookie":"x"}}` + "\n"
	docs, err := Read(strings.NewReader(input))
	if len(docs) != 4 {
		t.Fatalf("%d documents, %v", len(docs), err)
	}
	for i, want := range []string{string(one), string(stream), string(one), `{"event":"start","data":{"cookie":"x"}}`} {
		if got := string(docs[i].Raw); got != strings.TrimSpace(want) {
			t.Errorf("document %d is %d bytes, want %d", i, len(got), len(want))
		}
		if docs[i].Complete != (i < 3) {
			t.Errorf("document %d complete: %v", i, docs[i].Complete)
		}
	}
	lines := bytes.Count(one, []byte("\n"))
	var where []string
	for _, e := range err.(interface{ Unwrap() []error }).Unwrap() {
		var re *ReadError
		if !errors.As(e, &re) {
			t.Fatal(e)
		}
		where = append(where, fmt.Sprint(re.Line))
	}
	want := []string{fmt.Sprint(lines + 1), fmt.Sprint(lines + 2 + bytes.Count(stream, []byte("\n")))}
	if strings.Join(where, " ") != strings.Join(want, " ") {
		t.Errorf("errors at lines %v, want %v: %v", where, want, err)
	}
	if docs[1].Line != lines+2 {
		t.Errorf("second document at line %d, want %d", docs[1].Line, lines+2)
	}
}

// The document that follows a stream of events (--json-stream-full-output) is
// the same test; a document after a stream of another test is another.
func TestReadFullOutput(t *testing.T) {
	raw, err := os.ReadFile("testdata/json/json-stream-full-output_3.21_client.txt")
	if err != nil {
		t.Fatal(err)
	}
	d := readOne(t, string(raw))
	if !bytes.Equal(d.Raw, bytes.TrimSpace(raw)) {
		t.Error("not all of it was kept")
	}
	other, err := os.ReadFile("testdata/json/tcp_3.21_client.json")
	if err != nil {
		t.Fatal(err)
	}
	stream, _, _ := bytes.Cut(raw, []byte("\n{\n"))
	docs, err := Read(bytes.NewReader(append(append(stream, '\n'), other...)))
	if err != nil || len(docs) != 2 {
		t.Errorf("%d documents, %v", len(docs), err)
	}
}

// Events of tests that ran at once are taken apart by their numbers.
func TestReadInterleaved(t *testing.T) {
	var all [2]writes
	for i := range all {
		s, intervals, r := aTest(modes["tcp"])
		s.Number, s.Cookie = i+1, strings.Repeat(string(rune('a'+i)), 36)
		play(t, newSink(t, &all[i], Options{Kind: JSONStream}), s, intervals, r, nil)
	}
	var mixed strings.Builder
	for i := range all[0] {
		mixed.WriteString(all[0][i] + all[1][i])
	}
	docs, err := Read(strings.NewReader(mixed.String()))
	if err != nil || len(docs) != 2 {
		t.Fatalf("%d documents, %v", len(docs), err)
	}
	for i, d := range docs {
		if string(d.Raw)+"\n" != all[i].String() || d.Result.Start.Number != i+1 || len(d.Result.Intervals) != 2 {
			t.Errorf("test %d: %s", i+1, d.Raw)
		}
	}
}

func TestReadRefuses(t *testing.T) {
	for _, c := range []struct{ text, reason string }{
		{`{}`, "no start, intervals, end or error"},
		{`{"a":1}`, "no start, intervals, end or error"},
		{`[]`, "a list; expected is the document of a test"},
		{`42`, "a number; expected"},
		{`"x"`, "a text; expected"},
		{`true`, "true or false; expected"},
		{`null`, "no start, intervals, end or error"},
		{`{"start":[]}`, "start is a list, which it is in no test"},
		{`{"start":{"connected":{}},"end":{}}`, "start.connected is an object"},
		{`{"start":{},"intervals":[],"end":{}}`, "no figures, and no error that tells why; expected"},
		{`{"start":{}`, "the document is cut off"},
		{`nonsense`, "not JSON"},
		{`{"event":3}`, "event is a number"},
		{`{"event":"interval","data":[]}`, `event "interval": a list`},
	} {
		docs, err := Read(strings.NewReader(c.text))
		var where *ReadError
		if !errors.As(err, &where) || where.Line != 1 || len(docs) != 0 || !strings.Contains(err.Error(), c.reason) {
			t.Errorf("%s: %d documents, %v", c.text, len(docs), err)
		}
		if strings.Contains(err.Error(), "Go ") || strings.Contains(err.Error(), "struct") {
			t.Errorf("%s: a Go type in %v", c.text, err)
		}
	}
	if docs, err := Read(strings.NewReader(" \n")); err != nil || len(docs) != 0 {
		t.Errorf("nothing: %d documents, %v", len(docs), err)
	}
}

// Whatever is read, a document is part of the input, can be read again with the
// same result, and its metrics and its rendering do not fail.
func FuzzRead(f *testing.F) {
	for _, name := range []string{"tcp-bidir_3.21_client.json", "udp_3.12_server.json", "json-stream_3.21_server.ndjson", "connection-refused_3.12_client.json"} {
		raw, err := os.ReadFile(filepath.Join("testdata/json", name))
		if err != nil {
			f.Fatal(err)
		}
		f.Add(raw)
	}
	f.Add([]byte("{\"event\":\"start\"}\n{\"event\":\"start\",\"data\":{}}}}\n{\"event\":\"interval\",\"data\":{}}"))
	f.Add([]byte(`{"start":{"test_start":{"num_streams":-1}},"end":{"streams":[{"udp":{"bytes":1e400,"end":-1e300}}]}}{"event":"end","data":null}`))
	f.Fuzz(func(t *testing.T, raw []byte) {
		docs, _ := Read(bytes.NewReader(raw))
		for _, d := range docs {
			again, err := Read(bytes.NewReader(d.Raw))
			if err != nil || len(again) != 1 {
				t.Fatalf("read again: %d documents, %v\n%s", len(again), err, d.Raw)
			}
			for _, toServer := range []bool{true, false} {
				for _, v := range []float64{first(d.Sent(toServer)), first(d.Received(toServer)), first(d.Loss(toServer)), float64(first(d.Jitter(toServer))), float64(first(d.RTT(toServer)))} {
					if math.IsNaN(v) || math.IsInf(v, 0) {
						t.Fatalf("a metric is %v", v)
					}
				}
			}
			for _, kind := range []Kind{Text, JSON} {
				var out bytes.Buffer
				sink, err := New(&out, nil, Options{Kind: kind, Side: d.Side})
				if err != nil {
					t.Fatal(err)
				}
				replay(t, sink, d)
				if kind == JSON && d.Complete {
					uniqueKeys(t, out.Bytes())
				}
			}
		}
	})
}
