package main

import (
	"os"
	"sync"

	"linkperf/protocol"
)

// A logFile is the file of --logfile. It is open between the first thing
// written and release, so that it can be moved away between tests.
type logFile struct {
	path string

	mu     sync.Mutex
	file   *os.File
	failed error // the first of writing
}

// openLogFile opens the file once, to find out now whether it can be.
func openLogFile(path string) (*logFile, error) {
	l := &logFile{path: path}
	return l, l.open()
}

func (l *logFile) open() (err error) {
	if l.file == nil {
		l.file, err = os.OpenFile(l.path, os.O_WRONLY|os.O_CREATE|os.O_APPEND, 0o666)
	}
	if err != nil {
		l.file = nil
		return protocol.NewError(protocol.CodeLogFile, err)
	}
	return nil
}

// Write implements io.Writer.
func (l *logFile) Write(b []byte) (n int, err error) {
	l.mu.Lock()
	defer l.mu.Unlock()
	if err = l.open(); err == nil {
		n, err = l.file.Write(b)
	}
	l.keep(err)
	return n, err
}

// release closes the file; what is written next opens it anew.
func (l *logFile) release() {
	l.mu.Lock()
	defer l.mu.Unlock()
	if l.file == nil {
		return
	}
	l.keep(l.file.Close())
	l.file = nil
}

func (l *logFile) keep(err error) {
	if l.failed == nil {
		l.failed = err
	}
}

// lost returns why something could not be written, nil if everything was.
func (l *logFile) lost() error {
	l.mu.Lock()
	defer l.mu.Unlock()
	return l.failed
}
