package client

import (
	"errors"
	"os"
	"path/filepath"
	"testing"
	"time"

	"linkperf/protocol"
	"linkperf/protocol/measure"
)

func TestValidate(t *testing.T) {
	cpu := -1
	for _, c := range []struct {
		name   string
		config Config
		want   protocol.Code
	}{
		{"zero", Config{}, protocol.CodeNone},
		{"port", Config{Port: 65536}, protocol.CodeBadPort},
		{"the last of several ports", Config{ClientPort: 65533, Parallel: 3}, protocol.CodeNone},
		{"ports after the last", Config{ClientPort: 65534, Parallel: 3}, protocol.CodeBadPort},
		{"ports of both directions", Config{ClientPort: 65534, Parallel: 2, Bidirectional: true}, protocol.CodeBadPort},
		{"a file both ways", Config{File: "x", Bidirectional: true}, protocol.CodeFile},
		{"interval", Config{Interval: time.Millisecond}, protocol.CodeInterval},
		{"both directions", Config{Reverse: true, Bidirectional: true}, protocol.CodeReverseBidir},
		{"time", Config{Time: 86401 * time.Second}, protocol.CodeDuration},
		{"half a second", Config{Time: 500 * time.Millisecond}, protocol.CodeDuration},
		{"streams", Config{Parallel: 129}, protocol.CodeNumStreams},
		{"window", Config{Window: 1 << 30}, protocol.CodeBufSize},
		{"MSS", Config{MSS: 40000}, protocol.CodeMSS},
		{"burst", Config{Burst: 1001}, protocol.CodeBurst},
		{"TOS", Config{TOS: 256}, protocol.CodeBadTOS},
		{"flow label", Config{FlowLabel: 1 << 20}, protocol.CodeSetFlow},
		{"omit", Config{Omit: 601 * time.Second}, protocol.CodeOmit},
		{"affinity", Config{Affinity: &cpu}, protocol.CodeAffinity},
		{"keepalive", Config{ControlKeepalive: &measure.Keepalive{Idle: 5, Interval: 1, Count: 5}}, protocol.CodeCntlKA},
		{"keepalive without end", Config{ControlKeepalive: &measure.Keepalive{Idle: 99999999999}}, protocol.CodeCntlKA},
		{"long interval of keepalive", Config{ControlKeepalive: &measure.Keepalive{Interval: 32768}}, protocol.CodeCntlKA},
		{"many probes of keepalive", Config{ControlKeepalive: &measure.Keepalive{Count: 128}}, protocol.CodeCntlKA},
		{"all keepalive there can be", Config{ControlKeepalive: &measure.Keepalive{Idle: 32767, Interval: 1, Count: 127}}, protocol.CodeNone},
		{"half a login", Config{Username: "alice"}, protocol.CodeSetClientAuth},
		{"receive timeout of a sender", Config{ReceiveTimeout: time.Second}, protocol.CodeRvrsOnlyRcvTimeout},
		{"receive timeout", Config{ReceiveTimeout: time.Second, Reverse: true}, protocol.CodeNone},
		{"file over UDP", Config{Transport: protocol.UDP, File: "x"}, protocol.CodeUDPFileTransfer},
		{"long block", Config{Length: 1<<20 + 1}, protocol.CodeBlockSize},
		{"short datagram", Config{Transport: protocol.UDP, Length: 15}, protocol.CodeUDPBlockSize},
		{"two ends", Config{Bytes: 1, Blocks: 1}, protocol.CodeEndConditions},
		{"endless and an end", Config{Bytes: 1, TimeSet: true}, protocol.CodeEndConditions},
		{"transport", Config{Transport: "DCCP"}, protocol.CodeProtocol},
		// The first in iperf3's order counts.
		{"two mistakes", Config{Parallel: 129, Port: -1}, protocol.CodeBadPort},
	} {
		c.config.Host = "localhost"
		err := c.config.Validate()
		if c.want == protocol.CodeNone && err != nil || c.want != protocol.CodeNone && !errors.Is(err, protocol.NewError(c.want, nil)) {
			t.Errorf("%s: got %v, want code %d", c.name, err, c.want)
		}
	}
}

// TestValidateSays checks the texts where iperf3's is not enough for the field.
func TestValidateSays(t *testing.T) {
	for _, c := range []struct {
		config Config
		want   string
	}{
		{Config{Time: 500 * time.Millisecond}, "test duration valid values are 0 to 86400 seconds (Time takes whole seconds, not 500ms)"},
		{Config{Time: 86401 * time.Second}, "test duration valid values are 0 to 86400 seconds"},
		{Config{Omit: 1500 * time.Millisecond}, "bogus value for --omit (maximum = 600 seconds) (Omit takes whole seconds, not 1.5s)"},
		{Config{Bytes: -1}, "only one test end condition (-t, -n, -k) may be specified (Bytes and Blocks cannot be negative)"},
		{Config{PacingTimer: -1}, "invalid unit value or suffix: 'PacingTimer -1'"},
		{Config{Transport: "udp"}, `protocol does not exist (Transport "udp"; allowed are "TCP", "UDP" and "SCTP")`},
		{Config{}, ErrNoHost.Error()},
		{Config{Host: "[]"}, ErrNoHost.Error()},
		{Config{Host: "%eth0"}, ErrNoHost.Error()},
	} {
		if err := c.config.Validate(); err == nil || err.Error() != c.want {
			t.Errorf("got %v, want %s", err, c.want)
		}
	}
	if _, err := Run(t.Context(), Config{}, nil); !errors.Is(err, ErrNoHost) {
		t.Errorf("Run without a host: %v", err)
	}
}

func TestDefaults(t *testing.T) {
	for _, c := range []struct {
		name   string
		config Config
		time   time.Duration
		rate   uint64
	}{
		{"TCP", Config{}, 10 * time.Second, 0},
		{"UDP", Config{Transport: protocol.UDP}, 10 * time.Second, 1 << 20},
		{"unlimited UDP", Config{Transport: protocol.UDP, RateSet: true}, 10 * time.Second, 0},
		{"amount", Config{Bytes: 1}, 0, 0},
		{"until interrupted", Config{TimeSet: true}, 0, 0},
	} {
		c.config.Host = "localhost"
		got, err := c.config.settle()
		if err != nil || got.Time != c.time || got.Rate != c.rate || got.Port != 5201 || got.Parallel != 1 || got.Interval != time.Second {
			t.Errorf("%s: %v, %+v", c.name, err, got)
		}
	}
}

// A file tells how much a client sends, not how much it is to receive.
func TestFileAsAmount(t *testing.T) {
	name := filepath.Join(t.TempDir(), "file")
	if err := os.WriteFile(name, make([]byte, 1000), 0o600); err != nil {
		t.Fatal(err)
	}
	for _, reverse := range []bool{false, true} {
		c, err := Config{Host: "localhost", File: name, Reverse: reverse}.settle()
		if err != nil || (c.Bytes == 1000) == reverse || (c.Time == DefaultTime) != reverse {
			t.Errorf("reverse %v: %d bytes, %v, %v", reverse, c.Bytes, c.Time, err)
		}
	}
}

func TestSplitHost(t *testing.T) {
	for host, want := range map[string][2]string{
		"example.org":      {"example.org", ""},
		"example.org%eth0": {"example.org", "eth0"},
		"192.0.2.1%eth0":   {"192.0.2.1", "eth0"},
		"2001:db8::1":      {"2001:db8::1", ""},
		"[2001:db8::1]":    {"2001:db8::1", ""},
		"fe80::1%eth0":     {"fe80::1%eth0", ""},
		"[fe80::1%eth0]":   {"fe80::1%eth0", ""},
	} {
		if name, device := splitHost(host); name != want[0] || device != want[1] {
			t.Errorf("%s: %q and %q", host, name, device)
		}
	}
}
