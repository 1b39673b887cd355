//go:build !darwin && !dragonfly && !freebsd && !illumos && !linux && !netbsd && !openbsd && !windows

package system

import (
	"errors"
	"fmt"
	"os"
	"runtime"
)

func tryLock(string) (*os.File, bool, error) {
	return nil, false, fmt.Errorf("lock a file on %s: %w", runtime.GOOS, errors.ErrUnsupported)
}

func unlock(f *os.File) error { return f.Close() }
