package sysinfo

import (
	"context"
	"fmt"
	"unsafe"

	"golang.org/x/sys/windows"
)

func collectProcessorCores(_ context.Context, p *probe, r *Record) error {
	const relationProcessorCore = 0
	size := uint32(64 << 10)
	b := make([]byte, size)
	err := succeed(procGetLogicalProcessorInformationEx, relationProcessorCore, uintptr(unsafe.Pointer(&b[0])), uintptr(unsafe.Pointer(&size)))
	if err != nil {
		return err
	}
	p.note("GetLogicalProcessorInformationEx", b[:size])
	c, err := parseProcessorCores(b[:size])
	if err != nil {
		return err
	}
	r.setCores(c)
	var highest uint32
	if err := succeed(procGetNumaHighestNodeNumber, uintptr(unsafe.Pointer(&highest))); err != nil {
		r.unknown("cpu.numa_nodes", err)
		return nil
	}
	r.CPU.NUMANodes = new(int64(highest) + 1)
	return nil
}

func collectPowerStatus(_ context.Context, p *probe, r *Record) error {
	b := make([]byte, 12)
	if err := succeed(procGetSystemPowerStatus, uintptr(unsafe.Pointer(&b[0]))); err != nil {
		return err
	}
	p.note("GetSystemPowerStatus", b)
	s, err := parsePowerStatus(b)
	if err != nil {
		return err
	}
	describePowerStatus(r, s)
	return nil
}

// collectPowerScheme asks for the power plan, and for the position of the
// slider that lies over the balanced one.
func collectPowerScheme(ctx context.Context, p *probe, r *Record) error {
	guid, err := activeScheme(ctx, p)
	if err != nil {
		return err
	}
	mode := powerSchemeMode(guid)
	if mode == "balanced" {
		var overlay windows.GUID
		if status(procPowerGetOverlay, uintptr(unsafe.Pointer(&overlay))) == nil {
			if m := powerSchemeMode(plainGUID(overlay)); m != "" {
				mode = m
			}
		}
	}
	if mode == "" {
		return because(NotSupported, "a plan of its own, %s", guid)
	}
	r.Power.Mode = &mode
	return nil
}

func activeScheme(ctx context.Context, p *probe) (string, error) {
	var scheme *windows.GUID
	err := status(procPowerGetActiveScheme, 0, uintptr(unsafe.Pointer(&scheme)))
	if err == nil && scheme != nil {
		defer windows.LocalFree(windows.Handle(unsafe.Pointer(scheme)))
		return plainGUID(*scheme), nil
	}
	b, err2 := p.command(ctx, windowsTool("powercfg.exe"), "/getactivescheme")
	if err2 != nil {
		if err == nil {
			err = err2
		}
		return "", err
	}
	return parsePowerScheme(b)
}

// plainGUID is a GUID as powercfg writes it.
func plainGUID(g windows.GUID) string {
	s := formatGUID(g.Data1, g.Data2, g.Data3, g.Data4)
	return s[1 : len(s)-1]
}

// netsh runs netsh and decodes its answer, which comes in the code page of the
// console.
func netsh(ctx context.Context, p *probe, args ...string) ([]byte, error) {
	b, err := p.command(ctx, windowsTool("netsh.exe"), args...)
	if err != nil {
		return nil, err
	}
	if len(b) == 0 {
		return nil, because(NotSupported, "netsh %s printed nothing", args[0])
	}
	return fromCodePage(b)
}

// codePageOEM is CP_OEMCP, the console's code page.
const codePageOEM = 1

func fromCodePage(b []byte) ([]byte, error) {
	wide := make([]uint16, len(b))
	n, err := windows.MultiByteToWideChar(codePageOEM, 0, &b[0], int32(len(b)), &wide[0], int32(len(wide)))
	if err != nil {
		return nil, fmt.Errorf("decode the console's code page: %w", err)
	}
	return []byte(windows.UTF16ToString(wide[:n])), nil
}

func collectNetshTCP(ctx context.Context, p *probe, r *Record) error {
	b, err := netsh(ctx, p, "interface", "tcp", "show", "global")
	if err != nil {
		return err
	}
	s, err := parseNetshTCP(b)
	if err != nil {
		return err
	}
	describeTCPSettings(r, s)
	return nil
}
