package main

import (
	"encoding/json"
	"errors"
	"math"
	"os"
	"testing"

	"linkperf/protocol"
)

func readVectors(t *testing.T, name string, into any) {
	t.Helper()
	data, err := os.ReadFile("testdata/" + name)
	if err == nil {
		err = json.Unmarshal(data, into)
	}
	if err != nil {
		t.Fatal(err)
	}
}

// TestQuantities compares with iperf3's own reading. The exception is that
// negative numbers wrap there and are refused here.
func TestQuantities(t *testing.T) {
	var vectors []struct {
		Kind, Text string
		Value      *json.Number
	}
	readVectors(t, "units.json", &vectors)
	for _, v := range vectors {
		var got float64
		var err error
		switch v.Kind {
		case "rate":
			var n uint64
			n, err = rate(v.Text)
			got = float64(n)
		case "size":
			var n int64
			n, err = size(v.Text)
			got = float64(n)
		case "float":
			got, err = quantity(v.Text, sizeBase)
		}
		negative := v.Kind != "float" && v.Text[:min(1, len(v.Text))] == "-"
		if negative && v.Value != nil {
			if !errors.Is(err, errRange) {
				t.Errorf("%s %q: %v, want %v", v.Kind, v.Text, err, errRange)
			}
			continue
		}
		if v.Value == nil {
			var failure *protocol.Error
			if !errors.As(err, &failure) || failure.Code != protocol.CodeUnitVal || failure.Arg != v.Text {
				t.Errorf("%s %q: %v, want error %d", v.Kind, v.Text, err, protocol.CodeUnitVal)
			}
			continue
		}
		if want, _ := v.Value.Float64(); err != nil || got != want {
			t.Errorf("%s %q: %v, %v; want %v", v.Kind, v.Text, got, err, want)
		}
	}
}

// TestQuantityLimits checks numbers that do not fit.
func TestQuantityLimits(t *testing.T) {
	for _, text := range []string{"1e30", "18446744073709551616", "inf", "nan", "1e999", "20000000T"} {
		if n, err := rate(text); err == nil {
			t.Errorf("rate %q: %d, want an error", text, n)
		}
	}
	for _, text := range []string{"9223372036854775808", "8388608T"} {
		if n, err := size(text); err == nil {
			t.Errorf("size %q: %d, want an error", text, n)
		}
	}
	if n, err := size("8388607T"); err != nil || n != 8388607<<40 {
		t.Errorf("size 8388607T: %d, %v", n, err)
	}
}

func TestPlainNumbers(t *testing.T) {
	for text, want := range map[string]int{
		"": 0, "5": 5, "5x": 5, "1.9": 1, "abc": 0, " 7": 7, "+3": 3, "-4": -4, "-": 0, "0x10": 0,
		"99999999999": math.MaxInt32, "-99999999999": math.MinInt32,
	} {
		if got := atoi(text); got != want {
			t.Errorf("atoi(%q) = %d, want %d", text, got, want)
		}
	}
	for text, want := range map[string]float64{
		"": 0, ".5": .5, "0.3s": .3, "1e1": 10, "1e": 1, "0x1p1": 2, "0x.8": .5, "0x": 0, "abc": 0, "nan": 0, "-2": -2,
	} {
		if got := atof(text); got != want {
			t.Errorf("atof(%q) = %g, want %g", text, got, want)
		}
	}
}

func TestIntegers(t *testing.T) {
	type answer struct {
		n    int
		rest string
		ok   bool
	}
	for text, want := range map[string]answer{
		"52":          {52, "", true},
		"064":         {52, "", true},
		"0x34":        {52, "", true},
		"0x34z":       {52, "z", true},
		"-0x10":       {-16, "", true},
		" 5,1":        {5, ",1", true},
		"08":          {0, "8", true},
		"0x":          {0, "x", true},
		"":            {0, "", false},
		"abc":         {0, "abc", false},
		"99999999999": {math.MaxInt32, "", false},
	} {
		n, rest, ok := integer(text)
		if got := (answer{n, rest, ok}); got != want {
			t.Errorf("integer(%q) = %v, want %v", text, got, want)
		}
	}
}

func TestDSCP(t *testing.T) {
	for text, want := range map[string]int{
		"af11": 40, "AF43": 152, "cs0": 0, "cs7": 224, "ef": 184, "va": 176,
		"lowdelay": 16, "throughput": 8, "reliability": 4,
		"46": 184, "0x2e": 184, "056": 184, "63": 252, "0": 0,
	} {
		if got, err := dscp(text); err != nil || got != want {
			t.Errorf("dscp(%q) = %d, %v; want %d", text, got, err, want)
		}
	}
	for _, text := range []string{"", "64", "-1", "le", "cs8", "46x", "af", "0x"} {
		if got, err := dscp(text); err == nil {
			t.Errorf("dscp(%q) = %d, want an error", text, got)
		}
	}
}
