package sysinfo

import (
	"context"
	"errors"
	"os"
	"path/filepath"
	"reflect"
	"strings"
	"testing"
)

// fakeRoot makes a tree of files for collectors to read. An entry's content
// beginning with "-> " is a link, from the root if it begins with a slash.
func fakeRoot(t *testing.T, files map[string]string) string {
	t.Helper()
	root := t.TempDir()
	for name, content := range files {
		full := filepath.Join(root, name)
		if err := os.MkdirAll(filepath.Dir(full), 0o700); err != nil {
			t.Fatal(err)
		}
		if target, link := strings.CutPrefix(content, "-> "); link {
			if strings.HasPrefix(target, "/") {
				target = filepath.Join(root, target)
			}
			if err := os.MkdirAll(target, 0o700); err != nil {
				t.Fatal(err)
			}
			if err := os.Symlink(target, full); err != nil {
				t.Fatal(err)
			}
			continue
		}
		if err := os.WriteFile(full, []byte(content), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	return root
}

// asked runs one collector on a fake root.
func asked(t *testing.T, f collector, files map[string]string, options ...func(*probe)) (*Record, error) {
	t.Helper()
	p := &probe{root: fakeRoot(t, files)}
	for _, o := range options {
		o(p)
	}
	r := new(Record)
	err := f(t.Context(), p, r)
	return r, err
}

func onLink(name string) func(*probe) {
	return func(p *probe) { p.path = Path{Interface: &name, Stack: []string{name}} }
}

// thunderboltTree is the published tree of a Maple Ridge controller with a Mac
// at its port, with the published attributes of a link of two lanes.
func thunderboltTree(t *testing.T) map[string]string {
	t.Helper()
	files := make(map[string]string)
	const pci = "/sys/devices/pci0000:00/0000:00:01.1/0000:02:00.0/0000:03:00.0/0000:04:00.0/domain0/0-0"
	for line := range strings.Lines(string(linuxFixture(t, "thunderbolt/tree-sys-bus-thunderbolt.maple-ridge-m1-peer.txt"))) {
		_, rest, ok := strings.Cut(line, "── 0-")
		if !ok {
			continue
		}
		name, target, _ := strings.Cut("0-"+strings.TrimSpace(rest), " -> ")
		_, below, _ := strings.Cut(target, "/devices/")
		if _, seen := files["/sys/bus/thunderbolt/devices/"+name]; !seen {
			files["/sys/bus/thunderbolt/devices/"+name] = "-> /sys/devices/" + below
		}
	}
	if len(files) != 3 {
		t.Fatalf("%d entries of the tree, want 0-0, 0-1 and 0-1.0", len(files))
	}
	for line := range strings.Lines(string(linuxFixture(t, "thunderbolt/sysfs-attributes.maple-ridge.txt"))) {
		name, value, _ := strings.Cut(strings.TrimPrefix(strings.TrimSpace(line), "/sys/bus/thunderbolt/devices/"), ":")
		device, attribute, _ := strings.Cut(name, "/")
		dir := pci
		if device != "0-0" {
			dir += "/0-1" // the listed port is another one
		}
		files[dir+"/"+attribute] = value + "\n"
	}
	files[pci+"/0-1/vendor_name"] = "Apple Inc.\n"
	files[pci+"/0-1/unique_id"] = "00000000-0000-4000-8000-000000000001\n"
	files[pci+"/unique_id"] = "00000000-0000-4000-8000-000000000002\n"
	files["/sys/class/net/thunderbolt0/device"] = "-> " + pci + "/0-1/0-1.0"
	return files
}

func TestThunderboltLinkOfTwoLanes(t *testing.T) {
	r, err := asked(t, collectThunderbolt, thunderboltTree(t), onLink("thunderbolt0"), func(p *probe) { p.Salt = []byte("cookie") })
	if err != nil {
		t.Fatal(err)
	}
	b := r.Thunderbolt
	if *b.Peers != 1 || *b.LaneSpeedRx != 20e9 || *b.LanesRx != 2 || *b.SpeedRx != 40e9 || *b.SpeedTx != 40e9 || *b.Generation != "4/USB4" {
		t.Errorf("got %+v", b)
	}
	if *b.PeerVendor != "Apple Inc." || *b.Interface != "thunderbolt0" {
		t.Errorf("vendor %s, interface %s", *b.PeerVendor, *b.Interface)
	}
	if b.DomainID == nil || b.PeerDomainID == nil || *b.DomainID == *b.PeerDomainID || strings.Contains(*b.DomainID, "-") {
		t.Errorf("identifiers %v and %v, want two hashes", b.DomainID, b.PeerDomainID)
	}
	if *r.Link.SpeedRx != 40e9 || *r.Link.Capability != 40e9 {
		t.Errorf("speed of the path %d", *r.Link.SpeedRx)
	}
	// The same link seen by a test that goes another way.
	r, err = asked(t, collectThunderbolt, thunderboltTree(t), onLink("wlan0"))
	if err != nil {
		t.Fatal(err)
	}
	if *r.Thunderbolt.Peers != 1 || r.Link.SpeedRx != nil {
		t.Errorf("peers %d, speed of the path %v", *r.Thunderbolt.Peers, r.Link.SpeedRx)
	}
	if r.Thunderbolt.DomainID != nil || r.Unknown["thunderbolt.domain_id"].Reason != NotAttempted {
		t.Error("an identifier is told outside of a test")
	}
}

func TestThunderboltWithoutPeer(t *testing.T) {
	files := map[string]string{"/sys/bus/thunderbolt/devices/0-0/generation": "4\n"}
	r, err := asked(t, collectThunderbolt, files)
	if err != nil || *r.Thunderbolt.Peers != 0 || *r.Thunderbolt.Generation != "4/USB4" || r.Thunderbolt.SpeedRx != nil {
		t.Errorf("got %+v, %v", r.Thunderbolt, err)
	}
	if _, err := asked(t, collectThunderbolt, nil); unknownOf(err).Reason != NotFound {
		t.Errorf("no bus: %v", err)
	}
}

func TestOldKernelTellsNoThunderboltSpeed(t *testing.T) {
	files := thunderboltTree(t)
	for name := range files {
		if strings.HasSuffix(name, "_speed") || strings.HasSuffix(name, "_lanes") {
			delete(files, name)
		}
	}
	r, err := asked(t, collectThunderbolt, files, onLink("thunderbolt0"))
	if err != nil || r.Thunderbolt.SpeedRx != nil || *r.Thunderbolt.Peers != 1 {
		t.Errorf("got %+v, %v", r.Thunderbolt, err)
	}
	if u := r.Unknown["link.speed_rx_bits_per_second"]; u.Reason != NotSupported {
		t.Errorf("speed: %+v, want not supported", u)
	}
}

// nic is a network adapter in a PCIe slot, another one on USB.
var nic = map[string]string{
	"/sys/class/net/eth0/device":                                               "-> /sys/devices/pci0000:00/0000:00:1c.0/0000:03:00.0",
	"/sys/devices/pci0000:00/0000:00:1c.0/0000:03:00.0/subsystem":              "-> /sys/bus/pci",
	"/sys/devices/pci0000:00/0000:00:1c.0/0000:03:00.0/current_link_speed":     "8.0 GT/s PCIe\n",
	"/sys/devices/pci0000:00/0000:00:1c.0/0000:03:00.0/max_link_speed":         "16.0 GT/s PCIe\n",
	"/sys/devices/pci0000:00/0000:00:1c.0/0000:03:00.0/current_link_width":     "4\n",
	"/sys/devices/pci0000:00/0000:00:1c.0/0000:03:00.0/max_link_width":         "8\n",
	"/sys/devices/pci0000:00/0000:00:1c.0/0000:03:00.0/numa_node":              "1\n",
	"/sys/class/net/usb0/device":                                               "-> /sys/devices/pci0000:00/0000:00:14.0/usb2/2-1/2-1:1.0",
	"/sys/devices/pci0000:00/0000:00:14.0/usb2/2-1/2-1:1.0/subsystem":          "-> /sys/bus/usb",
	"/sys/devices/pci0000:00/0000:00:14.0/usb2/2-1/speed":                      "5000\n",
	"/sys/devices/pci0000:00/0000:00:14.0/usb2/2-1/rx_lanes":                   "1\n",
	"/sys/devices/pci0000:00/0000:00:14.0/current_link_speed":                  "Unknown\n",
	"/sys/class/net/dock0/device":                                              "-> /sys/devices/pci0000:00/0000:00:07.0/0000:20:00.0/0000:21:00.0",
	"/sys/devices/pci0000:00/0000:00:07.0/0000:20:00.0/0000:21:00.0/subsystem": "-> /sys/bus/pci",
	"/sys/devices/pci0000:00/0000:00:07.0/0000:20:00.0/removable":              "removable\n",
	"/sys/devices/pci0000:00/0000:00:07.0/0000:20:00.0/0000:21:00.0/numa_node": "-1\n",
	"/sys/class/net/virtio0/device":                                            "-> /sys/devices/pci0000:00/0000:00:03.0/virtio2",
	"/sys/devices/pci0000:00/0000:00:03.0/virtio2/subsystem":                   "-> /sys/bus/virtio",
}

func TestHowTheAdapterIsAttached(t *testing.T) {
	for _, c := range []struct {
		name, attached string
		check          func(*testing.T, *Record)
	}{
		{"eth0", "pci", func(t *testing.T, r *Record) {
			if *r.Link.PCIeSpeed != 8 || *r.Link.PCIeWidth != 4 || *r.Link.PCIeSpeedMax != 16 || *r.Link.PCIeWidthMax != 8 {
				t.Errorf("PCIe %v x%v of %v x%v", *r.Link.PCIeSpeed, *r.Link.PCIeWidth, *r.Link.PCIeSpeedMax, *r.Link.PCIeWidthMax)
			}
		}},
		{"usb0", "usb", func(t *testing.T, r *Record) {
			if *r.Link.USBSpeed != 5e9 || r.Link.PCIeSpeed != nil {
				t.Errorf("USB %v, PCIe %v", *r.Link.USBSpeed, r.Link.PCIeSpeed)
			}
		}},
		{"dock0", "thunderbolt", nil},
		{"virtio0", "virtio", func(t *testing.T, r *Record) {
			if r.Link.PCIeSpeed != nil || r.Unknown["link.pcie_width"].Reason != NotApplicable {
				t.Errorf("PCIe %v, %+v", r.Link.PCIeSpeed, r.Unknown["link.pcie_width"])
			}
		}},
	} {
		t.Run(c.name, func(t *testing.T) {
			r, err := asked(t, collectHardware, nic, onLink(c.name))
			if err != nil {
				t.Fatal(err)
			}
			if *r.Link.AttachedBy != c.attached {
				t.Errorf("attached by %s, want %s", *r.Link.AttachedBy, c.attached)
			}
			if c.check != nil {
				c.check(t, r)
			}
		})
	}
	if r, err := asked(t, collectLinkNUMA, nic, onLink("eth0")); err != nil || *r.CPU.NUMAOfInterface != 1 {
		t.Errorf("NUMA node: %v, %v", r.CPU.NUMAOfInterface, err)
	}
	if _, err := asked(t, collectLinkNUMA, nic, onLink("dock0")); unknownOf(err).Reason != NotSupported {
		t.Errorf("NUMA node -1: %v, want not supported", err)
	}
}

func TestDevices(t *testing.T) {
	files := map[string]string{
		"/sys/bus/usb/devices/usb2/speed":                         "10000\n",
		"/sys/bus/usb/devices/2-1/speed":                          "480\n",
		"/sys/bus/usb/devices/2-1/version":                        " 2.10\n",
		"/sys/bus/usb/devices/2-1/bDeviceClass":                   "00\n",
		"/sys/bus/usb/devices/2-1/2-1:1.0/bInterfaceClass":        "08\n",
		"/sys/bus/usb/devices/2-1/manufacturer":                   "Acme\n",
		"/sys/bus/usb/devices/2-1/product":                        "Disk\x1b[31m\n",
		"/sys/bus/usb/devices/2-1/serial":                         "SECRET123\n",
		"/sys/bus/usb/devices/2-2/speed":                          "10000\n",
		"/sys/bus/usb/devices/2-2/version":                        " 3.10\n",
		"/sys/bus/usb/devices/2-2/bDeviceClass":                   "09\n",
		"/sys/bus/usb/devices/2-3/speed":                          "unknown\n",
		"/sys/bus/usb/devices/2-3/version":                        " 2.00\n",
		"/sys/class/nvme/nvme0/model":                             "Fast drive\n",
		"/sys/class/nvme/nvme0/serial":                            "SECRET456\n",
		"/sys/class/nvme/nvme0/device":                            "-> /sys/devices/pci0000:00/0000:01:00.0",
		"/sys/devices/pci0000:00/0000:01:00.0/current_link_speed": "8.0 GT/s PCIe\n",
		"/sys/devices/pci0000:00/0000:01:00.0/current_link_width": "4\n",
		"/sys/devices/pci0000:00/0000:01:00.0/max_link_speed":     "16.0 GT/s PCIe\n",
		"/sys/devices/pci0000:00/0000:01:00.0/max_link_width":     "4\n",
		"/sys/class/ata_link/link1/sata_spd":                      "3.0 Gbps\n",
		"/sys/class/ata_link/link1/hw_sata_spd_limit":             "6.0 Gbps\n",
		"/sys/class/ata_link/link2/sata_spd":                      "<unknown>\n",
	}
	r, err := asked(t, collectDevices, files)
	if err != nil {
		t.Fatal(err)
	}
	byName := make(map[string]Device)
	for _, d := range r.Devices {
		byName[d.Bus+" "+d.Name] = d
		if strings.Contains(d.Name+d.Detail, "SECRET") {
			t.Errorf("a serial number in %+v", d)
		}
	}
	if len(r.Devices) != 5 {
		t.Errorf("%d devices: %+v", len(r.Devices), r.Devices)
	}
	for name, want := range map[string]struct {
		class             string
		speed, capability int64
		below             bool
	}{
		// It says 2.10, so it can do more than the port gives it.
		"usb Acme Disk\uFFFD[31m": {"storage", 480e6, 5e9, true},
		"usb ":                    {"hub", 10e9, 10e9, false},
		"nvme Fast drive":         {"storage", 31507692307, 63015384615, true},
		"sata link1":              {"storage", 3e9, 6e9, true},
	} {
		d, ok := byName[name]
		if name == "usb " {
			d = r.Devices[1]
			ok = d.Class == "hub"
		}
		if !ok || d.Speed == nil || d.Capability == nil || d.Class != want.class || *d.Speed != want.speed || *d.Capability != want.capability || *d.Below != want.below {
			t.Errorf("%s: got %+v (speed %v), want %+v", name, d, d.Speed, want)
		}
	}
}

func TestCores(t *testing.T) {
	for _, c := range []struct {
		name    string
		files   map[string]string
		classes []string // nil: one kind
	}{
		{"Intel hybrid", map[string]string{"/sys/devices/cpu_core/cpus": "0-3\n", "/sys/devices/cpu_atom/cpus": "4-5\n"}, []string{"P", "P", "P", "P", "E", "E"}},
		{"ARM big and little", map[string]string{cpuDir + "/cpu0/cpu_capacity": "446\n", cpuDir + "/cpu1/cpu_capacity": "446\n", cpuDir + "/cpu2/cpu_capacity": "1024\n"},
			[]string{"E", "E", "P"}},
		{"one kind", map[string]string{cpuDir + "/cpu0/cpu_capacity": "1024\n", cpuDir + "/cpu1/cpu_capacity": "1024\n"}, nil},
		{"nothing told", nil, nil},
	} {
		t.Run(c.name, func(t *testing.T) {
			r, err := asked(t, collectCores, c.files)
			if !reflect.DeepEqual(r.CPU.Classes, c.classes) {
				t.Errorf("classes %v, %v; want %v", r.CPU.Classes, err, c.classes)
			}
			if c.classes == nil && unknownOf(err).Reason != NotApplicable {
				t.Errorf("%v, want not applicable", err)
			}
		})
	}
}

func TestPower(t *testing.T) {
	r, err := asked(t, collectFrequency, map[string]string{
		cpuDir + "/cpufreq/policy0/scaling_governor":              "powersave\n",
		cpuDir + "/cpufreq/policy0/cpuinfo_max_freq":              "4800000\n",
		cpuDir + "/cpufreq/policy0/energy_performance_preference": "balance_performance\n",
		cpuDir + "/cpufreq/policy4/scaling_governor":              "powersave\n",
		cpuDir + "/cpufreq/policy4/cpuinfo_max_freq":              "3600000\n",
	})
	if err != nil || *r.CPU.Governor != "powersave" || *r.CPU.FrequencyMax != 4800 || *r.Power.Mode != "balanced" {
		t.Errorf("got %+v, %+v, %v", r.CPU, r.Power, err)
	}
	if _, err := asked(t, collectFrequency, nil); unknownOf(err).Reason != NotSupported {
		t.Errorf("a virtual machine: %v, want not supported", err)
	}
	if r, err := asked(t, collectPowerMode, map[string]string{"/sys/firmware/acpi/platform_profile": "low-power\n"}); err != nil || *r.Power.Mode != "power_saver" {
		t.Errorf("got %v, %v", r.Power.Mode, err)
	}
	const ps = "/sys/class/power_supply/"
	for _, c := range []struct {
		name  string
		files map[string]string
		want  *bool
	}{
		{"laptop on mains", map[string]string{ps + "AC/type": "Mains\n", ps + "AC/online": "1\n", ps + "BAT0/type": "Battery\n", ps + "BAT0/status": "Charging\n"}, new(false)},
		{"laptop on battery", map[string]string{ps + "AC/type": "Mains\n", ps + "AC/online": "0\n", ps + "BAT0/type": "Battery\n"}, new(true)},
		{"battery alone", map[string]string{ps + "BAT0/type": "Battery\n", ps + "BAT0/status": "Discharging\n"}, new(true)},
		{"battery of a mouse", map[string]string{ps + "hid/type": "Battery\n", ps + "hid/scope": "Device\n"}, nil},
		{"desktop", nil, nil},
	} {
		r, err := asked(t, collectBattery, c.files)
		if !reflect.DeepEqual(r.Power.OnBattery, c.want) || c.want == nil && unknownOf(err).Reason != NotFound {
			t.Errorf("%s: got %v, %v", c.name, r.Power.OnBattery, err)
		}
	}
	r, err = asked(t, collectTemperature, map[string]string{
		"/sys/class/hwmon/hwmon0/name": "nvme\n", "/sys/class/hwmon/hwmon0/temp1_input": "99000\n",
		"/sys/class/hwmon/hwmon1/name": "coretemp\n", "/sys/class/hwmon/hwmon1/temp1_input": "51000\n", "/sys/class/hwmon/hwmon1/temp2_input": "62500\n",
	})
	if err != nil || *r.Thermal.Temperature != 62.5 {
		t.Errorf("temperature %v, %v", r.Thermal.Temperature, err)
	}
	p := &probe{root: fakeRoot(t, map[string]string{
		cpuDir + "/cpufreq/policy0/scaling_cur_freq": "2400000\n", cpuDir + "/cpu0/thermal_throttle/core_throttle_count": "3\n",
		cpuDir + "/cpu1/thermal_throttle/core_throttle_count": "4\n",
	})}
	if mhz, err := readFrequencies(p); err != nil || !reflect.DeepEqual(mhz, []float64{2400}) {
		t.Errorf("frequencies %v, %v", mhz, err)
	}
	if n, err := readThrottled(p); err != nil || n != 7 {
		t.Errorf("throttle events %d, %v", n, err)
	}
}

func TestHostMarks(t *testing.T) {
	const dmi = "/sys/class/dmi/id/"
	for _, c := range []struct {
		name  string
		files map[string]string
		want  string // "" for unknown
	}{
		{"real", map[string]string{dmi + "sys_vendor": "LENOVO\n", dmi + "product_name": "21AH\n", "/proc/cpuinfo": "processor : 0\nflags : fpu\n"}, "none"},
		{"KVM", map[string]string{dmi + "sys_vendor": "QEMU\n", dmi + "product_name": "Standard PC\n"}, "kvm"},
		{"Hyper-V", map[string]string{dmi + "sys_vendor": "Microsoft Corporation\n", dmi + "product_name": "Virtual Machine\n"}, "hyperv"},
		{"a Surface is no virtual machine", map[string]string{dmi + "sys_vendor": "Microsoft Corporation\n", dmi + "product_name": "Surface Pro\n", "/proc/cpuinfo": "processor : 0\n"}, "none"},
		{"WSL", map[string]string{"/proc/version": "Linux version 5.15.90.1-microsoft-standard-WSL2\n"}, "wsl"},
		{"small virtual machine without DMI", map[string]string{"/proc/cpuinfo": string(linuxFixture(t, "proc/cpuinfo.epyc.txt")), "/sys/bus/virtio/drivers": ""}, "kvm"},
		{"nothing to go by", map[string]string{"/proc/cpuinfo": "processor : 0\n"}, ""},
	} {
		t.Run(c.name, func(t *testing.T) {
			r, err := asked(t, collectVirtualization, c.files)
			got := ""
			if r.Host.Virtualization != nil {
				got = *r.Host.Virtualization
			}
			if got != c.want || (err == nil) != (c.want != "") {
				t.Errorf("got %q, %v; want %q", got, err, c.want)
			}
		})
	}
	for _, c := range []struct {
		files map[string]string
		want  string
	}{
		{map[string]string{"/.dockerenv": ""}, "docker"},
		{map[string]string{"/run/.containerenv": ""}, "podman"},
		{map[string]string{"/proc/1/cgroup": "0::/lxc.payload\n"}, "lxc"},
		{map[string]string{"/proc/1/cgroup": "1:name=systemd:/kubepods/x\n"}, "unknown"},
		{map[string]string{"/proc/1/cgroup": "0::/init.scope\n"}, "none"},
	} {
		if r, err := asked(t, collectContainer, c.files); err != nil || *r.Host.Container != c.want {
			t.Errorf("%v: got %v, %v; want %s", c.files, r.Host.Container, err, c.want)
		}
	}
	r, err := asked(t, collectModel, map[string]string{"/proc/device-tree/model": "Raspberry Pi 5 Model B\x00"})
	if err != nil || *r.Host.Model != "Raspberry Pi 5 Model B" {
		t.Errorf("model %v, %v", r.Host.Model, err)
	}
	if _, err := asked(t, collectModel, nil); unknownOf(err).Reason != NotFound {
		t.Errorf("no DMI: %v, want not found", err)
	}
}

func TestLimits(t *testing.T) {
	files := make(map[string]string)
	for line := range strings.Lines(string(linuxFixture(t, "host/sysctl-net.txt"))) {
		name, value, ok := strings.Cut(line, " = ")
		if ok {
			files["/proc/sys/"+strings.ReplaceAll(name, ".", "/")] = value
		}
	}
	r, err := asked(t, collectLimits, files)
	if err != nil {
		t.Fatal(err)
	}
	want := Limits{new(int64(33554432)), new(int64(4194304)), new(int64(4194304)), new(int64(4194304)), new("normal")}
	if !reflect.DeepEqual(r.Limits, want) || *r.TCP.CongestionDefault != "bbr" || *r.Queue.Backlog != 1000 {
		t.Errorf("got %+v", r.Limits)
	}
	// net.core is missing in older namespaces.
	delete(files, "/proc/sys/net/core/rmem_max")
	files["/proc/sys/net/ipv4/tcp_moderate_rcvbuf"] = "0\n"
	files["/proc/sys/net/ipv4/tcp_wmem"] = "nonsense\n"
	r, _ = asked(t, collectLimits, files)
	if r.Limits.SocketReceiveMax != nil || r.Unknown["limits.socket_receive_buffer_max_bytes"].Reason != NotFound {
		t.Errorf("missing: %+v", r.Unknown)
	}
	if r.Unknown["limits.tcp_send_buffer_max_bytes"].Reason != ParseError || *r.Limits.AutoTuning != "disabled" {
		t.Errorf("nonsense: %+v, auto tuning %v", r.Unknown, *r.Limits.AutoTuning)
	}
}

func TestLegacyFirewall(t *testing.T) {
	save := linuxFixture(t, "nft/iptables-legacy-save.txt")
	names := string(linuxFixture(t, "nft/proc-net-ip_tables_names.legacy.txt"))
	run := func(out []byte, err error) func(*probe) {
		return func(p *probe) {
			p.exec = func(context.Context, string, []string) ([]byte, []byte, error) { return out, nil, err }
		}
	}
	for _, c := range []struct {
		name   string
		files  map[string]string
		run    func(*probe)
		state  *string
		reason Reason
	}{
		{"rules that nftables does not show", map[string]string{"/proc/net/ip_tables_names": names}, run(save, nil), new(On), ""},
		{"tables without rules", map[string]string{"/proc/net/ip_tables_names": names}, run([]byte("*filter\n:INPUT ACCEPT [0:0]\nCOMMIT\n"), nil), new(Off), ""},
		{"no table", map[string]string{"/proc/net/ip_tables_names": ""}, run(nil, os.ErrNotExist), new(Off), ""},
		{"not in the kernel", nil, run(nil, os.ErrNotExist), new(Off), ""},
		{"tables and no tool to read them", map[string]string{"/proc/net/ip_tables_names": names}, run(nil, os.ErrNotExist), nil, NotFound},
		{"IPv6 only", map[string]string{"/proc/net/ip_tables_names": "", "/proc/net/ip6_tables_names": names}, run(save, nil), new(On), ""},
	} {
		t.Run(c.name, func(t *testing.T) {
			p := &probe{root: fakeRoot(t, c.files)}
			c.run(p)
			_, layer := legacyFirewall(t.Context(), p)
			if !reflect.DeepEqual(layer.State, c.state) || layer.Reason != c.reason {
				t.Errorf("got %+v, want %v, %q", layer, c.state, c.reason)
			}
		})
	}
	loaded := &probe{root: fakeRoot(t, map[string]string{"/proc/modules": "nf_tables 1 1 - Live 0x0\niptable_filter 1 0 - Live 0x0\n"})}
	if err := legacyLoaded(loaded, os.ErrPermission); unknownOf(err).Reason != NoPermission {
		t.Errorf("a loaded module: %v", err)
	}
	absent := &probe{root: fakeRoot(t, map[string]string{"/proc/modules": "nf_tables 1 1 - Live 0x0\n"})}
	if err := legacyLoaded(absent, os.ErrPermission); err != nil {
		t.Errorf("no module: %v, want none", err)
	}
}

func TestManagerWithoutTheRightToReadRules(t *testing.T) {
	p := &probe{root: fakeRoot(t, map[string]string{"/etc/ufw/ufw.conf": string(linuxFixture(t, "managers/etc-ufw-ufw.conf.enabled.txt"))})}
	var r Record
	setManager(p, filtering{}, os.ErrPermission, &r)
	if r.Firewall.Manager == nil || *r.Firewall.Manager != "ufw" {
		t.Errorf("manager %v, want ufw", r.Firewall.Manager)
	}
	r = Record{}
	setManager(&probe{root: t.TempDir()}, filtering{}, os.ErrPermission, &r)
	if r.Firewall.Manager != nil || r.Unknown["firewall.manager"].Reason != NoPermission {
		t.Errorf("manager %v, %+v", r.Firewall.Manager, r.Unknown)
	}
}

func TestFirewalldZone(t *testing.T) {
	answer := func(state, zones string) func(*probe) {
		return func(p *probe) {
			p.exec = func(_ context.Context, _ string, args []string) ([]byte, []byte, error) {
				if args[0] == "--state" {
					return []byte(state), nil, nil
				}
				return []byte(zones), nil, nil
			}
		}
	}
	zones := string(linuxFixture(t, "managers/firewall-cmd-get-active-zones.txt"))
	daemon := map[string]string{"/proc/7/comm": "firewalld\n"}
	r, err := asked(t, collectFirewalld, daemon, onLink("eth0"), answer("running\n", zones))
	if err != nil || *r.Firewall.Profile != "public" {
		t.Errorf("zone %v, %v", r.Firewall.Profile, err)
	}
	if _, err = asked(t, collectFirewalld, daemon, onLink("eth9"), answer("running\n", zones)); unknownOf(err).Reason != NotApplicable {
		t.Errorf("another interface: %v", err)
	}
	stopped := func(p *probe) {
		p.exec = func(context.Context, string, []string) ([]byte, []byte, error) {
			return []byte("not running\n"), nil, errors.New("exit status 252")
		}
	}
	if _, err = asked(t, collectFirewalld, daemon, onLink("eth0"), stopped); unknownOf(err).Reason != NotApplicable {
		t.Errorf("not running: %v", err)
	}
	unasked := func(p *probe) {
		p.exec = func(context.Context, string, []string) ([]byte, []byte, error) {
			t.Error("firewall-cmd is run where there is no firewalld")
			return nil, nil, errors.New("not to be asked")
		}
	}
	if _, err = asked(t, collectFirewalld, map[string]string{"/proc/8/comm": "sshd\n"}, onLink("eth0"), unasked); unknownOf(err).Reason != NotApplicable {
		t.Errorf("no daemon: %v", err)
	}
}
