package sysinfo

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"runtime"
	"strings"

	"golang.org/x/sys/unix"
)

func collectUname(_ context.Context, p *probe, r *Record) error {
	var u unix.Utsname
	if err := unix.Uname(&u); err != nil {
		return fmt.Errorf("uname: %w", err)
	}
	r.Host.OS = new("linux")
	r.Host.Kernel = new(unix.ByteSliceToString(u.Release[:]))
	machine := unix.ByteSliceToString(u.Machine[:])
	p.note("uname", []string{*r.Host.Kernel, machine, unix.ByteSliceToString(u.Version[:])})
	arch := goArch(machine)
	r.Host.Arch = &arch
	// A 32-bit program runs natively on the 64-bit kernel of its family.
	native := arch == runtime.GOARCH || arch == "amd64" && runtime.GOARCH == "386" || arch == "arm64" && runtime.GOARCH == "arm"
	r.Host.Emulated = new(!native)
	return nil
}

// goArch gives Go's name of what uname calls a machine.
func goArch(machine string) string {
	switch machine {
	case "x86_64":
		return "amd64"
	case "aarch64":
		return "arm64"
	case "i386", "i486", "i586", "i686":
		return "386"
	case "armv5tel", "armv6l", "armv7l", "armv8l":
		return "arm"
	}
	return machine
}

func collectOSRelease(_ context.Context, p *probe, r *Record) error {
	b, err := p.readFile("/etc/os-release")
	if errors.Is(err, fs.ErrNotExist) {
		b, err = p.readFile("/usr/lib/os-release")
	}
	if err != nil {
		return err
	}
	values, err := parseOSRelease(b)
	if err != nil {
		return err
	}
	for key, into := range map[string]**string{"NAME": &r.Host.OSName, "VERSION_ID": &r.Host.OSVersion, "BUILD_ID": &r.Host.OSBuild} {
		if v := values[key]; v != "" {
			*into = &v
		}
	}
	return nil
}

// collectModel reads the name that the maker gave the machine.
func collectModel(_ context.Context, p *probe, r *Record) error {
	product, err := p.readText("/sys/class/dmi/id/product_name")
	if err != nil {
		// Boards without DMI have a device tree.
		tree, treeErr := p.readText("/proc/device-tree/model")
		if treeErr != nil {
			return err
		}
		r.Host.Model = new(Printable(strings.TrimRight(tree, "\x00")))
		return nil
	}
	vendor, err := p.readText("/sys/class/dmi/id/sys_vendor")
	if err == nil && vendor != "" {
		product = vendor + " " + product
	}
	r.Host.Model = new(Printable(product))
	return nil
}

// collectVirtualization looks for the marks that hypervisors leave.
func collectVirtualization(_ context.Context, p *probe, r *Record) error {
	version, err := p.readText("/proc/version")
	if err == nil && strings.Contains(strings.ToLower(version), "microsoft") {
		r.Host.Virtualization = new("wsl")
		return nil
	}
	vendor, vendorErr := p.readText("/sys/class/dmi/id/sys_vendor")
	product, _ := p.readText("/sys/class/dmi/id/product_name")
	if name := hypervisorOf(vendor + " " + product); name != "" {
		r.Host.Virtualization = &name
		return nil
	}
	if kind, err := p.readText("/sys/hypervisor/type"); err == nil && kind != "" {
		r.Host.Virtualization = &kind
		return nil
	}
	b, err := p.readFile("/proc/cpuinfo")
	if err != nil {
		return err
	}
	info, err := parseCPUInfo(b)
	if err != nil {
		return err
	}
	switch {
	case info.Hypervisor && p.present("/sys/bus/virtio"):
		r.Host.Virtualization = new("kvm")
	case info.Hypervisor:
		r.Host.Virtualization = new("unknown")
	case vendorErr == nil:
		r.Host.Virtualization = new("none")
	default:
		return because(NotFound, "no DMI and no flag of a hypervisor")
	}
	return nil
}

// hypervisorOf knows hypervisors by the maker and product names that they
// give their machines; "" for real ones.
func hypervisorOf(dmi string) string {
	for _, h := range []struct{ mark, name string }{
		{"QEMU", "kvm"}, {"KVM", "kvm"}, {"VMware", "vmware"}, {"VirtualBox", "virtualbox"}, {"innotek", "virtualbox"},
		{"Microsoft Corporation Virtual Machine", "hyperv"}, {"Xen", "xen"}, {"Parallels", "parallels"}, {"Apple Virtualization", "apple"},
		{"Amazon EC2", "amazon"}, {"Google Compute Engine", "google"}, {"Bochs", "bochs"}, {"OpenStack", "kvm"},
	} {
		if strings.Contains(dmi, h.mark) {
			return h.name
		}
	}
	return ""
}

// collectContainer looks for the marks that container programs leave.
func collectContainer(_ context.Context, p *probe, r *Record) error {
	switch {
	case p.present("/.dockerenv"):
		r.Host.Container = new("docker")
		return nil
	case p.present("/run/.containerenv"):
		r.Host.Container = new("podman")
		return nil
	}
	groups, err := p.readText("/proc/1/cgroup")
	if err != nil {
		return err
	}
	r.Host.Container = new("none")
	for _, c := range []string{"docker", "kubepods", "lxc", "containerd", "machine.slice"} {
		if strings.Contains(groups, c) {
			name := c
			if c == "kubepods" || c == "containerd" || c == "machine.slice" {
				name = "unknown"
			}
			r.Host.Container = &name
			return nil
		}
	}
	return nil
}

func (p *probe) present(name string) bool {
	_, err := p.resolve(name)
	return err == nil
}
