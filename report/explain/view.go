package explain

import (
	"reflect"
	"strings"

	"linkperf/protocol"
	"linkperf/protocol/measure"
	"linkperf/sysinfo"
)

// view is the input as the rules see it.
type view struct {
	Input
	client, server *end          // the record in them is nil if there is none
	ends           []*end        // those with a record
	start          measure.Start // zero without a test
	flows          []flow
}

// end is one end of the test.
type end struct {
	side string
	*sysinfo.Record
}

func newView(in Input) *view {
	v := &view{Input: in, client: &end{"client", in.Client}, server: &end{"server", in.Server}}
	for _, e := range []*end{v.client, v.server} {
		if e.known() {
			v.ends = append(v.ends, e)
		}
	}
	if in.Result != nil && in.Result.Start != nil {
		v.start = *in.Result.Start
		v.flows = v.measured()
	}
	return v
}

func (e *end) known() bool { return e.Record != nil }

// other is the end that e talks to.
func (v *view) other(e *end) *end {
	if e == v.client {
		return v.server
	}
	return v.client
}

func (v *view) udp() bool { return v.start.Params.Transport == protocol.UDP }

// tcp reports whether the test ran over TCP.
func (v *view) tcp() bool {
	return len(v.flows) > 0 && (v.start.Params.Transport == protocol.TCP || v.start.Params.Transport == "")
}

// behind reports whether something between the ends changes addresses: they
// are not on one link then, whatever their routes say.
func (v *view) behind() bool { return len(addressChanges(v)) > 0 }

// direct reports whether both ends are known to be on one link.
func (v *view) direct() bool {
	return v.client.known() && v.server.known() && v.client.onLink() && v.server.onLink() && !v.behind()
}

// onLink reports whether the end reaches the other one without a router, and
// the other one is another host.
func (e *end) onLink() bool {
	return e.Path.OnLink != nil && *e.Path.OnLink && e.Path.Kind != nil && !e.inside()
}

// inside reports whether the traffic never leaves the host.
func (e *end) inside() bool { return is(e.Path.Kind, sysinfo.KindLoopback, sysinfo.KindOwnAddress) }

// cabled reports whether the path is a cable with hardware at its end.
func (e *end) cabled() bool {
	return is(e.Path.Kind, sysinfo.KindEthernet, sysinfo.KindThunderbolt) && !yes(e.Link.Virtual)
}

// perEnd makes a rule of one that looks at a single end.
func perEnd(f func(v *view, e *end) *Finding) func(*view) []Finding {
	return func(v *view) []Finding {
		var list []Finding
		for _, e := range v.ends {
			if one := f(v, e); one != nil {
				if one.Side == "" {
					one.Side = e.side
				}
				list = append(list, *one)
			}
		}
		return list
	}
}

// single makes a rule of one that has at most one finding.
func single(f func(v *view) *Finding) func(*view) []Finding {
	return func(v *view) []Finding {
		if one := f(v); one != nil {
			return []Finding{*one}
		}
		return nil
	}
}

// say begins a finding.
func say(sentence, advice string) *Finding {
	return &Finding{Sentence: sentence, Advice: advice, Numbers: map[string]any{}}
}

// about sets the side.
func (f *Finding) about(side string) *Finding {
	f.Side = side
	return f
}

// on adds the facts of an end that the finding rests on, those that are known.
func (f *Finding) on(e *end, paths ...string) *Finding {
	if !e.known() {
		return f
	}
	for _, p := range paths {
		if value, known := fact(e.Record, p); known {
			f.Numbers[e.side+"."+p] = value
		}
	}
	return f
}

// figure adds a figure of the test.
func (f *Finding) figure(name string, value any) *Finding {
	f.Numbers["result."+name] = value
	return f
}

// fact is the value at a path of the record. For a null it is false; a path
// that does not exist is a known nil, which the tests look for.
func fact(r *sysinfo.Record, path string) (any, bool) {
	v := reflect.ValueOf(r).Elem()
	for name := range strings.SplitSeq(path, ".") {
		found := false
		for field, value := range v.Fields() {
			if tag, _, _ := strings.Cut(field.Tag.Get("json"), ","); tag == name {
				v, found = value, true
				break
			}
		}
		if !found {
			return nil, true
		}
		if v.Kind() == reflect.Pointer {
			if v.IsNil() {
				return nil, false
			}
			v = v.Elem()
		}
	}
	if v.Kind() == reflect.Slice && v.IsNil() {
		return nil, false
	}
	return v.Interface(), true
}

// is reports whether a text is known and one of the words.
func is(s *string, words ...string) bool {
	if s == nil {
		return false
	}
	for _, w := range words {
		if *s == w {
			return true
		}
	}
	return false
}

// yes reports whether a fact is known and true.
func yes(b *bool) bool { return b != nil && *b }

// no reports whether a fact is known and false.
func no(b *bool) bool { return b != nil && !*b }

// or is the value of a fact, or another if it is not known.
func or[T any](p *T, instead T) T {
	if p == nil {
		return instead
	}
	return *p
}
