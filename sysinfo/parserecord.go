package sysinfo

import (
	"encoding/json"
	"fmt"
	"maps"
	"math"
	"reflect"
)

// Bounds of a record from the other end.
const (
	maxText = 256  // bytes of one string
	maxList = 2048 // elements of one list
	maxMap  = 1024 // entries of one map
)

// ParseRecord reads a record that came from another host. It is data from a
// stranger: its size is bounded, its texts are made safe for a terminal,
// numbers that make no sense become null, and keys of later versions are left
// out. It is an error if it is too long, not JSON, not an object, of another
// schema, or has a value of another type than the schema says.
func ParseRecord(text []byte) (*Record, error) {
	if len(text) > MaxRecordBytes {
		return nil, fmt.Errorf("sysinfo record of %d bytes is longer than %d", len(text), MaxRecordBytes)
	}
	r := new(Record)
	if err := json.Unmarshal(text, r); err != nil {
		return nil, fmt.Errorf("read sysinfo record: %w", err)
	}
	if r.Schema != Schema {
		return nil, fmt.Errorf("read sysinfo record: schema %.40q is not %q", r.Schema, Schema)
	}
	if r.Role != "client" && r.Role != "server" {
		r.Role = ""
	}
	if math.IsNaN(r.CollectMS) || r.CollectMS < 0 {
		r.CollectMS = 0
	}
	r.cleanMaps()
	for path, v := range leaves(r) {
		if clean(v); !sensible(path, v) {
			v.SetZero()
			r.Unknown[path] = Unknown{ParseError, "the other end sent a value that cannot be"}
		}
	}
	r.completeReasons()
	return r, nil
}

// cleanMaps bounds the maps of the record and makes their texts printable.
func (r *Record) cleanMaps() {
	r.Unknown, r.Sources, r.Changed = capped(r.Unknown), capped(r.Sources), capped(r.Changed)
	known := make(map[string]bool)
	for path := range leaves(r) {
		known[path] = true
		known[groupOf(path)] = true
	}
	known["cpu.busy_split"] = true
	notOurs := func(path string) bool { return !known[path] }
	maps.DeleteFunc(r.Unknown, func(path string, _ Unknown) bool { return notOurs(path) })
	maps.DeleteFunc(r.Sources, func(path string, _ Origin) bool { return notOurs(path) })
	maps.DeleteFunc(r.Changed, func(path string, _ [2]any) bool { return notOurs(path) })
	for path, u := range r.Unknown {
		r.Unknown[path] = Unknown{knownReason(u.Reason), text(u.Detail)}
	}
	for path, o := range r.Sources {
		r.Sources[path] = Origin{text(o.Source), o.CostMS}
	}
	for path, c := range r.Changed {
		r.Changed[path] = [2]any{cleanAny(c[0]), cleanAny(c[1])}
	}
}

// knownReason is the reason, or that it failed if there is no such reason.
func knownReason(r Reason) Reason {
	switch r {
	case NotSupported, NoPermission, NotFound, ParseError, Timeout, NotApplicable, NotAttempted, Withheld:
		return r
	}
	return Failed
}

func capped[V any](m map[string]V) map[string]V {
	if m == nil || len(m) > maxMap {
		return make(map[string]V)
	}
	return m
}

// cleanAny keeps a text, number, truth value or list of them, and drops the
// rest.
func cleanAny(v any) any {
	switch v := v.(type) {
	case string:
		return text(v)
	case float64, bool:
		return v
	case []any:
		if len(v) > maxList {
			return nil
		}
		for i := range v {
			if _, list := v[i].([]any); list {
				return nil
			}
			v[i] = cleanAny(v[i])
		}
		return v
	}
	return nil
}

func text(s string) string { return shorten(Printable(shorten(s, maxText)), maxText) }

// clean makes every text below v printable and short, and every list short. What
// v points to stays as it is: others may read it at this moment.
func clean(v reflect.Value) {
	switch v.Kind() {
	case reflect.String:
		v.SetString(text(v.String()))
	case reflect.Pointer:
		if !v.IsNil() {
			own := reflect.New(v.Type().Elem())
			own.Elem().Set(v.Elem())
			clean(own.Elem())
			v.Set(own)
		}
	case reflect.Slice:
		if v.IsNil() {
			return
		}
		own := reflect.MakeSlice(v.Type(), min(v.Len(), maxList), min(v.Len(), maxList))
		reflect.Copy(own, v)
		for i := range own.Len() {
			clean(own.Index(i))
		}
		v.Set(own)
	case reflect.Struct:
		for _, field := range v.Fields() {
			clean(field)
		}
	}
}

// sensible reports whether a fact could be true: no counted or measured fact
// but the signal level and the temperature is negative.
func sensible(path string, v reflect.Value) bool {
	if path == "wifi.signal_dbm" || path == "thermal.temperature_celsius" || v.IsNil() {
		return true
	}
	switch x := v.Interface().(type) {
	case *int64:
		return *x >= 0
	case *float64:
		return *x >= 0
	case []float64:
		for _, f := range x {
			if f < 0 {
				return false
			}
		}
	}
	return true
}

// completeReasons gives every null a reason and no known fact one, whatever
// was sent.
func (r *Record) completeReasons() {
	whole := make(map[string]Unknown)
	for path, v := range leaves(r) {
		if !v.IsNil() {
			continue
		}
		u, ok := r.Why(path)
		if !ok {
			u = Unknown{NotAttempted, "the other end did not say"}
		}
		whole[path] = u
	}
	r.Unknown = whole
	r.collapse()
}
