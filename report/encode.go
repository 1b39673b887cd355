package report

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"math"
	"strconv"
)

// object is a JSON object whose keys keep their order. Keys are unique: set
// replaces.
type object []member

type member struct {
	key   string
	value any
}

// array is a JSON array.
type array []any

func (o *object) set(key string, value any) {
	for i := range *o {
		if (*o)[i].key == key {
			(*o)[i].value = value
			return
		}
	}
	*o = append(*o, member{key, value})
}

// get returns the value of a key, or nil.
func (o object) get(key string) any {
	for i := range o {
		if o[i].key == key {
			return o[i].value
		}
	}
	return nil
}

// compact marks the depth of a value that is written on one line.
const compact = math.MinInt32

// appendValue writes v the way iperf3 prints JSON: tabs, a tab after the colon,
// elements of an array on the line of the bracket; without any blank if depth
// is compact. It knows nil, bool, string, integers, float64, json.Number,
// json.RawMessage, object and array.
func appendValue(b []byte, v any, depth int) []byte {
	switch v := v.(type) {
	case nil:
		return append(b, "null"...)
	case bool:
		return strconv.AppendBool(b, v)
	case int:
		return strconv.AppendInt(b, int64(v), 10)
	case int64:
		return strconv.AppendInt(b, v, 10)
	case uint64:
		return strconv.AppendUint(b, v, 10)
	case float64:
		return appendNumber(b, v)
	case json.Number:
		return append(b, v...)
	case string:
		return appendString(b, v)
	case object:
		return appendObject(b, v, depth)
	case array:
		b = append(b, '[')
		for i, e := range v {
			if i > 0 {
				b = append(b, ',')
				if depth != compact {
					b = append(b, ' ')
				}
			}
			b = appendValue(b, e, deeper(depth))
		}
		return append(b, ']')
	case json.RawMessage:
		tree, err := parseValue(v)
		if err != nil { // not possible for what came through a JSON decoder
			return append(b, "null"...)
		}
		return appendValue(b, tree, depth)
	}
	panic(fmt.Sprintf("report: no JSON form for %T", v))
}

func deeper(depth int) int {
	if depth == compact {
		return compact
	}
	return depth + 1
}

func appendObject(b []byte, o object, depth int) []byte {
	newline := func(tabs int) {
		if depth == compact {
			return
		}
		b = append(b, '\n')
		for range tabs {
			b = append(b, '\t')
		}
	}
	b = append(b, '{')
	for i, m := range o {
		if i > 0 {
			b = append(b, ',')
		}
		newline(depth + 1)
		b = append(appendString(b, m.key), ':')
		if depth != compact {
			b = append(b, '\t')
		}
		b = appendValue(b, m.value, deeper(depth))
	}
	newline(depth)
	return append(b, '}')
}

// appendNumber writes what is integral as an integer, other numbers with 15
// significant digits or, if those do not read back as the same number, 17. What
// JSON cannot say is null.
func appendNumber(b []byte, f float64) []byte {
	switch {
	case math.IsNaN(f) || math.IsInf(f, 0):
		return append(b, "null"...)
	case f == math.Trunc(f) && math.Abs(f) < 1<<63:
		return strconv.AppendInt(b, int64(f), 10)
	}
	text := strconv.AppendFloat(nil, f, 'g', 15, 64)
	if back, _ := strconv.ParseFloat(string(text), 64); back != f {
		text = strconv.AppendFloat(nil, f, 'g', 17, 64)
	}
	return append(b, text...)
}

func appendString(b []byte, s string) []byte {
	var buf bytes.Buffer
	enc := json.NewEncoder(&buf)
	enc.SetEscapeHTML(false)
	if err := enc.Encode(s); err != nil { // not possible for a string
		return append(b, `""`...)
	}
	return append(b, bytes.TrimSuffix(buf.Bytes(), []byte("\n"))...)
}

// parseValue reads one JSON value into the types of appendValue. Of a key that
// occurs twice the last value stays; numbers keep their text.
func parseValue(raw []byte) (any, error) {
	dec := json.NewDecoder(bytes.NewReader(raw))
	dec.UseNumber()
	v, err := decodeValue(dec)
	if err != nil {
		return nil, err
	}
	if _, err := dec.Token(); !errors.Is(err, io.EOF) {
		return nil, errors.New("more than one JSON value")
	}
	return v, nil
}

func decodeValue(dec *json.Decoder) (any, error) {
	t, err := dec.Token()
	if err != nil {
		return nil, err
	}
	switch t {
	case json.Delim('{'):
		o, at := object{}, map[string]int{}
		for dec.More() {
			key, err := dec.Token()
			if err != nil {
				return nil, err
			}
			v, err := decodeValue(dec)
			if err != nil {
				return nil, err
			}
			k := key.(string)
			if i, ok := at[k]; ok {
				o[i].value = v
				continue
			}
			at[k] = len(o)
			o = append(o, member{k, v})
		}
		_, err = dec.Token()
		return o, err
	case json.Delim('['):
		a := array{}
		for dec.More() {
			v, err := decodeValue(dec)
			if err != nil {
				return nil, err
			}
			a = append(a, v)
		}
		_, err = dec.Token()
		return a, err
	}
	return t, nil
}
