package main

import (
	"fmt"
	"io"
	"reflect"
	"strconv"
	"strings"

	"github.com/olekukonko/tablewriter"
	"github.com/olekukonko/tablewriter/renderer"
	"github.com/olekukonko/tablewriter/tw"

	"linkperf/sysinfo"
)

// A fact is one row of a record's table: its path in the record, as in
// "link.mtu_bytes", and its value for people, "" if unknown.
type fact struct{ path, value string }

// facts lists the single-valued facts of a record in its own order. Unknown
// ones are there with an empty value.
func facts(r *sysinfo.Record) []fact {
	var list []fact
	v := reflect.ValueOf(r).Elem()
	for i := range v.NumField() {
		if group := v.Field(i); group.Kind() == reflect.Struct {
			list = append(list, groupFacts(key(v.Type().Field(i)), group)...)
		}
	}
	return list
}

func groupFacts(prefix string, group reflect.Value) []fact {
	var list []fact
	for i := range group.NumField() {
		field := group.Field(i)
		name := key(group.Type().Field(i))
		if name == "" {
			continue
		}
		path := prefix + "." + name
		switch field.Kind() {
		case reflect.Struct:
			list = append(list, groupFacts(path, field)...)
		case reflect.Pointer:
			value := ""
			if !field.IsNil() {
				value = inUnit(name, field.Elem().Interface())
			}
			list = append(list, fact{path, value})
		case reflect.Slice:
			if words, ok := field.Interface().([]string); ok {
				list = append(list, fact{path, strings.Join(words, ", ")})
			}
		}
	}
	return list
}

// key is a field's name in JSON, "" if it has none.
func key(f reflect.StructField) string {
	name, _, _ := strings.Cut(f.Tag.Get("json"), ",")
	return name
}

// units are the endings of keys that tell a unit, and how a number in it is
// shown.
var units = []struct {
	ending string
	show   func(float64) string
}{
	{"_bits_per_second", bitRate},
	{"_bytes", func(v float64) string { return number(v) + " bytes" }},
	{"_percent", func(v float64) string { return strconv.FormatFloat(v, 'f', 1, 64) + " %" }},
	{"_us", func(v float64) string { return number(v) + " µs" }},
	{"_mhz", func(v float64) string { return number(v) + " MHz" }},
	{"_dbm", func(v float64) string { return number(v) + " dBm" }},
	{"_celsius", func(v float64) string { return number(v) + " °C" }},
	{"_gt_per_second", func(v float64) string { return number(v) + " GT/s" }},
}

func number(v float64) string { return strconv.FormatFloat(v, 'f', -1, 64) }

// bitRate shows a rate with the largest decimal prefix that leaves it at least 1.
func bitRate(v float64) string {
	prefixes := []string{"", "K", "M", "G", "T"}
	i := 0
	for ; v >= 1000 && i < len(prefixes)-1; i++ {
		v /= 1000
	}
	return strconv.FormatFloat(v, 'g', 4, 64) + " " + prefixes[i] + "bit/s"
}

// inUnit shows a fact's value; the end of its name tells the unit.
func inUnit(name string, value any) string {
	var n float64
	switch v := value.(type) {
	case string:
		return sysinfo.Printable(v)
	case bool:
		if v {
			return "yes"
		}
		return "no"
	case int64:
		n = float64(v)
	case float64:
		n = v
	default:
		return fmt.Sprint(v)
	}
	for _, u := range units {
		if strings.HasSuffix(name, u.ending) {
			return u.show(n)
		}
	}
	return number(n)
}

// label is a fact's name for people: without its group, which stands above, and
// without the unit, which the value has.
func label(path string) string {
	_, name, _ := strings.Cut(path, ".")
	for _, u := range units {
		name = strings.TrimSuffix(name, u.ending)
	}
	return strings.NewReplacer("_", " ", ".", " ").Replace(name)
}

// A factTable is a table without lines, its columns two blanks apart.
type factTable struct {
	*tablewriter.Table
	text strings.Builder
	w    io.Writer
}

func newTable(w io.Writer) *factTable {
	t := &factTable{w: w}
	t.Table = tablewriter.NewTable(&t.text,
		tablewriter.WithRenderer(renderer.NewBlueprint(tw.Rendition{
			Borders:  tw.BorderNone,
			Settings: tw.Settings{Separators: tw.SeparatorsNone, Lines: tw.LinesNone},
		})),
		tablewriter.WithHeaderAutoFormat(tw.Off),
		tablewriter.WithHeaderAlignment(tw.AlignLeft),
		tablewriter.WithRowAlignment(tw.AlignLeft),
		tablewriter.WithRowAutoWrap(tw.WrapNone),
		tablewriter.WithPadding(tw.Padding{Right: "  "}),
	)
	return t
}

// Render writes the table without blanks at the ends of lines.
func (t *factTable) Render() error {
	if err := t.Table.Render(); err != nil {
		return err
	}
	for line := range strings.Lines(t.text.String()) {
		if _, err := fmt.Fprintln(t.w, strings.TrimRight(line, " \n")); err != nil {
			return err
		}
	}
	return nil
}

// writeFacts writes the known facts of a record, group by group, and then its
// lists.
func writeFacts(w io.Writer, r *sysinfo.Record) error {
	t := newTable(w)
	group := ""
	for _, f := range facts(r) {
		if f.value == "" {
			continue
		}
		g, _, _ := strings.Cut(f.path, ".")
		shown := ""
		if g != group {
			group, shown = g, strings.ReplaceAll(g, "_", " ")
		}
		if err := t.Append(shown, label(f.path), f.value); err != nil {
			return err
		}
	}
	if err := t.Render(); err != nil {
		return err
	}
	if err := writeLayers(w, r.Firewall.Layers); err != nil {
		return err
	}
	if err := writeInterfaces(w, r.Interfaces); err != nil {
		return err
	}
	return writeDevices(w, r.Devices)
}

func writeLayers(w io.Writer, layers []sysinfo.Layer) error {
	if len(layers) == 0 {
		return nil
	}
	fmt.Fprintln(w)
	t := newTable(w)
	t.Header("Packet filter", "State", "On the path", "Detail")
	for _, l := range layers {
		if err := t.Append(sysinfo.Printable(l.Name), orReason(l.State, l.Reason), inUnit("", l.OnPath), sysinfo.Printable(l.Detail)); err != nil {
			return err
		}
	}
	return t.Render()
}

func writeInterfaces(w io.Writer, list []sysinfo.Interface) error {
	if len(list) == 0 {
		return nil
	}
	fmt.Fprintln(w)
	t := newTable(w)
	t.Header("Interface", "Kind", "Up", "MTU", "Speed", "Addresses")
	for _, i := range list {
		mtu := ""
		if i.MTU != nil {
			mtu = strconv.FormatInt(*i.MTU, 10)
		}
		if err := t.Append(sysinfo.Printable(i.Name), i.Kind, inUnit("", i.Up), mtu, speeds(i.SpeedRx, i.SpeedTx), sysinfo.Printable(strings.Join(i.Addresses, " "))); err != nil {
			return err
		}
	}
	return t.Render()
}

// speeds shows a link's speed, both directions where they differ.
func speeds(rx, tx *int64) string {
	switch {
	case rx == nil || tx == nil:
		return ""
	case *rx == *tx:
		return bitRate(float64(*rx))
	}
	return fmt.Sprintf("%s in, %s out", bitRate(float64(*rx)), bitRate(float64(*tx)))
}

func writeDevices(w io.Writer, list []sysinfo.Device) error {
	if len(list) == 0 {
		return nil
	}
	fmt.Fprintln(w)
	t := newTable(w)
	t.Header("Device", "Bus", "Class", "Speed", "Could be", "Detail")
	for _, d := range list {
		if err := t.Append(sysinfo.Printable(d.Name), d.Bus, d.Class, optionalRate(d.Speed), optionalRate(d.Capability), sysinfo.Printable(d.Detail)); err != nil {
			return err
		}
	}
	return t.Render()
}

func optionalRate(v *int64) string {
	if v == nil {
		return ""
	}
	return bitRate(float64(*v))
}

func orReason(value *string, reason sysinfo.Reason) string {
	if value == nil {
		return "? (" + string(reason) + ")"
	}
	return sysinfo.Printable(*value)
}

// briefFacts are the facts of the block below a test's summary.
var briefFacts = []string{
	"path.kind", "link.name", "link.driver", "link.speed_rx_bits_per_second", "link.speed_tx_bits_per_second", "link.duplex",
	"link.mtu_bytes", "path.mtu_bytes", "tcp.mss_bytes", "tcp.congestion_control", "tcp.rtt_min_us", "tcp.rtt_mean_us",
	"firewall.state", "firewall.manager", "security.vpn", "security.filters",
	"cpu.model", "cpu.busy_max_percent", "cpu.softirq_percent", "cpu.governor", "power.mode", "host.os_name", "host.kernel", "host.virtualization",
}

// writeBrief writes the block: what both ends know of the path. peer is nil if
// the other end told nothing.
func writeBrief(w io.Writer, own, peer *sysinfo.Record) error {
	t := newTable(w)
	t.Header("System", "This end", "Other end")
	mine, others := facts(own), []fact(nil)
	if peer != nil {
		others = facts(peer)
	}
	for _, path := range briefFacts {
		a, b := valueOf(mine, path), valueOf(others, path)
		if a == "" && b == "" {
			continue
		}
		group, _, _ := strings.Cut(path, ".")
		if err := t.Append(group+" "+label(path), a, b); err != nil {
			return err
		}
	}
	return t.Render()
}

func valueOf(list []fact, path string) string {
	for _, f := range list {
		if f.path == path {
			return f.value
		}
	}
	return ""
}
