package sysinfo

import (
	"bytes"
	"encoding/json"
	"iter"
	"reflect"
	"slices"
	"strings"
	"sync"
	"time"
)

// place is where a fact stands in the record.
type place struct {
	path  string // as in JSON
	index []int  // of the fields, from the record inwards
}

func (p place) of(r *Record) reflect.Value { return reflect.ValueOf(r).Elem().FieldByIndex(p.index) }

// places are those of every fact, in the order of the record. A fact is a
// pointer or a list; groups are walked through.
var places = sync.OnceValue(func() []place { return placesIn(reflect.TypeFor[Record](), "", nil) })

func placesIn(group reflect.Type, prefix string, index []int) []place {
	var all []place
	for field := range group.Fields() {
		path, at := prefix+jsonName(field), append(slices.Clip(index), field.Index...)
		switch kind := field.Type.Kind(); {
		case kind == reflect.Pointer || kind == reflect.Slice:
			all = append(all, place{path, at})
		case kind == reflect.Struct && field.Type != timeType:
			all = append(all, placesIn(field.Type, path+".", at)...)
		}
	}
	return all
}

// leaves yields every fact of the record with its path, in the order of the
// record.
func leaves(r *Record) iter.Seq2[string, reflect.Value] {
	return func(yield func(string, reflect.Value) bool) {
		for _, p := range places() {
			if !yield(p.path, p.of(r)) {
				return
			}
		}
	}
}

// timeType is a struct that is a value, not a group.
var timeType = reflect.TypeFor[time.Time]()

func jsonName(f reflect.StructField) string {
	name, _, _ := strings.Cut(f.Tag.Get("json"), ",")
	return name
}

// covers reports whether a path is the field or in the group of fields named.
func covers(field, path string) bool {
	return path == field || strings.HasPrefix(path, field) && path[len(field)] == '.'
}

// MarshalJSON writes every key of the record; a group whose facts are all
// unknown for one reason is null as a whole.
func (r *Record) MarshalJSON() ([]byte, error) {
	var b bytes.Buffer
	if err := encodeGroup(&b, "", reflect.ValueOf(r).Elem(), r.Unknown); err != nil {
		return nil, err
	}
	return b.Bytes(), nil
}

func encodeGroup(b *bytes.Buffer, prefix string, group reflect.Value, unknown map[string]Unknown) error {
	b.WriteByte('{')
	first := true
	for field, v := range group.Fields() {
		name := jsonName(field)
		if !first {
			b.WriteByte(',')
		}
		first = false
		b.WriteString(`"` + name + `":`)
		if v.Kind() == reflect.Struct && field.Type != timeType {
			if _, null := unknown[prefix+name]; null {
				b.WriteString("null")
				continue
			}
			if err := encodeGroup(b, prefix+name+".", v, unknown); err != nil {
				return err
			}
			continue
		}
		text, err := json.Marshal(v.Interface())
		if err != nil {
			return err
		}
		b.Write(text)
	}
	b.WriteByte('}')
	return nil
}

// Why tells the reason of a null: path as in the JSON form, such as
// "link.mtu_bytes". It is false for a known fact.
func (r *Record) Why(path string) (Unknown, bool) {
	for {
		if u, ok := r.Unknown[path]; ok {
			return u, true
		}
		dot := strings.LastIndexByte(path, '.')
		if dot < 0 {
			return Unknown{}, false
		}
		path = path[:dot]
	}
}

// collapse replaces the reasons of a group that is unknown as a whole, for one
// reason, by one entry.
func (r *Record) collapse() {
	collapseGroup("", reflect.ValueOf(r).Elem(), r.Unknown)
}

func collapseGroup(prefix string, group reflect.Value, unknown map[string]Unknown) {
	for field, v := range group.Fields() {
		if v.Kind() != reflect.Struct || field.Type == timeType {
			continue
		}
		path := prefix + jsonName(field)
		collapseGroup(path+".", v, unknown)
		var paths []string
		for f := range v.Fields() {
			paths = append(paths, path+"."+jsonName(f))
		}
		why, whole := commonReason(paths, unknown)
		if !whole {
			continue
		}
		for _, p := range paths {
			delete(unknown, p)
		}
		unknown[path] = why
	}
}

// commonReason is the one reason of all paths, if they have one. What a system
// does not tell is not worth a line where the group makes no sense anyway.
func commonReason(paths []string, unknown map[string]Unknown) (why Unknown, ok bool) {
	why = unknown[paths[0]]
	for _, p := range paths {
		u, null := unknown[p]
		switch {
		case !null:
			return why, false
		case u == why, u.Reason == NotSupported && why.Reason == NotApplicable:
		case why.Reason == NotSupported && u.Reason == NotApplicable:
			why = u
		default:
			return why, false
		}
	}
	return why, true
}
