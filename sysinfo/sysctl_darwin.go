package sysinfo

import (
	"context"
	"encoding/binary"
	"fmt"
	"strings"

	"golang.org/x/sys/unix"
)

// sysctlTexts and sysctlNumbers are the names that are asked for.
var sysctlTexts = []string{
	"kern.osproductversion", "kern.osversion", "kern.osrelease", "hw.model", "machdep.cpu.brand_string", "hw.perflevel0.name",
	"hw.perflevel1.name",
}

var sysctlNumbers = []string{
	"hw.ncpu", "hw.physicalcpu", "hw.logicalcpu", "hw.nperflevels", "hw.perflevel0.physicalcpu", "hw.perflevel1.physicalcpu",
	"hw.perflevel2.physicalcpu", "hw.cpufrequency_max", "hw.optional.arm64", "sysctl.proc_translated", "kern.hv_vmm_present",
	"kern.ipc.maxsockbuf", "net.inet.tcp.sendspace", "net.inet.tcp.recvspace", "net.inet.tcp.autorcvbufmax", "net.inet.tcp.autosndbufmax",
	"net.inet.tcp.doautorcvbuf", "net.inet.tcp.use_newreno", "net.inet.tcp.tso", "net.inet.tcp.lro",
}

// collectSysctl asks for the facts that sysctl has. A name that this system
// lacks is left out.
func collectSysctl(_ context.Context, p *probe, r *Record) error {
	var b strings.Builder
	for _, name := range sysctlTexts {
		if s, err := unix.Sysctl(name); err == nil {
			fmt.Fprintf(&b, "%s: %s\n", name, s)
		}
	}
	for _, name := range sysctlNumbers {
		raw, err := unix.SysctlRaw(name)
		switch {
		case err != nil:
		case len(raw) == 4:
			fmt.Fprintf(&b, "%s: %d\n", name, int32(binary.NativeEndian.Uint32(raw)))
		case len(raw) == 8:
			fmt.Fprintf(&b, "%s: %d\n", name, int64(binary.NativeEndian.Uint64(raw)))
		}
	}
	p.note("sysctl", b.String())
	values, err := parseSysctl([]byte(b.String()))
	if err != nil {
		return err
	}
	describeMac(r, values)
	return nil
}
