package sysinfo

import (
	"fmt"
	"time"
	"unsafe"

	"golang.org/x/sys/windows"
)

// What is in the files for windows ran under wine, which lacks some of the
// calls, and never on Windows. What the calls answer is read by functions that
// were tested on recordings or on structures laid out by hand.

func collectors() map[string]collector {
	return map[string]collector{
		"version and BIOS in the registry": collectWindowsHost,
		"GetLogicalProcessorInformationEx": collectProcessorCores,
		"GetSystemPowerStatus":             collectPowerStatus,
		"PowerGetActiveScheme":             collectPowerScheme,
		"firewall in the registry":         collectWindowsFirewall,
		"SecurityCenter2":                  collectSecurityCenter,
		"netsh interface tcp":              collectNetshTCP,
		"tunnel adapters":                  collectTunnelAdapters,
		"USB4 adapters":                    collectUSB4,
		"GetBestRoute2":                    collectWindowsPath,
		"USB4 adapter of the path":         collectUSB4,
		"WlanQueryInterface":               collectWLAN,
		"netsh wlan":                       collectNetshWLAN,
		"GetIfEntry2":                      collectIfEntry,
		"GetIpInterfaceEntry":              collectIPInterface,
		"driver in the registry":           collectAdapter,
		"Get-NetAdapter":                   collectNetAdapter,
		"network list":                     collectNetworkCategory,
	}
}

// Functions of the system that x/sys does not have, or that it calls without
// asking whether they exist: wine and old systems lack some.
var (
	kernel32 = windows.NewLazySystemDLL("kernel32.dll")
	ntdll    = windows.NewLazySystemDLL("ntdll.dll")
	iphlpapi = windows.NewLazySystemDLL("iphlpapi.dll")
	powrprof = windows.NewLazySystemDLL("powrprof.dll")
	wlanapi  = windows.NewLazySystemDLL("wlanapi.dll")

	procGetSystemPowerStatus             = kernel32.NewProc("GetSystemPowerStatus")
	procGetLogicalProcessorInformationEx = kernel32.NewProc("GetLogicalProcessorInformationEx")
	procGetNumaHighestNodeNumber         = kernel32.NewProc("GetNumaHighestNodeNumber")
	procIsWow64Process2                  = kernel32.NewProc("IsWow64Process2")
	procWineVersion                      = ntdll.NewProc("wine_get_version")
	procGetIfTable2                      = iphlpapi.NewProc("GetIfTable2")
	procFreeMibTable                     = iphlpapi.NewProc("FreeMibTable")
	procGetIPInterfaceEntry              = iphlpapi.NewProc("GetIpInterfaceEntry")
	procGetBestRoute2                    = iphlpapi.NewProc("GetBestRoute2")
	procGetTCPStatisticsEx               = iphlpapi.NewProc("GetTcpStatisticsEx")
	procPowerGetActiveScheme             = powrprof.NewProc("PowerGetActiveScheme")
	procPowerGetOverlay                  = powrprof.NewProc("PowerGetEffectiveOverlayScheme")
	procWlanOpenHandle                   = wlanapi.NewProc("WlanOpenHandle")
	procWlanCloseHandle                  = wlanapi.NewProc("WlanCloseHandle")
	procWlanQueryInterface               = wlanapi.NewProc("WlanQueryInterface")
	procWlanFreeMemory                   = wlanapi.NewProc("WlanFreeMemory")
)

// status calls a function that returns an error number, 0 for success.
//
//go:uintptrescapes
func status(f *windows.LazyProc, args ...uintptr) error {
	if err := f.Find(); err != nil {
		return because(NotSupported, "this system has no %s", f.Name)
	}
	if r, _, _ := f.Call(args...); r != 0 {
		return fmt.Errorf("%s: %w", f.Name, windows.Errno(r))
	}
	return nil
}

// succeed calls a function that returns whether it did.
//
//go:uintptrescapes
func succeed(f *windows.LazyProc, args ...uintptr) error {
	if err := f.Find(); err != nil {
		return because(NotSupported, "this system has no %s", f.Name)
	}
	if r, _, err := f.Call(args...); r == 0 {
		return fmt.Errorf("%s: %w", f.Name, err)
	}
	return nil
}

func readCPUTimes(p *probe) ([]coreTimes, error) {
	const mostOfGroup = 64 // the call answers for the processors of one group
	b := make([]byte, processorTimesSize*mostOfGroup)
	var n uint32
	err := windows.NtQuerySystemInformation(windows.SystemProcessorPerformanceInformation, unsafe.Pointer(&b[0]), uint32(len(b)), &n)
	if err != nil {
		return nil, fmt.Errorf("read CPU times: %w", err)
	}
	p.note("SystemProcessorPerformanceInformation", b[:n])
	return parseProcessorTimes(b[:n])
}

func readFrequencies(*probe) ([]float64, error) {
	return nil, because(NotSupported, "Windows tells the rated frequency, not the present one")
}

func readThrottled(*probe) (int64, error) {
	return 0, because(NotSupported, "Windows does not count them for programs")
}

func readProcessCPU() (time.Duration, error) {
	var created, exited, kernel, user windows.Filetime
	if err := windows.GetProcessTimes(windows.CurrentProcess(), &created, &exited, &kernel, &user); err != nil {
		return 0, fmt.Errorf("read process times: %w", err)
	}
	ticks := func(f windows.Filetime) int64 { return int64(f.HighDateTime)<<32 + int64(f.LowDateTime) }
	return time.Duration(100 * (ticks(kernel) + ticks(user))), nil
}

// readStack reads the segments sent again over both versions of IP. Windows
// does not count datagrams that found a full socket.
func readStack(p *probe) (stackCounters, error) {
	var sum int64
	for _, family := range []uintptr{windows.AF_INET, windows.AF_INET6} {
		b := make([]byte, 64)
		if err := status(procGetTCPStatisticsEx, uintptr(unsafe.Pointer(&b[0])), family); err != nil {
			return stackCounters{}, err
		}
		n, err := parseTCPStatistics(b)
		if err != nil {
			return stackCounters{}, err
		}
		sum += n
	}
	return stackCounters{TCPRetransmits: &sum}, nil
}

func recordCommands() [][]string {
	netsh := windowsTool("netsh.exe")
	return [][]string{
		{netsh, "interface", "ipv4", "show", "subinterfaces"},
		{netsh, "interface", "ipv6", "show", "subinterfaces"},
		{netsh, "interface", "tcp", "show", "global"},
		{netsh, "advfirewall", "show", "allprofiles"},
		{netsh, "wlan", "show", "interfaces"},
		{windowsTool("powercfg.exe"), "/getactivescheme"},
		{windowsTool("route.exe"), "print"},
		{windowsTool("ipconfig.exe"), "/all"},
	}
}
