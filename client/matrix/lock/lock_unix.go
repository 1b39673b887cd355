//go:build darwin || dragonfly || freebsd || illumos || linux || netbsd || openbsd

package lock

import (
	"errors"
	"os"
	"syscall"
)

// Try opens a file, which is made if there is none, and locks it for this
// process and those that inherit it. ok is false while another has it.
func Try(name string) (f *os.File, ok bool, err error) {
	f, err = os.OpenFile(name, os.O_RDWR|os.O_CREATE|syscall.O_NOFOLLOW, 0o600)
	if err != nil {
		return nil, false, err
	}
	err = syscall.Flock(int(f.Fd()), syscall.LOCK_EX|syscall.LOCK_NB)
	if err == nil {
		return f, true, nil
	}
	f.Close()
	if errors.Is(err, syscall.EWOULDBLOCK) {
		err = nil
	}
	return nil, false, err
}

// Release lets go of a lock, also where a process that inherited the file
// still has it open.
func Release(f *os.File) error {
	return errors.Join(syscall.Flock(int(f.Fd()), syscall.LOCK_UN), f.Close())
}
