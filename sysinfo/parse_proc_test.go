package sysinfo

import (
	"os"
	"path/filepath"
	"reflect"
	"strings"
	"testing"
)

// linuxFixture reads a recorded answer of Linux.
func linuxFixture(t testing.TB, name string) []byte {
	t.Helper()
	b, err := os.ReadFile(filepath.Join("testdata", "linux", name))
	if err != nil {
		t.Fatal(err)
	}
	return b
}

func TestParseProcStatUnderLoad(t *testing.T) {
	before, err := parseProcStat(linuxFixture(t, "proc/stat.under-load-1.txt"))
	if err != nil {
		t.Fatal(err)
	}
	after, err := parseProcStat(linuxFixture(t, "proc/stat.under-load-2.txt"))
	if err != nil {
		t.Fatal(err)
	}
	if len(before) != 2 || len(after) != 2 {
		t.Fatalf("%d and %d cores, want 2", len(before), len(after))
	}
	for core, softirq := range []float64{34, 4} {
		used := after[core].since(before[core])
		if got := used.busy(); got < 99.5 {
			t.Errorf("core %d is busy %.1f %%, want 100", core, got)
		}
		if got := *used.share(used.SoftIRQ); got < softirq-1 || got > softirq+1 {
			t.Errorf("core %d has %.1f %% softirq, want %.0f", core, got, softirq)
		}
		if !used.SplitKnown {
			t.Errorf("core %d: softirq and steal are told apart by this kernel", core)
		}
	}
}

func TestParseProcStat(t *testing.T) {
	if cores, err := parseProcStat(linuxFixture(t, "proc/stat.desktop.txt")); err != nil || len(cores) != 2 {
		t.Errorf("%d cores, %v; want 2", len(cores), err)
	}
	for _, c := range []struct {
		name, in string
		want     []coreTimes // nil for an error
	}{
		{"one core", "cpu  1 2 3 4\ncpu0 100 20 30 400 50 6 7 8 0 0\n",
			[]coreTimes{{User: 1.2, System: .36, SoftIRQ: .07, Steal: .08, Idle: 4.5, SplitKnown: true}}},
		{"an old kernel without softirq", "cpu0 100 0 0 100\n", []coreTimes{{User: 1, Idle: 1}}},
		{"core 0 off line", "cpu1 100 0 0 100\n", []coreTimes{{}, {User: 1, Idle: 1}}},
		{"no core", "intr 5\n", nil},
		{"not a number", "cpu0 1 2 x 4\n", nil},
		{"a core of absurd number", "cpu99999 1 2 3 4\n", nil},
		{"a time that is negative", "cpu0 -1 2 3 4\n", nil},
	} {
		t.Run(c.name, func(t *testing.T) {
			got, err := parseProcStat([]byte(c.in))
			if (err == nil) != (c.want != nil) || !reflect.DeepEqual(got, c.want) {
				t.Errorf("got %+v, %v; want %+v", got, err, c.want)
			}
		})
	}
}

func TestParseProtocolCounters(t *testing.T) {
	snmp, err := parseProtocolCounters(linuxFixture(t, "proc/net-snmp.txt"))
	if err != nil {
		t.Fatal(err)
	}
	netstat, err := parseProtocolCounters(linuxFixture(t, "proc/net-netstat.txt"))
	if err != nil {
		t.Fatal(err)
	}
	for _, name := range []string{"Tcp.RetransSegs", "Udp.RcvbufErrors", "Udp.SndbufErrors", "Ip.InReceives"} {
		if _, ok := snmp[name]; !ok {
			t.Errorf("no %s in snmp", name)
		}
	}
	if _, ok := netstat["TcpExt.TCPLostRetransmit"]; !ok {
		t.Error("no TcpExt.TCPLostRetransmit in netstat")
	}
	for _, in := range []string{"", "Tcp: a b\nTcp: 1\n", "Tcp: a\nTcp: x\n", "Tcp a\nTcp 1\n"} {
		if _, err := parseProtocolCounters([]byte(in)); err == nil {
			t.Errorf("no error for %q", in)
		}
	}
}

func TestParseSNMP6(t *testing.T) {
	got, err := parseSNMP6([]byte("Ip6InReceives                   \t12\nUdp6RcvbufErrors                \t7\n"))
	if err != nil || got["Udp6RcvbufErrors"] != 7 {
		t.Errorf("got %v, %v", got, err)
	}
	if _, err := parseSNMP6([]byte("a b c\n")); err == nil {
		t.Error("no error for three words")
	}
}

func TestParseSoftnet(t *testing.T) {
	if _, _, err := parseSoftnet(linuxFixture(t, "proc/net-softnet_stat.txt")); err != nil {
		t.Error(err)
	}
	dropped, squeezed, err := parseSoftnet([]byte("000031d7 0000000a 00000002 0\n00004083 00000001 00000010 0\n"))
	if err != nil || dropped != 11 || squeezed != 18 {
		t.Errorf("dropped %d, squeezed %d, %v; want 11, 18", dropped, squeezed, err)
	}
	for _, in := range []string{"", "1 2\n", "1 zz 3\n"} {
		if _, _, err := parseSoftnet([]byte(in)); err == nil {
			t.Errorf("no error for %q", in)
		}
	}
}

func TestParseCPUInfo(t *testing.T) {
	arm := "processor\t: 0\nBogoMIPS\t: 243.75\nCPU implementer\t: 0x41\nCPU part\t: 0xd0c\n\nprocessor\t: 1\nCPU implementer\t: 0x41\nCPU part\t: 0xd0c\n"
	pi := "processor\t: 0\nCPU implementer\t: 0x41\nCPU part\t: 0xd08\n\nHardware\t: BCM2835\nSerial\t\t: 1000\nModel\t\t: Raspberry Pi 4 Model B Rev 1.2\n"
	for _, c := range []struct {
		name string
		in   string
		want cpuInfo
	}{
		{"a virtual server", string(linuxFixture(t, "proc/cpuinfo.epyc.txt")), cpuInfo{"AMD EPYC", 2, 2, true}},
		{"a desktop's virtual machine", string(linuxFixture(t, "proc/cpuinfo.desktop.txt")),
			cpuInfo{"Intel(R) Core(TM) i5-7360U CPU @ 2.30GHz", 1, 1, true}},
		{"ARM without a name", arm, cpuInfo{"Arm Neoverse-N1", 2, 0, false}},
		{"Raspberry Pi", pi, cpuInfo{"BCM2835", 1, 0, false}},
		{"an ARM core that is not listed", "processor : 0\nCPU implementer : 0x99\nCPU part : 0x1\n",
			cpuInfo{"ARM implementer 0x99 part 0x1", 1, 0, false}},
		{"two packages with the same core numbers", "processor:0\nphysical id:0\ncore id:0\nprocessor:1\nphysical id:1\ncore id:0\n",
			cpuInfo{"", 2, 2, false}},
	} {
		t.Run(c.name, func(t *testing.T) {
			got, err := parseCPUInfo([]byte(c.in))
			if err != nil || got.Logical != c.want.Logical || got.Physical != c.want.Physical || got.Hypervisor != c.want.Hypervisor ||
				!strings.HasPrefix(got.Model, c.want.Model) {
				t.Errorf("got %+v, %v; want %+v", got, err, c.want)
			}
		})
	}
	if _, err := parseCPUInfo(nil); err == nil {
		t.Error("no error for an empty file")
	}
}

func TestParseCPUList(t *testing.T) {
	for _, c := range []struct {
		in   string
		want []int // nil for an error
	}{
		{"0-3,8\n", []int{0, 1, 2, 3, 8}}, {"0", []int{0}}, {"", []int{}},
		{"3-1", nil}, {"a", nil}, {"0-99999999", nil}, {"-1", nil}, {"1,", nil},
	} {
		got, err := parseCPUList([]byte(c.in))
		if (err == nil) != (c.want != nil) || !reflect.DeepEqual(got, c.want) {
			t.Errorf("%q: got %v, %v; want %v", c.in, got, err, c.want)
		}
	}
}

func TestParseOSRelease(t *testing.T) {
	got, err := parseOSRelease(linuxFixture(t, "host/os-release.debian12.txt"))
	if err != nil || got["VERSION_ID"] != "12" || got["NAME"] != "Debian GNU/Linux" || got["ID"] != "debian" {
		t.Errorf("got %v, %v", got, err)
	}
	got, err = parseOSRelease([]byte("# comment=1\nNAME='a \x1b[31mb'\nID=x"))
	if err != nil || got["NAME"] != "a \uFFFD[31mb" || got["ID"] != "x" || len(got) != 2 {
		t.Errorf("got %q, %v", got, err)
	}
	if _, err := parseOSRelease([]byte("nothing")); err == nil {
		t.Error("no error for a file without assignments")
	}
}

func TestParseIntegers(t *testing.T) {
	got, err := parseIntegers([]byte("4096\t131072\t33554432\n"))
	if err != nil || !reflect.DeepEqual(got, []int64{4096, 131072, 33554432}) {
		t.Errorf("got %v, %v", got, err)
	}
	if _, err := parseIntegers([]byte("1 x")); err == nil {
		t.Error("no error for a word")
	}
}

func TestParseSpeeds(t *testing.T) {
	for _, c := range []struct {
		in   string
		want float64 // 0 for unknown
	}{{"8.0 GT/s PCIe", 8}, {"16.0 GT/s", 16}, {"2.5 GT/s PCIe", 2.5}, {"Unknown", 0}, {"Unknown speed", 0}, {"-1 GT/s", 0}, {"", 0}} {
		if got, ok := parsePCIeSpeed(c.in); ok != (c.want != 0) || ok && got != c.want {
			t.Errorf("PCIe %q: %v, %v", c.in, got, ok)
		}
	}
	for _, c := range []struct {
		in   string
		want int64
	}{{"1.5", 15e5}, {"480", 480e6}, {"5000", 5e9}, {"10000\n", 1e10}, {"20000", 2e10}, {"unknown", 0}, {"-1", 0}, {"NaN", 0}, {"1e9", 0}} {
		if got, ok := parseUSBSpeed(c.in); ok != (c.want != 0) || ok && got != c.want {
			t.Errorf("USB %q: %v, %v", c.in, got, ok)
		}
	}
	for _, c := range []struct {
		in   string
		want int64
	}{{"6.0 Gbps", 6e9}, {"3.0 Gbps", 3e9}, {"<unknown>", 0}} {
		if got, ok := parseSATASpeed(c.in); ok != (c.want != 0) || ok && got != c.want {
			t.Errorf("SATA %q: %v, %v", c.in, got, ok)
		}
	}
}

// fuzzed runs a parser over changed fixtures: it must not panic, and what it
// gives must be bounded by what it read.
func fuzzed(f *testing.F, parse func([]byte) error, fixtures ...string) {
	for _, name := range fixtures {
		f.Add(linuxFixture(f, name))
	}
	f.Add([]byte(nil))
	f.Fuzz(func(t *testing.T, b []byte) {
		if err := parse(b); err != nil {
			if u := unknownOf(err); u.Reason != ParseError || len(u.Detail) > maxDetail {
				t.Errorf("reason %+v", u)
			}
		}
	})
}

func FuzzParseProcStat(f *testing.F) {
	fuzzed(f, func(b []byte) error { _, err := parseProcStat(b); return err }, "proc/stat.under-load-1.txt", "proc/stat.desktop.txt")
}

func FuzzParseProtocolCounters(f *testing.F) {
	fuzzed(f, func(b []byte) error { _, err := parseProtocolCounters(b); return err }, "proc/net-snmp.txt", "proc/net-netstat.txt")
}

func FuzzParseSNMP6(f *testing.F) {
	fuzzed(f, func(b []byte) error { _, err := parseSNMP6(b); return err }, "proc/net-snmp.txt")
}

func FuzzParseSoftnet(f *testing.F) {
	fuzzed(f, func(b []byte) error { _, _, err := parseSoftnet(b); return err }, "proc/net-softnet_stat.txt")
}

func FuzzParseCPUInfo(f *testing.F) {
	fuzzed(f, func(b []byte) error { _, err := parseCPUInfo(b); return err }, "proc/cpuinfo.epyc.txt", "proc/cpuinfo.desktop.txt")
}

func FuzzParseCPUList(f *testing.F) {
	f.Add([]byte("0-3,8"))
	fuzzed(f, func(b []byte) error { _, err := parseCPUList(b); return err })
}

func FuzzParseOSRelease(f *testing.F) {
	fuzzed(f, func(b []byte) error { _, err := parseOSRelease(b); return err }, "host/os-release.debian12.txt")
}

func FuzzParseIntegers(f *testing.F) {
	f.Add([]byte("4096 131072 33554432"))
	fuzzed(f, func(b []byte) error { _, err := parseIntegers(b); return err })
}

func FuzzParseSpeeds(f *testing.F) {
	f.Add("8.0 GT/s PCIe")
	f.Add("10000")
	f.Add("6.0 Gbps")
	f.Fuzz(func(t *testing.T, s string) {
		if v, ok := parsePCIeSpeed(s); ok && !(v > 0) {
			t.Errorf("PCIe %v", v)
		}
		if v, ok := parseUSBSpeed(s); ok && v < 0 {
			t.Errorf("USB %v", v)
		}
		if v, ok := parseSATASpeed(s); ok && v < 0 {
			t.Errorf("SATA %v", v)
		}
	})
}
