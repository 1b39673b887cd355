//go:build !darwin && !dragonfly && !freebsd && !illumos && !linux && !netbsd && !openbsd && !windows

package lock

import (
	"errors"
	"fmt"
	"os"
	"runtime"
)

// Try is not possible: the error wraps errors.ErrUnsupported.
func Try(string) (*os.File, bool, error) {
	return nil, false, fmt.Errorf("lock a file on %s: %w", runtime.GOOS, errors.ErrUnsupported)
}

// Release closes the file.
func Release(f *os.File) error { return f.Close() }
