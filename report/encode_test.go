package report

import (
	"bytes"
	"encoding/json"
	"math"
	"os"
	"path/filepath"
	"testing"
)

// floats turns the numbers of a parsed value into float64.
func floats(v any) any {
	switch v := v.(type) {
	case object:
		out := object{}
		for _, m := range v {
			out = append(out, member{m.key, floats(m.value)})
		}
		return out
	case array:
		out := array{}
		for _, e := range v {
			out = append(out, floats(e))
		}
		return out
	case json.Number:
		f, _ := v.Float64()
		return f
	}
	return v
}

// Documents of 3.21 without duplicate keys come out byte for byte, also when
// their numbers have been through a float64.
func TestEncodeAgainstRecordings(t *testing.T) {
	files, _ := filepath.Glob("testdata/json/*_3.21_client.json")
	if len(files) < 50 {
		t.Fatalf("%d recordings", len(files))
	}
	duplicates := map[string]bool{ // the key error, after an error of the server
		"bitrate-limit-measured_3.21_client.json": true, "bitrate-limit-request_3.21_client.json": true,
		"sctp-unsupported_3.21_client.json": true, "server-max-duration_3.21_client.json": true,
		// target_bitrate in the server's document within
		"get-server-output-json_3.21_client.json": true, "udp-get-server-output-json_3.21_client.json": true,
	}
	for _, file := range files {
		raw, err := os.ReadFile(file)
		if err != nil {
			t.Fatal(err)
		}
		v, err := parseValue(raw)
		if err != nil {
			t.Fatalf("%s: %v", file, err)
		}
		out := append(appendValue(nil, floats(v), 0), '\n')
		if got := bytes.Equal(out, raw); got == duplicates[filepath.Base(file)] {
			t.Errorf("%s: same bytes: %v", file, got)
		}
	}
}

func TestEncodeSpecials(t *testing.T) {
	v := object{{"nan", math.NaN()}, {"inf", math.Inf(1)}, {"empty", object{}}, {"none", array{}}, {"s", "a\"\x01\xff<"}, {"big", int64(math.MaxInt64)}, {"small", 8.4e-05}, {"raw", json.RawMessage(`{"a":1,"a":[2.50]}`)}}
	want := `{"nan":null,"inf":null,"empty":{},"none":[],"s":"a\"\u0001\ufffd<","big":9223372036854775807,"small":8.4e-05,"raw":{"a":[2.50]}}`
	if got := string(appendValue(nil, v, compact)); got != want {
		t.Errorf("got  %s\nwant %s", got, want)
	}
	if out := appendValue(nil, v, 0); !json.Valid(out) {
		t.Errorf("not JSON: %s", out)
	}
}
