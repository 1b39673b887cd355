package sysinfo

import (
	"context"
	"fmt"
	"time"

	"github.com/shirou/gopsutil/v4/cpu"
	"golang.org/x/sys/unix"
)

// What is in the files for darwin was compiled and vetted, not run: no Mac was
// at hand. What the calls answer is read by functions that were tested on
// recordings or on structures laid out by hand.

func collectors() map[string]collector {
	return map[string]collector{
		"sysctl":                    collectSysctl,
		"scutil --nc list":          collectMacVPN,
		"RTM_GET":                   collectMacPath,
		"interface ioctls":          collectMacLink,
		"pmset":                     collectPmset,
		"socketfilterfw":            collectSocketFilter,
		"pfctl":                     collectPF,
		"systemextensionsctl":       collectSystemExtensions,
		"SPThunderboltDataType":     collectMacThunderbolt,
		"Thunderbolt ports":         collectMacThunderboltPorts,
		"SPAirPortDataType":         collectAirPort,
		"USB network adapter":       collectMacUSBAdapter,
		"ifconfig -v":               collectIfconfig,
		"networksetup":              collectMTURange,
		"SPUSBHostDataType devices": collectMacDevices,
	}
}

func readCPUTimes(*probe) ([]coreTimes, error) {
	// host_processor_info is a Mach call, which needs more than a system call.
	all, err := cpu.Times(true)
	if err != nil {
		return nil, fmt.Errorf("read CPU times: %w", err)
	}
	times := make([]coreTimes, len(all))
	for i, t := range all {
		times[i] = coreTimes{User: t.User + t.Nice, System: t.System, Idle: t.Idle}
	}
	return times, nil
}

func readFrequencies(*probe) ([]float64, error) {
	return nil, because(NotSupported, "macOS tells it to root only")
}

func readThrottled(*probe) (int64, error) {
	return 0, because(NotSupported, "macOS does not count them")
}

func readProcessCPU() (time.Duration, error) {
	var u unix.Rusage
	if err := unix.Getrusage(unix.RUSAGE_SELF, &u); err != nil {
		return 0, fmt.Errorf("read process times: %w", err)
	}
	return time.Duration(u.Utime.Nano() + u.Stime.Nano()), nil
}

// readStack reads the datagrams that were dropped at full sockets. The counters
// of TCP are kept from programs (net.inet.tcp.disable_access_to_stats).
func readStack(p *probe) (stackCounters, error) {
	b, err := unix.SysctlRaw("net.inet.udp.stats")
	if err != nil {
		return stackCounters{}, fmt.Errorf("read net.inet.udp.stats: %w", err)
	}
	p.note("net.inet.udp.stats", b)
	dropped, err := parseUDPStats(b)
	if err != nil {
		return stackCounters{}, err
	}
	return stackCounters{UDPReceiveDrops: &dropped}, nil
}

func recordCommands() [][]string {
	return [][]string{
		{"/sbin/ifconfig", "-v"},
		{"/usr/sbin/netstat", "-rnl"},
		{"/usr/sbin/networksetup", "-listallhardwareports"},
		{"/usr/sbin/sysctl", "-a"},
		{"/usr/bin/pmset", "-g"},
		{"/usr/sbin/system_profiler", "-json", "SPThunderboltDataType", "SPUSBHostDataType", "SPUSBDataType", "SPAirPortDataType", "SPFirewallDataType"},
		{"/usr/sbin/ioreg", "-r", "-c", "IOThunderboltPort", "-l"},
	}
}

// collectMacVPN lists the tunnels that are up.
func collectMacVPN(ctx context.Context, p *probe, r *Record) error {
	b, err := p.command(ctx, "/usr/sbin/scutil", "--nc", "list")
	if err != nil {
		return err
	}
	services, err := parseVPNList(b)
	if err != nil {
		return err
	}
	interfaces, err := listInterfaces(ctx, p)
	if err != nil {
		return err
	}
	r.Security.VPN = macTunnels(services, interfaces)
	return nil
}
