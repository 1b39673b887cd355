//go:build !linux

package stream

import (
	"os"
)

// memoryFile returns a file with the given content. It has no name: where the
// system lets an open file be removed it is gone from the start, elsewhere when
// it is closed.
func memoryFile(content []byte) (*os.File, error) {
	f, err := os.CreateTemp("", "linkperf-payload-*")
	if err != nil {
		return nil, err
	}
	_ = os.Remove(f.Name())
	if _, err := f.Write(content); err != nil {
		_ = f.Close()
		return nil, err
	}
	return f, nil
}
