package main

import (
	"io"
	"sync"
)

// A deaf writer goes on when nobody reads what it writes any more: a test does
// not end because its output was piped into head. Other failures are passed on,
// and the first is kept. Tests that run at the same time may share it.
type deaf struct {
	mu     sync.Mutex
	w      io.Writer
	failed error
}

func (d *deaf) Write(b []byte) (int, error) {
	d.mu.Lock()
	defer d.mu.Unlock()
	n, err := d.w.Write(b)
	if brokenPipe(err) {
		return len(b), nil
	}
	if d.failed == nil {
		d.failed = err
	}
	return n, err
}

// lost returns why something could not be written, nil if everything was.
func (d *deaf) lost() error {
	d.mu.Lock()
	defer d.mu.Unlock()
	return d.failed
}
