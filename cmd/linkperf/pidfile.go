package main

import (
	"errors"
	"io"
	"os"
	"strconv"

	"linkperf/protocol"
)

// errOtherInstance says that the pid file belongs to a living process.
var errOtherInstance = errors.New("the pid file is another process's")

// errNotAFile refuses what writing and removing a pid file would harm: as
// root, `-I /dev/null` would take that device from the whole machine, and a
// pipe would hold the process until somebody reads it.
var errNotAFile = errors.New("the pid file must be a regular file")

// writePIDFile writes this process's id to the file, unless the file names
// another living process, and returns what removes it.
func writePIDFile(path string) (remove func(), err error) {
	if old, err := os.Stat(path); err == nil && !old.Mode().IsRegular() {
		return nil, protocol.NewError(protocol.CodePIDFile, errNotAFile)
	}
	if old, err := readStart(path, 7); err == nil {
		if pid := atoi(string(old)); pid > 0 && pid != os.Getpid() && alive(pid) {
			return nil, errOtherInstance
		}
	}
	f, err := os.OpenFile(path, os.O_WRONLY|os.O_CREATE|os.O_TRUNC, 0o600)
	if err != nil {
		return nil, protocol.NewError(protocol.CodePIDFile, err)
	}
	_, err = f.WriteString(strconv.Itoa(os.Getpid()))
	if err = errors.Join(err, f.Close()); err != nil {
		return nil, protocol.NewError(protocol.CodePIDFile, err)
	}
	return func() { os.Remove(path) }, nil
}

// readStart reads the first bytes of a file.
func readStart(path string, most int64) ([]byte, error) {
	f, err := os.Open(path)
	if err != nil {
		return nil, err
	}
	defer f.Close()
	return io.ReadAll(io.LimitReader(f, most))
}
