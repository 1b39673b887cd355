package sysinfo

import (
	"encoding/json"
	"fmt"
	"reflect"
)

// MaxRecordBytes bounds the JSON form of a record, sent or received.
const MaxRecordBytes = 64 << 10

// Level is how much of a record a reader is told.
type Level int

// The levels.
const (
	Nothing Level = iota // no record at all
	Limited              // for strangers: MTU, speed, kind of path, CPU load, firewall on or off
	Full                 // everything in it
)

// ParseLevel reads "off", "limited" or "full".
func ParseLevel(s string) (Level, error) {
	for i, name := range levelNames {
		if s == name {
			return Level(i), nil
		}
	}
	return Nothing, fmt.Errorf("level %q is not off, limited or full", s)
}

var levelNames = []string{"off", "limited", "full"}

// String returns the name that [ParseLevel] takes.
func (l Level) String() string {
	if l < 0 || int(l) >= len(levelNames) {
		return fmt.Sprintf("Level(%d)", int(l))
	}
	return levelNames[l]
}

// toldToStrangers are the facts of a limited record. What is not here tells a
// reader about the host's software, its other interfaces or its protection.
var toldToStrangers = []string{
	"path.kind", "path.family", "path.transport", "path.on_link", "path.link_local", "path.vlan_tags", "path.confirmed", "path.mtu_bytes",
	"link.kind", "link.mtu_bytes", "link.up", "link.duplex",
	"link.speed_rx_bits_per_second", "link.speed_tx_bits_per_second", "link.speed_capability_bits_per_second", "link.speed_partner_bits_per_second",
	"thunderbolt.lanes_rx", "thunderbolt.lanes_tx", "thunderbolt.lane_speed_rx_bits_per_second", "thunderbolt.lane_speed_tx_bits_per_second",
	"thunderbolt.speed_rx_bits_per_second", "thunderbolt.speed_tx_bits_per_second", "thunderbolt.speed_capability_bits_per_second",
	"thunderbolt.domain_id", "thunderbolt.peer_domain_id",
	"wifi.rate_tx_bits_per_second", "wifi.rate_rx_bits_per_second",
	"tcp.mss_bytes", "tcp.mss_advertised_bytes", "tcp.timestamps",
	"firewall.state",
	"cpu.busy_percent", "cpu.busy_max_percent", "cpu.busy_max_mean_percent", "cpu.busy_max_core", "cpu.busy_max_class", "cpu.busy_split",
	"cpu.softirq_percent", "cpu.steal_percent", "cpu.process_percent",
}

// Tell gives the JSON form of the record for a reader of the level: nil for
// Nothing, else at most [MaxRecordBytes].
func (r *Record) Tell(level Level) json.RawMessage {
	switch level {
	case Limited:
		r = r.limited()
	case Full:
	default:
		return nil
	}
	for _, less := range shrinking {
		if text, err := json.Marshal(r); err == nil && len(text) <= MaxRecordBytes {
			return text
		}
		r = r.clone()
		for path, v := range leaves(r) {
			if oneCovers(less, path) {
				v.SetZero()
				r.Unknown[path] = Unknown{Withheld, "the record would be too long"}
			}
		}
		r.Sources = nil
	}
	return nil
}

// IsLimited reports whether a record lacks what strangers are not told.
func (r *Record) IsLimited() bool {
	// A fact that every system knows and no stranger is told.
	why, unknown := r.Why("host.arch")
	return unknown && why.Reason == Withheld
}

// shrinking is what a record goes without when it is too long, one after the
// other. The last step leaves only facts of bounded size.
var shrinking = [][]string{
	{"devices"},
	{"interfaces"},
	{"cpu.busy_percent", "cpu.core_classes"},
	{"link.addresses", "path.stack", "firewall.layers", "security"},
	{},
}

// clone copies the record as far as it may be changed: pointers and lists are
// shared, the record's fields and maps are not.
func (r *Record) clone() *Record {
	c := *r
	c.Unknown = make(map[string]Unknown)
	for path, v := range leaves(&c) {
		if u, ok := r.Why(path); ok && v.IsNil() {
			c.Unknown[path] = u
		}
	}
	return &c
}

// limited is the record for strangers.
func (r *Record) limited() *Record {
	c := r.clone()
	c.Sources, c.Changed = map[string]Origin{}, map[string][2]any{}
	for path, change := range r.Changed {
		if oneCovers(toldToStrangers, path) {
			c.Changed[path] = change
		}
	}
	for path, v := range leaves(c) {
		switch {
		case !oneCovers(toldToStrangers, path):
			v.Set(reflect.Zero(v.Type()))
			c.Unknown[path] = Unknown{Reason: Withheld}
		case v.IsNil():
			// The words of a failure name files and programs.
			c.Unknown[path] = Unknown{Reason: c.Unknown[path].Reason}
		}
	}
	c.collapse()
	return c
}
