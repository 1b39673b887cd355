package main

import (
	"errors"
	"fmt"
	"math"
	"strconv"
	"strings"

	"linkperf/protocol"
)

// The readers in this file take what C's strtol, atoi, atof and sscanf take:
// leading blanks, a sign, then as many characters as make up a number. What
// follows is returned or ignored, as iperf3 does for the option in question.

// Prefixes of quantities: rates count in powers of 1000, sizes and counts in
// powers of 1024.
const (
	rateBase = 1000
	sizeBase = 1024
)

// quantity reads a number that may carry one of the suffixes K, M, G and T in
// either case. Only the first character after the number counts. The error
// is iperf3's number 38 and carries the text.
func quantity(text string, base float64) (float64, error) {
	number, rest := floatPrefix(text)
	if number == "" {
		return 0, badQuantity(text)
	}
	value, err := parseFloat(number)
	if err != nil {
		return 0, badQuantity(text)
	}
	if rest != "" {
		power := strings.IndexByte("KMGT", upper(rest[0]))
		if power < 0 {
			return 0, badQuantity(text)
		}
		value *= math.Pow(base, float64(power+1))
	}
	return value, nil
}

// errRange is the error for a number that cannot be what it stands for.
var errRange = errors.New("number out of range")

// natural is quantity cut to an integer from 0 to limit. iperf3 lets negative
// and oversized numbers wrap; here they are errRange.
func natural(text string, base, limit float64) (uint64, error) {
	value, err := quantity(text, base)
	if err != nil {
		return 0, err
	}
	if value = math.Trunc(value); value < 0 || value > limit {
		return 0, errRange
	}
	return uint64(value), nil
}

// maxInt64 and maxUint64 are the largest floating point numbers that fit the
// integer types.
const (
	maxInt64  = 1<<63 - 1024
	maxUint64 = 1<<64 - 2048
)

func badQuantity(text string) error {
	return &protocol.Error{Code: protocol.CodeUnitVal, Arg: text}
}

// rate reads a bit rate in bits per second.
func rate(text string) (uint64, error) { return natural(text, rateBase, maxUint64) }

// size reads a number of bytes or a count.
func size(text string) (int64, error) {
	n, err := natural(text, sizeBase, maxInt64)
	return int64(n), err
}

// atoi reads leading decimal digits; none give 0. Numbers beyond 32 bits stop
// at the limits, which every caller refuses.
func atoi(text string) int {
	text = strings.TrimLeft(text, blanks)
	end := signLength(text)
	for end < len(text) && isDigit(text[end]) {
		end++
	}
	n, err := strconv.ParseInt(text[:end], 10, 32)
	if err != nil && n == 0 {
		return 0
	}
	return int(n)
}

// atof reads a leading floating point number; none gives 0.
func atof(text string) float64 {
	number, _ := floatPrefix(text)
	value, err := parseFloat(number)
	if err != nil {
		return 0
	}
	return value
}

// integer reads a leading decimal, octal (0…) or hexadecimal (0x…) number as
// strtol with base 0 does. ok is false without a digit or beyond 32 bits.
func integer(text string) (n int, rest string, ok bool) {
	text = strings.TrimLeft(text, blanks)
	end := signLength(text)
	base := 10
	valid := isDigit
	switch digits := text[end:]; {
	case len(digits) > 2 && digits[0] == '0' && upper(digits[1]) == 'X' && isHex(digits[2]):
		base, valid = 16, isHex
		text = text[:end] + digits[2:]
	case digits != "" && digits[0] == '0':
		base, valid = 8, func(c byte) bool { return c >= '0' && c <= '7' }
	}
	start := end
	for end < len(text) && valid(text[end]) {
		end++
	}
	if end == start {
		return 0, text, false
	}
	v, err := strconv.ParseInt(text[:end], base, 32)
	return int(v), text[end:], err == nil
}

const blanks = " \t\n\v\f\r"

func isDigit(c byte) bool { return c >= '0' && c <= '9' }
func isHex(c byte) bool   { return isDigit(c) || upper(c) >= 'A' && upper(c) <= 'F' }

func upper(c byte) byte {
	if c >= 'a' && c <= 'z' {
		return c - 'a' + 'A'
	}
	return c
}

func signLength(text string) int {
	if text != "" && (text[0] == '+' || text[0] == '-') {
		return 1
	}
	return 0
}

// floatPrefix splits off the longest decimal or hexadecimal floating point
// number at the beginning of text; number is empty if there is none.
// Infinities and not-a-number are not numbers here.
func floatPrefix(text string) (number, rest string) {
	text = strings.TrimLeft(text, blanks)
	end := signLength(text)
	valid, exponent := isDigit, byte('E')
	if tail := text[end:]; len(tail) > 2 && tail[0] == '0' && upper(tail[1]) == 'X' && (isHex(tail[2]) || tail[2] == '.') {
		end += 2
		valid, exponent = isHex, 'P'
	}
	digits := 0
	for point := false; end < len(text) && (valid(text[end]) || text[end] == '.' && !point); end++ {
		if text[end] == '.' {
			point = true
		} else {
			digits++
		}
	}
	if digits == 0 {
		return "", text
	}
	if end < len(text) && upper(text[end]) == exponent {
		e := end + 1
		e += signLength(text[e:])
		start := e
		for e < len(text) && isDigit(text[e]) {
			e++
		}
		if e > start {
			end = e
		}
	}
	return text[:end], text[end:]
}

// infinite reports whether C's strtod reads an infinity, also for a number too
// large for the type, or not-a-number at the beginning of text.
func infinite(text string) bool {
	number, _ := floatPrefix(text)
	if number != "" {
		value, err := parseFloat(number)
		return err == nil && math.IsInf(value, 0)
	}
	text = strings.TrimLeft(text, blanks)
	name := strings.ToLower(text[signLength(text):])
	return strings.HasPrefix(name, "inf") || strings.HasPrefix(name, "nan")
}

// parseFloat reads what floatPrefix returned. A number too large for the type
// is infinite, as in C.
func parseFloat(number string) (float64, error) {
	if strings.ContainsAny(number, "xX") && !strings.ContainsAny(number, "pP") {
		number += "p0" // strconv wants an exponent, C does not
	}
	value, err := strconv.ParseFloat(number, 64)
	if err != nil && math.IsInf(value, 0) {
		return value, nil
	}
	return value, err
}

// dscpNames are the symbolic values of --dscp as TOS bytes (RFC 2474, 2597,
// 3246, 5865). The last three are the older names of RFC 1349.
var dscpNames = map[string]int{
	"af11": 10 << 2, "af12": 12 << 2, "af13": 14 << 2,
	"af21": 18 << 2, "af22": 20 << 2, "af23": 22 << 2,
	"af31": 26 << 2, "af32": 28 << 2, "af33": 30 << 2,
	"af41": 34 << 2, "af42": 36 << 2, "af43": 38 << 2,
	"cs0": 0, "cs1": 8 << 2, "cs2": 16 << 2, "cs3": 24 << 2,
	"cs4": 32 << 2, "cs5": 40 << 2, "cs6": 48 << 2, "cs7": 56 << 2,
	"ef": 46 << 2, "va": 44 << 2,
	"lowdelay": 16, "throughput": 8, "reliability": 4,
}

// dscp reads the value of --dscp and returns the TOS byte.
func dscp(text string) (int, error) {
	if tos, ok := dscpNames[strings.ToLower(text)]; ok {
		return tos, nil
	}
	n, rest, ok := integer(text)
	if !ok || rest != "" || n < 0 || n > 63 {
		return 0, protocol.NewError(protocol.CodeBadDSCP, nil)
	}
	return n << 2, nil
}

// check returns iperf3's error of that number unless ok.
func check(ok bool, code protocol.Code) error {
	if ok {
		return nil
	}
	return protocol.NewError(code, nil)
}

// within reads an integer with atoi and refuses one outside lo to hi with the
// given error number.
func within(text string, lo, hi int, code protocol.Code) (int, error) {
	n := atoi(text)
	return n, check(n >= lo && n <= hi, code)
}

// wrongValue is the error of the options that iperf3 does not have.
func wrongValue(option, text, want string) error {
	return fmt.Errorf("option --%s: %q is not %s", option, text, want)
}
