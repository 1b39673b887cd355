package main

import (
	"encoding/json"
	"fmt"
	"net"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"linkperf/sysinfo"
)

// TestSysinfoOfThisHost checks both forms of linkperf sysinfo.
func TestSysinfoOfThisHost(t *testing.T) {
	got := call(t, "linkperf", "sysinfo", "--json")
	if got.status != 0 || got.stderr != "" {
		t.Fatalf("%+v", got)
	}
	r, err := sysinfo.ParseRecord([]byte(got.stdout))
	if err != nil || r.Schema != sysinfo.Schema || r.Host.Arch == nil {
		t.Errorf("%v: %+v", err, r)
	}
	if got := call(t, "linkperf", "sysinfo"); got.status != 0 || !strings.Contains(got.stdout, "\nInterface") {
		t.Errorf("%+v", got)
	}
	for _, args := range [][]string{{"a", "b"}, {"--nonsense"}} {
		if got := call(t, append([]string{"linkperf", "sysinfo"}, args...)...); got.status != 1 || got.stdout != "" || got.stderr == "" {
			t.Errorf("%q: %+v", args, got)
		}
	}
}

// TestSysinfoDevices checks that there is an answer where there are no devices.
func TestSysinfoDevices(t *testing.T) {
	none := survey{client: &sysinfo.Record{Devices: []sysinfo.Device{}}, devices: true}
	unknown := survey{client: &sysinfo.Record{Unknown: map[string]sysinfo.Unknown{"devices": {Reason: sysinfo.NotSupported}}}, devices: true}
	some := survey{client: &sysinfo.Record{Devices: []sysinfo.Device{{Name: "disk"}}}, devices: true}
	unasked := survey{client: unknown.client}
	for want, s := range map[string]survey{"\nDevices: none\n": none, "\nDevices: ? (not_supported)\n": unknown, "disk\n": some, "": unasked} {
		var b strings.Builder
		if err := s.write(&b, false); err != nil || !strings.HasSuffix(b.String(), want) || strings.Contains(b.String(), "Devices:") != strings.Contains(want, "Devices:") {
			t.Errorf("%v, %q, want %q", err, b.String(), want)
		}
	}
}

// TestSysinfoRaw checks that it says what was saved.
func TestSysinfoRaw(t *testing.T) {
	dir := filepath.Join(t.TempDir(), "raw")
	got := call(t, "linkperf", "sysinfo", "--json", "--raw", dir)
	entries, err := os.ReadDir(dir)
	if err != nil {
		t.Fatal(err)
	}
	want := fmt.Sprintf("Saved %d files in %s; index.md lists them. Please read them before you hand them on.\n", len(entries), dir)
	if got.status != 0 || got.stderr != want || !json.Valid([]byte(got.stdout)) {
		t.Errorf("%+v, want %s", got, want)
	}
}

// TestSysinfoRedacted checks that no address and no host name is printed.
func TestSysinfoRedacted(t *testing.T) {
	got := call(t, "linkperf", "sysinfo", "--json", "--redact")
	if got.status != 0 {
		t.Fatalf("%+v", got)
	}
	addresses, err := net.InterfaceAddrs()
	if err != nil {
		t.Fatal(err)
	}
	for _, a := range addresses {
		if text := `"` + a.String() + `"`; strings.Contains(got.stdout, text) {
			t.Errorf("%s is there", text)
		}
	}
	if name, err := os.Hostname(); err == nil && strings.Contains(got.stdout, `"name": "`+name+`"`) {
		t.Errorf("the host name is there")
	}
}

// TestSysinfoOfPath looks at the path to a server that is linkperf, and to one
// that is not there.
func TestSysinfoOfPath(t *testing.T) {
	t.Parallel()
	_, port := serve(t)
	got := call(t, "linkperf", "sysinfo", "--json", "-p", port, "127.0.0.1")
	var both struct {
		Client, Server *sysinfo.Record
		Note           string
	}
	if err := json.Unmarshal([]byte(got.stdout), &both); err != nil || got.status != 0 {
		t.Fatalf("%v: %+v", err, got)
	}
	for side, r := range map[string]*sysinfo.Record{"client": both.Client, "server": both.Server} {
		if r == nil || r.Path.Kind == nil || *r.Path.Kind != sysinfo.KindLoopback {
			t.Errorf("%s: %+v", side, r)
		}
	}
	if both.Server != nil && (both.Server.Firewall.Rules != nil || both.Server.Host.Kernel != nil) {
		t.Errorf("a stranger is told too much: %+v", both.Server)
	}
	if !strings.HasPrefix(both.Note, "the other end is linkperf "+version()) || !strings.Contains(both.Note, "--sysinfo=full there tells more") {
		t.Errorf("note %q", both.Note)
	}
	_, open := serve(t, "--sysinfo=full")
	if got := call(t, "linkperf", "sysinfo", "-p", open, "127.0.0.1"); got.status != 0 || !strings.HasPrefix(got.stdout, "the other end is linkperf "+version()+"\n") {
		t.Errorf("%+v", got)
	}

	for _, args := range [][]string{{"127.0.0.1:" + port}, {"localhost:" + port, "-p", port}, {"-p", port, "[::1]"}, {"[::1]:" + port}} {
		if strings.Contains(args[len(args)-1], "::1") && !haveIPv6() {
			continue
		}
		if got := call(t, append([]string{"linkperf", "sysinfo", "--json"}, args...)...); got.status != 0 || !strings.Contains(got.stdout, `"note": "the other end is linkperf`) {
			t.Errorf("%q: %+v", args, got)
		}
	}

	ln, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	ln.Close()
	_, closed, _ := net.SplitHostPort(ln.Addr().String())
	got = call(t, "linkperf", "sysinfo", "-p", closed, "127.0.0.1")
	if got.status != 1 || !strings.Contains(got.stderr, "no server at 127.0.0.1:"+closed) || !strings.Contains(got.stdout, "Interface") {
		t.Errorf("%+v", got)
	}
}

func haveIPv6() bool {
	ln, err := net.Listen("tcp", "[::1]:0")
	if err == nil {
		ln.Close()
	}
	return err == nil
}

// TestSysinfoHosts checks what is taken for a host, and that the rest is
// refused with what is allowed, before anything is asked.
func TestSysinfoHosts(t *testing.T) {
	for text, want := range map[string]string{
		"host": "host 9", "host:1": "host 1", "10.0.0.1:65535": "10.0.0.1 65535", "host%eth0:5": "host%eth0 5", "host%eth0": "host%eth0 9",
		"::1": "::1 9", "[::1]": "::1 9", "[::1]:2": "::1 2", "[fe80::1%eth0]:2": "fe80::1%eth0 2", "fe80::1%eth0": "fe80::1%eth0 9",
	} {
		if host, port, err := splitAddress(text, 9); err != nil || fmt.Sprint(host, " ", port) != want {
			t.Errorf("%q: %s %d %v", text, host, port, err)
		}
	}
	for _, text := range []string{":5201", "host:", "host:0", "host:65536", "host:-1", "host:x", "host:inf", "a:b:c", "[::1", "::1]", "[::1]5", "[::1]:", "[host]", "[host]:1", "[1.2.3.4]:1", "http://host", "host/x", "%eth0", "a b", "[]", "[]:1"} {
		got := call(t, "linkperf", "sysinfo", text)
		if got.status != 1 || got.stdout != "" || got.stderr != fmt.Sprintf("linkperf sysinfo: %q is no host; allowed are HOST, HOST:PORT, an IPv6 address, and [ADDRESS]:PORT with ports from 1 to 65535\n", text) {
			t.Errorf("%q: %+v", text, got)
		}
	}
	for _, args := range [][]string{{""}, {"--raw", ""}} {
		if got := call(t, append([]string{"linkperf", "sysinfo"}, args...)...); got.status != 1 || got.stdout != "" || !strings.Contains(got.stderr, "empty") {
			t.Errorf("%q: %+v", args, got)
		}
	}
	for line, want := range map[string]string{
		"-p 1 host:2":       `"host:2" and --port 1 name two ports`,
		"-p inf host":       `"inf" for "-p, --port" flag: allowed are 1 to 65535`,
		"--port 65536 host": `"65536" for "-p, --port" flag: allowed are 1 to 65535`,
	} {
		if got := call(t, append([]string{"linkperf", "sysinfo"}, strings.Fields(line)...)...); got.status != 1 || !strings.Contains(got.stderr, want) {
			t.Errorf("%q: %+v", line, got)
		}
	}
}

// TestServerTells checks what --sysinfo lets a stranger know.
func TestServerTells(t *testing.T) {
	for level, want := range map[string]struct{ record, rules bool }{"off": {}, "limited": {true, false}, "full": {true, true}} {
		t.Run(level, func(t *testing.T) {
			t.Parallel()
			_, port := serve(t, "--sysinfo="+level)
			got := measureWith(t, port, "-n", "1M", "-J")
			if got.status != 0 {
				t.Fatalf("%+v", got)
			}
			r := recordIn(t, got.stdout, "server")
			if (r != nil) != want.record {
				t.Fatalf("record: %v, want %v", r != nil, want.record)
			}
			own := recordIn(t, got.stdout, "client")
			if own == nil || own.Host.Arch == nil {
				t.Fatalf("this side's own record is not whole: %+v", own)
			}
			if own.Peer.Tool == nil || *own.Peer.Tool != "linkperf" || own.Peer.Version == nil {
				t.Errorf("the other end is not named: %+v", own.Peer)
			}
			if r != nil && (r.CPU.Model != nil) != want.rules {
				t.Errorf("CPU model told: %v, want %v", r.CPU.Model != nil, want.rules)
			}
		})
	}
}

// recordIn returns a side's record in a result, nil if there is none.
func recordIn(t *testing.T, document, side string) *sysinfo.Record {
	t.Helper()
	var doc struct {
		Linkperf struct{ Sysinfo map[string]json.RawMessage }
	}
	if err := json.Unmarshal([]byte(document), &doc); err != nil {
		t.Fatalf("%v in %s", err, document)
	}
	text := doc.Linkperf.Sysinfo[side]
	if len(text) == 0 || string(text) == "null" {
		return nil
	}
	r, err := sysinfo.ParseRecord(text)
	if err != nil {
		t.Fatal(err)
	}
	return r
}

// TestPathOfOneReport checks that nothing is said about the bytes on the path
// where none were counted before the end.
func TestPathOfOneReport(t *testing.T) {
	t.Parallel()
	_, port := serve(t)
	got := measureWith(t, port, "-u", "-k", "1", "-i", "0", "-J")
	r := recordIn(t, got.stdout, "client")
	if got.status != 0 || r == nil {
		t.Fatalf("%+v", got)
	}
	if r.Path.Confirmed != nil {
		t.Errorf("a path is confirmed (%v) by no bytes", *r.Path.Confirmed)
	}
}

// TestFactsBelowTheSummary checks that they come only when asked for.
func TestFactsBelowTheSummary(t *testing.T) {
	t.Parallel()
	_, port := serve(t)
	if got := measureWith(t, port, "-n", "1M"); got.status != 0 || strings.Contains(got.stdout, "path kind") {
		t.Errorf("%+v", got)
	}
	if got := measureWith(t, port, "-n", "1M", "--sysinfo"); got.status != 0 || !strings.Contains(got.stdout, "path kind") {
		t.Errorf("%+v", got)
	}
}

// TestRedactedResult checks that neither form of output names a host.
func TestRedactedResult(t *testing.T) {
	t.Parallel()
	_, port := serve(t)
	name, err := os.Hostname()
	if err != nil {
		t.Fatal(err)
	}
	for _, args := range [][]string{nil, {"-J"}, {"-V"}, {"--json-stream"}, {"-J", "--get-server-output"}} {
		got := measureWith(t, port, append(args, "-n", "128K", "--redact")...)
		if got.status != 0 || strings.Contains(got.stdout, "127.0.0.1") || strings.Contains(got.stdout, " "+name+" ") {
			t.Errorf("%q: %+v", args, got)
		}
	}
}

func TestUnits(t *testing.T) {
	for _, tc := range []struct {
		name  string
		value any
		want  string
	}{
		{"speed_rx_bits_per_second", int64(10_000_000_000), "10 Gbit/s"},
		{"speed_rx_bits_per_second", int64(2_500_000_000), "2.5 Gbit/s"},
		{"speed_rx_bits_per_second", int64(0), "0 bit/s"},
		{"mtu_bytes", int64(1500), "1500 bytes"},
		{"softirq_percent", 12.345, "12.3 %"},
		{"rtt_us", int64(42), "42 µs"},
		{"width", int64(4), "4"},
		{"name", "a\x1b[31m", "a�[31m"},
		{"up", true, "yes"},
	} {
		if got := inUnit(tc.name, tc.value); got != tc.want {
			t.Errorf("%s %v: %q, want %q", tc.name, tc.value, got, tc.want)
		}
	}
}
