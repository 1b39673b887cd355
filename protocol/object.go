package protocol

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"strconv"
)

// jsonSpace is the white space of JSON (RFC 8259).
const jsonSpace = " \t\r\n"

// maxWarnings bounds what a peer can make us remember about its mistakes.
const maxWarnings = 64

// A Warning is a key of the peer that was ignored, and counts as absent, because
// its value is of the wrong type.
type Warning struct {
	// Key is the key as iperf3 writes it, within streams with its place:
	// "streams[0].id".
	Key string
	// Want and Got are types of JSON: number, string, boolean, object, array.
	Want, Got string
}

// Error describes the mistake.
func (w Warning) Error() string {
	return fmt.Sprintf("key %q ignored: %s instead of %s", w.Key, w.Got, w.Want)
}

// A kind is a type of JSON.
type kind string

const (
	kindNumber  kind = "number"
	kindString  kind = "string"
	kindBoolean kind = "boolean"
	kindObject  kind = "object"
	kindArray   kind = "array"
	kindNull    kind = "null"
)

// kindOf tells the type of one valid JSON value from its first byte.
func kindOf(raw []byte) kind {
	if len(raw) == 0 {
		return kindNull
	}
	switch raw[0] {
	case '"':
		return kindString
	case 't', 'f':
		return kindBoolean
	case '{':
		return kindObject
	case '[':
		return kindArray
	case 'n':
		return kindNull
	}
	return kindNumber
}

// An object is a JSON object of the peer, read as iperf3 reads it: keys match in
// any case, the first of equal ones counts, null is absent.
type object struct {
	values   map[string]json.RawMessage
	place    string // precedes keys in warnings
	warnings *[]Warning
}

// parseObject reads one JSON object. White space and NULs may follow it.
func parseObject(b []byte, place string, warnings *[]Warning) (object, error) {
	b = bytes.TrimRight(b, jsonSpace+"\x00")
	d := json.NewDecoder(bytes.NewReader(b))
	if open, err := d.Token(); err != nil {
		return object{}, err
	} else if open != json.Delim('{') {
		return object{}, errors.New("JSON is not an object")
	}
	o := object{values: map[string]json.RawMessage{}, place: place, warnings: warnings}
	for d.More() {
		key, err := d.Token()
		if err != nil {
			return object{}, err
		}
		var value json.RawMessage
		if err := d.Decode(&value); err != nil {
			return object{}, err
		}
		name := lowerASCII(key.(string))
		if _, seen := o.values[name]; !seen {
			o.values[name] = value
		}
	}
	if _, err := d.Token(); err != nil {
		return object{}, err
	}
	if d.InputOffset() != int64(len(b)) {
		return object{}, errors.New("something follows the JSON object")
	}
	return o, nil
}

// get returns the value of a key if it is there and of the wanted type.
func (o object) get(key string, want kind) (json.RawMessage, bool) {
	raw, ok := o.values[lowerASCII(key)]
	if !ok {
		return nil, false
	}
	switch got := kindOf(raw); got {
	case want:
		return raw, true
	case kindNull:
		return nil, false
	default:
		if len(*o.warnings) < maxWarnings {
			*o.warnings = append(*o.warnings, Warning{Key: o.place + key, Want: string(want), Got: string(got)})
		}
		return nil, false
	}
}

// present reports whether a key is there, of the wanted type, whatever its
// value: to iperf3 "reverse":false means yes.
func (o object) present(key string, want kind) bool {
	_, ok := o.get(key, want)
	return ok
}

// nonzero reports whether a number is there and not 0.
func (o object) nonzero(key string) bool {
	raw, ok := o.get(key, kindNumber)
	if !ok {
		return false
	}
	n, _ := parseCount(raw)
	return n != 0
}

func (o object) text(key string) string {
	raw, ok := o.get(key, kindString)
	if !ok {
		return ""
	}
	var s string
	if err := json.Unmarshal(raw, &s); err != nil {
		return ""
	}
	return s
}

// raw returns a value of any type but null.
func (o object) raw(key string) json.RawMessage {
	raw := o.values[lowerASCII(key)]
	if kindOf(raw) == kindNull {
		return nil
	}
	return raw
}

func lowerASCII(s string) string {
	b := []byte(s)
	for i, c := range b {
		if 'A' <= c && c <= 'Z' {
			b[i] = c + 'a' - 'A'
		}
	}
	return string(b)
}

// An objectWriter writes a JSON object without white space, keys in the order
// of the calls.
type objectWriter struct {
	b   []byte
	err error
}

func (w *objectWriter) key(key string) {
	if len(w.b) == 0 {
		w.b = append(w.b, '{')
	} else {
		w.b = append(w.b, ',')
	}
	w.b = append(append(append(w.b, '"'), key...), '"', ':')
}

func (w *objectWriter) yes(key string) {
	w.key(key)
	w.b = append(w.b, "true"...)
}

func (w *objectWriter) integer(key string, n int64) {
	w.key(key)
	w.b = strconv.AppendInt(w.b, n, 10)
}

func (w *objectWriter) rate(key string, n uint64) {
	w.key(key)
	w.b = strconv.AppendUint(w.b, n, 10)
}

func (w *objectWriter) float(key string, f float64) {
	w.key(key)
	w.b = appendFloat(w.b, f)
}

func (w *objectWriter) text(key, s string) {
	var b bytes.Buffer
	e := json.NewEncoder(&b)
	e.SetEscapeHTML(false)
	if err := e.Encode(s); err != nil {
		w.err = errors.Join(w.err, err)
		return
	}
	w.key(key)
	w.b = append(w.b, bytes.TrimRight(b.Bytes(), "\n")...)
}

func (w *objectWriter) raw(key string, raw json.RawMessage) {
	var b bytes.Buffer
	if err := json.Compact(&b, raw); err != nil {
		w.err = errors.Join(w.err, fmt.Errorf("%s: %w", key, err))
		return
	}
	w.key(key)
	w.b = append(w.b, b.Bytes()...)
}

func (w *objectWriter) end() ([]byte, error) {
	if len(w.b) == 0 {
		w.b = append(w.b, '{')
	}
	return append(w.b, '}'), w.err
}
