package sysinfo

import (
	"net/netip"
	"os"
	"reflect"
	"regexp"
	"slices"
	"strings"
)

// redacted stands where an address or a name was.
const redacted = "[redacted]"

// Redact takes addresses and host names out of the record, in place: facts
// that are one become null, and texts that contain one lose it. What is
// concluded from addresses, such as the kind of path, stays.
func (r *Record) Redact() {
	*r = *r.clone()
	names := hostNames(r)
	for path, v := range leaves(r) {
		if oneCovers(addressFacts, path) {
			if !v.IsNil() {
				v.SetZero()
				r.Unknown[path] = Unknown{Withheld, "redacted"}
			}
			continue
		}
		v.Set(redactedCopy(v, names))
	}
	for path, u := range r.Unknown {
		r.Unknown[path] = Unknown{u.Reason, scrub(u.Detail, names)}
	}
	for path, c := range r.Changed {
		if oneCovers(addressFacts, path) {
			delete(r.Changed, path)
			continue
		}
		for i, v := range c {
			if v != nil {
				c[i] = redactedCopy(reflect.ValueOf(v), names).Interface()
			}
		}
		r.Changed[path] = c
	}
	r.collapse()
}

// addressFacts are the facts that are addresses or names themselves.
var addressFacts = []string{
	"host.name", "peer.host", "path.local_address", "path.remote_address", "path.gateway", "link.addresses",
	"thunderbolt.domain_id", "thunderbolt.peer_domain_id", "security.vpn",
}

// hostNames are the words that name this host.
func hostNames(r *Record) []string {
	var names []string
	if r.Host.Name != nil {
		names = append(names, *r.Host.Name)
	}
	if name, err := os.Hostname(); err == nil {
		names = append(names, name)
	}
	for _, n := range slices.Clone(names) {
		short, _, _ := strings.Cut(n, ".")
		names = append(names, short)
	}
	// A name such as "vm" or "localhost" is a word of many texts and names
	// nobody.
	return slices.DeleteFunc(names, func(n string) bool { return len(n) < 3 || n == "localhost" })
}

// redactedCopy copies v with the addresses and names taken out of its texts.
func redactedCopy(v reflect.Value, names []string) reflect.Value {
	switch v.Kind() {
	case reflect.String:
		return reflect.ValueOf(scrub(v.String(), names)).Convert(v.Type())
	case reflect.Pointer, reflect.Interface:
		if v.IsNil() {
			return v
		}
		inner := redactedCopy(v.Elem(), names)
		if v.Kind() == reflect.Interface {
			return inner
		}
		p := reflect.New(v.Type().Elem())
		p.Elem().Set(inner)
		return p
	case reflect.Slice:
		if v.IsNil() {
			return v
		}
		c := reflect.MakeSlice(v.Type(), 0, v.Len())
		for i := range v.Len() {
			c = reflect.Append(c, redactedCopy(v.Index(i), names))
		}
		return c
	case reflect.Struct:
		c := reflect.New(v.Type()).Elem()
		c.Set(v)
		for i := range c.NumField() {
			c.Field(i).Set(redactedCopy(v.Field(i), names))
		}
		return c
	}
	return v
}

// Words that can be addresses. What looks like one is checked by parsing it.
var (
	macAddress  = regexp.MustCompile(`(?i)\b[0-9a-f]{1,2}(?:[:-][0-9a-f]{1,2}){5}(?:(?:[:-][0-9a-f]{1,2}){2})?\b`)
	addressWord = regexp.MustCompile(`(?i)[0-9a-f]*:[0-9a-f:.]+(?:%[0-9a-z_.-]+)?|\b\d{1,3}(?:\.\d{1,3}){3}\b`)
)

// scrub takes addresses and names out of a text.
func scrub(s string, names []string) string {
	s = macAddress.ReplaceAllString(s, redacted)
	s = addressWord.ReplaceAllStringFunc(s, func(word string) string {
		bare := strings.TrimRight(word, ".:")
		if _, err := netip.ParseAddr(bare); err != nil {
			return word
		}
		return redacted + word[len(bare):]
	})
	for _, n := range names {
		s = replaceWord(s, n, redacted)
	}
	return s
}

// replaceWord replaces a word that stands alone, in any case of letters.
func replaceWord(s, word, by string) string {
	re, err := regexp.Compile(`(?i)(^|[^0-9A-Za-z])` + regexp.QuoteMeta(word) + `($|[^0-9A-Za-z])`)
	if err != nil {
		return s
	}
	// Twice: neighbours share the character between them.
	s = re.ReplaceAllString(s, "${1}"+by+"${2}")
	return re.ReplaceAllString(s, "${1}"+by+"${2}")
}
