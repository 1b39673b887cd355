package protocol

import (
	"encoding/json"
	"math"
	"strconv"
)

// Peers print integers in every way that JSON allows: plain, as fractions, with
// an exponent (from 10^15 on, 3.2 to 3.11), or, when negative, as the unsigned
// number with the same 64 bits (3.12 and 3.13 print -1 as
// 18446744073709551615). They all pass through a double there, so fractions are
// cut off and what is too large becomes the largest. The functions take any one
// valid JSON value; ok is false for those that are no numbers.

// two64 is 2^64.
const two64 = 1 << 64

// parseInteger reads a JSON number that may be negative. From 2^63 to 2^64 it
// stands for a negative one.
func parseInteger(raw []byte) (int64, bool) {
	if u, err := strconv.ParseUint(string(raw), 10, 64); err == nil {
		return int64(u), true // wraps as it did when it was printed
	}
	f, ok := parseFloat(raw)
	switch {
	case !ok:
		return 0, false
	case f == two64: // -1 and its neighbours, rounded to a double
		return -1, true
	case f >= 1<<63 && f < two64:
		return int64(uint64(f)), true
	}
	return parseCount(raw)
}

// parseCount reads a JSON number that should not be negative, and is taken as
// it stands: large is large.
func parseCount(raw []byte) (int64, bool) {
	if i, err := strconv.ParseInt(string(raw), 10, 64); err == nil {
		return i, true
	}
	f, ok := parseFloat(raw)
	switch {
	case !ok:
		return 0, false
	case f >= 1<<63:
		return math.MaxInt64, true
	case f < -1<<63:
		return math.MinInt64, true
	}
	return int64(f), true
}

// parseRate reads a JSON number of bits per second; ok is false for a negative
// one too.
func parseRate(raw []byte) (uint64, bool) {
	if u, err := strconv.ParseUint(string(raw), 10, 64); err == nil {
		return u, true
	}
	f, ok := parseFloat(raw)
	switch {
	case !ok, f <= -1:
		return 0, false
	case f >= two64:
		return math.MaxUint64, true
	case f < 0:
		return 0, true
	}
	return uint64(f), true
}

// parseFloat reads a JSON number. What no double can hold becomes the largest
// one, so the result is always finite.
func parseFloat(raw []byte) (float64, bool) {
	if kindOf(raw) != kindNumber {
		return 0, false
	}
	f, err := strconv.ParseFloat(string(raw), 64)
	switch {
	case math.IsInf(f, 1):
		return math.MaxFloat64, true
	case math.IsInf(f, -1):
		return -math.MaxFloat64, true
	case err != nil || math.IsNaN(f):
		return 0, false
	}
	return f, true
}

// appendFloat appends f as a JSON number. What JSON cannot express (NaN of a
// share of no time) becomes 0, because peers refuse results with null in them.
func appendFloat(b []byte, f float64) []byte {
	if math.IsNaN(f) || math.IsInf(f, 0) {
		f = 0
	}
	text, _ := json.Marshal(f) // a finite number does not fail
	return append(b, text...)
}
