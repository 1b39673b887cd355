package matrix

import (
	"fmt"
	"maps"
	"slices"
	"strconv"
	"strings"
	"time"
)

// The values of the address axis that are names of addresses here.
const (
	Loopback = "loopback"
	Exposed  = "exposed" // the one that others would use
)

// The axes that are not client options.
const (
	AxisAddress   = "address"   // loopback, exposed, an address or the name of an interface
	AxisDirection = "direction" // forward, reverse, bidir
	AxisFirewall  = "firewall"  // on, off: changes the system
	AxisMTU       = "mtu"       // bytes@interface: changes the system
)

// Case is one combination of labels.
type Case struct {
	ID      string // the labels as text, "parallel=4 direction=reverse"; unique in the plan
	Labels  Labels
	Args    []string // the client's command line, without host and port
	Address string   // of the address axis; "" means the plan's server
	// Firewall is on, off or "" (left as it is); MTU is bytes@interface or "".
	Firewall, MTU string
	Before, After []string
}

// Options tells what a plan may vary.
type Options interface {
	// Option reports whether the client has a long option of that name and
	// whether it takes a value.
	Option(name string) (takesValue, ok bool)
	// Names lists the client's options, for messages.
	Names() []string
	// Check reads a command line as the client would and returns its error.
	Check(args []string) error
	// CheckAddress returns an error if a plan cannot send its tests there: the
	// name is neither an address, nor loopback or exposed, nor an interface.
	CheckAddress(value string) error
	// CheckFact returns an error if a plan cannot require a fact to have that
	// value: there is none of the name, or it never has the value.
	CheckFact(name, value string) error
}

// reserved are client options that a plan sets by other means, that would send
// its tests elsewhere, or that only change what is shown.
var reserved = map[string]string{
	"client": "server", "port": "server", "server": "server", "port-range": "server", "time": "duration", "bytes": "", "blockcount": "",
	"reverse": "direction", "bidir": "direction", "omit": "omit", "json": "", "json-stream": "", "json-stream-full-output": "",
	"logfile": "", "daemon": "", "version": "", "help": "", "title": "name", "pidfile": "", "format": "", "verbose": "",
	"timestamps": "", "forceflush": "", "debug": "", "csv": "",
}

// allowedAsAxis are reserved options that may still vary from case to case.
var allowedAsAxis = map[string]bool{"time": true, "bytes": true, "blockcount": true, "omit": true}

// Limits of a plan: beyond them it is a mistake, and would fill the memory.
const (
	maxCases = 10_000
	maxRuns  = 1_000_000
)

// Cases lists the plan's cases in their written order: the product of the
// axes, the last axis changing fastest, without the excluded ones, and the
// included ones. Faults are of type *[Error]; file and source, which may be
// empty, are for their place.
func (p *Plan) Cases(o Options, file string, source []byte) ([]Case, error) {
	fail := func(path, format string, args ...any) error {
		return at(file, source, path, fmt.Sprintf(format, args...))
	}
	d := p.withDefaults()
	switch {
	case time.Duration(d.Duration)%time.Second != 0:
		return nil, fail("$.duration", "duration is %v; allowed are whole seconds", time.Duration(d.Duration))
	case time.Duration(d.Omit)%time.Second != 0 || time.Duration(d.Omit) > 600*time.Second:
		return nil, fail("$.omit", "omit is %v; allowed are whole seconds from 0 to 600s", time.Duration(d.Omit))
	case d.Repeat < 1 || d.Repeat > 10000:
		return nil, fail("$.repeat", "repeat is %d; allowed are 1 to 10000", d.Repeat)
	case d.Warmup < 0 || d.Warmup > 100:
		return nil, fail("$.warmup", "warmup is %d; allowed are 0 to 100", d.Warmup)
	case d.Order != Interleaved && d.Order != AsWritten:
		return nil, fail("$.order", "order is %q; allowed are %s and %s", d.Order, Interleaved, AsWritten)
	}
	seen := map[string]bool{}
	for _, a := range p.Axes {
		if seen[a.Name] {
			return nil, fail("$.axes", "axis %q stands twice", a.Name)
		}
		seen[a.Name] = true
		if len(a.Values) == 0 {
			return nil, fail("$.axes."+a.Name, "axis %q has no values: give some (--axis %s=…)", a.Name, a.Name)
		}
		values := map[string]bool{}
		for i, v := range a.Values {
			place := fmt.Sprintf("$.axes.%s[%d]", a.Name, i)
			if values[v.Value] {
				return nil, fail(place, "value %q of axis %q stands twice", v.Value, a.Name)
			}
			values[v.Value] = true
			if v.Value == "" {
				return nil, fail(place, "axis %q has an empty value", a.Name)
			}
			if err := checkValue(o, a.Name, v.Value); err != nil {
				return nil, fail(place, "%v", err)
			}
		}
	}
	for _, name := range slices.Sorted(maps.Keys(p.Require)) {
		if err := o.CheckFact(name, p.Require[name]); err != nil {
			return nil, fail("$.require.'"+name+"'", "require: %v", err)
		}
	}
	var cases []Case
	ids := map[string]bool{}
	add := func(l Labels, order []string) {
		c := p.makeCase(o, l, order)
		if !ids[c.ID] {
			ids[c.ID] = true
			cases = append(cases, c)
		}
	}
	var names []string
	for _, a := range p.Axes {
		names = append(names, a.Name)
	}
	for i, ls := range [][]Labels{p.Include, p.Exclude} {
		for j, l := range ls {
			place := fmt.Sprintf("$.%s[%d]", [...]string{"include", "exclude"}[i], j)
			if len(l) == 0 {
				return nil, fail(place, "a case needs at least one label")
			}
			for _, name := range slices.Sorted(maps.Keys(l)) {
				if err := checkValue(o, name, l[name]); err != nil {
					return nil, fail(place+"."+name, "%v", err)
				}
				if i == 1 && !seen[name] {
					return nil, fail(place+"."+name, "exclude: there is no axis %q in this plan; there are %s", name, orNone(names))
				}
			}
		}
	}
	combinations := 1
	for _, a := range p.Axes {
		if combinations *= len(a.Values); combinations > maxCases {
			return nil, fail("$.axes", "the axes have more than %d combinations", maxCases)
		}
	}
	for _, l := range product(p.Axes) {
		if !slices.ContainsFunc(p.Exclude, func(x Labels) bool { return l.has(x) }) {
			add(l, names)
		}
	}
	for _, l := range p.Include {
		order := append([]string(nil), names...)
		for _, n := range slices.Sorted(maps.Keys(l)) {
			if !slices.Contains(order, n) {
				order = append(order, n)
			}
		}
		add(l, order)
	}
	if len(cases) == 0 {
		return nil, fail("$.exclude", "nothing is left to run")
	}
	if len(cases)*(d.Warmup+d.Repeat) > maxRuns {
		return nil, fail("$.repeat", "%d cases in %d rounds are more than %d runs", len(cases), d.Warmup+d.Repeat, maxRuns)
	}
	for _, c := range cases {
		if err := o.Check(c.Args); err != nil {
			return nil, fail("$.axes", "case %s: %v", c.ID, err)
		}
	}
	return cases, nil
}

func orNone(names []string) string {
	if len(names) == 0 {
		return "none"
	}
	return strings.Join(names, ", ")
}

// IdleExclude returns an error of type *[Error] for the first entry of exclude
// that names a value which its axis does not have, and so leaves out nothing.
func (p *Plan) IdleExclude(file string, source []byte) error {
	for i, l := range p.Exclude {
		for _, a := range p.Axes {
			want, ok := l[a.Name]
			if !ok || slices.ContainsFunc(a.Values, func(v Value) bool { return v.Value == want }) {
				continue
			}
			var values []string
			for _, v := range a.Values {
				values = append(values, v.Value)
			}
			return at(file, source, fmt.Sprintf("$.exclude[%d].%s", i, a.Name),
				fmt.Sprintf("exclude: axis %q has no value %q; it has %s", a.Name, want, orNone(values)))
		}
	}
	return nil
}

// product returns every combination; one without labels for no axes.
func product(axes Axes) []Labels {
	all := []Labels{{}}
	for _, a := range axes {
		var next []Labels
		for _, l := range all {
			for _, v := range a.Values {
				n := maps.Clone(l)
				n[a.Name] = v.Value
				next = append(next, n)
			}
		}
		all = next
	}
	return all
}

func (l Labels) has(part Labels) bool {
	for k, v := range part {
		if l[k] != v {
			return false
		}
	}
	return true
}

func checkValue(o Options, name, value string) error {
	switch name {
	case AxisDirection:
		if value != "forward" && value != "reverse" && value != "bidir" {
			return fmt.Errorf("direction %q; allowed are forward, reverse, bidir", value)
		}
		return nil
	case AxisFirewall:
		if value != "on" && value != "off" {
			return fmt.Errorf("firewall %q; allowed are on, off", value)
		}
		return nil
	case AxisMTU:
		if _, _, err := ParseMTU(value); err != nil {
			return err
		}
		return nil
	case AxisAddress:
		return o.CheckAddress(value)
	}
	if isReserved(name) {
		use := reserved[name]
		if use == "" {
			return fmt.Errorf("%q cannot be an axis", name)
		}
		return fmt.Errorf("%q cannot be an axis; use %q", name, use)
	}
	takesValue, ok := o.Option(name)
	if !ok {
		special := []string{AxisAddress, AxisDirection, AxisFirewall, AxisMTU}
		options := slices.DeleteFunc(o.Names(), isReserved)
		return fmt.Errorf("there is no axis %q%s; allowed are %s and the client options %s", name,
			DidYouMean(name, slices.Concat(special, options)), strings.Join(special, ", "), strings.Join(options, ", "))
	}
	if !takesValue && value != "true" && value != "false" {
		return fmt.Errorf("%s %q; allowed are true and false", name, value)
	}
	return nil
}

func isReserved(name string) bool {
	_, ok := reserved[name]
	return ok && !allowedAsAxis[name]
}

// ParseMTU reads "9000@eth0".
func ParseMTU(s string) (bytes int, device string, err error) {
	n, device, ok := strings.Cut(s, "@")
	bytes, nerr := strconv.Atoi(n)
	if !ok || device == "" || nerr != nil || bytes < 68 || bytes > 65536 {
		return 0, "", fmt.Errorf("mtu %q; allowed is BYTES@INTERFACE with 68 to 65536 bytes, such as 9000@eth0", s)
	}
	return bytes, device, nil
}

// makeCase gives a case its command line. order is that of its labels.
func (p *Plan) makeCase(o Options, l Labels, order []string) Case {
	d := p.withDefaults()
	c := Case{Labels: l}
	timed := true
	var id []string
	for _, name := range order {
		value, ok := l[name]
		if !ok {
			continue
		}
		id = append(id, name+"="+value)
		switch name {
		case AxisAddress:
			c.Address = value
		case AxisFirewall:
			c.Firewall = value
		case AxisMTU:
			c.MTU = value
		case AxisDirection:
			if value != "forward" {
				c.Args = append(c.Args, "--"+value)
			}
		default:
			if takesValue, _ := o.Option(name); takesValue {
				c.Args = append(c.Args, "--"+name+"="+value)
			} else if value == "true" {
				c.Args = append(c.Args, "--"+name)
			}
			timed = timed && name != "time" && name != "bytes" && name != "blockcount"
		}
		for _, a := range p.Axes {
			for _, v := range a.Values {
				if a.Name == name && v.Value == value {
					c.Before, c.After = slices.Concat(c.Before, v.Before), slices.Concat(v.After, c.After)
				}
			}
		}
	}
	if timed {
		c.Args = append(c.Args, "--time="+strconv.Itoa(int(time.Duration(d.Duration)/time.Second)))
	}
	if _, ok := l["omit"]; !ok && d.Omit > 0 {
		c.Args = append(c.Args, "--omit="+strconv.Itoa(int(time.Duration(d.Omit)/time.Second)))
	}
	c.ID = strings.Join(id, " ")
	return c
}
