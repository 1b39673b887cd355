package report

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"math"
	"net/netip"
	"os"
	"strings"
	"syscall"
	"testing"
	"time"

	"linkperf/protocol"
	"linkperf/protocol/measure"
)

// writes records each Write.
type writes []string

func (w *writes) Write(b []byte) (int, error) {
	*w = append(*w, string(b))
	return len(b), nil
}

func (w writes) String() string { return strings.Join(w, "") }

// aTest returns a test of a client that sends one UDP and TCP stream each way
// as the parameters say, with results of both ends.
func aTest(p protocol.Params) (*measure.Start, []measure.Interval, *measure.Result) {
	at := time.Date(2026, 11, 30, 14, 24, 37, 123456789, time.UTC)
	s := &measure.Start{
		Side: measure.Client, Params: p, Cookie: strings.Repeat("a", 36), Time: at.Truncate(time.Millisecond),
		Peer: measure.Endpoint{Host: "server.example", Port: 5201}, Interval: time.Second,
		ControlMSS: 1448, SendBuffer: 16384, ReceiveBuffer: 131072,
	}
	senders := []bool{!p.Reverse}
	if p.Bidirectional {
		senders = []bool{true, false}
	}
	for i, sender := range senders {
		for k := range max(1, p.Parallel) {
			n := i*max(1, p.Parallel) + k
			s.Streams = append(s.Streams, measure.StreamInfo{
				ID: protocol.StreamID(n), Socket: 5 + 2*n, Sender: sender, DataPath: "net",
				Local:  netip.MustParseAddrPort(fmt.Sprintf("192.0.2.1:%d", 40000+n)),
				Remote: netip.MustParseAddrPort("[::ffff:192.0.2.2]:5201"),
			})
		}
	}
	r := &measure.Result{
		Start: s, Duration: 2 * time.Second, Exchanged: true,
		LocalCPU: &measure.CPU{Total: 3.5, User: 1.5, System: 2}, RemoteCPU: &measure.CPU{Total: 1, System: 1},
		SenderCongestion: "cubic", ReceiverCongestion: "bbr",
		Warnings: []string{"something"}, LocalRecord: json.RawMessage(`{"host":"a"}`), PeerRecord: json.RawMessage(`{"host":"b"}`),
	}
	if p.Transport != protocol.TCP {
		r.SenderCongestion, r.ReceiverCongestion = "", ""
	}
	var intervals []measure.Interval
	for n := range 2 {
		iv := measure.Interval{
			Time:  at.Add(time.Duration(n+1) * time.Second).Truncate(time.Millisecond),
			Start: time.Duration(n) * time.Second, End: time.Duration(n+1) * time.Second,
		}
		for i := range s.Streams {
			st := &s.Streams[i]
			si := measure.StreamInterval{Stream: st, Start: iv.Start, End: iv.End, Bytes: 1 << 20}
			switch {
			case p.Transport == protocol.UDP && st.Sender:
				si.UDP = &measure.UDPStats{Packets: 1024, OutOfOrder: -1, Duplicates: -1, Dropped: -1}
			case p.Transport == protocol.UDP:
				si.UDP = &measure.UDPStats{Packets: 1026, Lost: 2, Jitter: 0.000125, OutOfOrder: -1, Duplicates: -1, Dropped: -1}
			case st.Sender:
				si.TCP = &measure.TCPInfo{Retransmits: 3, SndCwnd: 14480, SndWnd: 65535, RTT: 250, RTTVar: 50, PMTU: 1500}
			}
			iv.Streams = append(iv.Streams, si)
		}
		intervals = append(intervals, iv)
	}
	for i := range s.Streams {
		sr := measure.StreamResult{Stream: &s.Streams[i]}
		sr.Sent = &measure.Totals{Bytes: 2 << 20, Duration: 2 * time.Second, Retransmits: 6, Reorder: 1, MaxSndCwnd: 14480, MaxSndWnd: 65535, MaxRTT: 260, MinRTT: 240, MeanRTT: 250}
		sr.Received = &measure.Totals{Bytes: 2 << 20, Duration: 2010 * time.Millisecond, Retransmits: -1, Reorder: -1}
		if p.Transport == protocol.UDP {
			sr.Sent.Retransmits, sr.Sent.Reorder, sr.Sent.MaxSndCwnd, sr.Sent.MaxSndWnd, sr.Sent.MaxRTT, sr.Sent.MinRTT, sr.Sent.MeanRTT = -1, -1, 0, 0, 0, 0, 0
			sr.Sent.UDP = &measure.UDPStats{Packets: 2048}
			sr.Received.Bytes -= 4096
			sr.Received.UDP = &measure.UDPStats{Packets: 2046, Lost: 4, OutOfOrder: 7, Duplicates: 2, Dropped: 1, DroppedAtLeast: true, Jitter: 0.0005}
		}
		r.Streams = append(r.Streams, sr)
	}
	return s, intervals, r
}

func play(t *testing.T, sink measure.Sink, s *measure.Start, intervals []measure.Interval, r *measure.Result, err error) {
	t.Helper()
	failed := errors.Join(sink.Connect(s), sink.Start(s))
	for i := range intervals {
		failed = errors.Join(failed, sink.Interval(&intervals[i]))
	}
	if failed = errors.Join(failed, sink.End(r, err)); failed != nil {
		t.Fatal(failed)
	}
}

func newSink(t *testing.T, w io.Writer, o Options) Sink {
	t.Helper()
	s, err := New(w, nil, o)
	if err != nil {
		t.Fatal(err)
	}
	return s
}

// modes are parameters that lead to different keys and lines.
var modes = map[string]protocol.Params{
	"tcp":          {Transport: protocol.TCP, Parallel: 1, Length: 131072, Time: 2},
	"tcp-R":        {Transport: protocol.TCP, Parallel: 2, Length: 131072, Time: 2, Reverse: true, MSS: 1400},
	"tcp-bidir":    {Transport: protocol.TCP, Parallel: 2, Length: 131072, Time: 2, Bidirectional: true, Title: "ti\ttle", ExtraData: "x"},
	"udp":          {Transport: protocol.UDP, Parallel: 1, Length: 1024, Time: 2, Rate: 1 << 20, GSO: true},
	"udp-bidir-P3": {Transport: protocol.UDP, Parallel: 3, Length: 1024, Time: 2, Bidirectional: true},
	"sctp":         {Transport: protocol.SCTP, Parallel: 1, Length: 65536, Bytes: 100},
}

// What a document holds is read back: the next document is the same byte for
// byte, for both sides.
func TestDocumentRoundTrip(t *testing.T) {
	for name, p := range modes {
		for _, kind := range []Kind{JSON, JSONStream} {
			t.Run(fmt.Sprint(name, kind), func(t *testing.T) {
				s, intervals, r := aTest(p)
				o := Options{Kind: kind, Version: "1.2.3", SystemInfo: "sys", Title: p.Title, ExtraData: p.ExtraData, Extra: func(*measure.Result, error) Extra {
					return Extra{Findings: json.RawMessage(`[{"id":"x"}]`), Run: json.RawMessage(`{"n":1}`)}
				}}
				var first bytes.Buffer
				play(t, newSink(t, &first, o), s, intervals, r, nil)
				docs, err := Read(bytes.NewReader(first.Bytes()))
				if err != nil || len(docs) != 1 {
					t.Fatalf("%d documents, %v", len(docs), err)
				}
				d := docs[0]
				if kind == JSONStream { // not among its events
					d.Result.Start.Params.Title, d.Result.Start.Params.ExtraData = p.Title, p.ExtraData
				}
				if !bytes.Equal(d.Raw, bytes.TrimSpace(first.Bytes())) || !d.Complete || d.Error != "" {
					t.Errorf("read %+v", d)
				}
				var second bytes.Buffer
				o.Extra = func(*measure.Result, error) Extra { return Extra{Findings: d.Linkperf.Findings, Run: d.Linkperf.Run} }
				play(t, newSink(t, &second, o), d.Result.Start, d.Result.Intervals, d.Result, nil)
				if first.String() != second.String() {
					t.Errorf("first:\n%s\nsecond:\n%s", first.String(), second.String())
				}
			})
		}
	}
}

// uniqueKeys fails on an object that has a key twice.
func uniqueKeys(t *testing.T, raw []byte) {
	t.Helper()
	dec := json.NewDecoder(bytes.NewReader(raw))
	var walk func() error
	walk = func() error {
		tok, err := dec.Token()
		if err != nil {
			return err
		}
		seen := map[string]bool{}
		for d, ok := tok.(json.Delim); ok && dec.More(); {
			if d == '{' {
				key, err := dec.Token()
				if err != nil {
					return err
				}
				if seen[key.(string)] {
					t.Errorf("key %q twice", key)
				}
				seen[key.(string)] = true
			}
			if err := walk(); err != nil {
				return err
			}
		}
		if _, ok := tok.(json.Delim); ok {
			_, err = dec.Token()
		}
		return err
	}
	for {
		if err := walk(); errors.Is(err, io.EOF) {
			return
		} else if err != nil {
			t.Fatal(err)
		}
	}
}

// In every mode and at whatever point a test breaks off there is exactly one
// document, or one valid line per event, with unique keys and the error.
func TestJSONAlwaysParses(t *testing.T) {
	broken := protocol.NewError(protocol.CodeCtrlClose, nil)
	for name, p := range modes {
		for _, side := range []measure.Side{measure.Client, measure.Server} {
			for stop := range 5 {
				for _, kind := range []Kind{JSON, JSONStream} {
					s, intervals, r := aTest(p)
					s.Side = side
					for i := range s.Streams {
						s.Streams[i].Sender = s.Streams[i].Sender == (side == measure.Client)
					}
					var out writes
					sink := newSink(t, &out, Options{Side: side, Kind: kind})
					var err error
					if stop > 0 {
						err = errors.Join(err, sink.Connect(s))
					}
					if stop > 1 {
						err = errors.Join(err, sink.Start(s))
					}
					if stop > 2 {
						err = errors.Join(err, sink.Interval(&intervals[0]))
					}
					for i := range r.Streams { // only this side is known
						if r.Streams[i].Stream.Sender {
							r.Streams[i].Received = nil
						} else {
							r.Streams[i].Sent = nil
						}
					}
					r.RemoteCPU = nil
					if stop < 3 {
						r = &measure.Result{}
					}
					var end error = broken
					if stop == 4 {
						end = nil
					}
					if err = errors.Join(err, sink.End(r, end)); err != nil {
						t.Fatal(err)
					}
					at := fmt.Sprint(name, side, stop, kind)
					uniqueKeys(t, []byte(out.String()))
					if kind == JSON && len(out) != 1 {
						t.Errorf("%s: %d writes", at, len(out))
					}
					for _, line := range out {
						if !json.Valid([]byte(line)) || !strings.HasSuffix(line, "\n") || kind == JSONStream && strings.Count(line, "\n") != 1 {
							t.Errorf("%s: %q", at, line)
						}
					}
					docs, err := Read(strings.NewReader(out.String()))
					if err != nil || len(docs) != 1 {
						t.Fatalf("%s: %d documents, %v", at, len(docs), err)
					}
					d := docs[0]
					if (d.Error != "") != (end != nil) || !d.Complete {
						t.Errorf("%s: %+v", at, d)
					}
					if stop > 2 && len(d.Result.Intervals) != 1 {
						t.Errorf("%s: %d intervals", at, len(d.Result.Intervals))
					}
					for _, toServer := range d.Directions() {
						own := toServer == (side == measure.Client)
						if _, ok := d.Sent(toServer); stop > 2 && ok != own {
							t.Errorf("%s: sent known: %v", at, ok)
						}
						if _, ok := d.Received(toServer); stop > 2 && ok == own {
							t.Errorf("%s: received known: %v", at, ok)
						}
					}
				}
			}
		}
	}
}

// Events are written when they happen, each with one Write.
func TestEventsAsTheyHappen(t *testing.T) {
	s, intervals, r := aTest(modes["tcp"])
	var out writes
	sink := newSink(t, &out, Options{Kind: JSONStream, Version: "1"})
	steps := []func() error{
		func() error { return sink.Connect(s) },
		func() error { return sink.Start(s) },
		func() error { return sink.Interval(&intervals[0]) },
		func() error { return sink.Interval(&intervals[1]) },
		func() error { return sink.End(r, nil) },
	}
	for i, want := range []int{0, 1, 2, 3, 5} {
		if err := steps[i](); err != nil {
			t.Fatal(err)
		}
		if len(out) != want {
			t.Fatalf("step %d: %d writes, want %d", i, len(out), want)
		}
	}
	for i, name := range []string{"start", "interval", "interval", "linkperf", "end"} {
		if !strings.HasPrefix(out[i], `{"event":"`+name+`","data":{`) {
			t.Errorf("%d: %s", i, out[i])
		}
	}
	if !strings.Contains(out[1], `"linkperf":{"time":"2026-11-30T14:24:38.123Z"}`) {
		t.Errorf("no absolute time: %s", out[1])
	}
}

// Lines of text are written whole, each with one Write.
func TestTextLineByLine(t *testing.T) {
	s, intervals, r := aTest(modes["udp-bidir-P3"])
	var out writes
	play(t, newSink(t, &out, Options{}), s, intervals, r, nil)
	for _, w := range out {
		if strings.Count(w, "\n") != 1 || !strings.HasSuffix(w, "\n") {
			t.Errorf("not a line: %q", w)
		}
	}
	for _, want := range []string{
		"[SUM][TX-C]  0.0- 2.0 sec  7 datagrams received out-of-order\n",
		"[SUM][TX-C]  0.0- 2.0 sec  2 duplicate datagrams received\n",
		"[SUM][RX-C]  0.0- 2.0 sec  at least 1 datagrams dropped by the receiver's socket buffer\n",
	} {
		if strings.Count(out.String(), want) != 3 {
			t.Errorf("not there three times: %q", want)
		}
	}
}

// Nothing that was not measured is a zero.
func TestNotMeasured(t *testing.T) {
	s, intervals, r := aTest(modes["tcp"])
	r.Streams[0].Received, r.RemoteCPU, r.ReceiverCongestion = nil, nil, ""
	stopped := &SignalError{"Interrupt", 2}
	var text, doc bytes.Buffer
	play(t, newSink(t, &text, Options{Verbose: true}), s, intervals, r, stopped)
	for _, want := range []string{"[  5] (receiver statistics not available)\n", "local/sender 3.5% (1.5%u/2.0%s), remote/receiver not available\n"} {
		if !strings.Contains(text.String(), want) {
			t.Errorf("no %q in\n%s", want, text.String())
		}
	}
	if strings.Contains(text.String(), "iperf Done") || strings.Contains(text.String(), "0.00 Bytes") {
		t.Errorf("text:\n%s", text.String())
	}
	play(t, newSink(t, &doc, Options{Kind: JSON}), s, intervals, r, stopped)
	var end struct {
		End struct {
			Received map[string]any `json:"sum_received"`
			CPU      map[string]any `json:"cpu_utilization_percent"`
		}
		Error string
	}
	if err := json.Unmarshal(doc.Bytes(), &end); err != nil {
		t.Fatal(err)
	}
	for _, key := range []string{"bytes", "bits_per_second", "seconds"} {
		if v, ok := end.End.Received[key]; v != nil || !ok {
			t.Errorf("sum_received.%s = %v, %v", key, v, ok)
		}
	}
	if v, ok := end.End.CPU["remote_total"]; v != nil || !ok {
		t.Errorf("remote_total = %v, %v", v, ok)
	}
	if end.Error != "interrupt - the client has terminated by signal Interrupt(2)" {
		t.Errorf("error = %q", end.Error)
	}
}

// A last interval that is short and empty is left out, one with data is not.
func TestLastInterval(t *testing.T) {
	s, intervals, r := aTest(modes["tcp"])
	last := intervals[1]
	last.Last, last.Start, last.End = true, 2*time.Second, 2050*time.Millisecond
	last.Streams = []measure.StreamInterval{{Stream: &s.Streams[0], Start: last.Start, End: last.End}}
	for bytes, want := range map[int64]int{0: 2, 1: 3} {
		last.Streams[0].Bytes = bytes
		var out writes
		play(t, newSink(t, &out, Options{Kind: JSONStream}), s, append(intervals[:2:2], last), r, nil)
		if n := strings.Count(out.String(), `"event":"interval"`); n != want {
			t.Errorf("%d bytes: %d intervals, want %d", bytes, n, want)
		}
	}
}

// What a client gets as the server's output is what the server shows itself,
// in the recorded run as here.
func TestServerOutput(t *testing.T) {
	rec := recording{Case: "get-server-output", Version: "3.21", Role: "server", Command: "iperf3 -s -1", Client: "iperf3 -c 127.0.0.1 -t 2 -b 20M --get-server-output"}
	raw, err := os.ReadFile("testdata/text/get-server-output_3.21_server.txt")
	if err != nil {
		t.Fatal(err)
	}
	test := parseText(t, &rec, string(raw)).tests[0]
	test.start.Params.GetServerOutput = true
	var out writes
	sink := newSink(t, &out, Options{Side: measure.Server})
	failed := errors.Join(sink.Connect(test.start), sink.Start(test.start))
	for _, iv := range test.intervals {
		failed = errors.Join(failed, sink.Interval(iv))
	}
	if failed != nil {
		t.Fatal(failed)
	}
	before := len(out)
	text, doc := sink.ServerOutput(&test.result)
	if doc != nil || len(out) != before {
		t.Errorf("document %s, %d lines printed", doc, len(out)-before)
	}
	if err := sink.End(&test.result, nil); err != nil {
		t.Fatal(err)
	}
	if text != out.String() {
		t.Errorf("output:\n%s\nprinted:\n%s", text, out.String())
	}
	_, want, _ := strings.Cut(string(raw), "test #1)\n"+strings.Repeat("-", 59)+"\n")
	if text != want {
		t.Errorf("output:\n%s\nrecorded:\n%s", text, want)
	}

	js := newSink(t, io.Discard, Options{Side: measure.Server, Kind: JSONStream})
	failed = errors.Join(js.Connect(test.start), js.Start(test.start))
	for _, iv := range test.intervals {
		failed = errors.Join(failed, js.Interval(iv))
	}
	if failed != nil {
		t.Fatal(failed)
	}
	text, doc = js.ServerOutput(&test.result)
	docs, err := Read(bytes.NewReader(doc))
	if err != nil || len(docs) != 1 || text != "" {
		t.Fatalf("%d documents, %v", len(docs), err)
	}
	if d := docs[0]; len(d.Result.Intervals) != len(test.intervals) || len(d.Result.Streams) != 1 || d.Side != measure.Server {
		t.Errorf("%s", doc)
	}
}

// Tests that run at once can be told apart in every kind of output.
func TestLabels(t *testing.T) {
	for _, kind := range []Kind{Text, JSON, JSONStream} {
		s, intervals, r := aTest(modes["tcp"])
		s.Number, s.Side = 7, measure.Server
		var out writes
		play(t, newSink(t, &out, Options{Side: measure.Server, Kind: kind}), s, intervals, r, nil)
		for _, w := range out {
			if kind == Text && !strings.HasPrefix(w, "#7:  ") || kind != Text && !strings.Contains(w, `"test":`) {
				t.Errorf("no label: %q", w)
			}
		}
	}
}

func TestVerboseHead(t *testing.T) {
	s, intervals, r := aTest(modes["udp"])
	s.ControlKeepalive = &measure.Keepalive{Idle: 7200, Interval: 75, Count: 9}
	s.DefaultLength = true
	var out, warnings bytes.Buffer
	sink, err := New(&out, &warnings, Options{Verbose: true, SystemInfo: "sys", Extra: func(*measure.Result, error) Extra { return Extra{Text: "one\ntwo\n"} }})
	if err != nil {
		t.Fatal(err)
	}
	play(t, sink, s, intervals, r, nil)
	want := version + `
sys
Control connection TCP Keepalive TCP_KEEPIDLE/TCP_KEEPINTVL/TCP_KEEPCNT are set to 7200/75/9
Control connection MSS 1448
Setting UDP block size to 1024
Time: Mon, 30 Nov 2026 14:24:37 GMT
Connecting to host server.example, port 5201
`
	if !strings.HasPrefix(out.String(), want) {
		t.Errorf("got\n%s\nwant\n%s", out.String(), want)
	}
	if !strings.HasSuffix(out.String(), "\n\none\ntwo\n\niperf Done.\n") {
		t.Errorf("end: %q", out.String())
	}
	if warnings.String() != "warning: something\n" {
		t.Errorf("warnings: %q", warnings.String())
	}
}

// Text from a peer cannot control the terminal or forge lines.
func TestPeerText(t *testing.T) {
	s, intervals, r := aTest(modes["tcp"])
	r.ReceiverCongestion = "bbr\x1b[2J\niperf3: error"
	r.ServerOutputText = "one\x1b]0;t\x07\ttwo\n"
	s.Cookie = "a\nb"
	var out bytes.Buffer
	play(t, newSink(t, &out, Options{Verbose: true}), s, intervals, r, nil)
	for _, want := range []string{"rcv_tcp_congestion bbr\ufffd[2J\ufffdiperf3: error\n", "\nServer output:\none\ufffd]0;t\ufffd\ttwo\n\n", "Cookie: a\ufffdb\n"} {
		if !strings.Contains(out.String(), want) {
			t.Errorf("no %q in %q", want, out.String())
		}
	}
}

// A sender that does not tell its datagrams has not sent none.
func TestDatagramsNotTold(t *testing.T) {
	s, intervals, r := aTest(modes["udp"])
	r.Streams[0].Sent.UDP.Packets = 0
	var text, doc bytes.Buffer
	play(t, newSink(t, &text, Options{}), s, intervals, r, nil)
	if want := "  0.000 ms  0/Unknown (0%)  sender\n"; !strings.Contains(text.String(), want) {
		t.Errorf("no %q in\n%s", want, text.String())
	}
	play(t, newSink(t, &doc, Options{Kind: JSON}), s, intervals, r, nil)
	d := readOne(t, doc.String())
	if got, ok := d.Loss(true); !ok || math.Abs(got-4*100.0/2046) > 1e-9 {
		t.Errorf("loss %v %v", got, ok)
	}
	if !strings.Contains(doc.String(), "\"packets\":\tnull") {
		t.Error("packets of the sender are not null")
	}
}

// hinted is an error that knows what lies behind it.
type hinted struct{ error }

func (h hinted) Unwrap() error { return h.error }
func (hinted) Hint() string    { return "because" }

func TestErrorTexts(t *testing.T) {
	refused := &protocol.Error{Code: protocol.CodeStreamListen, Errno: 93, Remote: true}
	for _, c := range []struct {
		side  measure.Side
		err   error
		json  string
		lines []string
	}{
		{measure.Client, protocol.NewError(protocol.CodeConnect, syscall.ECONNREFUSED),
			"unable to connect to server - server may have stopped running or use a different port, firewall issue, etc.: Connection refused",
			[]string{"iperf3: error - unable to connect to server - server may have stopped running or use a different port, firewall issue, etc.: Connection refused"}},
		{measure.Client, fmt.Errorf("run: %w", &SignalError{"Terminated", 15}),
			"interrupt - the client has terminated by signal Terminated(15)",
			[]string{"iperf3: interrupt - the client has terminated by signal Terminated(15)"}},
		{measure.Client, protocol.NewError(protocol.CodeServerTerm, nil), "the server has terminated", []string{"iperf3: error - the server has terminated"}},
		{measure.Client, refused, "unable to start stream listener: Protocol not supported", []string{
			"iperf3: SERVER ERROR - unable to start stream listener: Protocol not supported, errno: Protocol not supported",
			"iperf3: error - unable to start stream listener: Protocol not supported"}},
		{measure.Server, &SignalError{"Hangup", 1}, "interrupt - the server has terminated by signal Hangup(1)",
			[]string{"iperf3: interrupt - the server has terminated by signal Hangup(1)"}},
		{measure.Server, protocol.NewError(protocol.CodeClientTerm, nil), "the client has terminated", []string{"iperf3: the client has terminated"}},
		{measure.Server, protocol.NewError(protocol.CodeCtrlClose, nil), "the client has unexpectedly closed the connection",
			[]string{"iperf3: the client has unexpectedly closed the connection"}},
		{measure.Server, protocol.NewError(protocol.CodeNoMsg, nil), "error - idle timeout for receiving data", []string{"iperf3: error - idle timeout for receiving data"}},
		{measure.Server, protocol.NewError(protocol.CodeServerTestDurationExpired, nil), "error - server test duration expired - test is terminated by the server",
			[]string{"iperf3: error - server test duration expired - test is terminated by the server"}},
		{measure.Client, errors.New("plain"), "plain", []string{"iperf3: error - plain"}},
		{measure.Client, hinted{&protocol.Error{Code: protocol.CodeAuthTest, Remote: true}}, "test authorization failed (because)",
			[]string{"iperf3: SERVER ERROR - test authorization failed", "iperf3: error - test authorization failed (because)"}},
	} {
		if got := ErrorText(c.side, c.err); got != c.json {
			t.Errorf("ErrorText(%v) = %q, want %q", c.err, got, c.json)
		}
		if got := ErrorLines(Options{Side: c.side}, c.err); strings.Join(got, "|") != strings.Join(c.lines, "|") {
			t.Errorf("ErrorLines(%v) = %q, want %q", c.err, got, c.lines)
		}
	}
	at := func() time.Time { return time.Date(2026, 11, 30, 14, 28, 48, 0, time.UTC) }
	lines := ErrorLines(Options{Side: measure.Server, Timestamps: "%c ", Now: at}, protocol.NewError(protocol.CodeClientTerm, nil))
	if len(lines) != 1 || lines[0] != "Mon Nov 30 14:28:48 2026 iperf3: the client has terminated" {
		t.Errorf("%q", lines)
	}
}

func TestNewRefuses(t *testing.T) {
	if _, err := New(io.Discard, nil, Options{Format: 'x'}); err == nil {
		t.Error("format x was taken")
	}
	if _, err := New(io.Discard, nil, Options{Kind: 9}); err == nil {
		t.Error("kind 9 was taken")
	}
}

type full struct{}

func (full) Write([]byte) (int, error) { return 0, errors.New("disk full") }

// A writer that fails is told, by each method that wrote.
func TestWriteErrors(t *testing.T) {
	for _, kind := range []Kind{Text, JSON, JSONStream} {
		s, intervals, r := aTest(modes["tcp"])
		sink := newSink(t, full{}, Options{Kind: kind})
		failed := errors.Join(sink.Connect(s), sink.Start(s), sink.Interval(&intervals[0]), sink.End(r, nil))
		if failed == nil {
			t.Errorf("kind %d: no error", kind)
		}
	}
	if err := WriteBanner(full{}, Options{}, 5201, 1); err == nil {
		t.Error("banner: no error")
	}
}

func TestSystemInfo(t *testing.T) {
	if got := SystemInfo(); len(strings.Fields(got)) < 3 || strings.ContainsAny(got, "\n\x00") {
		t.Errorf("SystemInfo() = %q", got)
	}
}
