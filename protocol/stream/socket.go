package stream

import (
	"errors"
	"net/netip"
	"sync"
	"syscall"
	"time"
)

// ErrInterrupted is what sending and receiving return after
// [Socket.Interrupt].
var ErrInterrupted = errors.New("stream: interrupted")

// Socket is one data connection. It belongs to one [Stream] at most.
type Socket interface {
	LocalAddr() netip.AddrPort  // IPv4-mapped addresses are shown as IPv4
	RemoteAddr() netip.AddrPort // likewise
	// RawConn gives access to the descriptor for reading its state. It stays
	// valid until Close, and is an error after it.
	RawConn() (syscall.RawConn, error)
	// Interrupt makes blocked and later sends and receives return promptly. It
	// may be called from any goroutine, at any time and more than once.
	Interrupt()
	// CloseWrite tells the peer that nothing more comes, where the transport
	// can (TCP, SCTP); otherwise it does nothing.
	CloseWrite() error
	Close() error
	// Path names the data path, for example "net", "rawfd" or "sendmmsg+gso".
	Path() string

	handle() *socket
}

// path is how bytes get into the kernel and back: the contract that every data
// path fulfils. One goroutine moves data; interrupt, control and closeWrite may
// be called from others.
type path interface {
	name() string
	// warning says, after data has moved, what went other than planned.
	warning() string
	// ready is called once, before data moves, with what is going to happen.
	ready(c *Config, sender bool) error
	// enter and leave bracket the moving of data, on its goroutine.
	enter()
	leave()

	// send hands at least one byte of p to the kernel and returns how many.
	send(p []byte) (int, error)
	// sendBlocks is send for n bytes of a block that repeats without end, from
	// an offset in the block on.
	sendBlocks(block []byte, off, n int) (int, error)
	// sendFile is send for n bytes of a file from an offset on.
	sendFile(f payloadFile, off int64, n int) (int, error)
	// receive returns at least one byte, or io.EOF.
	receive(p []byte) (int, error)
	// discard is receive for up to n bytes that nobody will look at.
	discard(n int) (int, error)
	// sendDatagrams sends the datagrams of the given length that lie in p one
	// after the other, and returns how many the kernel took, at least one.
	sendDatagrams(p []byte, length int) (int, error)
	// batch is how many datagrams of a length sendDatagrams likes to get.
	batch(length int) int
	// newBatch makes what receiveDatagrams fills, for datagrams of a length.
	newBatch(length int) *batch
	// receiveDatagrams fills b with at least one message.
	receiveDatagrams(b *batch) error
	// sleep returns ErrInterrupted or, after d, nil.
	sleep(d time.Duration) error

	interrupt()
	closeWrite() error
	control(f func(fd uintptr)) error
	close() error
}

// socket is the handle that everyone outside the data path holds. The path
// beneath it is replaced once, when a stream is made of it.
type socket struct {
	local, remote netip.AddrPort
	window        int // bytes asked for, 0 means the system's

	mu          sync.RWMutex
	path        path
	interrupted bool
	closed      bool
}

func (s *socket) handle() *socket            { return s }
func (s *socket) LocalAddr() netip.AddrPort  { return s.local }
func (s *socket) RemoteAddr() netip.AddrPort { return s.remote }

func (s *socket) RawConn() (syscall.RawConn, error) { return rawConn{s}, nil }

func (s *socket) Path() string {
	s.mu.RLock()
	defer s.mu.RUnlock()
	return s.path.name()
}

func (s *socket) Interrupt() {
	s.mu.Lock()
	defer s.mu.Unlock()
	if !s.interrupted && !s.closed {
		s.interrupted = true
		s.path.interrupt()
	}
}

func (s *socket) CloseWrite() error {
	s.mu.RLock()
	defer s.mu.RUnlock()
	if s.closed {
		return nil
	}
	return s.path.closeWrite()
}

func (s *socket) Close() error {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.closed {
		return nil
	}
	s.closed = true
	return s.path.close()
}

// replace puts another path beneath the handle. make gets the present one and
// consumes it, or fails and leaves it as it was.
func (s *socket) replace(make func(path) (path, error)) error {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.closed {
		return errClosed
	}
	p, err := make(s.path)
	if err != nil {
		return err
	}
	s.path = p
	if s.interrupted {
		p.interrupt()
	}
	return nil
}

var errClosed = errors.New("stream: socket is closed")

// rawConn is a syscall.RawConn for reading and setting options only.
type rawConn struct{ s *socket }

func (r rawConn) Control(f func(fd uintptr)) error {
	r.s.mu.RLock()
	defer r.s.mu.RUnlock()
	if r.s.closed {
		return errClosed
	}
	return r.s.path.control(f)
}

func (rawConn) Read(func(uintptr) bool) error  { return errors.ErrUnsupported }
func (rawConn) Write(func(uintptr) bool) error { return errors.ErrUnsupported }
