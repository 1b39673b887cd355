package protocol

import (
	"math"
	"testing"
)

func TestNumbers(t *testing.T) {
	for _, test := range []struct {
		in      string
		integer int64
		count   int64
		rate    uint64 // 0 also for a negative one
		float   float64
	}{
		{"0", 0, 0, 0, 0},
		{"-0", 0, 0, 0, 0},
		{"-1", -1, -1, 0, -1},
		{"1.9", 1, 1, 1, 1.9},
		{"-1.9", -1, -1, 0, -1.9},
		{"-0.9", 0, 0, 0, -0.9},
		{"1e3", 1000, 1000, 1000, 1000},
		{"2.05313e+06", 2053130, 2053130, 2053130, 2053130},
		{"9007199254740993", 9007199254740993, 9007199254740993, 9007199254740993, 9007199254740992},
		{"9223372036854775807", math.MaxInt64, math.MaxInt64, math.MaxInt64, 1 << 63},
		{"9223372036854775808", math.MinInt64, math.MaxInt64, 1 << 63, 1 << 63},
		{"18446744073709551615", -1, math.MaxInt64, math.MaxUint64, two64},
		{"18446744073709551614", -2, math.MaxInt64, math.MaxUint64 - 1, two64},
		{"1.8446744073709552e+19", -1, math.MaxInt64, math.MaxUint64, two64},
		{"1.8446744073709550e+19", -2048, math.MaxInt64, math.MaxUint64 - 2047, two64 - 2048},
		{"1e30", math.MaxInt64, math.MaxInt64, math.MaxUint64, 1e30},
		{"1e999", math.MaxInt64, math.MaxInt64, math.MaxUint64, math.MaxFloat64},
		{"-1e30", math.MinInt64, math.MinInt64, 0, -1e30},
		{"-1e999", math.MinInt64, math.MinInt64, 0, -math.MaxFloat64},
		{"1e-999", 0, 0, 0, 0},
	} {
		t.Run(test.in, func(t *testing.T) {
			if got, ok := parseInteger([]byte(test.in)); !ok || got != test.integer {
				t.Errorf("integer %d, want %d", got, test.integer)
			}
			if got, ok := parseCount([]byte(test.in)); !ok || got != test.count {
				t.Errorf("count %d, want %d", got, test.count)
			}
			if got, ok := parseRate([]byte(test.in)); got != test.rate || ok != (test.float > -1) {
				t.Errorf("rate %d, %v, want %d", got, ok, test.rate)
			}
			if got, ok := parseFloat([]byte(test.in)); !ok || got != test.float {
				t.Errorf("float %v, want %v", got, test.float)
			}
		})
	}
	for _, bad := range []string{"", "null", "true", `"1"`, "[1]", "{}"} {
		if _, ok := parseInteger([]byte(bad)); ok {
			t.Errorf("%q is an integer", bad)
		}
		if _, ok := parseFloat([]byte(bad)); ok {
			t.Errorf("%q is a number", bad)
		}
	}
}
