package explain

import (
	"encoding/json"
	"math"
	"math/rand/v2"
	"reflect"
	"strings"
	"testing"

	"linkperf/protocol"
	"linkperf/sysinfo"
)

// TestAnyNumbers: records may hold any number and any word of the schema in
// any combination; there is always an answer that can be written down.
func TestAnyNumbers(t *testing.T) {
	transports := []protocol.Transport{protocol.TCP, protocol.UDP, protocol.SCTP}
	for seed := range uint64(300) {
		r := rand.New(rand.NewPCG(seed, 1))
		in := healthy()
		for _, record := range []*sysinfo.Record{in.Client, in.Server} {
			scramble(r, reflect.ValueOf(record).Elem())
		}
		p := &in.Result.Start.Params
		p.Transport, p.Window, p.Length, p.MSS = transports[r.IntN(3)], r.IntN(2)*r.IntN(1<<29), 1+r.IntN(65507), r.IntN(2)*r.IntN(9216)
		only(in, r.IntN(2) == 0, r.Float64()*1e11)
		list := Explain(*in)
		if _, err := json.Marshal(list); err != nil {
			t.Errorf("seed %d: %v", seed, err)
		}
		checkNumbers(t, list)
		if text := Text(list); strings.Contains(text, "NaN") || strings.Contains(text, "%!") {
			t.Errorf("seed %d: %s", seed, text)
		}
		if t.Failed() {
			return
		}
	}
}

// scramble sets about half of the facts to something else.
func scramble(r *rand.Rand, v reflect.Value) {
	words := []string{"linux", "macos", "windows", "ethernet", "thunderbolt", "wifi", "virtual", "tunnel", "loopback", "on", "off", "half", "E", "usb",
		"powersave", "low_power", "disabled", "public", "eth0", "192.0.2.1", "fe80::1%eth0", "4/USB4", ""}
	integers := []int64{0, 1, 4, 6, 28, 1280, 1500, 9000, 62000, 1e6, 1e9, 10e9, 1 << 40, math.MaxInt64}
	floats := []float64{0, 0.1, 5, 50, 99.9, 100, 1e18}
	for field, value := range v.Fields() {
		if r.IntN(2) == 0 && value.Kind() != reflect.Struct {
			continue
		}
		switch value.Interface().(type) {
		case *string:
			value.Set(reflect.ValueOf(&words[r.IntN(len(words))]))
		case *int64:
			value.Set(reflect.ValueOf(&integers[r.IntN(len(integers))]))
		case *float64:
			value.Set(reflect.ValueOf(&floats[r.IntN(len(floats))]))
		case *bool:
			value.Set(reflect.ValueOf(new(r.IntN(2) == 0)))
		}
		if value.Kind() == reflect.Struct && field.Name != "CollectedAt" {
			scramble(r, value)
		}
	}
}
