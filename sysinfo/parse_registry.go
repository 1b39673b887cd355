package sysinfo

import (
	"fmt"
	"regexp"
	"strconv"
	"strings"
)

// registryValue is one value of the Windows registry. Data is as reg query
// prints it: text, or 0x and a hexadecimal number.
type registryValue struct {
	Key, Name, Type, Data string
}

var registryRow = regexp.MustCompile(`^ {4}(.*?) {4}(REG_[A-Z_]+) {4}(.*)$`)

// parseRegistry reads the output of reg query. The collector writes the same
// form from the registry API, so that a recording of either can be read.
func parseRegistry(b []byte) ([]registryValue, error) {
	var values []registryValue
	key := ""
	for line := range strings.Lines(string(b)) {
		line = strings.TrimRight(line, "\r\n")
		if strings.HasPrefix(line, "HKEY_") {
			key = line
			continue
		}
		if m := registryRow.FindStringSubmatch(line); m != nil && key != "" {
			values = append(values, registryValue{Key: key, Name: m[1], Type: m[2], Data: m[3]})
		}
	}
	if len(values) == 0 {
		return nil, notUnderstood("registry: no value", b)
	}
	return values, nil
}

// formatRegistry writes values in the form that parseRegistry reads. Line ends
// inside a text become spaces: the form has no way to keep them.
func formatRegistry(values []registryValue) []byte {
	var out strings.Builder
	clean := strings.NewReplacer("\r", " ", "\n", " ")
	key := ""
	for _, v := range values {
		if v.Key != key {
			key = v.Key
			fmt.Fprintf(&out, "\n%s\n", clean.Replace(key))
		}
		fmt.Fprintf(&out, "    %s    %s    %s\n", clean.Replace(v.Name), v.Type, clean.Replace(v.Data))
	}
	return []byte(out.String())
}

// number gives a value that is a number, or a text that is one: drivers keep
// their settings as text, with leading zeros.
func (v registryValue) number() (int64, bool) {
	base := 10
	if v.Type == "REG_DWORD" || v.Type == "REG_QWORD" {
		base = 0
	}
	n, err := strconv.ParseInt(v.Data, base, 64)
	return n, err == nil
}

// registryKey gives the values of one key by name. The key is compared by its
// end, without regard to case.
func registryKey(values []registryValue, keyEnd string) map[string]registryValue {
	found := make(map[string]registryValue)
	for _, v := range values {
		key := strings.ToLower(v.Key)
		end := strings.ToLower(keyEnd)
		if key == end || strings.HasSuffix(key, `\`+end) {
			found[v.Name] = v
		}
	}
	return found
}

// Windows keeps the firewall's own settings in the first key; a policy of the
// domain or of the administrator in the second, which overrides it.
const (
	firewallPolicyKey      = `SYSTEM\CurrentControlSet\Services\SharedAccess\Parameters\FirewallPolicy`
	firewallGroupPolicyKey = `SOFTWARE\Policies\Microsoft\WindowsFirewall`
)

// registryProfiles reads the firewall's profiles from the registry: always
// three, in the order domain, private, public. StandardProfile is the private
// one.
func registryProfiles(values []registryValue) []firewallProfile {
	profiles := make([]firewallProfile, 0, 3)
	for _, p := range [...]struct{ name, key string }{
		{"domain", `\DomainProfile`}, {"private", `\StandardProfile`}, {"public", `\PublicProfile`},
	} {
		profile := firewallProfile{Name: p.name}
		for _, root := range []string{firewallPolicyKey, firewallGroupPolicyKey} {
			key := p.key
			if root == firewallGroupPolicyKey && p.name == "private" {
				if len(registryKey(values, root+`\PrivateProfile`)) > 0 {
					key = `\PrivateProfile`
				}
			}
			for name, v := range registryKey(values, root+key) {
				n, ok := v.number()
				switch {
				case !ok:
				case name == "EnableFirewall":
					profile.On = new(n != 0)
				case name == "DefaultInboundAction":
					profile.BlocksInbound = new(n != 0)
				}
			}
		}
		profiles = append(profiles, profile)
	}
	return profiles
}

// firewallRulesKey ends the keys with the rules, own ones and those of a policy.
const firewallRulesKey = `\FirewallRules`

// firewallRule is one rule of Windows' firewall.
type firewallRule struct {
	Active   bool
	Block    bool
	Inbound  bool
	Profiles []string // "domain", "private", "public"; none for all
}

// parseFirewallRule reads a rule as the registry keeps it,
// "v2.31|Action=Allow|Active=TRUE|Dir=In|Profile=Public|…|" ([MS-GPFAS] 2.2.2).
func parseFirewallRule(b []byte) (firewallRule, error) {
	version, rest, found := strings.Cut(string(b), "|")
	if !found || !strings.HasPrefix(version, "v") {
		return firewallRule{}, notUnderstood("a firewall rule", b)
	}
	var r firewallRule
	for field := range strings.SplitSeq(rest, "|") {
		switch key, value, _ := strings.Cut(field, "="); key {
		case "Active":
			r.Active = strings.EqualFold(value, "TRUE")
		case "Action":
			r.Block = value == "Block"
		case "Dir":
			r.Inbound = value == "In"
		case "Profile":
			r.Profiles = append(r.Profiles, strings.ToLower(value))
		}
	}
	return r, nil
}
