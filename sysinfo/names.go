package sysinfo

import (
	"math"
	"reflect"
	"slices"
	"strconv"
	"strings"
)

// FactNames lists the facts that have a single value, as in "link.mtu_bytes",
// in the order of the record.
func FactNames() []string {
	var names []string
	for path, v := range leaves(new(Record)) {
		if v.Kind() == reflect.Pointer {
			names = append(names, path)
		}
	}
	return names
}

// kinds are those of a path and of an interface.
var kinds = []string{KindLoopback, KindOwnAddress, KindThunderbolt, KindEthernet, KindWiFi, KindTunnel, KindVirtual, KindCellular, KindOther}

// closed are the facts that have one of a few values. Other texts come from
// the system and may be anything.
var closed = map[string][]string{
	"path.kind":      kinds,
	"link.kind":      slices.DeleteFunc(slices.Clone(kinds), func(k string) bool { return k == KindOwnAddress }),
	"firewall.state": {"on", "off"},
}

// FactAllows tells in words what values a fact of [FactNames] can have, and
// whether the text is one of them. It is not ok for other names.
func FactAllows(name, text string) (allowed string, is, ok bool) {
	for path, v := range leaves(new(Record)) {
		if path != name || v.Kind() != reflect.Pointer {
			continue
		}
		if values := closed[path]; values != nil {
			return strings.Join(values, ", "), slices.Contains(values, text), true
		}
		switch v.Type().Elem().Kind() {
		case reflect.Bool:
			return "true and false", text == "true" || text == "false", true
		case reflect.Int64, reflect.Float64:
			n, err := strconv.ParseFloat(text, 64)
			return "numbers", err == nil && !math.IsInf(n, 0) && !math.IsNaN(n), true
		}
		return "texts", text != "", true
	}
	return "", false, false
}
