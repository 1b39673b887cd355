package stream

import (
	"errors"
	"io"
	"net"
	"os"
	"sync/atomic"
	"syscall"
	"time"
)

// netPath is the portable data path over net.Conn: one write or read of
// package net at a time.
type netPath struct {
	conn  net.Conn
	raw   syscall.RawConn
	files io.LimitedReader // what sendFile reads from
	timer *time.Timer

	length  int    // of a block
	scratch []byte // what discard reads into

	interrupted atomic.Bool
	wake        chan struct{} // closed by interrupt
}

func newNetPath(conn net.Conn) (*netPath, error) {
	sc, ok := conn.(syscall.Conn)
	if !ok {
		return nil, errors.New("connection has no descriptor")
	}
	raw, err := sc.SyscallConn()
	if err != nil {
		return nil, err
	}
	return &netPath{conn: conn, raw: raw, wake: make(chan struct{})}, nil
}

func (p *netPath) name() string                     { return "net" }
func (p *netPath) warning() string                  { return "" }
func (p *netPath) enter()                           {}
func (p *netPath) leave()                           {}
func (p *netPath) close() error                     { return p.conn.Close() }
func (p *netPath) control(f func(fd uintptr)) error { return p.raw.Control(f) }

func (p *netPath) ready(c *Config, _ bool) error {
	p.length = c.Length
	return nil
}

func (p *netPath) interrupt() {
	if !p.interrupted.Swap(true) {
		close(p.wake)
		_ = p.conn.SetDeadline(time.Unix(1, 0))
	}
}

func (p *netPath) closeWrite() error {
	if c, ok := p.conn.(interface{ CloseWrite() error }); ok {
		return c.CloseWrite()
	}
	return nil
}

// failed turns the error of a deadline in the past into ErrInterrupted.
func (p *netPath) failed(err error) error {
	if err != nil && errors.Is(err, os.ErrDeadlineExceeded) && p.interrupted.Load() {
		return ErrInterrupted
	}
	return err
}

func (p *netPath) send(b []byte) (int, error) {
	n, err := p.conn.Write(b)
	return n, p.failed(err)
}

func (p *netPath) sendBlocks(block []byte, off, n int) (int, error) {
	return p.send(block[off:min(off+n, len(block))])
}

func (p *netPath) sendFile(f payloadFile, off int64, n int) (int, error) {
	if _, err := f.Seek(off, io.SeekStart); err != nil {
		return 0, err
	}
	p.files = io.LimitedReader{R: f, N: int64(n)}
	m, err := io.Copy(p.conn, &p.files)
	return int(m), p.failed(err)
}

func (p *netPath) receive(b []byte) (int, error) {
	n, err := p.conn.Read(b)
	return n, p.failed(err)
}

func (p *netPath) discard(n int) (int, error) {
	if p.scratch == nil {
		p.scratch = make([]byte, p.length)
	}
	return p.receive(p.scratch[:min(n, len(p.scratch))])
}

func (p *netPath) sendDatagrams(b []byte, length int) (int, error) {
	for n := 0; ; n++ {
		if len(b) == 0 {
			return n, nil
		}
		if _, err := p.conn.Write(b[:length]); err != nil {
			if n > 0 {
				err = nil // met again by the next call
			}
			return n, p.failed(err)
		}
		b = b[length:]
	}
}

func (p *netPath) batch(int) int              { return 1 }
func (p *netPath) newBatch(length int) *batch { return newBatch(1, length) }

func (p *netPath) receiveDatagrams(b *batch) error {
	n, err := p.conn.Read(b.message(0))
	if err != nil {
		return p.failed(err)
	}
	b.n, b.size[0], b.segment[0] = 1, n, 0
	return nil
}

func (p *netPath) sleep(d time.Duration) error {
	if p.timer == nil {
		p.timer = time.NewTimer(d)
	} else {
		p.timer.Reset(d)
	}
	select {
	case <-p.timer.C:
		return nil
	case <-p.wake:
		p.timer.Stop()
		return ErrInterrupted
	}
}
