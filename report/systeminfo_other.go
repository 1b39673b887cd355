//go:build !linux && !darwin && !freebsd

package report

import (
	"errors"
	"fmt"
	"runtime"
)

// uname is unknown here.
func uname() ([]string, error) {
	return nil, fmt.Errorf("uname on %s: %w", runtime.GOOS, errors.ErrUnsupported)
}
