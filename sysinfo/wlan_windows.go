package sysinfo

import (
	"context"
	"encoding/binary"
	"fmt"
	"slices"
	"unsafe"

	"golang.org/x/sys/windows"
)

// Operation codes of WlanQueryInterface (wlanapi.h).
const (
	wlanCurrentConnection = 7
	wlanChannelNumber     = 8
)

// errNotWiFi is the reason of the radio's facts on another path.
var errNotWiFi = because(NotApplicable, "the path is not over Wi-Fi")

// collectWLAN asks for the radio's side of the link.
func collectWLAN(_ context.Context, p *probe, r *Record) error {
	if p.path.Kind == nil || *p.path.Kind != KindWiFi {
		return errNotWiFi
	}
	row, err := rowNamed(p, p.link())
	if err != nil {
		return err
	}
	guid, err := windows.GUIDFromString(row.GUID)
	if err != nil {
		return fmt.Errorf("GUID of %s: %w", p.link(), err)
	}
	const clientVersion = 2 // Windows Vista and later
	var handle windows.Handle
	var version uint32
	if err := status(procWlanOpenHandle, clientVersion, 0, uintptr(unsafe.Pointer(&version)), uintptr(unsafe.Pointer(&handle))); err != nil {
		return err
	}
	defer procWlanCloseHandle.Call(uintptr(handle), 0)
	b, err := queryWLAN(handle, guid, wlanCurrentConnection)
	if err != nil {
		return err
	}
	w, err := parseWLANConnection(b)
	if err != nil {
		return err
	}
	if b, err := queryWLAN(handle, guid, wlanChannelNumber); err == nil && len(b) >= 4 {
		w.Channel = int(min(binary.LittleEndian.Uint32(b), 255))
	}
	describeWiFi(r, w)
	return nil
}

func queryWLAN(handle windows.Handle, guid windows.GUID, code uintptr) ([]byte, error) {
	var size uint32
	var data *byte
	err := status(procWlanQueryInterface, uintptr(handle), uintptr(unsafe.Pointer(&guid)), code, 0,
		uintptr(unsafe.Pointer(&size)), uintptr(unsafe.Pointer(&data)), 0)
	if err != nil {
		return nil, err
	}
	defer procWlanFreeMemory.Call(uintptr(unsafe.Pointer(data)))
	return slices.Clone(unsafe.Slice(data, size)), nil
}

// collectNetshWLAN asks for the same in words, which are English only on an
// English system.
func collectNetshWLAN(ctx context.Context, p *probe, r *Record) error {
	if p.path.Kind == nil || *p.path.Kind != KindWiFi {
		return errNotWiFi
	}
	b, err := netsh(ctx, p, "wlan", "show", "interfaces")
	if err != nil {
		return err
	}
	links, err := parseNetshWLAN(b)
	if err != nil {
		return err
	}
	for _, w := range links {
		if w.Interface == p.link() {
			describeWiFi(r, w)
			return nil
		}
	}
	return because(NotFound, "netsh does not list %q", p.link())
}
