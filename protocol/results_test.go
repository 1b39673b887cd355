package protocol_test

import (
	"encoding/json"
	"errors"
	"fmt"
	"math"
	"strings"
	"testing"

	"linkperf/protocol"
)

const (
	cpu       = `"cpu_util_total":1.5,"cpu_util_user":1,"cpu_util_system":0.5,"sender_has_retransmits":1`
	oneStream = `{"id":1,"bytes":2,"retransmits":3,"jitter":0.5,"errors":4,"packets":5}`
)

func TestParseResults(t *testing.T) {
	for _, test := range []struct {
		name, json string
		same       func(r protocol.Results) bool
	}{
		{"least", `{` + cpu + `,"streams":[` + oneStream + `]}`, func(r protocol.Results) bool {
			s := r.Streams[0]
			return r.CPUTotal == 1.5 && r.CPUUser == 1 && r.CPUSystem == 0.5 && r.SenderHasRetransmits == 1 &&
				s == protocol.StreamResults{ID: 1, Bytes: 2, Retransmits: 3, Jitter: 0.5, Errors: 4, Packets: 5}
		}},
		{"no streams", `{` + cpu + `,"streams":[]}`, func(r protocol.Results) bool { return len(r.Streams) == 0 }},
		// 3.12 and 3.13, as integer and through a double.
		{"minus one", strings.ReplaceAll(`{`+cpu+`,"streams":[`+oneStream+`]}`, `"retransmits":3`, `"retransmits":18446744073709551615`),
			func(r protocol.Results) bool { return r.Streams[0].Retransmits == -1 }},
		{"minus one as a double", strings.ReplaceAll(`{`+cpu+`,"streams":[`+oneStream+`]}`, `"retransmits":3`, `"retransmits":1.8446744073709552e+19`),
			func(r protocol.Results) bool { return r.Streams[0].Retransmits == -1 }},
		{"exponent", strings.ReplaceAll(`{`+cpu+`,"streams":[`+oneStream+`]}`, `"bytes":2`, `"bytes":1e+15`),
			func(r protocol.Results) bool { return r.Streams[0].Bytes == 1e15 }},
		{"unknown and unasked", `{` + cpu + `,"x":[{}],"server_output_text":"a\nb\n","server_output_json":{"a":1,"a":2},"streams":[],"linkperf":5}`,
			func(r protocol.Results) bool {
				return r.ServerOutputText == "a\nb\n" && string(r.ServerOutputJSON) == `{"a":1,"a":2}` && string(r.Linkperf) == "5"
			}},
		{"null is absent", `{` + cpu + `,"congestion_used":null,"server_output_json":null,"streams":[` +
			strings.Replace(oneStream, `{`, `{"omitted_errors":null,"omitted_packets":null,"start_time":null,"end_time":null,`, 1) + `]}`,
			func(r protocol.Results) bool {
				return r.CongestionUsed == "" && r.ServerOutputJSON == nil && !r.Streams[0].HasOmitted && !r.Streams[0].HasTimes
			}},
		{"omitted", `{` + cpu + `,"streams":[` + strings.Replace(oneStream, `{`, `{"omitted_errors":6,"omitted_packets":7,"start_time":0,"end_time":1.25,`, 1) + `]}`,
			func(r protocol.Results) bool {
				s := r.Streams[0]
				return s.HasOmitted && s.OmittedErrors == 6 && s.OmittedPackets == 7 && s.HasTimes && s.EndTime == 1.25
			}},
		{"half a time", `{` + cpu + `,"streams":[` + strings.Replace(oneStream, `{`, `{"end_time":1.25,`, 1) + `]}`,
			func(r protocol.Results) bool { return !r.Streams[0].HasTimes && r.Streams[0].EndTime == 0 }},
	} {
		t.Run(test.name, func(t *testing.T) {
			r, warnings, err := protocol.ParseResults([]byte(test.json))
			if err != nil || warnings != nil {
				t.Fatal(err, warnings)
			}
			if !test.same(r) {
				t.Errorf("got %+v", r)
			}
		})
	}
}

func TestParseResultsRefused(t *testing.T) {
	good := `{` + cpu + `,"streams":[` + oneStream + `]}`
	bad := map[string]string{
		"not an object":  `[]`,
		"null CPU":       strings.Replace(good, `1.5`, `null`, 1),
		"text CPU":       strings.Replace(good, `1.5`, `"1.5"`, 1),
		"streams object": `{` + cpu + `,"streams":{}}`,
		"stream number":  `{` + cpu + `,"streams":[5]}`,
		"only errors":    strings.Replace(good, `{"id"`, `{"omitted_errors":0,"id"`, 1),
		"only packets":   strings.Replace(good, `{"id"`, `{"omitted_packets":0,"id"`, 1),
		"too many":       `{` + cpu + `,"streams":[` + strings.Repeat(oneStream+",", 256) + oneStream + `]}`,
	}
	for _, key := range []string{"cpu_util_total", "cpu_util_user", "cpu_util_system", "sender_has_retransmits", "streams",
		"id", "bytes", "retransmits", "jitter", "errors", "packets"} {
		bad["without "+key] = strings.Replace(good, `"`+key+`"`, `"x"`, 1)
	}
	for name, text := range bad {
		_, _, err := protocol.ParseResults([]byte(text))
		if !errors.Is(err, protocol.NewError(protocol.CodeRecvResults, nil)) {
			t.Errorf("%s: got %v", name, err)
		}
		if key, ok := strings.CutPrefix(name, "without "); ok && !strings.HasSuffix(fmt.Sprint(err), key+" is missing") {
			t.Errorf("%s: got %v", name, err)
		}
	}
}

// A peer cannot make us remember any number of mistakes.
func TestWarningsAreBounded(t *testing.T) {
	stream := strings.Replace(oneStream, `{`, `{"start_time":"a","end_time":"b",`, 1)
	_, warnings, err := protocol.ParseResults([]byte(`{` + cpu + `,"streams":[` + strings.Repeat(stream+",", 200) + stream + `]}`))
	if err != nil || len(warnings) != 64 {
		t.Errorf("%d warnings, %v", len(warnings), err)
	}
	if got, want := warnings[1].Error(), `key "streams[0].end_time" ignored: string instead of number`; got != want {
		t.Errorf("got %s, want %s", got, want)
	}
}

func TestMarshalResults(t *testing.T) {
	r := protocol.Results{CPUTotal: math.NaN(), CPUUser: math.Inf(1), CPUSystem: 1e-9, SenderHasRetransmits: -1, CongestionUsed: "cubic",
		ServerOutputText: "ignored", ServerOutputJSON: json.RawMessage(`{ "a": 1 }`),
		Streams: []protocol.StreamResults{
			{ID: 1, Bytes: math.MaxInt64, Retransmits: -1, Jitter: 4.9040474010519331e-05, Errors: 1, OmittedErrors: 2, Packets: 3,
				OmittedPackets: 4, HasOmitted: true, EndTime: 1.25, HasTimes: true},
			{ID: 3, OmittedErrors: 9, EndTime: 9},
		}, Linkperf: json.RawMessage(`[1, 2]`)}
	want := `{"cpu_util_total":0,"cpu_util_user":0,"cpu_util_system":1e-9,"sender_has_retransmits":-1,"congestion_used":"cubic",` +
		`"server_output_json":{"a":1},"streams":[{"id":1,"bytes":9223372036854775807,"retransmits":-1,"jitter":0.00004904047401051933,` +
		`"errors":1,"omitted_errors":2,"packets":3,"omitted_packets":4,"start_time":0,"end_time":1.25},` +
		`{"id":3,"bytes":0,"retransmits":0,"jitter":0,"errors":0,"packets":0}],"linkperf":[1,2]}`
	if got, err := r.Marshal(); err != nil || string(got) != want {
		t.Errorf("%v\ngot  %s\nwant %s", err, got, want)
	}
	if got, err := (&protocol.Results{ServerOutputText: "a\n"}).Marshal(); err != nil || !strings.Contains(string(got), `"server_output_text":"a\n","streams":[]}`) {
		t.Errorf("%v: %s", err, got)
	}
	for name, r := range map[string]protocol.Results{
		"server output": {ServerOutputJSON: json.RawMessage("{")}, "linkperf": {Linkperf: json.RawMessage("x")},
	} {
		if b, err := r.Marshal(); !errors.Is(err, protocol.NewError(protocol.CodePackageResults, nil)) {
			t.Errorf("%s: %s, %v", name, b, err)
		}
	}
}
