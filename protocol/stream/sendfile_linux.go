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

// hugePage is what the kernel can hold in one piece, in bytes.
const hugePage = 2 << 20

// memoryFile returns a file that begins with the given content and lives in
// memory only (memfd_create(2)). If the kernel can, it is one huge page: of
// contiguous memory the network stack makes few large fragments instead of many
// small ones.
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
	collapse(fd)
	return f, nil
}

// collapse replaces the pages of a file by a huge one (madvise(2),
// MADV_COLLAPSE, Linux 6.1), without which everything works as well.
func collapse(fd int) {
	if unix.Ftruncate(fd, hugePage) != nil {
		return
	}
	// The mapping must begin where a huge page can.
	m, err := unix.Mmap(-1, 0, 2*hugePage, unix.PROT_NONE, unix.MAP_PRIVATE|unix.MAP_ANONYMOUS)
	if err != nil {
		return
	}
	defer func() { _ = unix.Munmap(m) }()
	base := unsafe.Pointer(unsafe.SliceData(m))
	aligned := unsafe.Add(base, -uintptr(base)&(hugePage-1))
	p, err := unix.MmapPtr(fd, 0, aligned, hugePage, unix.PROT_READ|unix.PROT_WRITE, unix.MAP_SHARED|unix.MAP_FIXED)
	if err != nil {
		return
	}
	_ = unix.Madvise(unsafe.Slice((*byte)(p), hugePage), unix.MADV_COLLAPSE)
}
