package sysinfo

import (
	"context"
	"errors"
	"fmt"
	"runtime"
	"strings"
	"unsafe"

	"golang.org/x/sys/windows"
	"golang.org/x/sys/windows/registry"
)

// registryQuery asks for values of one key of HKEY_LOCAL_MACHINE, by name or by
// the start of the name.
type registryQuery struct {
	key   string
	names []string // "…" at the end stands for anything
}

func (q registryQuery) wants(name string) bool {
	for _, n := range q.names {
		if start, open := strings.CutSuffix(n, "…"); open && strings.HasPrefix(name, start) || name == n {
			return true
		}
	}
	return false
}

// askRegistry reads values in the form of reg query. Keys that do not exist are
// left out; none at all is an error.
func askRegistry(p *probe, queries ...registryQuery) ([]registryValue, error) {
	var values []registryValue
	var refused error
	for _, q := range queries {
		found, err := readKey(q)
		if err != nil && !errors.Is(err, registry.ErrNotExist) {
			refused = fmt.Errorf("registry %s: %w", q.key, err)
		}
		values = append(values, found...)
	}
	if len(values) == 0 {
		if refused != nil {
			return nil, refused
		}
		return nil, because(NotFound, "no values in %s", queries[0].key)
	}
	b := formatRegistry(values)
	p.note("registry "+queries[0].key, string(b))
	return parseRegistry(b)
}

func readKey(q registryQuery) ([]registryValue, error) {
	k, err := registry.OpenKey(registry.LOCAL_MACHINE, q.key, registry.QUERY_VALUE|registry.WOW64_64KEY)
	if err != nil {
		return nil, err
	}
	defer k.Close()
	names, err := k.ReadValueNames(-1)
	if err != nil {
		return nil, err
	}
	var values []registryValue
	for _, name := range names {
		if !q.wants(name) {
			continue
		}
		v := registryValue{Key: `HKEY_LOCAL_MACHINE\` + q.key, Name: name}
		_, kind, err := k.GetValue(name, nil)
		if err != nil && !errors.Is(err, registry.ErrShortBuffer) {
			continue
		}
		switch kind {
		case registry.DWORD, registry.QWORD:
			n, _, err := k.GetIntegerValue(name)
			if err != nil {
				continue
			}
			v.Type, v.Data = "REG_DWORD", fmt.Sprintf("0x%x", n)
		case registry.SZ, registry.EXPAND_SZ:
			if v.Data, _, err = k.GetStringValue(name); err != nil {
				continue
			}
			v.Type = "REG_SZ"
		default:
			continue
		}
		values = append(values, v)
	}
	return values, nil
}

// subkeys lists the keys below one.
func subkeys(key string) []string {
	k, err := registry.OpenKey(registry.LOCAL_MACHINE, key, registry.ENUMERATE_SUB_KEYS|registry.WOW64_64KEY)
	if err != nil {
		return nil
	}
	defer k.Close()
	names, _ := k.ReadSubKeyNames(-1)
	return names
}

func collectWindowsHost(_ context.Context, p *probe, r *Record) error {
	r.Host.OS = new("windows")
	v := windows.RtlGetVersion()
	r.Host.Kernel = new(fmt.Sprintf("%d.%d.%d", v.MajorVersion, v.MinorVersion, v.BuildNumber))
	describeMachine(r)
	values, err := askRegistry(p,
		registryQuery{windowsVersionKey, []string{"ProductName", "DisplayVersion", "ReleaseId", "CurrentBuild", "UBR"}},
		registryQuery{biosKey, []string{"SystemManufacturer", "SystemProductName"}},
		registryQuery{processorKey, []string{"ProcessorNameString", "~MHz"}})
	if err != nil {
		return err
	}
	describeWindows(r, values)
	if procWineVersion.Find() == nil {
		r.Host.Virtualization = new("wine")
	}
	return nil
}

// describeMachine compares the machine with what this program was built for. A
// program for another machine runs in an emulation.
func describeMachine(r *Record) {
	var process, native uint16
	err := succeed(procIsWow64Process2, uintptr(windows.CurrentProcess()), uintptr(unsafe.Pointer(&process)), uintptr(unsafe.Pointer(&native)))
	if err != nil {
		r.unknown("host.arch", err)
		r.unknown("host.emulated", err)
		return
	}
	// IMAGE_FILE_MACHINE_ numbers.
	arch, known := map[uint16]string{0x8664: "amd64", 0xaa64: "arm64", 0x14c: "386"}[native]
	if !known {
		why := because(NotSupported, "machine %#x", native)
		r.unknown("host.arch", why)
		r.unknown("host.emulated", why)
		return
	}
	r.Host.Arch, r.Host.Emulated = &arch, new(arch != runtime.GOARCH)
}

// adapterKeywords are the values of a driver's key that are read.
var adapterKeywords = []string{"NetCfgInstanceId", "DriverDesc", "DriverVersion", "ComponentId", "*LsoV…", "*Rsc…", "*TCPChecksum…", "*JumboPacket",
	"*RSS", "*NumRssQueues", "*ReceiveBuffers", "*TransmitBuffers", "*FlowControl", "*EEE", "*SpeedDuplex", "*Uso…"}

// collectAdapter reads the driver's settings. They are what it was told to do;
// of most there is no other word.
func collectAdapter(_ context.Context, p *probe, r *Record) error {
	if p.link() == "" {
		return errNoLink
	}
	row, err := rowNamed(p, p.link())
	if err != nil {
		return err
	}
	var queries []registryQuery
	for _, name := range subkeys(adapterClassKey) {
		queries = append(queries, registryQuery{adapterClassKey + `\` + name, adapterKeywords})
	}
	if len(queries) == 0 {
		return because(NotFound, "no drivers in the registry")
	}
	values, err := askRegistry(p, queries...)
	if err != nil {
		return err
	}
	v := adapterValues(values, row.GUID)
	if v == nil {
		return because(NotFound, "no driver of %q in the registry", p.link())
	}
	describeAdapter(r, v)
	return nil
}
