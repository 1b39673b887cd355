package sysinfo

import (
	"bytes"
	"encoding/json"
	"fmt"
	"maps"
	"reflect"
	"slices"
	"strings"
	"testing"
	"time"
)

// full is a record in which every fact is known.
func full(t testing.TB) *Record {
	t.Helper()
	r := &Record{
		Schema: Schema, Role: "server", CollectedAt: time.Date(2026, 11, 30, 14, 23, 0, 0, time.UTC), CollectMS: 4.1,
		Unknown: map[string]Unknown{}, Sources: map[string]Origin{"tcp": {"TCP_INFO", 0.01}},
		Changed: map[string][2]any{"link.mtu_bytes": {1500, 9000}, "security.vpn": {[]string{"a"}, []string{"b"}}},
	}
	for path, v := range leaves(r) {
		if v.Kind() == reflect.Slice {
			v.Set(reflect.MakeSlice(v.Type(), 1, 1))
			if v.Index(0).Kind() == reflect.String {
				v.Index(0).SetString("text of " + path)
			}
			continue
		}
		v.Set(reflect.New(v.Type().Elem()))
		switch e := v.Elem(); e.Kind() {
		case reflect.String:
			e.SetString("text of " + path)
		case reflect.Int64:
			e.SetInt(7)
		case reflect.Float64:
			e.SetFloat(7.5)
		case reflect.Bool:
			e.SetBool(true)
		default:
			t.Fatalf("%s is a pointer to %s", path, e.Type())
		}
	}
	return r
}

// empty is a record in which nothing is known.
func empty() *Record {
	return newCollection(table{absent: []absence{{[]string{"wifi"}, NotApplicable, "no radio"}}}, nil).seal()
}

func TestEveryKeyIsAlwaysPresent(t *testing.T) {
	keys := func(r *Record) []string {
		t.Helper()
		b, err := json.Marshal(r)
		if err != nil {
			t.Fatal(err)
		}
		var v map[string]any
		if err := json.Unmarshal(b, &v); err != nil {
			t.Fatal(err)
		}
		var list []string
		var walk func(prefix string, v map[string]any)
		walk = func(prefix string, v map[string]any) {
			for k, e := range v {
				if group, ok := e.(map[string]any); ok && k != "unknown" && k != "sources" && k != "changed" {
					walk(prefix+k+".", group)
					continue
				}
				list = append(list, prefix+k)
			}
		}
		walk("", v)
		slices.Sort(list)
		return list
	}
	known, unknown := keys(full(t)), keys(empty())
	if !slices.Equal(known, unknown) {
		t.Errorf("keys differ:\n%v\n%v", known, unknown)
	}
	for path := range leaves(new(Record)) {
		if !slices.Contains(known, path) {
			t.Errorf("no key %s", path)
		}
	}
}

func TestGroupThatIsUnknownAsAWholeIsNull(t *testing.T) {
	r := empty()
	checkReasons(t, r)
	r.collapse()
	checkReasons(t, r)
	if u := r.Unknown["wifi"]; u.Reason != NotApplicable {
		t.Errorf("reason of wifi: %+v", u)
	}
	b, err := json.Marshal(r)
	if err != nil {
		t.Fatal(err)
	}
	if !bytes.Contains(b, []byte(`"wifi":null`)) {
		t.Errorf("wifi is not null in %s", b)
	}
	if u, ok := r.Why("wifi.channel"); !ok || u.Detail != "no radio" {
		t.Errorf("reason of wifi.channel: %+v, %v", u, ok)
	}
	if _, ok := r.Why("tool"); !ok {
		t.Error("no reason for tool")
	}
	// One known fact, and the group stays.
	r = empty()
	r.WiFi.Channel = new(int64(1))
	delete(r.Unknown, "wifi.channel")
	r.collapse()
	checkReasons(t, r)
}

func TestRecordSurvivesTheWay(t *testing.T) {
	for name, r := range map[string]*Record{"full": full(t), "empty": empty(), "this host": Collect(t.Context(), Options{})} {
		t.Run(name, func(t *testing.T) {
			text := r.Tell(Full)
			got, err := ParseRecord(text)
			if err != nil {
				t.Fatal(err)
			}
			checkReasons(t, got)
			want := maps.Collect(leaves(r))
			for path, v := range leaves(got) {
				a, b := v.Interface(), want[path].Interface()
				if path == "interfaces" || path == "devices" || path == "firewall.layers" {
					continue // compared below, as text
				}
				if !reflect.DeepEqual(a, b) {
					t.Errorf("%s: %v became %v", path, b, a)
				}
			}
			if again := got.Tell(Full); name == "full" && !sameJSON(t, again, text) {
				t.Errorf("told again:\n%s\n%s", again, text)
			}
		})
	}
}

func sameJSON(t *testing.T, a, b []byte) bool {
	t.Helper()
	var x, y any
	if err := json.Unmarshal(a, &x); err != nil {
		t.Fatal(err)
	}
	if err := json.Unmarshal(b, &y); err != nil {
		t.Fatal(err)
	}
	return reflect.DeepEqual(x, y)
}

func TestParseRecordRefuses(t *testing.T) {
	for _, c := range []struct{ name, in string }{
		{"nothing", ""}, {"no object", `[1]`}, {"null", `null`}, {"another schema", `{"schema":"other/1"}`}, {"no schema", `{}`},
		{"a wrong type", `{"schema":"` + Schema + `","link":{"mtu_bytes":"big"}}`},
		{"a number too large", `{"schema":"` + Schema + `","link":{"mtu_bytes":1e400}}`},
		{"too long", `{"schema":"` + Schema + `","x":"` + strings.Repeat("a", MaxRecordBytes) + `"}`},
		{"deep nesting", `{"schema":"` + Schema + `","x":` + strings.Repeat("[", 20000) + strings.Repeat("]", 20000) + `}`},
	} {
		t.Run(c.name, func(t *testing.T) {
			if r, err := ParseRecord([]byte(c.in)); err == nil {
				t.Errorf("got %+v", r)
			}
		})
	}
}

func TestParseRecordCleansWhatAStrangerSends(t *testing.T) {
	many := `"x"` + strings.Repeat(`,"x"`, 5000)
	in := `{"schema":"` + Schema + `","role":"root\u001b[2J","collect_ms":-5,"later_key":{"a":1},
		"unknown":{"link.mtu_bytes":{"reason":"\u001b]0;x","detail":"` + strings.Repeat("d", 1000) + `"},"nonsense":{"reason":"x"}},
		"sources":{"tcp":{"source":"a\u0007b"},"\u001b":{"source":"x"}},
		"changed":{"link.mtu_bytes":["\u001b[1m",[1,[2]]],"evil":[1,2]},
		"host":{"os":"\u001b[31mlinux\u202e","model":"` + strings.Repeat("m", 5000) + `"},
		"link":{"speed_rx_bits_per_second":-1},"wifi":{"signal_dbm":-60},
		"cpu":{"busy_percent":[1,-1]},"security":{"vpn":[` + many + `]},
		"interfaces":[{"name":"\u001b[0m","kind":"ethernet","addresses":["\u0000"]}]}`
	r, err := ParseRecord([]byte(in))
	if err != nil {
		t.Fatal(err)
	}
	checkReasons(t, r)
	b, err := json.Marshal(r)
	if err != nil {
		t.Fatal(err)
	}
	for _, bad := range []string{`\u001b`, `\u0007`, `\u0000`, `\u202e`, "\u202e", "nonsense", "evil", "later_key"} {
		if bytes.Contains(b, []byte(bad)) {
			t.Errorf("%q is still in %s", bad, b)
		}
	}
	if r.Role != "" || r.CollectMS != 0 {
		t.Errorf("role %q, %v ms", r.Role, r.CollectMS)
	}
	if len(*r.Host.Model) > maxText || len(r.Security.VPN) > maxList {
		t.Errorf("model of %d bytes, %d tunnels", len(*r.Host.Model), len(r.Security.VPN))
	}
	if r.Link.SpeedRx != nil || r.CPU.Busy != nil {
		t.Errorf("a negative speed or load was kept")
	}
	if r.WiFi.Signal == nil || *r.WiFi.Signal != -60 {
		t.Errorf("signal %v, want -60", r.WiFi.Signal)
	}
}

func FuzzParseRecord(f *testing.F) {
	f.Add([]byte(full(f).Tell(Full)))
	f.Add([]byte(empty().Tell(Full)))
	f.Add([]byte(`{"schema":"` + Schema + `","unknown":{"link":{}},"changed":{"link.mtu_bytes":[{},null]}}`))
	f.Fuzz(func(t *testing.T, b []byte) {
		r, err := ParseRecord(b)
		if err != nil {
			return
		}
		checkReasons(t, r)
		text := r.Tell(Full)
		if text == nil {
			t.Fatal("a record that was read cannot be told")
		}
		again, err := ParseRecord(text)
		if err != nil {
			t.Fatalf("what was told cannot be read: %v\n%s", err, text)
		}
		checkReasons(t, again)
		r.Redact()
		checkReasons(t, r)
		r.Tell(Limited)
	})
}

func TestStrangersAreToldLittle(t *testing.T) {
	r := full(t)
	r.Unknown["link.up"], r.Link.Up = Unknown{Failed, "/usr/sbin/ip said so"}, nil
	text := r.Tell(Limited)
	told, err := ParseRecord(text)
	if err != nil {
		t.Fatal(err)
	}
	checkReasons(t, told)
	for path, v := range leaves(told) {
		if !v.IsNil() && !oneCovers(toldToStrangers, path) {
			t.Errorf("%s is told", path)
		}
	}
	if told.Link.MTU == nil || told.Link.SpeedRx == nil || told.Path.Kind == nil || told.CPU.Busy == nil || told.Firewall.State == nil {
		t.Error("MTU, speed, kind, CPU load or firewall state is not told")
	}
	for _, secret := range []string{"/usr/sbin/ip", "text of security", "text of host", "text of tool", "TCP_INFO", "text of path.remote_address"} {
		if bytes.Contains(text, []byte(secret)) {
			t.Errorf("%q is told", secret)
		}
	}
	if len(told.Changed) != 1 {
		t.Errorf("changes %v, want that of the MTU", told.Changed)
	}
	if u, _ := told.Why("security.vpn"); u.Reason != Withheld {
		t.Errorf("reason of the VPNs: %+v, want withheld", u)
	}
	if r.Security.VPN == nil {
		t.Error("telling changed the record")
	}
	if r.Tell(Nothing) != nil {
		t.Error("something is told with the level off")
	}
}

func TestToldToStrangersNamesFields(t *testing.T) {
	for _, f := range toldToStrangers {
		found := false
		for path := range leaves(new(Record)) {
			found = found || covers(f, path)
		}
		if !found {
			t.Errorf("no field %s", f)
		}
	}
}

func TestLongRecordIsCutToItsBound(t *testing.T) {
	r := full(t)
	for i := range 4000 {
		r.Interfaces = append(r.Interfaces, Interface{Name: fmt.Sprint("eth", i), Addresses: []string{"192.0.2.1/24"}})
		r.Devices = append(r.Devices, Device{Name: strings.Repeat("d", 100)})
		r.CPU.Busy = append(r.CPU.Busy, 12.3)
		r.Firewall.Layers = append(r.Firewall.Layers, Layer{Name: "layer"})
	}
	text := r.Tell(Full)
	if len(text) == 0 || len(text) > MaxRecordBytes {
		t.Fatalf("%d bytes, want 1 to %d", len(text), MaxRecordBytes)
	}
	got, err := ParseRecord(text)
	if err != nil {
		t.Fatal(err)
	}
	checkReasons(t, got)
	if u, _ := got.Why("interfaces"); u.Reason != Withheld || got.Link.MTU == nil {
		t.Errorf("interfaces: %+v, MTU %v", u, got.Link.MTU)
	}
	if len(r.Devices) == 0 {
		t.Error("telling changed the record")
	}
}

func TestRedact(t *testing.T) {
	r := full(t)
	r.Host.Name = new("example-host.local")
	r.Path.LocalAddress, r.Path.RemoteAddress = new("192.168.1.7"), new("fe80::1%eth0")
	r.Path.Kind, r.Path.Evidence = new(KindOwnAddress), new("192.168.1.7 is an address of example-host, at 12:30:01")
	r.Path.Stack = []string{"eth0"}
	r.Interfaces = []Interface{{Name: "eth0", Addresses: []string{"192.168.1.7/24", "2001:db8::7/64"}, MTU: new(int64(1500))}}
	r.Firewall.Layers = []Layer{{Name: "nftables", Detail: "rule for 3c:22:fb:00:00:01"}}
	r.Security.VPN = []string{"Office of Example Ltd"}
	r.Unknown["wifi.channel"], r.WiFi.Channel = Unknown{Failed, "no answer from 192.168.1.1"}, nil
	r.Changed["path.evidence"] = [2]any{"via 10.1.2.3", "via ::1"}
	r.Changed["link.addresses"] = [2]any{[]string{"10.1.2.3/8"}, []string{}}
	r.Redact()
	checkReasons(t, r)
	b, err := json.Marshal(r)
	if err != nil {
		t.Fatal(err)
	}
	for _, secret := range []string{"192.168", "fe80", "2001:db8", "example-host", "3c:22", "Office", "10.1.2.3"} {
		if strings.Contains(string(b), secret) {
			t.Errorf("%q is still in %s", secret, b)
		}
	}
	if *r.Path.Kind != KindOwnAddress || r.Link.MTU == nil || *r.Interfaces[0].MTU != 1500 || r.Interfaces[0].Name != "eth0" {
		t.Error("more than addresses and names was taken out")
	}
	if want := "[redacted] is an address of [redacted], at 12:30:01"; *r.Path.Evidence != want {
		t.Errorf("evidence %q, want %q", *r.Path.Evidence, want)
	}
	if u, _ := r.Why("path.remote_address"); u.Reason != Withheld {
		t.Errorf("reason of the address: %+v", u)
	}
	before := r.Tell(Full)
	r.Redact()
	if !bytes.Equal(before, r.Tell(Full)) {
		t.Error("redacting twice changes more")
	}
}

func TestParseLevel(t *testing.T) {
	for _, l := range []Level{Nothing, Limited, Full} {
		if got, err := ParseLevel(l.String()); err != nil || got != l {
			t.Errorf("%s: got %v, %v", l, got, err)
		}
	}
	if _, err := ParseLevel("much"); err == nil {
		t.Error("no error for a level that is none")
	}
}

// A part of a record may point to what others read at the same time: cleaning
// it leaves that alone.
func TestCleanLeavesOthersAlone(t *testing.T) {
	name, addresses := "a\x1bb", []string{"c\x1bd"}
	r := &Record{}
	r.Tool.Name, r.Link.Addresses = &name, addresses
	for _, v := range leaves(r) {
		clean(v)
	}
	if name != "a\x1bb" || addresses[0] != "c\x1bd" {
		t.Errorf("what was pointed to changed: %q, %q", name, addresses)
	}
	if strings.Contains(*r.Tool.Name+r.Link.Addresses[0], "\x1b") {
		t.Errorf("not clean: %q, %q", *r.Tool.Name, r.Link.Addresses)
	}
}
