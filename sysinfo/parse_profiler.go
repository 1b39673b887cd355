package sysinfo

import (
	"encoding/json"
	"strconv"
)

// profilerItem is one object of system_profiler -json. Its values change type
// between releases ("6", 6), so they are read by what is there.
type profilerItem map[string]json.RawMessage

// profilerDepth bounds how deep hubs and docks are followed: USB allows seven
// tiers, Thunderbolt six devices.
const profilerDepth = 16

// text gives a string or number as text; "" if it is neither.
func (p profilerItem) text(key string) string {
	raw := p[key]
	var s string
	if json.Unmarshal(raw, &s) == nil {
		return s
	}
	var n json.Number
	if json.Unmarshal(raw, &n) == nil {
		return n.String()
	}
	return ""
}

// number gives a number or a text that is one.
func (p profilerItem) number(key string) (float64, bool) {
	n, err := strconv.ParseFloat(p.text(key), 64)
	return n, err == nil
}

func (p profilerItem) item(key string) profilerItem {
	var child profilerItem
	if json.Unmarshal(p[key], &child) != nil {
		return nil
	}
	return child
}

func (p profilerItem) items(key string) []profilerItem {
	var children []profilerItem
	if json.Unmarshal(p[key], &children) != nil {
		return nil
	}
	return children
}

// walk visits everything below an item, parents first.
func (p profilerItem) walk(depth int, visit func(depth int, item profilerItem)) {
	if depth >= profilerDepth {
		return
	}
	for _, child := range p.items("_items") {
		visit(depth, child)
		child.walk(depth+1, visit)
	}
}
