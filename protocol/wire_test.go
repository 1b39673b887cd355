package protocol_test

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"reflect"
	"strings"
	"testing"
	"testing/iotest"

	"linkperf/protocol"
)

// wire reads a recorded file.
func wire(t testing.TB, name string) []byte {
	t.Helper()
	b, err := os.ReadFile(filepath.Join("testdata", "wire", name))
	if err != nil {
		t.Fatal(err)
	}
	return b
}

func wireNames(t testing.TB, suffix string) []string {
	t.Helper()
	files, err := filepath.Glob(filepath.Join("testdata", "wire", "*"+suffix))
	if err != nil || len(files) == 0 {
		t.Fatal("no recorded files", suffix, err)
	}
	for i, f := range files {
		files[i] = strings.TrimSuffix(filepath.Base(f), suffix)
	}
	return files
}

func ptr[T any](v T) *T { return &v }

var wireParams = map[string]protocol.Params{
	"v3.0.11-udp": {Transport: protocol.UDP, Time: 1, Parallel: 1, Length: 200, Rate: 1e5, PacingTimer: 1000},
	"v3.1.3-tcp": {Transport: protocol.TCP, Time: 1, Parallel: 1, Length: 1024, Rate: 1e5, PacingTimer: 1000,
		ClientVersion: "3.1.3"},
	"v3.12-tcp-auth-pkcs1": {Transport: protocol.TCP, Time: 1, Parallel: 1, Length: 1024, Rate: 1e5, PacingTimer: 1000,
		ClientVersion: "3.12", AuthToken: "CqX2ZRloOye1R/WhtvnZ+GfKywbZHYG72DRhgmjN1Nes1pXOC77yFsEzJ4o8Wy8CLH0cPzd3AWRtARbSfiKMgFgbHgdi24lC+/t7MODYPCB5DHJ61zgP7ZDErdeWyMSurhXGSfZ5nscsrC0Ga4ANxyGIes45eIf+zpm0dXLPnzoG6n5V+9xUwGHqjCnRjbUahX6mLiQEtLzlBt1sqmQYN0B5n4xlId0g8JPO3jsNktX5XwcDgD93YBdzJbfMe7+g7ACw3PY5MiaH/6nMtuLUE0aPeIKdVGGCcb1NIKZ6Fdho2GWcQnAAPla1Qe/U309RZuBaBS8qhVJzC6HVY7Dhkw=="},
	"v3.12-tcp-bidir": {Transport: protocol.TCP, Time: 1, Parallel: 1, Bidirectional: true, Length: 1024, Rate: 1e5,
		PacingTimer: 1000, ClientVersion: "3.12"},
	"v3.12-tcp-bytes-limit-unread-data": {Transport: protocol.TCP, Bytes: 2048, Parallel: 1, Length: 1024,
		PacingTimer: 1000, ClientVersion: "3.12"},
	"v3.12-tcp-reverse-P2-servertext": {Transport: protocol.TCP, Time: 1, Parallel: 2, Reverse: true, Length: 1024,
		Rate: 1e5, PacingTimer: 1000, GetServerOutput: true, ClientVersion: "3.12"},
	"v3.12-tcp-serverjson": {Transport: protocol.TCP, Time: 1, Parallel: 1, Length: 1024, Rate: 1e5,
		PacingTimer: 1000, GetServerOutput: true, ClientVersion: "3.12"},
	"v3.12-tcp": {Transport: protocol.TCP, Time: 1, Parallel: 1, Length: 512, Rate: 16000, PacingTimer: 1000,
		Congestion: "cubic", ClientVersion: "3.12"},
	"v3.12-udp-bidir-P2-64bit": {Transport: protocol.UDP, Time: 1, Parallel: 2, Bidirectional: true, Length: 200,
		Rate: 1e5, PacingTimer: 1000, UDPCounters64: true, ClientVersion: "3.12"},
	"v3.12-udp-omit": {Transport: protocol.UDP, Omit: 1, Time: 1, Parallel: 1, Length: 200, Rate: 1e5,
		PacingTimer: 1000, ClientVersion: "3.12"},
	"v3.12-udp": {Transport: protocol.UDP, Bytes: 320, Parallel: 1, Length: 64, Rate: 1e6, PacingTimer: 1000,
		ClientVersion: "3.12"},
	"v3.12client-v3.16server-tcp": {Transport: protocol.TCP, Time: 1, Parallel: 1, Length: 1024, Rate: 1e5,
		PacingTimer: 1000, ClientVersion: "3.12"},
	"v3.16client-v3.12server-tcp": {Transport: protocol.TCP, Time: 1, Parallel: 1, Length: 1024, Rate: 1e5,
		PacingTimer: 1000, ClientVersion: "3.16"},
	"v3.21-tcp-bidir-P2": {Transport: protocol.TCP, Time: 1, Parallel: 2, Bidirectional: true, Length: 1024,
		Rate: 1e5, PacingTimer: 1000, ClientVersion: "3.21"},
	"v3.21-tcp-many-options": {Transport: protocol.TCP, ServerAffinity: ptr(1), Time: 1, MSS: 1400, NoDelay: true,
		Parallel: 1, Window: 65536, Length: 1024, Rate: 1e5, FQRate: 1e7, PacingTimer: 1000, Burst: 2, TOS: 32,
		Title: "mytitle", ExtraData: "xd", Congestion: "cubic", GetServerOutput: true, UDPCounters64: true,
		RepeatingPayload: true, ZeroCopy: true, ClientVersion: "3.21"},
	"v3.21-tcp-mptcp": {Transport: protocol.TCP, Time: 1, MSS: 1400, NoDelay: true, Parallel: 1, MPTCP: true,
		Window: 65536, Length: 1024, Rate: 1e5, FQRate: 1e7, PacingTimer: 1000, TOS: 32, Title: "mytitle",
		ExtraData: "xd", Congestion: "cubic", ClientVersion: "3.21"},
	"v3.21-tcp": {Transport: protocol.TCP, Bytes: 2048, Parallel: 1, Length: 1024, PacingTimer: 1000,
		ClientVersion: "3.21"},
	"v3.21-udp-omit": {Transport: protocol.UDP, Omit: 1, Time: 1, Parallel: 1, Length: 200, Rate: 1e5,
		PacingTimer: 1000, GSOBufferSize: 65507, GROBufferSize: 65507, ClientVersion: "3.21"},
	"v3.21-udp-reverse-gsro": {Transport: protocol.UDP, Time: 1, Parallel: 1, Reverse: true, Length: 1000,
		Rate: 5e5, PacingTimer: 1000, GSO: true, GSODatagramSize: 1000, GSOBufferSize: 65000, GRO: true,
		GROBufferSize: 65507, ClientVersion: "3.21"},
	"v3.21-udp": {Transport: protocol.UDP, Bytes: 640, Parallel: 1, Length: 64, Rate: 1 << 20, PacingTimer: 1000,
		GSOBufferSize: 65507, GROBufferSize: 65507, ClientVersion: "3.21"},
	"v3.21client-v3.7server-udp-reverse-P2": {Transport: protocol.UDP, Time: 1, Parallel: 2, Reverse: true,
		Length: 200, Rate: 1e5, PacingTimer: 1000, GSOBufferSize: 65507, GROBufferSize: 65507, ClientVersion: "3.21"},
	"v3.2client-v3.12server-tcp": {Transport: protocol.TCP, Time: 1, Parallel: 1, Length: 1024, Rate: 1e5,
		PacingTimer: 1000, ClientVersion: "3.2"},
	"v3.7client-v3.21server-udp-P2": {Transport: protocol.UDP, Time: 1, Parallel: 2, Length: 200, Rate: 1e5,
		PacingTimer: 1000, ClientVersion: "3.7"},
}

func TestWireParams(t *testing.T) {
	for _, name := range wireNames(t, ".params.json") {
		t.Run(name, func(t *testing.T) {
			want, ok := wireParams[name]
			if !ok {
				t.Fatal("nothing is expected of this file")
			}
			got, warnings, err := protocol.ParseParams(wire(t, name+".params.json"))
			if err != nil || warnings != nil {
				t.Fatal(err, warnings)
			}
			if !reflect.DeepEqual(got, want) {
				t.Errorf("got  %+v\nwant %+v", got, want)
			}
		})
	}
}

// From 3.12 on clients always send num and blockcount, as we do; for UDP from
// 3.21 on the offload keys. Of those, our frames are the same to the byte.
func TestWireParamsAgain(t *testing.T) {
	same := 0
	for name, p := range wireParams {
		if !strings.HasPrefix(name, "v3.21") && (!strings.HasPrefix(p.ClientVersion, "3.1") ||
			p.ClientVersion == "3.1.3" || p.Transport == protocol.UDP) {
			continue
		}
		same++
		got, err := p.Marshal()
		if err != nil {
			t.Fatal(name, err)
		}
		if want := wire(t, name+".params.json"); !bytes.Equal(got, want) {
			t.Errorf("%s:\ngot  %s\nwant %s", name, got, want)
		}
	}
	if same != 16 {
		t.Errorf("%d frames compared", same)
	}
}

// stream is a result of one stream as expected; jitter is checked apart.
type stream = protocol.StreamResults

// The results that say the most; TestWireResultsAll reads them all.
var wireResults = map[string]protocol.Results{
	"v3.0.11-udp.server": {CPUTotal: 0.0855781, CPUUser: 0.0379266, CPUSystem: 0.0379266, SenderHasRetransmits: -1,
		Streams: []stream{{ID: 1, Bytes: 11400, Retransmits: -1, Jitter: 1.84918e-05, Packets: 57}}},
	"v3.1.3-tcp.server": {CPUTotal: 0.087928, CPUSystem: 0.082411, SenderHasRetransmits: -1,
		Streams: []stream{{ID: 1, Bytes: 11264, Retransmits: -1}}},
	// -1 arrives as 18446744073709551615.
	"v3.12-tcp.server": {CPUTotal: 0.0443032961283893, CPUUser: 0.02219770138657343, CPUSystem: 0.02219770138657343,
		SenderHasRetransmits: -1, CongestionUsed: "cubic",
		Streams: []stream{{ID: 1, Bytes: 1024, Retransmits: -1, HasTimes: true, EndTime: 1.085689}}},
	"v3.12-udp.server": {CPUTotal: 11.476793248945148, CPUUser: 9.1561181434599153, CPUSystem: 2.3206751054852321,
		SenderHasRetransmits: -1, Streams: []stream{{ID: 1, Bytes: 320, Retransmits: -1,
			Jitter: 4.8370208740234363e-06, Packets: 5, HasTimes: true, EndTime: 0.00231}}},
	"v3.12-tcp-bytes-limit-unread-data.server": {CPUTotal: 3.56861716085017, CPUUser: 0.86591445814746781,
		CPUSystem: 2.6502230385725531, SenderHasRetransmits: -1, CongestionUsed: "bbr",
		Streams: []stream{{ID: 1, Retransmits: -1, HasTimes: true, EndTime: 0.003769}}},
	"v3.21-udp-omit.server": {CPUTotal: 0.27385536586448472, CPUUser: 0.18253699491240469,
		CPUSystem: 0.091268497456202344, SenderHasRetransmits: -1, Streams: []stream{{ID: 1, Bytes: 12600,
			Retransmits: -1, Jitter: 4.9040474010519331e-05, Packets: 126, OmittedPackets: 63, HasOmitted: true,
			HasTimes: true, EndTime: 1.00383}}},
	"v3.21-udp-reverse-gsro.server": {CPUTotal: 0.21858248957712925, CPUUser: 0.01300377208655946,
		CPUSystem: 0.19465951955529084, Streams: []stream{{ID: 1, Bytes: 65000, Retransmits: -1,
			Jitter: 4.72800239989091e-05, Packets: 65, HasOmitted: true, HasTimes: true, EndTime: 1.000935}}},
	"v3.7client-v3.21server-udp-P2.server": {CPUTotal: 0.47971265212137931, CPUUser: 0.1917851207126931,
		CPUSystem: 0.28762771100111034, SenderHasRetransmits: -1, Streams: []stream{
			{ID: 1, Bytes: 12600, Retransmits: -1, Jitter: 4.7540584140984236e-05, Packets: 63, HasOmitted: true,
				HasTimes: true, EndTime: 1.000549},
			{ID: 3, Bytes: 12600, Retransmits: -1, Jitter: 3.12285644204497e-05, Packets: 63, HasOmitted: true,
				HasTimes: true, EndTime: 1.000551}}},
}

func TestWireResults(t *testing.T) {
	for name, want := range wireResults {
		t.Run(name, func(t *testing.T) {
			got, warnings, err := protocol.ParseResults(wire(t, name+"-results.json"))
			if err != nil || warnings != nil {
				t.Fatal(err, warnings)
			}
			if !reflect.DeepEqual(got, want) {
				t.Errorf("got  %+v\nwant %+v", got, want)
			}
		})
	}
}

// wireSummaries has sender_has_retransmits and id:bytes/retransmits/packets of
// each stream in every recorded file of results, read by another program.
var wireSummaries = map[string]string{
	"v3.0.11-udp.client":                           "0 1:11400/-1/57",
	"v3.0.11-udp.server":                           "-1 1:11400/-1/57",
	"v3.1.3-tcp.client":                            "1 1:12288/0/0",
	"v3.1.3-tcp.server":                            "-1 1:11264/-1/0",
	"v3.12-tcp-auth-pkcs1.client":                  "1 1:13312/0/0",
	"v3.12-tcp-auth-pkcs1.server":                  "-1 1:13312/-1/0",
	"v3.12-tcp-bidir.client":                       "1 1:13312/0/0 3:13312/-1/0",
	"v3.12-tcp-bidir.server":                       "1 1:13312/-1/0 3:13312/0/0",
	"v3.12-tcp-bytes-limit-unread-data.client":     "1 1:2048/0/0",
	"v3.12-tcp-bytes-limit-unread-data.server":     "-1 1:0/-1/0",
	"v3.12-tcp-reverse-P2-servertext.client":       "-1 1:13312/-1/0 3:13312/-1/0",
	"v3.12-tcp-reverse-P2-servertext.server":       "1 1:13312/0/0 3:13312/0/0",
	"v3.12-tcp-serverjson.client":                  "1 1:13312/0/0",
	"v3.12-tcp-serverjson.server":                  "-1 1:13312/-1/0",
	"v3.12-tcp.client":                             "1 1:1024/0/0",
	"v3.12-tcp.server":                             "-1 1:1024/-1/0",
	"v3.12-udp-bidir-P2-64bit.client":              "0 1:12600/-1/63 3:12600/-1/63 4:12600/-1/63 5:12600/-1/63",
	"v3.12-udp-bidir-P2-64bit.server":              "0 1:12600/-1/63 3:12600/-1/63 4:12600/-1/63 5:12600/-1/63",
	"v3.12-udp-omit.client":                        "0 1:12400/-1/125",
	"v3.12-udp-omit.server":                        "-1 1:12400/-1/125",
	"v3.12-udp.client":                             "0 1:320/-1/5",
	"v3.12-udp.server":                             "-1 1:320/-1/5",
	"v3.12client-v3.16server-tcp.client":           "1 1:12288/0/0",
	"v3.12client-v3.16server-tcp.server":           "-1 1:12288/-1/0",
	"v3.16client-v3.12server-tcp.client":           "1 1:13312/0/0",
	"v3.16client-v3.12server-tcp.server":           "-1 1:13312/-1/0",
	"v3.21-tcp-bidir-P2.client":                    "1 1:13312/0/0 3:13312/0/0 4:13312/-1/0 5:13312/-1/0",
	"v3.21-tcp-bidir-P2.server":                    "1 1:13312/-1/0 3:13312/-1/0 4:13312/0/0 5:13312/0/0",
	"v3.21-tcp-many-options.client":                "1 1:14336/0/0",
	"v3.21-tcp-many-options.server":                "-1 1:14336/-1/0",
	"v3.21-tcp.client":                             "1 1:2048/0/0",
	"v3.21-tcp.server":                             "-1 1:2048/-1/0",
	"v3.21-udp-omit.client":                        "0 1:12600/-1/126",
	"v3.21-udp-omit.server":                        "-1 1:12600/-1/126",
	"v3.21-udp-reverse-gsro.client":                "-1 1:65000/-1/65",
	"v3.21-udp-reverse-gsro.server":                "0 1:65000/-1/65",
	"v3.21-udp.client":                             "0 1:129664/-1/2026",
	"v3.21-udp.server":                             "-1 1:129664/-1/2026",
	"v3.21client-v3.7server-udp-reverse-P2.client": "-1 1:13200/-1/66 3:13200/-1/66",
	"v3.21client-v3.7server-udp-reverse-P2.server": "0 1:13200/-1/66 3:13200/-1/66",
	"v3.2client-v3.12server-tcp.client":            "1 1:13312/0/0",
	"v3.2client-v3.12server-tcp.server":            "-1 1:13312/-1/0",
	"v3.7client-v3.21server-udp-P2.client":         "0 1:12600/-1/63 3:12600/-1/63",
	"v3.7client-v3.21server-udp-P2.server":         "-1 1:12600/-1/63 3:12600/-1/63",
}

func summary(r protocol.Results) string {
	s := fmt.Sprint(r.SenderHasRetransmits)
	for _, x := range r.Streams {
		s += fmt.Sprintf(" %d:%d/%d/%d", x.ID, x.Bytes, x.Retransmits, x.Packets)
	}
	return s
}

func TestWireResultsAll(t *testing.T) {
	for _, name := range wireNames(t, "-results.json") {
		t.Run(name, func(t *testing.T) {
			b := wire(t, name+"-results.json")
			r, warnings, err := protocol.ParseResults(b)
			if err != nil || warnings != nil {
				t.Fatal(err, warnings)
			}
			if got := summary(r); got != wireSummaries[name] {
				t.Errorf("got  %s\nwant %s", got, wireSummaries[name])
			}
			test := name[:strings.LastIndexByte(name, '.')]
			params, ok := wireParams[test]
			if !ok {
				t.Fatal("no parameters of", test)
			}
			if len(r.Streams) != params.Streams() {
				t.Fatalf("%d streams, %d were asked for", len(r.Streams), params.Streams())
			}
			for i, s := range r.Streams {
				if s.ID != protocol.StreamID(i) {
					t.Errorf("stream %d has id %d", i, s.ID)
				}
				known := params.Transport == protocol.UDP && (s.HasOmitted || params.Omit == 0)
				if known && s.Bytes != (s.Packets-s.OmittedPackets)*int64(params.Length) {
					t.Errorf("stream %d: %d bytes in %d packets", i, s.Bytes, s.Packets)
				}
				if s.Errors != 0 || s.Jitter < 0 || s.Jitter > 0.01 || s.StartTime != 0 || s.HasTimes != (s.EndTime > 0) {
					t.Errorf("stream %d: %+v", i, s)
				}
			}
			text, document := bytes.Contains(b, []byte(`"server_output_text"`)), bytes.Contains(b, []byte(`"server_output_json"`))
			if got := r.ServerOutputText != ""; got != text {
				t.Error("text of the server:", got)
			}
			if got := r.ServerOutputJSON != nil; got != document || document && !json.Valid(r.ServerOutputJSON) {
				t.Error("document of the server:", got)
			}
			again(t, r)
		})
	}
}

// again writes results and reads them back.
func again(t *testing.T, r protocol.Results) {
	t.Helper()
	b, err := r.Marshal()
	if err != nil {
		t.Fatal(err)
	}
	back, warnings, err := protocol.ParseResults(b)
	if err != nil || warnings != nil {
		t.Fatalf("%v %v in %s", err, warnings, b)
	}
	if !reflect.DeepEqual(back, r) {
		t.Errorf("wrote %+v\nread  %+v", r, back)
	}
}

// rw is a recorded direction of a connection; what is written is gone.
type rw struct{ io.Reader }

func (rw) Write(b []byte) (int, error) { return len(b), nil }

// Each recorded control connection is walked from its first byte to its end,
// whole, and a byte at a time.
func TestWireControl(t *testing.T) {
	for _, name := range wireNames(t, ".control.c2s.bin") {
		for how, wrap := range map[string]func(io.Reader) io.Reader{
			"whole": func(r io.Reader) io.Reader { return r }, "bytes": iotest.OneByteReader,
		} {
			t.Run(name+"/"+how, func(t *testing.T) {
				client := protocol.NewConn(rw{wrap(bytes.NewReader(wire(t, name+".control.c2s.bin")))})
				server := protocol.NewConn(rw{wrap(bytes.NewReader(wire(t, name+".control.s2c.bin")))})
				walkClient(t, client, name)
				walkServer(t, server, name)
			})
		}
	}
}

func walkClient(t *testing.T, c *protocol.Conn, name string) {
	cookie, err := c.ReadCookie()
	if err != nil || len(cookie.String()) != protocol.CookieLength-1 {
		t.Fatalf("cookie %q: %v", cookie, err)
	}
	params, warnings, err := c.ReadParams()
	if err != nil || warnings != nil || !reflect.DeepEqual(params, wireParams[name]) {
		t.Fatal(params, warnings, err)
	}
	expectStates(t, c, protocol.TestEnd)
	expectResults(t, c, name+".client")
	if !strings.HasPrefix(name, "v3.2client") { // 3.2 closes without a word
		expectStates(t, c, protocol.IperfDone)
	}
	expectEnd(t, c)
}

func walkServer(t *testing.T, c *protocol.Conn, name string) {
	expectStates(t, c, protocol.ParamExchange, protocol.CreateStreams, protocol.TestStart, protocol.TestRunning,
		protocol.ExchangeResults)
	expectResults(t, c, name+".server")
	expectStates(t, c, protocol.DisplayResults)
	expectEnd(t, c)
}

func expectStates(t *testing.T, c *protocol.Conn, states ...protocol.State) {
	t.Helper()
	for _, want := range states {
		if got, err := c.ReadState(); err != nil || got != want {
			t.Fatalf("got %v (%v), want %v", got, err, want)
		}
	}
}

func expectResults(t *testing.T, c *protocol.Conn, name string) {
	t.Helper()
	r, warnings, err := c.ReadResults(protocol.MaxServerResults)
	if err != nil || warnings != nil || summary(r) != wireSummaries[name] {
		t.Fatal(summary(r), warnings, err)
	}
}

func expectEnd(t *testing.T, c *protocol.Conn) {
	t.Helper()
	if s, err := c.ReadState(); !errors.Is(err, protocol.NewError(protocol.CodeCtrlClose, nil)) {
		t.Fatalf("got %v (%v) at the end", s, err)
	}
}
