package stream

import (
	"os"
	"unsafe"

	"golang.org/x/sys/unix"
)

// sendFile lets the kernel take the bytes from the page cache. The call tells
// the scheduler, since a file on a disk can block it.
func (p *fdPath) sendFile(f payloadFile, off int64, n int) (int, error) {
	in := f.Fd()
	for !p.interrupted.Load() {
		m, _, errno := unix.Syscall6(unix.SYS_SENDFILE, uintptr(p.fd), in, uintptr(unsafe.Pointer(&off)), uintptr(n), 0, 0)
		if errno == 0 {
			return int(m), nil
		}
		if err := p.retry(errno, unix.POLLOUT); err != nil {
			return 0, err
		}
	}
	return 0, ErrInterrupted
}

// memoryFile returns a file with the given content that lives in memory only
// (memfd_create(2)).
func memoryFile(content []byte) (*os.File, error) {
	fd, err := unix.MemfdCreate("linkperf-payload", unix.MFD_CLOEXEC)
	if err != nil {
		return nil, err
	}
	f := os.NewFile(uintptr(fd), "payload")
	if _, err := f.Write(content); err != nil {
		_ = f.Close()
		return nil, err
	}
	return f, nil
}
