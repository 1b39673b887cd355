//go:build !linux

package stream

import (
	"os"
)

// memoryFile returns a file with the given content. It has no name from the
// start: a system that does not let an open file be removed is none on which
// files are sent without copying (sockopt.Sendfile).
func memoryFile(content []byte) (*os.File, error) {
	f, err := os.CreateTemp("", "linkperf-payload-*")
	if err != nil {
		return nil, err
	}
	err = os.Remove(f.Name())
	if err == nil {
		_, err = f.Write(content)
	}
	if err != nil {
		_ = f.Close()
		return nil, err
	}
	return f, nil
}
