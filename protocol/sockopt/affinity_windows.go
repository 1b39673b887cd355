package sockopt

import (
	"math/bits"
	"syscall"
	"unsafe"

	"golang.org/x/sys/windows"
)

var (
	kernel32               = windows.NewLazySystemDLL("kernel32.dll")
	getProcessAffinityMask = kernel32.NewProc("GetProcessAffinityMask")
	setProcessAffinityMask = kernel32.NewProc("SetProcessAffinityMask")
)

func setAffinity(cpu int) (restore func() error, err error) {
	if cpu < 0 || cpu >= bits.UintSize {
		return nil, syscall.EINVAL
	}
	process := windows.CurrentProcess()
	var before, system uintptr
	if ok, _, err := getProcessAffinityMask.Call(uintptr(process), uintptr(unsafe.Pointer(&before)), uintptr(unsafe.Pointer(&system))); ok == 0 {
		return nil, err
	}
	set := func(mask uintptr) error {
		if ok, _, err := setProcessAffinityMask.Call(uintptr(process), mask); ok == 0 {
			return err
		}
		return nil
	}
	if err := set(1 << cpu); err != nil {
		return nil, err
	}
	return func() error { return set(before) }, nil
}
