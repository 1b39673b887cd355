package protocol_test

import (
	"bytes"
	"encoding/json"
	"errors"
	"math"
	"os"
	"slices"
	"strings"
	"testing"

	"linkperf/protocol"
)

func TestParseParams(t *testing.T) {
	for _, test := range []struct {
		name, json string
		same       func(p protocol.Params) bool
	}{
		{"nothing", `{}`, func(p protocol.Params) bool {
			return p.Transport == protocol.TCP && p.Time == 10 && p.Parallel == 1 && p.Length == 131072 && p.PacingTimer == 1000
		}},
		{"several transports", `{"sctp":true,"udp":true,"tcp":true}`,
			func(p protocol.Params) bool { return p.Transport == protocol.SCTP && p.Length == 131072 }},
		{"datagrams without length", `{"udp":true}`,
			func(p protocol.Params) bool { return p.Transport == protocol.UDP && p.Length == 1460 }},
		// Clients before 3.3 leave out a time of 0.
		{"bytes without time", `{"num":5}`, func(p protocol.Params) bool { return p.Time == 0 && p.Bytes == 5 }},
		{"blocks without time", `{"blockcount":5}`, func(p protocol.Params) bool { return p.Time == 0 && p.Blocks == 5 }},
		{"bytes with time", `{"num":5,"time":3}`, func(p protocol.Params) bool { return p.Time == 3 }},
		{"no bytes without time", `{"num":0}`, func(p protocol.Params) bool { return p.Time == 10 }},
		{"false is yes", `{"reverse":false,"nodelay":false,"get_server_output":0,"udp_counters_64bit":0,"repeating_payload":0}`,
			func(p protocol.Params) bool {
				return p.Reverse && p.NoDelay && p.GetServerOutput && p.UDPCounters64 && p.RepeatingPayload
			}},
		{"numbers that count", `{"zerocopy":0,"dont_fragment":0,"skip_rx_copy":0}`,
			func(p protocol.Params) bool { return !p.ZeroCopy && !p.DontFragment && !p.SkipRxCopy }},
		{"numbers that count, set", `{"zerocopy":1,"dont_fragment":1,"skip_rx_copy":1}`,
			func(p protocol.Params) bool { return p.ZeroCopy && p.DontFragment && p.SkipRxCopy }},
		// A stock server makes the test bidirectional when both are there.
		{"both directions", `{"reverse":true,"bidirectional":true}`,
			func(p protocol.Params) bool { return !p.Reverse && p.Bidirectional && p.Streams() == 2 }},
		{"multipath datagrams", `{"udp":true,"mptcp":true}`, func(p protocol.Params) bool { return !p.MPTCP }},
		{"null is absent", `{"parallel":null,"reverse":null,"title":null,"linkperf":null}`,
			func(p protocol.Params) bool {
				return p.Parallel == 1 && !p.Reverse && p.Title == "" && p.Linkperf == nil
			}},
		{"any case", `{"PARALLEL":3,"mss":500,"tos":7}`,
			func(p protocol.Params) bool { return p.Parallel == 3 && p.MSS == 500 && p.TOS == 7 }},
		{"first of two", `{"parallel":3,"Parallel":4,"parallel":5}`, func(p protocol.Params) bool { return p.Parallel == 3 }},
		{"fractions", `{"time":1.7,"parallel":2.9,"bandwidth":1.5e6}`,
			func(p protocol.Params) bool { return p.Time == 1 && p.Parallel == 2 && p.Rate == 1500000 }},
		{"exponents", `{"num":1e+15,"bandwidth":1E10}`,
			func(p protocol.Params) bool { return p.Bytes == 1e15 && p.Rate == 1e10 }},
		// What -b -1 and -n -5 make of stock clients.
		{"beyond int64", `{"num":1.8446744073709552e+19,"bandwidth":1.8446744073709552e+19,"fqrate":18446744073709551615}`,
			func(p protocol.Params) bool {
				return p.Bytes == math.MaxInt64 && p.Rate == math.MaxUint64 && p.FQRate == math.MaxUint64
			}},
		{"zero burst and label", `{"burst":0,"flowlabel":0}`, func(p protocol.Params) bool { return p.Burst == 0 && p.FlowLabel == 0 }},
		{"offload without datagrams", `{"gso":1,"gro":1,"gso_bf_size":9}`,
			func(p protocol.Params) bool { return !p.GSO && !p.GRO && p.GSOBufferSize == 0 }},
		{"buffers beyond reason", `{"udp":true,"gso_bf_size":1e18,"gro_bf_size":1e18,"pacing_timer":1e18}`,
			func(p protocol.Params) bool {
				return p.GSOBufferSize == 65507 && p.GROBufferSize == 65507 && p.PacingTimer == math.MaxInt32
			}},
		{"first CPU", `{"server_affinity":0}`,
			func(p protocol.Params) bool { return p.ServerAffinity != nil && *p.ServerAffinity == 0 }},
		{"unknown keys", `{"parallel2":9,"x":{"parallel":7},"no_fq_socket_pacing":1,"congestion_used":"x"}`,
			func(p protocol.Params) bool { return p.Parallel == 1 && p.Congestion == "" }},
		{"strings", "{\"title\":\"a\\u00e9\\n\xff\",\"extra_data\":\"\\\"\",\"congestion\":\"bbr\",\"authtoken\":\"dG9r\"}",
			func(p protocol.Params) bool {
				return p.Title == "aé\n\ufffd" && p.ExtraData == `"` && p.Congestion == "bbr" && p.AuthToken == "dG9r"
			}},
		{"ours", `{"linkperf":{"a":[1,2]}}`, func(p protocol.Params) bool { return string(p.Linkperf) == `{"a":[1,2]}` }},
		{"line feed and NUL behind", "{\"parallel\":2}\n\x00", func(p protocol.Params) bool { return p.Parallel == 2 }},
	} {
		t.Run(test.name, func(t *testing.T) {
			p, warnings, err := protocol.ParseParams([]byte(test.json))
			if err != nil || warnings != nil {
				t.Fatal(err, warnings)
			}
			if !test.same(p) {
				t.Errorf("got %+v", p)
			}
		})
	}
}

func TestParseParamsWrongType(t *testing.T) {
	p, warnings, err := protocol.ParseParams([]byte(
		`{"parallel":"2","reverse":1,"title":5,"get_server_output":true,"TOS":[],"len":{},"bandwidth":"1M"}`))
	if err != nil {
		t.Fatal(err)
	}
	if p.Parallel != 1 || p.Reverse || p.Title != "" || p.GetServerOutput || p.TOS != 0 || p.Length != 131072 || p.Rate != 0 {
		t.Errorf("got %+v", p)
	}
	var got []string
	for _, w := range warnings {
		got = append(got, w.Error())
	}
	want := []string{
		`key "parallel" ignored: string instead of number`,
		`key "reverse" ignored: number instead of boolean`,
		`key "len" ignored: object instead of number`,
		`key "bandwidth" ignored: string instead of number`,
		`key "TOS" ignored: array instead of number`,
		`key "title" ignored: number instead of string`,
		`key "get_server_output" ignored: boolean instead of number`,
	}
	if strings.Join(got, "\n") != strings.Join(want, "\n") {
		t.Errorf("got %q", got)
	}
}

func TestParseParamsRanges(t *testing.T) {
	for _, test := range []struct {
		good, bad []string
		code      protocol.Code
	}{
		{[]string{`"omit":0`, `"omit":600`}, []string{`"omit":-1`, `"omit":601`}, protocol.CodeOmit},
		{[]string{`"server_affinity":1024`}, []string{`"server_affinity":-1`, `"server_affinity":1025`}, protocol.CodeAffinity},
		// 3.12 prints -1 as 18446744073709551615.
		{[]string{`"time":0`, `"time":86400`}, []string{`"time":-1`, `"time":86401`, `"time":18446744073709551615`}, protocol.CodeDuration},
		{[]string{`"num":0`, `"num":9223372036854775807`}, []string{`"num":-1`}, protocol.CodeRecvParams},
		{[]string{`"blockcount":1`}, []string{`"blockcount":-1`, `"blockcount":-1e300`}, protocol.CodeRecvParams},
		{[]string{`"MSS":0`, `"MSS":32767`}, []string{`"MSS":-1`, `"MSS":32768`}, protocol.CodeMSS},
		{[]string{`"parallel":1`, `"parallel":128`}, []string{`"parallel":0`, `"parallel":129`, `"parallel":0.9`, `"parallel":1e400`}, protocol.CodeNumStreams},
		{[]string{`"window":0`, `"window":536870912`}, []string{`"window":-1`, `"window":536870913`}, protocol.CodeBufSize},
		{[]string{`"len":1`, `"len":1048576`}, []string{`"len":0`, `"len":-5`, `"len":1048577`}, protocol.CodeBlockSize},
		{[]string{`"sctp":true,"len":1048576`}, []string{`"sctp":true,"len":1048577`}, protocol.CodeBlockSize},
		{[]string{`"udp":true,"len":16`, `"udp":true,"len":65507`}, []string{`"udp":true,"len":15`, `"udp":true,"len":65508`}, protocol.CodeUDPBlockSize},
		{[]string{`"bandwidth":0`, `"bandwidth":-0.5`}, []string{`"bandwidth":-1`, `"bandwidth":-1e400`}, protocol.CodeRecvParams},
		{[]string{`"fqrate":0`}, []string{`"fqrate":-1`}, protocol.CodeRecvParams},
		{[]string{`"pacing_timer":0`}, []string{`"pacing_timer":-1`}, protocol.CodeRecvParams},
		{[]string{`"burst":1`, `"burst":1000`}, []string{`"burst":-1`, `"burst":1001`}, protocol.CodeBurst},
		{[]string{`"udp":true,"gso":1`}, []string{`"udp":true,"gso":-1`}, protocol.CodeRecvParams},
		{[]string{`"udp":true,"gro":1`}, []string{`"udp":true,"gro":2`}, protocol.CodeRecvParams},
		{[]string{`"TOS":0`, `"TOS":255`}, []string{`"TOS":-1`, `"TOS":256`}, protocol.CodeBadTOS},
		{[]string{`"flowlabel":1`, `"flowlabel":1048575`}, []string{`"flowlabel":-1`, `"flowlabel":1048576`}, protocol.CodeSetFlow},
	} {
		for _, good := range test.good {
			if _, _, err := protocol.ParseParams([]byte("{" + good + "}")); err != nil {
				t.Errorf("%s: %v", good, err)
			}
		}
		for _, bad := range test.bad {
			_, _, err := protocol.ParseParams([]byte("{" + bad + "}"))
			var e *protocol.Error
			if !errors.As(err, &e) || e.Code != test.code {
				t.Errorf("%s: got %v, want code %d", bad, err, test.code)
			}
			if !errors.Is(err, protocol.ErrRange) {
				t.Errorf("%s: %v does not say that it is out of range", bad, err)
			}
		}
	}
}

func TestParseParamsMalformed(t *testing.T) {
	for _, bad := range []string{"", " ", "null", "5", "[]", `"x"`, "{", `{"a"`, `{"a":`, `{"a":1`, `{"a":1,}`,
		`{"a":1}{}`, `{"a":1}x`, "{a:1}", `{"a":nan}`, `{"a":-}`, strings.Repeat(`{"a":`, 20000), "\x00"} {
		_, _, err := protocol.ParseParams([]byte(bad))
		if !errors.Is(err, protocol.NewError(protocol.CodeRecvParams, nil)) {
			t.Errorf("%.20q: got %v", bad, err)
		}
	}
}

// The parameters that a stock client sent for many command lines: read, and
// written again to the byte.
func TestRecordedParameters(t *testing.T) {
	b, err := os.ReadFile("testdata/parameters.json")
	if err != nil {
		t.Fatal(err)
	}
	var runs []struct {
		Argv   []string
		Params json.RawMessage `json:"3.21"`
	}
	if err := json.Unmarshal(b, &runs); err != nil {
		t.Fatal(err)
	}
	differ := map[string]string{
		"--pacing-timer 0": `,"pacing_timer":1000`, // absent is the default
	}
	compared := 0
	for _, run := range runs {
		args := strings.Join(run.Argv[2:], " ")
		var compact bytes.Buffer
		if err := json.Compact(&compact, run.Params); err != nil {
			t.Fatal(err)
		}
		want := compact.String()
		if want == "null" || want == "{}" { // refused
			continue
		}
		p, warnings, err := protocol.ParseParams([]byte(want))
		if err != nil || warnings != nil {
			t.Errorf("%s: %v %v", args, err, warnings)
			continue
		}
		got, err := p.Marshal()
		if err != nil {
			t.Errorf("%s: %v", args, err)
		}
		if strings.Contains(want, "1.8446744073709552e+19") { // negative rates and sizes, which we never send
			continue
		}
		if extra := differ[args]; strings.Replace(string(got), extra, "", 1) != want {
			t.Errorf("%s:\ngot  %s\nwant %s", args, got, want)
		}
		compared++
	}
	if compared < 60 {
		t.Errorf("only %d compared", compared)
	}
}

func TestMarshalParams(t *testing.T) {
	for _, test := range []struct {
		name string
		p    protocol.Params
		want string
	}{
		{"zero", protocol.Params{}, `{"tcp":true,"omit":0,"time":0,"num":0,"blockcount":0,"parallel":1,"client_version":"3.21"}`},
		{"datagrams", protocol.Params{Transport: protocol.UDP, Length: 1448}, `{"udp":true,"omit":0,"time":0,"num":0,"blockcount":0,` +
			`"parallel":1,"len":1448,"gso":0,"gso_dg_size":0,"gso_bf_size":65507,"gro":0,"gro_bf_size":65507,"client_version":"3.21"}`},
		{"offload of small datagrams", protocol.Params{Transport: protocol.UDP, Length: 100, GSO: true, GRO: true}, `{"udp":true,"omit":0,` +
			`"time":0,"num":0,"blockcount":0,"parallel":1,"len":100,"gso":1,"gso_dg_size":100,"gso_bf_size":12800,"gro":1,"gro_bf_size":65507,"client_version":"3.21"}`},
		{"no skip_rx_copy for datagrams", protocol.Params{Transport: protocol.UDP, SkipRxCopy: true}, `{"udp":true,"omit":0,"time":0,"num":0,` +
			`"blockcount":0,"parallel":1,"gso":0,"gso_dg_size":0,"gso_bf_size":65507,"gro":0,"gro_bf_size":65507,"client_version":"3.21"}`},
		{"every key", protocol.Params{Transport: protocol.SCTP, Omit: 1, ServerAffinity: ptr(0), Time: 2, Bytes: 3, Blocks: 4, MSS: 5,
			NoDelay: true, Parallel: 6, Reverse: true, Bidirectional: true, MPTCP: true, Window: 7, Length: 8, Rate: math.MaxUint64, FQRate: 10,
			PacingTimer: 11, Burst: 12, TOS: 13, FlowLabel: 14, Title: "<t>", ExtraData: "e\n\"", Congestion: "c", GetServerOutput: true,
			UDPCounters64: true, RepeatingPayload: true, ZeroCopy: true, DontFragment: true, AuthToken: "a", SkipRxCopy: true,
			ClientVersion: "v", Linkperf: json.RawMessage(" { \"x\" : 1 } ")},
			`{"sctp":true,"omit":1,"server_affinity":0,"time":2,"num":3,"blockcount":4,"MSS":5,"nodelay":true,"parallel":6,"reverse":true,` +
				`"bidirectional":true,"mptcp":true,"window":7,"len":8,"bandwidth":18446744073709551615,"fqrate":10,"pacing_timer":11,"burst":12,` +
				`"TOS":13,"flowlabel":14,"title":"<t>","extra_data":"e\n\"","congestion":"c","get_server_output":1,"udp_counters_64bit":1,` +
				`"repeating_payload":1,"zerocopy":1,"dont_fragment":1,"authtoken":"a","skip_rx_copy":1,"client_version":"v","linkperf":{"x":1}}`},
	} {
		t.Run(test.name, func(t *testing.T) {
			got, err := test.p.Marshal()
			if err != nil || string(got) != test.want {
				t.Errorf("%v\ngot  %s\nwant %s", err, got, test.want)
			}
		})
	}
}

func TestMarshalParamsRefused(t *testing.T) {
	empty, err := (&protocol.Params{}).Marshal()
	if err != nil {
		t.Fatal(err)
	}
	room := protocol.MaxParamsSent - len(empty) - len(`,"title":""`)
	if b, err := (&protocol.Params{Title: strings.Repeat("x", room)}).Marshal(); err != nil || len(b) != protocol.MaxParamsSent {
		t.Error(len(b), err)
	}
	for name, p := range map[string]protocol.Params{
		"too long":        {Title: strings.Repeat("x", room+1)},
		"no transport":    {Transport: "QUIC"},
		"linkperf broken": {Linkperf: json.RawMessage("{")},
		"linkperf empty":  {Linkperf: json.RawMessage("")},
	} {
		if b, err := p.Marshal(); !errors.Is(err, protocol.NewError(protocol.CodeSendParams, nil)) {
			t.Errorf("%s: %.40s, %v", name, b, err)
		}
	}
}

func TestStreams(t *testing.T) {
	var ids []int
	for k := range 5 {
		ids = append(ids, protocol.StreamID(k))
	}
	if want := []int{1, 3, 4, 5, 6}; !slices.Equal(ids, want) {
		t.Errorf("ids %v, want %v", ids, want)
	}
	for p, want := range map[*protocol.Params]int{{}: 1, {Parallel: 3}: 3, {Parallel: 3, Bidirectional: true}: 6} {
		if got := p.Streams(); got != want {
			t.Errorf("%d streams, want %d", got, want)
		}
	}
}

func TestDefaults(t *testing.T) {
	for transport, want := range map[protocol.Transport]int{protocol.TCP: 131072, protocol.UDP: 1460, protocol.SCTP: 65536, "": 131072} {
		if got := transport.DefaultLength(); got != want {
			t.Errorf("%s: %d, want %d", transport, got, want)
		}
	}
	for length, want := range map[int]int{1000: 65000, 32768: 32768, 65507: 65507, 16: 2048, 512: 65024, 0: 65507, 70000: 65507} {
		if got := protocol.GSOBuffer(length); got != want {
			t.Errorf("buffer for %d: %d, want %d", length, got, want)
		}
	}
}
