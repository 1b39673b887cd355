package sysinfo

import (
	"context"
	"strings"
)

// What macOS answers by commands is asked and understood here without build
// tag, so that it is tested everywhere on recordings. The system calls are in
// the files for darwin.

// profile asks system_profiler, which takes from 0.2 to 3 s. Its answers are
// shared by the sources that need the same one.
func (p *probe) profile(ctx context.Context, types ...string) ([]byte, error) {
	return p.shared(ctx, "/usr/sbin/system_profiler", append([]string{"-json"}, types...)...)
}

// hardwarePorts asks which interface is behind which socket of the case.
func (p *probe) hardwarePorts(ctx context.Context) ([]hardwarePort, error) {
	b, err := p.shared(ctx, "/usr/sbin/networksetup", "-listallhardwareports")
	if err != nil {
		return nil, err
	}
	return parseHardwarePorts(b)
}

// describeMac takes the facts of sysctl. A name that a system lacks has no
// value.
func describeMac(r *Record, v sysctlValues) {
	text := func(name string) *string {
		if v[name] == "" {
			return nil
		}
		return new(Printable(v[name]))
	}
	r.Host.OS, r.Host.OSName = new("macos"), new("macOS")
	r.Host.OSVersion, r.Host.OSBuild, r.Host.Kernel = text("kern.osproductversion"), text("kern.osversion"), text("kern.osrelease")
	r.Host.Model = text("hw.model")
	r.Host.Arch = new("amd64")
	if v["hw.optional.arm64"] == "1" {
		r.Host.Arch = new("arm64")
	}
	// The name is missing where there is no Rosetta.
	r.Host.Emulated = new(v["sysctl.proc_translated"] == "1")
	r.Host.Virtualization = new(macVirtualization(v["hw.model"], v["kern.hv_vmm_present"]))
	describeMacCPU(r, v)
	describeMacTCP(r, v)
}

func macVirtualization(model, hypervisor string) string {
	switch {
	case strings.HasPrefix(model, "VirtualMac"):
		return "apple"
	case strings.HasPrefix(model, "VMware"):
		return "vmware"
	case strings.HasPrefix(model, "Parallels"):
		return "parallels"
	case hypervisor == "1":
		return "unknown"
	}
	return "none"
}

func describeMacCPU(r *Record, v sysctlValues) {
	if model := v["machdep.cpu.brand_string"]; model != "" {
		r.CPU.Model = new(Printable(model))
	}
	r.setCores(v.cores())
	if hz, ok := v.number("hw.cpufrequency_max"); ok && hz > 0 {
		r.CPU.FrequencyMax = new(hz / 1e6)
	}
	r.unknown("cpu.frequency_max_mhz", because(NotSupported, "Apple silicon does not tell"))
	r.unknown("cpu.core_classes", because(NotSupported, "macOS does not number its cores by kind"))
}

// setCores takes the cores; 0 is unknown there, or "of one kind".
func (r *Record) setCores(c cores) {
	count := func(n int) *int64 {
		if n == 0 {
			return nil
		}
		return new(int64(n))
	}
	r.CPU.Physical, r.CPU.Logical = count(c.Physical), count(c.Logical)
	r.CPU.Performance, r.CPU.Efficiency, r.CPU.Classes = count(c.Performance), count(c.Efficiency), c.Classes
	if c.Performance == 0 {
		for _, path := range []string{"cpu.cores_performance", "cpu.cores_efficiency", "cpu.core_classes"} {
			r.unknown(path, because(NotApplicable, "the cores are of one kind"))
		}
	}
}

func describeMacTCP(r *Record, v sysctlValues) {
	bytes := func(name string) *int64 {
		if n, ok := v.number(name); ok && n > 0 {
			return &n
		}
		return nil
	}
	r.Limits.SocketReceiveMax, r.Limits.SocketSendMax = bytes("kern.ipc.maxsockbuf"), bytes("kern.ipc.maxsockbuf")
	r.Limits.TCPReceiveMax, r.Limits.TCPSendMax = bytes("net.inet.tcp.autorcvbufmax"), bytes("net.inet.tcp.autosndbufmax")
	switch v["net.inet.tcp.doautorcvbuf"] {
	case "1":
		r.Limits.AutoTuning = new("normal")
	case "0":
		r.Limits.AutoTuning = new("disabled")
	}
	switch v["net.inet.tcp.use_newreno"] {
	case "0":
		r.TCP.CongestionDefault = new("cubic")
	case "1":
		r.TCP.CongestionDefault = new("newreno")
	}
}

func collectPmset(ctx context.Context, p *probe, r *Record) error {
	settings, settingsErr := p.command(ctx, "/usr/bin/pmset", "-g")
	if settingsErr != nil {
		r.unknown("power.mode", settingsErr)
	} else if mode := parsePowerSettings(settings); mode != "" {
		r.Power.Mode = &mode
	} else {
		r.unknown("power.mode", because(NotSupported, "this Mac has no such setting"))
	}
	b, err := p.command(ctx, "/usr/bin/pmset", "-g", "batt")
	if err != nil {
		return err
	}
	on, has, err := parsePowerSource(b)
	if err != nil {
		return err
	}
	if !has && !on {
		return because(NotApplicable, "no battery")
	}
	r.Power.OnBattery = &on
	return nil
}
