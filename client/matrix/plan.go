package matrix

import (
	"bytes"
	"errors"
	"fmt"
	"io"
	"math"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"time"
	"unicode/utf8"

	"github.com/goccy/go-yaml"
)

// Embedded as Plan.Server means a server of our own for the time of the plan.
const Embedded = "embedded"

// The orders of runs.
const (
	// Interleaved runs every case once per round, the cases of a round in
	// random order: slow changes of the machine (heat, other load) then touch
	// all cases alike, and rounds can be compared as pairs.
	Interleaved = "interleaved"
	// AsWritten runs each round in the order of the cases.
	AsWritten = "as-written"
)

// Plan is a matrix of tests as its author wrote it. Zero values mean the
// defaults of [Plan.withDefaults].
type Plan struct {
	Name     string            `yaml:"name,omitempty"`
	Server   string            `yaml:"server,omitempty"`   // embedded, or host[:port] of a linkperf or iperf3 server
	Duration Duration          `yaml:"duration,omitempty"` // of each test, whole seconds
	Omit     Duration          `yaml:"omit,omitempty"`     // at the start of each test, whole seconds
	Repeat   int               `yaml:"repeat,omitempty"`   // rounds
	Warmup   int               `yaml:"warmup,omitempty"`   // rounds before them that do not count
	Pause    *Duration         `yaml:"pause,omitempty"`    // between two runs; nil means 200 ms, and 0 none
	Timeout  Duration          `yaml:"timeout,omitempty"`  // of one run, over its duration
	Order    string            `yaml:"order,omitempty"`    // interleaved or as-written
	Seed     uint64            `yaml:"seed,omitempty"`     // of the random order; 0 draws one, which is recorded
	Axes     Axes              `yaml:"axes,omitempty"`
	Include  []Labels          `yaml:"include,omitempty"` // cases besides the product of the axes
	Exclude  []Labels          `yaml:"exclude,omitempty"` // cases of the product to leave out: all that have these labels
	Before   []string          `yaml:"before,omitempty"`  // commands run by the shell before the first run
	After    []string          `yaml:"after,omitempty"`   // and after the last one, whatever happened
	Require  map[string]string `yaml:"require,omitempty"` // facts of the host record that must hold, for example path.kind: thunderbolt

	// Versions of the programs, written when a plan is run.
	Versions map[string]string `yaml:"versions,omitempty"`
}

// DefaultTimeout is how long a run may take over its duration where the plan
// does not say.
const DefaultTimeout = 30 * time.Second

// Duration is a time in a plan: "1s", "200ms", or a number of seconds.
type Duration time.Duration

// UnmarshalYAML implements goccy's InterfaceUnmarshaler.
func (d *Duration) UnmarshalYAML(unmarshal func(any) error) error {
	var s string
	if err := unmarshal(&s); err != nil {
		return err
	}
	v, err := ParseDuration(s)
	if err == nil {
		*d = Duration(v)
	}
	return err
}

// MarshalYAML writes the duration as text.
func (d Duration) MarshalYAML() (any, error) { return time.Duration(d).String(), nil }

// ParseDuration reads a time of a plan: "1s", "200ms", or a number of seconds.
func ParseDuration(s string) (time.Duration, error) {
	if f, err := strconv.ParseFloat(s, 64); err == nil && f >= 0 && f <= 86400 {
		return time.Duration(f * float64(time.Second)), nil
	}
	d, err := time.ParseDuration(s)
	if err != nil || d < 0 || d > 24*time.Hour {
		return 0, fmt.Errorf("%q is not a time; allowed are 0 to 24h, such as 1s, 200ms, or a number of seconds", s)
	}
	return d, nil
}

// Value is one value of an axis with the commands that belong to it.
type Value struct {
	Value  string   `yaml:"value"`
	Before []string `yaml:"before,omitempty"` // run by the shell before each run with this value
	After  []string `yaml:"after,omitempty"`  // and after it
}

// UnmarshalYAML takes a plain value or a mapping of value, before, after.
func (v *Value) UnmarshalYAML(unmarshal func(any) error) error {
	type full Value
	var f full
	if err := unmarshal(&f); err == nil {
		*v = Value(f)
		return nil
	}
	return unmarshal(&v.Value)
}

// MarshalYAML writes a value without commands as a plain one.
func (v Value) MarshalYAML() (any, error) {
	if len(v.Before) == 0 && len(v.After) == 0 {
		return v.Value, nil
	}
	type full Value
	return full(v), nil
}

// Axis is one property that varies.
type Axis struct {
	Name   string
	Values []Value
}

// Axes keep the order in which they were written.
type Axes []Axis

// UnmarshalYAML keeps the order of the mapping's keys.
func (a *Axes) UnmarshalYAML(unmarshal func(any) error) error {
	var keys yaml.MapSlice
	if err := unmarshal(&keys); err != nil {
		return err
	}
	var values map[string][]Value
	if err := unmarshal(&values); err != nil {
		return err
	}
	*a = nil
	for _, k := range keys {
		name := fmt.Sprint(k.Key)
		*a = append(*a, Axis{Name: name, Values: values[name]})
	}
	return nil
}

// MarshalYAML writes the axes as a mapping in their order.
func (a Axes) MarshalYAML() (any, error) {
	m := yaml.MapSlice{}
	for _, x := range a {
		m = append(m, yaml.MapItem{Key: x.Name, Value: x.Values})
	}
	return m, nil
}

// Labels name a case, or part of it: axis to value.
type Labels map[string]string

// Error is a fault in a plan: where it stands and what is allowed there.
type Error struct {
	File         string // as the user named it; "" for flags
	Line, Column int    // from 1; 0 where a plan was not read from text
	Message      string
	Source       string // the lines around the fault, marked
}

// Error gives file, line and column before the message.
func (e *Error) Error() string {
	s := e.Message
	if e.Line > 0 {
		s = fmt.Sprintf("line %d, column %d: %s", e.Line, e.Column, s)
	}
	if e.File != "" {
		s = e.File + ": " + s
	}
	if e.Source != "" {
		s += "\n" + strings.TrimRight(e.Source, "\n")
	}
	return s
}

// Parse reads a plan file. Unknown keys, duplicates, wrong types and numbers
// that a plan would take for "not given" are errors of type *[Error] with their
// place.
func Parse(file string, source []byte) (*Plan, error) {
	p := &Plan{}
	source = bytes.TrimPrefix(source, []byte(byteOrderMark))
	if !utf8.Valid(source) || bytes.IndexByte(source, 0) >= 0 {
		return nil, &Error{File: file, Message: "this is not text in UTF-8, which a plan is"}
	}
	if err := decode(source, p, yaml.Strict()); err != nil && !errors.Is(err, io.EOF) {
		return nil, decodeError(file, source, err)
	}
	given := map[string]any{}
	if err := decode(source, &given); err != nil && !errors.Is(err, io.EOF) {
		return nil, decodeError(file, source, err)
	}
	zero := map[string]bool{"duration": p.Duration == 0, "repeat": p.Repeat == 0, "timeout": p.Timeout == 0, "seed": p.Seed == 0}
	for _, k := range keys {
		v := given[k.name]
		n, real := v.(float64) // the decoder would cut it to an integer
		if v != nil && (zero[k.name] || real && n != math.Trunc(n) && countKeys[k.name]) {
			return nil, at(file, source, "$."+k.name, fmt.Sprintf("%s is %v; allowed is %s", k.name, v, k.allowed))
		}
	}
	return p, nil
}

// byteOrderMark begins text files of some editors.
const byteOrderMark = "\uFEFF"

// durationKeys and countKeys are the keys of a plan that are times, and those
// that are whole numbers.
var countKeys = map[string]bool{"repeat": true, "warmup": true, "seed": true}
var durationKeys = map[string]bool{"duration": true, "omit": true, "pause": true, "timeout": true}

// Marshal returns the text of a plan file.
func (p *Plan) Marshal() ([]byte, error) {
	text, err := yaml.Marshal(p)
	if err != nil {
		return nil, fmt.Errorf("write the plan: %w", err)
	}
	return text, nil
}

// decode turns a panic of the library into an error: it has some on
// malformed tags (found by fuzzing), and a plan file must not end a program.
func decode(source []byte, to any, options ...yaml.DecodeOption) (err error) {
	defer func() {
		if r := recover(); r != nil {
			err = fmt.Errorf("this is not YAML: %v", r)
		}
	}()
	d := yaml.NewDecoder(bytes.NewReader(source), options...)
	if err := d.Decode(to); err != nil {
		return err
	}
	if err := d.Decode(new(any)); !errors.Is(err, io.EOF) {
		return errors.New("a plan is one YAML document, and here another one follows (after ---)")
	}
	return nil
}

// decodeError turns goccy's error into ours.
func decodeError(file string, source []byte, err error) *Error {
	e := &Error{File: file, Message: err.Error()}
	var y yaml.Error
	if errors.As(err, &y) {
		e.Message = y.GetMessage()
		if t := y.GetToken(); t != nil && t.Position != nil {
			e.Line, e.Column = t.Position.Line, t.Position.Column
			e.Source = yaml.FormatError(err, false, true)
			if i := strings.IndexByte(e.Source, '\n'); i >= 0 {
				e.Source = e.Source[i+1:]
			}
		}
	}
	switch {
	case e.Line == 0:
		// An error of Duration, to which the library gives no place.
		given := map[string]any{}
		if decode(source, &given) != nil {
			break
		}
		for _, k := range keys {
			if v := given[k.name]; v != nil && durationKeys[k.name] {
				if _, err := ParseDuration(fmt.Sprint(v)); err != nil {
					return at(file, source, "$."+k.name, k.name+": "+err.Error())
				}
			}
		}
	case strings.HasPrefix(e.Message, "unknown field"):
		e.Message += "; allowed are " + strings.Join(planKeys(), ", ")
	case strings.Contains(e.Message, " unmarshal ") || strings.Contains(e.Message, " was used where "):
		// The library speaks of Go's types.
		if k, ok := keyAt(source, e.Line); ok {
			e.Message = fmt.Sprintf("%s has a value of the wrong kind; allowed is %s", k.name, k.allowed)
			if k.name == "axes" {
				e.Message += ", where a value is a plain one or a mapping of value, before, after"
			}
		} else {
			e.Message = "a plan has lines of the form KEY: VALUE, where KEY is one of " + strings.Join(planKeys(), ", ")
		}
	case strings.Contains(e.Message, "'\t'"):
		e.Message = "a tab cannot indent a line in YAML; use spaces"
	}
	return e
}

// keyAt returns the plan's key to which a line belongs.
func keyAt(source []byte, line int) (k key, ok bool) {
	lines := strings.Split(string(source), "\n")
	for _, l := range slices.Backward(lines[:min(max(line, 0), len(lines))]) {
		name, _, _ := strings.Cut(l, ":")
		for _, k := range keys {
			if k.name == name {
				return k, true
			}
		}
	}
	return key{}, false
}

// plainPath is a path whose names hold nothing that a path gives a meaning to,
// or are quoted.
var plainPath = regexp.MustCompile(`^\$(\.([A-Za-z0-9_-]+|'[A-Za-z0-9_.-]+')(\[[0-9]+\])?)+$`)

// Fault is an error at a path of a plan's text, such as $.server. File and
// source may be empty.
func Fault(file string, source []byte, path, message string) *Error {
	return at(file, source, path, message)
}

// at gives the place of a path such as $.axes.parallel[0] in a plan's text.
func at(file string, source []byte, path, message string) *Error {
	e := &Error{File: file, Message: message}
	if len(source) == 0 {
		return e
	}
	// An odd name of an axis would be read as part of the path's syntax.
	if !plainPath.MatchString(path) {
		section, _, _ := strings.Cut(strings.TrimPrefix(path, "$."), ".")
		path = "$." + section
	}
	p, err := yaml.PathString(path)
	if err != nil {
		return e
	}
	source = bytes.TrimPrefix(source, []byte(byteOrderMark))
	node, err := p.ReadNode(bytes.NewReader(source))
	if err != nil || node.GetToken() == nil {
		return e
	}
	e.Line, e.Column = node.GetToken().Position.Line, node.GetToken().Position.Column
	if marked, err := p.AnnotateSource(source, false); err == nil {
		e.Source = string(marked)
	}
	return e
}

// withDefaults fills in what the plan leaves open.
func (p Plan) withDefaults() Plan {
	if p.Server == "" {
		p.Server = Embedded
	}
	if p.Duration == 0 {
		p.Duration = Duration(time.Second)
	}
	if p.Repeat == 0 {
		p.Repeat = 8
	}
	if p.Pause == nil {
		p.Pause = new(Duration(200 * time.Millisecond))
	}
	if p.Timeout == 0 {
		p.Timeout = Duration(DefaultTimeout)
	}
	if p.Order == "" {
		p.Order = Interleaved
	}
	return p
}
