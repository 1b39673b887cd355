package explain

import (
	"encoding/json"
	"reflect"
	"slices"
	"strings"
	"testing"

	"linkperf/protocol/measure"
	"linkperf/sysinfo"
)

func ids(list []Finding) []string {
	var all []string
	for _, f := range list {
		all = append(all, f.ID)
	}
	return all
}

func with(list []Finding, id string) (Finding, bool) {
	i := slices.IndexFunc(list, func(f Finding) bool { return f.ID == id })
	if i < 0 {
		return Finding{}, false
	}
	return list[i], true
}

// TestHealthy: a test with nothing wrong is explained by the link alone.
func TestHealthy(t *testing.T) {
	if got := ids(Explain(*healthy())); !slices.Equal(got, []string{"at-ceiling"}) {
		t.Errorf("findings %v, want at-ceiling alone", got)
	}
}

// TestEveryFinding: each one fires in its example, rests on known facts, and
// does not fire in the near miss.
func TestEveryFinding(t *testing.T) {
	for _, r := range rules {
		t.Run(r.id, func(t *testing.T) {
			e, ok := examples[r.id]
			if !ok {
				t.Fatal("no example")
			}
			in := healthy()
			e.fires(in)
			list := Explain(*in)
			f, ok := with(list, r.id)
			if !ok {
				t.Fatalf("did not fire; found %v", ids(list))
			}
			if f.Severity != r.severity || f.Sentence == "" || !strings.HasSuffix(f.Sentence, ".") {
				t.Errorf("%+v", f)
			}
			if !slices.Contains([]string{"client", "server", "both", "path"}, f.Side) {
				t.Errorf("side %q", f.Side)
			}
			checkNumbers(t, list)
			near := healthy()
			e.misses(near)
			if f, ok := with(Explain(*near), r.id); ok {
				t.Errorf("fired in the near miss: %s", f.Sentence)
			}
		})
	}
	for id := range examples {
		if place(id) < 0 {
			t.Errorf("example of %s, which is no finding", id)
		}
	}
}

func checkNumbers(t *testing.T, list []Finding) {
	t.Helper()
	seen := map[string]bool{}
	for _, f := range list {
		if key := f.ID + "/" + f.Side; seen[key] {
			t.Errorf("%s twice", key)
		} else {
			seen[key] = true
		}
		if len(f.Numbers) == 0 {
			t.Errorf("%s rests on nothing", f.ID)
		}
		for path, value := range f.Numbers {
			if value == nil {
				t.Errorf("%s: %s is no fact of a record", f.ID, path)
			}
			end, _, _ := strings.Cut(path, ".")
			if !slices.Contains([]string{"client", "server", "result"}, end) {
				t.Errorf("%s: %s is of nobody", f.ID, path)
			}
		}
	}
}

// TestNothingFromNull: no sentence rests on a fact that is not known, and no
// fact is needed to be there.
func TestNothingFromNull(t *testing.T) {
	for id, e := range examples {
		in := healthy()
		e.fires(in)
		named := map[string]bool{}
		for _, f := range Explain(*in) {
			for key := range f.Numbers {
				named[key] = true
			}
		}
		for _, r := range []*sysinfo.Record{in.Client, in.Server} {
			if r == nil {
				continue
			}
			forget(reflect.ValueOf(r).Elem(), "", func(path string) {
				key := r.Role + "." + path
				if !named[key] && id != "at-ceiling" { // every fact in one example is enough
					return
				}
				for _, f := range Explain(*in) {
					if _, rests := f.Numbers[key]; rests {
						t.Errorf("%s: %s rests on %s, which is null", id, f.ID, path)
					}
				}
			})
		}
	}
	empty := func() *sysinfo.Record { return &sysinfo.Record{Schema: sysinfo.Schema} }
	in := healthy()
	in.Client, in.Server = empty(), empty()
	if got := Explain(*in); len(got) != 0 {
		t.Errorf("from empty records: %v", ids(got))
	}
	if got := Explain(Input{}); got == nil || len(got) != 0 {
		t.Errorf("from nothing: %#v", got)
	}
	if got := Explain(Input{Result: &measure.Result{}, Client: empty()}); len(got) != 0 {
		t.Errorf("from a test that failed early: %v", ids(got))
	}
}

// forget makes each fact null in turn and calls f.
func forget(v reflect.Value, prefix string, f func(path string)) {
	for field, value := range v.Fields() {
		name, _, _ := strings.Cut(field.Tag.Get("json"), ",")
		switch {
		case value.Kind() == reflect.Pointer || value.Kind() == reflect.Slice:
			kept := reflect.New(value.Type()).Elem()
			kept.Set(value)
			value.SetZero()
			f(prefix + name)
			value.Set(kept)
		case value.Kind() == reflect.Struct && name != "collected_at":
			forget(value, prefix+name+".", f)
		}
	}
}

// TestOmitted: what is left out has a reason, and is not there.
func TestOmitted(t *testing.T) {
	for id, why := range omitted {
		if place(id) >= 0 || why == "" {
			t.Errorf("%s: found and omitted, or without a reason", id)
		}
	}
}

// TestIDs: ids are unique words that can stand in a file's name.
func TestIDs(t *testing.T) {
	seen := map[string]bool{}
	for _, r := range rules {
		if seen[r.id] || strings.Trim(r.id, "abcdefghijklmnopqrstuvwxyz-") != "" {
			t.Errorf("id %q", r.id)
		}
		seen[r.id] = true
		if (r.find == nil) == (r.conclude == nil) || r.when == "" || r.severity.rank() < 0 {
			t.Errorf("rule %+v", r)
		}
	}
}

// TestOrder: the gravest first, then the likeliest cause.
func TestOrder(t *testing.T) {
	in := healthy()
	examples["mtu-mismatch"].fires(in)
	in.Client.TCP.ReceiveWindowLimited = new(50.0)
	in.Client.Path.Confirmed = new(false)
	in.Server.Firewall.State = new(sysinfo.On)
	only(in, true, 5.3e9)
	list := Explain(*in)
	want := []string{"path-not-confirmed", "mtu-mismatch", "window-limited", "firewall-on", "below-ceiling", "link-local-addressing"}
	if got := ids(list); !slices.Equal(got, want) {
		t.Errorf("order %v, want %v", got, want)
	}
	f, _ := with(list, "below-ceiling")
	if want := "Candidates, the likeliest first: path-not-confirmed, mtu-mismatch, window-limited, firewall-on."; !strings.Contains(f.Sentence, want) {
		t.Errorf("%q lacks %q", f.Sentence, want)
	}
}

func TestNoFactExplains(t *testing.T) {
	in := healthy()
	only(in, true, 5e9)
	f, _ := with(Explain(*in), "below-ceiling")
	if !strings.Contains(f.Sentence, "No recorded fact explains it.") {
		t.Errorf("%q", f.Sentence)
	}
}

// TestJSON: what is written is read back, and an empty list is one.
func TestJSON(t *testing.T) {
	if text, err := json.Marshal(Explain(Input{})); err != nil || string(text) != "[]" {
		t.Errorf("%s, %v", text, err)
	}
	in := healthy()
	examples["mtu-mismatch"].fires(in)
	text, err := json.Marshal(Explain(*in))
	if err != nil {
		t.Fatal(err)
	}
	var back []map[string]any
	if err := json.Unmarshal(text, &back); err != nil {
		t.Fatal(err)
	}
	numbers := back[0]["numbers"].(map[string]any)
	if back[0]["id"] != "mtu-mismatch" || back[0]["severity"] != "warning" || back[0]["side"] != "both" ||
		numbers["client.link.mtu_bytes"] != 1500.0 || numbers["server.link.mtu_bytes"] != 62000.0 || back[0]["advice"] == nil {
		t.Errorf("%v", back[0])
	}
}

// TestStockPeer: what this side's record alone shows is said.
func TestStockPeer(t *testing.T) {
	in := healthy()
	stock(in)
	only(in, true, 5e9)
	in.Client.Peer.MTU, in.Client.TCP.MSS = new(int64(1500)), new(int64(1448))
	in.Client.TCP.RTTMin = new(int64(20000))
	list := Explain(*in)
	for id, words := range map[string][]string{
		"mtu-mismatch":     {"9000 at the client", "MTU of 1500 there"},
		"buffer-below-bdp": {"20 ms round trip", "25 MB"},
		"record-missing":   {"stock iperf3", "an MTU of 1500, from its MSS", "20 ms"},
		"below-ceiling":    {"estimated", "MTU 1500"},
	} {
		f, ok := with(list, id)
		if !ok {
			t.Errorf("no %s in %v", id, ids(list))
		}
		for _, w := range words {
			if !strings.Contains(f.Sentence, w) {
				t.Errorf("%s: %q lacks %q", id, f.Sentence, w)
			}
		}
	}
	// A segment size that was asked for proves nothing about the other end.
	in.Result.Start.Params.MSS = 1448
	if _, ok := with(Explain(*in), "mtu-mismatch"); ok {
		t.Error("mtu-mismatch from -M")
	}
}

// TestReversed: the side that a finding names follows the data.
func TestReversed(t *testing.T) {
	in := healthy()
	only(in, false, 5e9)
	in.Server.TCP.ReceiveWindowLimited = new(60.0)
	f, ok := with(Explain(*in), "window-limited")
	if !ok || f.Side != "client" || !strings.Contains(f.Sentence, "the server waited for the window of the client") {
		t.Errorf("%+v", f)
	}
	in.Result.Start.Side = measure.Server // seen from the other end
	only(in, false, 5e9)
	if f, _ := with(Explain(*in), "window-limited"); f.Side != "client" {
		t.Errorf("from the server: %+v", f)
	}
}

func TestFromResult(t *testing.T) {
	in := healthy()
	local, err := json.Marshal(in.Client)
	if err != nil {
		t.Fatal(err)
	}
	in.Result.LocalRecord = local
	in.Result.PeerRecord = json.RawMessage(`{"schema":"another"}`)
	got, err := FromResult(in.Result, nil)
	if err == nil || got.Server != nil || got.Client == nil || got.Client.Link.MTU == nil || *got.Client.Link.MTU != 9000 {
		t.Errorf("%+v, %v", got, err)
	}
	in.Result.Start.Side, in.Result.PeerRecord = measure.Server, nil
	if got, err = FromResult(in.Result, nil); err != nil || got.Server == nil || got.Client != nil {
		t.Errorf("as the server: %+v, %v", got, err)
	}
}

// TestHostile: a record from a stranger reaches neither the terminal raw nor a
// command to type.
func TestHostile(t *testing.T) {
	evil := "x\x1b[2J\u202e$(reboot);`id`\" && rm -rf ~\n"
	for id, e := range examples {
		for _, os := range []string{"linux", "macos", "windows", evil} {
			in := healthy()
			e.fires(in)
			if in.Server == nil {
				continue
			}
			poison(reflect.ValueOf(in.Server).Elem(), evil)
			in.Server.Host.OS = &os
			list := Explain(*in)
			for _, f := range list {
				if strings.ContainsAny(f.Advice, "$`") || strings.Contains(f.Advice, "rm -rf") {
					t.Errorf("%s: advice %q", id, f.Advice)
				}
			}
			if text := Text(list); strings.ContainsAny(text, "\x1b\u202e") {
				t.Errorf("%s: text %q", id, text)
			}
		}
	}
	text := Text([]Finding{{ID: "a\x1b", Severity: "w\x1b", Sentence: "b\nc\x07", Advice: "\x9b"}})
	if strings.Count(text, "\n") != 3 || strings.ContainsAny(text, "\x1b\x07") {
		t.Errorf("%q", text)
	}
}

// poison replaces every text that is no word of the schema.
func poison(v reflect.Value, evil string) {
	for field, value := range v.Fields() {
		if _, keep := map[string]bool{"Kind": true, "State": true, "Duplex": true, "BusyMaxClass": true, "Profile": true, "Mode": true, "AttachedBy": true}[field.Name]; keep {
			continue
		}
		switch {
		case field.Type == reflect.TypeFor[*string]():
			value.Set(reflect.ValueOf(&evil))
		case field.Type == reflect.TypeFor[[]string]():
			value.Set(reflect.ValueOf([]string{evil}))
		case value.Kind() == reflect.Struct && field.Name != "CollectedAt":
			poison(value, evil)
		}
	}
}

func TestText(t *testing.T) {
	if got := Text(nil); got != "" {
		t.Errorf("%q", got)
	}
	in := healthy()
	in.Client.TCP.ReceiveWindowLimited = new(45.5)
	want := `Findings:
  warning  For 45.5 % of its busy time the client waited for the window of the server: its buffer is too small, or its program or processor too slow. [window-limited]
           Try: at the server: sudo sysctl -w net.ipv4.tcp_rmem="4096 131072 12582912"
  info     9.85 Gbit/s from the client to the server are 99.5 % of the goodput ceiling, 9.9 Gbit/s (link 10 Gbit/s, TCP of IPv4, MTU 9000): the link is the limit. [at-ceiling]
`
	if got := Text(Explain(*in)); got != want {
		t.Errorf("got\n%s\nwant\n%s", got, want)
	}
}

// FuzzExplain: whatever the two ends claim, there is a printable answer.
func FuzzExplain(f *testing.F) {
	for _, e := range examples {
		in := healthy()
		e.fires(in)
		c, _ := json.Marshal(in.Client)
		s, _ := json.Marshal(in.Server)
		f.Add(c, s, 9.9e9, false)
	}
	f.Fuzz(func(t *testing.T, client, server []byte, rate float64, udp bool) {
		in := healthy()
		c, err1 := sysinfo.ParseRecord(client)
		s, err2 := sysinfo.ParseRecord(server)
		if err1 != nil && err2 != nil {
			t.Skip()
		}
		in.Client, in.Server = c, s
		if udp {
			in.Result.Start.Params.Transport = "UDP"
		}
		only(in, true, rate)
		list := Explain(*in)
		checkNumbers(t, list)
		if _, err := json.Marshal(list); err != nil {
			t.Error(err)
		}
		if text := Text(list); sysinfo.Printable(strings.ReplaceAll(text, "\n", "")) != strings.ReplaceAll(text, "\n", "") {
			t.Errorf("unprintable: %q", text)
		}
	})
}
