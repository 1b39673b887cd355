package lock

import (
	"os"
	"syscall"
)

// errSharing is ERROR_SHARING_VIOLATION.
const errSharing = syscall.Errno(32)

// Try opens a file that nobody else can open meanwhile. ok is false while
// another has it.
func Try(name string) (f *os.File, ok bool, err error) {
	path, err := syscall.UTF16PtrFromString(name)
	if err != nil {
		return nil, false, err
	}
	h, err := syscall.CreateFile(path, syscall.GENERIC_READ|syscall.GENERIC_WRITE, 0, nil, syscall.OPEN_ALWAYS, syscall.FILE_ATTRIBUTE_NORMAL, 0)
	if err == errSharing {
		return nil, false, nil
	}
	if err != nil {
		return nil, false, &os.PathError{Op: "open", Path: name, Err: err}
	}
	return os.NewFile(uintptr(h), name), true, nil
}

// Release lets go of a lock.
func Release(f *os.File) error { return f.Close() }
