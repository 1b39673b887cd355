package sysinfo

import (
	"bytes"
	"encoding/json"
	"flag"
	"os"
	"path/filepath"
	"slices"
	"testing"
	"time"
)

var update = flag.Bool("update", false, "write the golden files anew")

// TestGoldenRecord collects the sources that read files from a tree of recorded
// ones, and compares the JSON form.
func TestGoldenRecord(t *testing.T) {
	read := []string{"/etc/os-release", "DMI", "virtualization marks", "container marks", "/proc/cpuinfo", "/sys/devices/system/cpu",
		"platform_profile", "cpufreq", "NUMA nodes", "power_supply", "hwmon", "/proc/sys/net", "USB, NVMe, SATA in sysfs"}
	tb := table{absent: linuxTable.absent}
	for _, s := range linuxTable.sources {
		if slices.Contains(read, s.name) || s.stage != ofHost && s.stage != onOrder {
			tb.sources = append(tb.sources, s)
		}
	}
	files := map[string]string{
		"/etc/os-release":                                          string(linuxFixture(t, "host/os-release.debian12.txt")),
		"/proc/version":                                            string(linuxFixture(t, "host/proc-version.txt")),
		"/proc/cpuinfo":                                            string(linuxFixture(t, "proc/cpuinfo.epyc.txt")),
		"/proc/1/cgroup":                                           "0::/init.scope\n",
		"/proc/sys/net/ipv4/tcp_rmem":                              "4096\t131072\t33554432\n",
		"/proc/sys/net/ipv4/tcp_congestion_control":                "bbr\n",
		"/sys/devices/system/node/online":                          "0\n",
		"/sys/bus/virtio/drivers_probe":                            "",
		"/sys/class/power_supply/AC/type":                          "Mains\n",
		"/sys/class/power_supply/AC/online":                        "1\n",
		"/sys/class/power_supply/BAT0/type":                        "Battery\n",
		"/sys/devices/system/cpu/cpufreq/policy0/scaling_driver":   "intel_pstate\n",
		"/sys/devices/system/cpu/cpufreq/policy0/scaling_governor": "powersave\n",
		"/sys/devices/system/cpu/cpufreq/policy0/cpuinfo_max_freq": "4800000\n",
		"/sys/devices/cpu_core/cpus":                               "0-3\n",
		"/sys/devices/cpu_atom/cpus":                               "4-7\n",
		"/sys/firmware/acpi/platform_profile":                      "balanced\n",
		"/sys/bus/usb/devices/2-1/speed":                           "480\n",
		"/sys/bus/usb/devices/2-1/version":                         " 2.10\n",
		"/sys/bus/usb/devices/2-1/product":                         "Card reader\n",
		"/sys/bus/usb/devices/2-1/2-1:1.0/bInterfaceClass":         "08\n",
		"/sys/bus/usb/devices/2-1/bDeviceClass":                    "00\n",
	}
	root := fakeRoot(t, files)
	r := collect(t.Context(), &probe{root: root, Options: Options{Devices: true}}, tb, collectors())
	checkReasons(t, r)
	r.CollectedAt, r.CollectMS = time.Date(2026, 11, 30, 14, 23, 0, 0, time.UTC), 1
	for path, o := range r.Sources {
		r.Sources[path] = Origin{o.Source, 0.1}
	}
	text, err := json.MarshalIndent(r, "", "  ")
	if err != nil {
		t.Fatal(err)
	}
	text = append(bytes.ReplaceAll(text, []byte(root), nil), '\n')
	golden := filepath.Join("testdata", "linux", "record.golden.json")
	if *update {
		if err := os.WriteFile(golden, text, 0o644); err != nil {
			t.Fatal(err)
		}
	}
	want, err := os.ReadFile(golden)
	if err != nil {
		t.Fatal(err)
	}
	if !bytes.Equal(text, want) {
		t.Errorf("the record differs from %s; run with -update and look at the difference\n%s", golden, text)
	}
}
