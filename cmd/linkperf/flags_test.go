package main

import (
	"bytes"
	"fmt"
	"slices"
	"strings"
	"testing"
	"time"

	"linkperf/protocol"
	"linkperf/report"
)

// TestGrammarErrors checks getopt's complaints, as iperf3 3.21 makes them.
func TestGrammarErrors(t *testing.T) {
	for _, tc := range []struct {
		args []string
		want string
	}{
		{[]string{"--foo"}, "unrecognized option '--foo'"},
		{[]string{"--foo=bar"}, "unrecognized option '--foo=bar'"},
		{[]string{"---x"}, "unrecognized option '---x'"},
		{[]string{"-y"}, "invalid option -- 'y'"},
		{[]string{"-uRy"}, "invalid option -- 'y'"},
		{[]string{"-d3"}, "invalid option -- '3'"},
		{[]string{"-t"}, "option requires an argument -- 't'"},
		{[]string{"-Rt"}, "option requires an argument -- 't'"},
		{[]string{"--tit"}, "option '--title' requires an argument"},
		{[]string{"--verbose=3"}, "option '--verbose' doesn't allow an argument"},
		{[]string{"--verb=3"}, "option '--verbose' doesn't allow an argument"},
		{[]string{"--s"}, "option '--s' is ambiguous; possibilities: '--server' '--server-bitrate-limit' '--server-max-duration' '--set-mss' '--sctp' '--skip-rx-copy' '--snd-timeout'"},
		{[]string{"--b=5"}, "option '--b=5' is ambiguous; possibilities: '--bitrate' '--bytes' '--blockcount' '--bidir' '--bind' '--bind-dev'"},
		{[]string{"--json-"}, "option '--json-' is ambiguous; possibilities: '--json-stream' '--json-stream-full-output'"},
		{[]string{"--d"}, "option '--d' is ambiguous; possibilities: '--daemon' '--dscp' '--dont-fragment' '--debug'"},
		// Our own options have no prefixes.
		{[]string{"--retry-bus"}, "unrecognized option '--retry-bus'"},
		{[]string{"--deadlin", "5"}, "unrecognized option '--deadlin'"},
		// A wrong value further left comes first.
		{[]string{"--foo", "-p", "0"}, "unrecognized option '--foo'"},
	} {
		got := call(t, append([]string{"iperf3"}, tc.args...)...)
		want := finished{1, "", "iperf3: " + tc.want + "\n\n" + shortUsage("iperf3")}
		if got != want {
			t.Errorf("%q:\ngot  %+v\nwant %+v", tc.args, got, want)
		}
	}
}

// TestInfiniteNumbers checks that every option with numbers refuses infinities
// and what is not a number in one line that names it and what is allowed, and
// takes -0 for 0.
func TestInfiniteNumbers(t *testing.T) {
	ranged := 0
	for _, o := range options {
		numbers := o.placeholder != "" && !slices.Contains([]string{"LETTER", "HOST", "HOST[%DEV]", "DEV", "TEXT", "FILE", "FORMAT", "NAME"}, o.placeholder)
		if o.needs.require() != nil || !numbers {
			continue
		}
		ranged++
		for _, v := range []string{"inf", "-Infinity", "nan", "+NaN(1)", " inf", "1e999", "-1e999", "0x1p9999", "1/inf", "1/nan", "0,inf"} {
			if strings.ContainsAny(v, "/,") && !strings.ContainsAny(o.placeholder, "/,") {
				continue
			}
			got := call(t, "iperf3", "--"+o.long+"="+v)
			line, usage, _ := strings.Cut(got.stderr, "\n")
			if got.status != 1 || got.stdout != "" || usage != "\n"+shortUsage("iperf3") || !strings.HasPrefix(line, fmt.Sprintf("iperf3: parameter error - option --%s: %q", o.long, v)) ||
				!strings.Contains(line, "; allowed are ") && !o.ours {
				t.Errorf("--%s=%s: %+v", o.long, v, got)
			}
		}
	}
	if ranged < 20 {
		t.Errorf("only %d options have numbers", ranged)
	}
	for _, args := range [][]string{
		{"-i"}, {"-t"}, {"-O"}, {"-b"}, {"-n"}, {"-k"}, {"-l"}, {"-w"}, {"-M"}, {"-S"}, {"--connect-timeout"}, {"--server-bitrate-limit"}, {"--deadline"},
	} {
		s, zero := scanned(t, append(args, "-0")...), scanned(t, append(args, "0")...)
		if fmt.Sprintf("%+v %+v", s.client, s.server) != fmt.Sprintf("%+v %+v", zero.client, zero.server) {
			t.Errorf("%q -0: %+v", args, s.client)
		}
	}
}

// scanned reads a command line that must be good.
func scanned(t *testing.T, args ...string) *settings {
	t.Helper()
	s := new(settings)
	if err := scan(s, args); err != nil {
		t.Fatalf("%q: %v", args, err)
	}
	return s
}

// TestGrammar checks the ways to write an option.
func TestGrammar(t *testing.T) {
	long := scanned(t, "--client", "host", "--time", "5", "--reverse", "--parallel", "4", "--bitrate", "10M/7")
	for _, args := range [][]string{
		{"-c", "host", "-t", "5", "-R", "-P", "4", "-b", "10M/7"},
		{"-Rt5", "-chost", "-P4", "-b10M/7"},
		{"-RP4", "-t5", "-b", "10M/7", "-c", "host"},
		{"--rev", "--cl=host", "--time=5", "--par", "4", "--bandwidth=10M/7"},
		{"extra", "-c", "host", "word", "-R", "-t5", "-P4", "-b10M/7", "--", "-y"},
		{"-c", "other", "-t9", "-c", "host", "-R", "-t5", "-P4", "-b10M/7"},
	} {
		if got := scanned(t, args...); fmt.Sprintf("%+v", got.client) != fmt.Sprintf("%+v", long.client) {
			t.Errorf("%q: %+v\nwant %+v", args, got.client, long.client)
		}
	}
}

func TestOptionalValues(t *testing.T) {
	for _, tc := range []struct {
		args  []string
		stamp string
		debug int
	}{
		{[]string{"--timestamps", "%F"}, "%c ", 0}, // the value is another word
		{[]string{"--timestamps=%F"}, "%F", 0},
		{[]string{"--timestamps="}, "", 0},
		{[]string{"--debug"}, "", 4},
		{[]string{"-d", "2"}, "", 4},
		{[]string{"--debug=2"}, "", 2},
		{[]string{"--debug=-1"}, "", 4},
		{[]string{"--debug=0"}, "", 0},
	} {
		if s := scanned(t, tc.args...); s.report.Timestamps != tc.stamp || s.debug != tc.debug {
			t.Errorf("%q: stamp %q, debug %d", tc.args, s.report.Timestamps, s.debug)
		}
	}
}

// TestEarlyExits checks that -h and -v act when they are met.
func TestEarlyExits(t *testing.T) {
	if got := call(t, "iperf3", "-v", "-p", "0"); got.status != 0 || !strings.HasPrefix(got.stdout, "iperf 3.21\n") || got.stderr != "" {
		t.Errorf("-v: %+v", got)
	}
	if got := call(t, "iperf3", "-p", "0", "-v"); got.status != 1 || got.stdout != "" {
		t.Errorf("-p 0 -v: %+v", got)
	}
	if got := call(t, "iperf3", "-t", "5", "-hp", "0"); got.status != 0 || !strings.HasPrefix(got.stdout, "Usage: ") || got.stderr != "" {
		t.Errorf("-h: %+v", got)
	}
}

// TestProgramName checks that a usage names the program as it was called, and
// that what scripts look for stays iperf3's.
func TestProgramName(t *testing.T) {
	for called, name := range map[string]string{"/usr/bin/iperf3": "iperf3", "iperf3.exe": "iperf3", "linkperf": "linkperf", "./linkperf": "linkperf"} {
		want := "iperf3: parameter error - must either be a client (-c) or server (-s)\n\n" +
			"Usage: " + name + " [-s|-c host] [options]\nTry `" + name + " --help' for more information.\n"
		if got := call(t, called); got != (finished{1, "", want}) {
			t.Errorf("%s: %+v", called, got)
		}
		if got := call(t, called, "--help"); got.status != 0 || !strings.HasPrefix(got.stdout, "Usage: "+name+" -s [options] ") {
			t.Errorf("%s --help: %+v", called, got)
		}
	}
}

// TestUsageIsComplete checks that each option stands in the help, and fits.
func TestUsageIsComplete(t *testing.T) {
	var b bytes.Buffer
	writeUsage(&b, "linkperf", true)
	for _, o := range options {
		if o.alias == "" && !strings.Contains(b.String(), "--"+o.long) {
			t.Errorf("--%s is not in the help", o.long)
		}
		if o.takes != noValue && o.alias == "" && o.placeholder == "" {
			t.Errorf("--%s has a value without a name", o.long)
		}
	}
	for line := range strings.Lines(b.String()) {
		if len(strings.TrimSuffix(line, "\n")) > 110 {
			t.Errorf("long line: %q", line)
		}
	}
}

// TestOptionNames checks that no name is there twice, and that each old name
// belongs to an option.
func TestOptionNames(t *testing.T) {
	seen := make(map[string]bool)
	for _, o := range options {
		for _, name := range []string{"--" + o.long, "-" + o.short} {
			if name != "-" && seen[name] {
				t.Errorf("%s is there twice", name)
			}
			seen[name] = true
		}
		if o.alias != "" && !slices.ContainsFunc(options, func(p option) bool { return p.long == o.alias }) {
			t.Errorf("--%s is an old name of --%s, which does not exist", o.long, o.alias)
		}
	}
	if n := len(iperf3Options); n != 73 {
		t.Errorf("%d options of iperf3, want 73", n)
	}
}

func TestSplitDevice(t *testing.T) {
	for text, want := range map[string][2]string{
		"192.0.2.1":          {"192.0.2.1", ""},
		"192.0.2.1%eth0":     {"192.0.2.1", "eth0"},
		"host.example%eth0":  {"host.example", "eth0"},
		"2001:db8::1%eth0":   {"2001:db8::1", "eth0"},
		"fe80::1%eth0":       {"fe80::1%eth0", ""},
		"[fe80::1%eth0]":     {"[fe80::1%eth0]", ""},
		"[2001:db8::1]%eth0": {"[2001:db8::1]", "eth0"},
		"fe80::1":            {"fe80::1", ""},
		"":                   {"", ""},
	} {
		if host, device := splitDevice(text); host != want[0] || device != want[1] {
			t.Errorf("%q: %q, %q", text, host, device)
		}
	}
}

func TestOurOptions(t *testing.T) {
	s := scanned(t, "--retry-busy", "--port-range", "5201-5209", "--deadline", "0", "--max-tests", "3", "--any-port")
	if s.client.RetryBusy != defaultRetryBusy || s.client.Port != 5201 || s.client.LastPort != 5209 ||
		s.client.Deadline >= 0 || s.server.MaxTests != 3 || !s.server.AnyPort {
		t.Errorf("%+v %+v", s.client, s.server)
	}
	if s := scanned(t, "--retry-busy=1.5", "--deadline=90"); s.client.RetryBusy != 1500*time.Millisecond || s.client.Deadline != 90*time.Second {
		t.Errorf("%+v", s.client)
	}
	for _, args := range [][]string{
		{"--retry-busy=x"}, {"--retry-busy="}, {"--retry-busy=-1"}, {"--port-range", "5201"}, {"--port-range", "5209-5201"},
		{"--port-range", "0-3"}, {"--port-range", "1-65536"}, {"--deadline", "NaN"}, {"--deadline", "5s"},
		{"--max-tests", "0"}, {"--max-tests", "2x"},
	} {
		got := call(t, append([]string{"iperf3", "-c", "localhost"}, args...)...)
		if got.status != 1 || !strings.HasPrefix(got.stderr, "iperf3: parameter error - option --") {
			t.Errorf("%q: %+v", args, got)
		}
	}
}

// TestLastChoiceHolds checks options that exclude each other.
func TestLastChoiceHolds(t *testing.T) {
	if s := scanned(t, "-u", "-m"); s.client.Transport != protocol.TCP || !s.client.MPTCP {
		t.Errorf("-u -m: %v", s.client.Transport)
	}
	if s := scanned(t, "-m", "-u"); s.client.Transport != protocol.UDP {
		t.Errorf("-m -u: %v", s.client.Transport)
	}
	if s := scanned(t, "-4", "-6"); s.client.IPv4Only || !s.client.IPv6Only || s.server.IPv4Only {
		t.Error("-4 -6 is not -6")
	}
	if s := scanned(t, "--json-stream", "-J"); s.report.Kind != report.JSONStream {
		t.Error("-J after --json-stream ends the stream")
	}
	if s := scanned(t, "-S", "8", "--dscp", "ef"); s.client.TOS != 184 {
		t.Errorf("-S 8 --dscp ef: TOS %d", s.client.TOS)
	}
	if s := scanned(t, "-X", "a", "-X", "b"); !slices.Equal(s.client.XBind, []string{"a", "b"}) {
		t.Errorf("-X: %q", s.client.XBind)
	}
}

// FuzzScan checks that no command line crashes the scan, and that a value it
// accepts is within iperf3's limits.
func FuzzScan(f *testing.F) {
	f.Add("-c host -t 5 -b 10M/5 --cntl-ka=1/2/3 -A 0,1 --dscp af11")
	f.Add("-s -D -1 --server-bitrate-limit 1M/5 --timestamps=%F")
	f.Add("-uRJVZN -l 16 -n 1e3k -w .5M -i 0x1p-2 --verb --=")
	f.Fuzz(func(t *testing.T, line string) {
		s := new(settings)
		if scan(s, strings.Fields(line)) != nil {
			return
		}
		c := &s.client
		if c.Parallel < 0 || c.Parallel > maxParallel || c.Bytes < 0 || c.Blocks < 0 || c.Length < 0 || c.Length > maxLength ||
			c.Window < 0 || c.Window > maxWindow || c.Time < 0 || c.Omit < 0 || c.TOS < 0 || c.TOS > 255 || c.Burst > maxBurst ||
			c.Interval < 0 || c.Interval > time.Minute || s.server.BitrateAverage > time.Minute {
			t.Errorf("%q: %+v", line, c)
		}
	})
}

// TestSubcommands checks that iperf3's name has no commands, and ours has.
func TestSubcommands(t *testing.T) {
	if got := call(t, "/usr/bin/linkperf", "version"); got.status != 0 || !strings.HasPrefix(got.stdout, "linkperf ") {
		t.Errorf("linkperf version: %+v", got)
	}
	if got := call(t, "/opt/iperf3.exe", "version"); got.status != 1 || !strings.Contains(got.stderr, "must either be a client") {
		t.Errorf("iperf3 version: %+v", got)
	}
	if got := call(t, "linkperf", "version", "now"); got.status != 1 {
		t.Errorf("linkperf version now: %+v", got)
	}
	var b bytes.Buffer
	writeUsage(&b, "linkperf", true)
	for _, c := range subcommands() {
		if !strings.Contains(b.String(), "linkperf "+c.synopsis) {
			t.Errorf("the help does not know linkperf %s", c.name)
		}
	}
}

// What iperf3 says of an old option stands before its text, but not before a
// document.
func TestDeprecatedOption(t *testing.T) {
	const warning = "Warning:  --no-fq-socket-pacing is deprecated\n"
	args := []string{"iperf3", "-c", "127.0.0.1", "-p", "1", "--no-fq-socket-pacing"}
	if got := call(t, args...); !strings.HasPrefix(got.stdout, warning) || strings.Contains(got.stderr, warning) {
		t.Errorf("text: %+v", got)
	}
	for _, form := range []string{"-J", "--json-stream"} {
		if got := call(t, append(args, form)...); !strings.HasPrefix(got.stdout, "{") || !strings.HasPrefix(got.stderr, warning) {
			t.Errorf("%s: %+v", form, got)
		}
	}
}
