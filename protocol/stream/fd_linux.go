package stream

import (
	"errors"
	"fmt"
	"io"
	"runtime"
	"sync"
	"sync/atomic"
	"syscall"
	"time"
	"unsafe"

	"golang.org/x/sys/unix"
)

// fdPath is a descriptor of our own, unknown to Go's network poller: the poller
// would wake a thread for every edge of readiness, which costs a UDP stream
// half of its throughput. System calls do not block and do not tell the
// scheduler, so they must be short; waiting is ppoll(2) on the descriptor and an
// eventfd, on a thread that belongs to the stream. See poll for how long
// that one may take.
type fdPath struct {
	fd   int
	wake int // eventfd, readable once interrupted
	sctp bool
	// alarm, if not nil, is what sleeps between sends that are far apart; the
	// goroutine then needs no thread of its own.
	alarm *alarm

	mu          sync.Mutex // between interrupt and close
	closed      bool
	interrupted atomic.Bool
	polls       [2]unix.PollFd
	timeout     unix.Timespec
	// holds tells that a short wait keeps the stream's Go processor, of which
	// there must be enough for all of the test's streams.
	holds   bool
	streams int
	slow    bool          // the last wait was a long one, and so may the next be
	pause   time.Duration // between sends, of a sender with a rate

	message unix.Msghdr // of sendBlocks and discard; points to vectors
	vectors [maxVectors]unix.Iovec
	scratch []byte      // what discard reads into
	blocks  *blockCalls // nil unless short blocks of a byte stream share calls

	receiveFlags int  // of recvfrom
	zeroCopy     bool // for the name
	moderation   moderation
	sends        bool
	udp          *udpCalls // nil for byte streams
}

// newFDPath takes the descriptor out of the hands of package net.
func newFDPath(p *netPath) (*fdPath, error) {
	fd := -1
	var err error
	if cerr := p.raw.Control(func(s uintptr) {
		fd, err = unix.FcntlInt(s, unix.F_DUPFD_CLOEXEC, 0)
	}); cerr != nil {
		err = cerr
	}
	if err != nil {
		return nil, fmt.Errorf("duplicate the descriptor: %w", err)
	}
	q, err := wrapFD(fd)
	if err != nil {
		_ = unix.Close(fd)
		return nil, err
	}
	if err := p.conn.Close(); err != nil {
		_ = q.close()
		return nil, err
	}
	return q, nil
}

// wrapFD makes a path of a nonblocking socket, which it owns if it succeeds.
func wrapFD(fd int) (*fdPath, error) {
	wake, err := unix.Eventfd(0, unix.EFD_CLOEXEC|unix.EFD_NONBLOCK)
	if err != nil {
		return nil, fmt.Errorf("eventfd: %w", err)
	}
	p := &fdPath{fd: fd, wake: wake}
	p.message.Iov = &p.vectors[0]
	p.polls[0].Fd = int32(fd)
	p.polls[1] = unix.PollFd{Fd: int32(wake), Events: unix.POLLIN}
	return p, nil
}

func (p *fdPath) name() string {
	switch {
	case p.udp != nil:
		return p.udp.name(p.sends)
	case p.sctp:
		return "sctp"
	case p.zeroCopy && p.sends:
		return "rawfd+sendfile"
	case p.receiveFlags != 0 && !p.sends:
		return "rawfd+trunc"
	case p.blocks != nil && p.sends:
		return "rawfd+sendmmsg"
	case p.blocks != nil:
		return "rawfd+recvmmsg"
	}
	return "rawfd"
}

func (p *fdPath) warning() string {
	if p.udp == nil || p.udp.refusal == nil {
		return ""
	}
	return fmt.Sprintf("UDP segmentation offload was refused (%v): datagrams are sent without it", p.udp.refusal)
}

// enter ties the goroutine to a thread, which may then wait with the precision
// that pacing needs: the default slack is 50 µs (prctl(2)). A sender whose pauses
// are long gets an alarm instead; where there is none to be had, ppoll does.
func (p *fdPath) enter() {
	p.holds = haveProcs(p.streams)
	if p.pause >= shortWait || p.pause >= longGap && !p.holds {
		if a, err := newAlarm(); err == nil {
			p.mu.Lock()
			defer p.mu.Unlock()
			p.alarm = a
			return
		}
	}
	runtime.LockOSThread()
	if p.sends {
		_ = unix.Prctl(unix.PR_SET_TIMERSLACK, 1, 0, 0, 0)
	}
}

func (p *fdPath) leave() {
	if p.alarm != nil {
		return
	}
	if p.sends {
		_ = unix.Prctl(unix.PR_SET_TIMERSLACK, 0, 0, 0, 0) // 0 is the default
	}
	runtime.UnlockOSThread()
}

func (p *fdPath) interrupt() {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.interrupted.Store(true)
	if p.closed {
		return
	}
	var one = [8]byte{1, 1, 1, 1, 1, 1, 1, 1} // any number but 0, whatever the byte order
	_, _ = unix.Write(p.wake, one[:])
	if p.alarm != nil {
		_ = p.alarm.set(0)
	}
}

// wait blocks until the socket is ready for the events.
func (p *fdPath) wait(events int16) error {
	p.polls[0].Events = events
	for {
		err := errTimeout
		if !p.slow || p.moderation.mark > 1 {
			err = p.poll(p.polls[:], shortWait)
		}
		if err == errTimeout && p.moderation.mark <= 1 { // else what there is may be less
			began := time.Now()
			_, err = unix.Ppoll(p.polls[:], nil, nil)
			p.slow = !p.slow || time.Since(began) > shortWait
		}
		switch {
		case p.interrupted.Load():
			return ErrInterrupted
		case err == nil || err == errTimeout:
			return nil
		case err != unix.EINTR:
			return fmt.Errorf("ppoll: %w", err)
		}
	}
}

func (p *fdPath) sleep(d time.Duration) error {
	if p.alarm != nil {
		return p.sleepLong(d)
	}
	err := p.poll(p.polls[1:], d)
	switch {
	case p.interrupted.Load():
		return ErrInterrupted
	case err != nil && err != errTimeout && err != unix.EINTR: // after a signal the pacer asks for the rest
		return fmt.Errorf("ppoll: %w", err)
	}
	return nil
}

// shortWait is how long a wait may keep a Go processor: less than the 10 ms
// after which the scheduler's monitor would want it back.
const shortWait = 8 * time.Millisecond

// errTimeout tells that nothing happened in time.
var errTimeout = errors.New("timeout")

// poll is ppoll(2) for at most d. A short one does not tell the scheduler: when
// it knows that a thread sleeps in a system call its monitor wakes up every
// 20 µs at first to look after it, which costs more than what a stream of some
// megabits per second does, and to come back takes longer. A stop of the world
// ends the wait by a signal.
func (p *fdPath) poll(fds []unix.PollFd, d time.Duration) error {
	p.timeout = unix.NsecToTimespec(int64(d))
	if !p.holds || d > shortWait {
		n, err := unix.Ppoll(fds, &p.timeout, nil)
		if n == 0 && err == nil {
			err = errTimeout
		}
		return err
	}
	n, _, errno := unix.RawSyscall6(unix.SYS_PPOLL, uintptr(unsafe.Pointer(unsafe.SliceData(fds))), uintptr(len(fds)),
		uintptr(unsafe.Pointer(&p.timeout)), 0, 0, 0)
	switch {
	case errno != 0:
		return errno
	case n == 0:
		return errTimeout
	}
	return nil
}

// sleepLong sleeps by the alarm. An interruption sets it anew, before or after
// we do.
func (p *fdPath) sleepLong(d time.Duration) error {
	if err := p.alarm.set(d); err != nil {
		return err
	}
	if p.interrupted.Load() {
		return ErrInterrupted
	}
	err := p.alarm.wait()
	if p.interrupted.Load() {
		return ErrInterrupted
	}
	return err
}

// retry decides after a failed call: nil means try again.
func (p *fdPath) retry(errno syscall.Errno, events int16) error {
	switch errno {
	case unix.EINTR:
		return nil
	case unix.EAGAIN:
		if events == unix.POLLIN && p.udp == nil && !p.sctp {
			p.moderate()
		}
		return p.wait(events)
	}
	return errno
}

func (p *fdPath) send(b []byte) (int, error) {
	for !p.interrupted.Load() {
		n, _, errno := unix.RawSyscall6(unix.SYS_SENDTO, uintptr(p.fd), uintptr(unsafe.Pointer(unsafe.SliceData(b))),
			uintptr(len(b)), unix.MSG_DONTWAIT|unix.MSG_NOSIGNAL, 0, 0)
		if errno == 0 {
			return int(n), nil
		}
		if err := p.retry(errno, unix.POLLOUT); err != nil {
			return 0, err
		}
	}
	return 0, ErrInterrupted
}

// maxVectors is how many pieces of memory one call reads or writes.
const maxVectors = 32

// sendBlocks lets the kernel read the same memory several times: a megabyte for
// one call that stays in the processor's cache.
func (p *fdPath) sendBlocks(block []byte, off, n int) (int, error) {
	switch {
	case off+n <= len(block):
		return p.send(block[off : off+n])
	case p.blocks != nil:
		return p.sendEach(block, off, n)
	}
	k := 0
	for ; n > 0 && k < len(p.vectors); k++ {
		part := block[off:min(off+n, len(block))]
		p.vectors[k].Base = unsafe.SliceData(part)
		p.vectors[k].SetLen(len(part))
		n -= len(part)
		off = 0
	}
	p.message.SetIovlen(k)
	for !p.interrupted.Load() {
		n, _, errno := unix.RawSyscall(unix.SYS_SENDMSG, uintptr(p.fd), uintptr(unsafe.Pointer(&p.message)), unix.MSG_DONTWAIT|unix.MSG_NOSIGNAL)
		if errno == 0 {
			return int(n), nil
		}
		if err := p.retry(errno, unix.POLLOUT); err != nil {
			return 0, err
		}
	}
	return 0, ErrInterrupted
}

func (p *fdPath) receive(b []byte) (int, error) {
	for !p.interrupted.Load() {
		n, _, errno := unix.RawSyscall6(unix.SYS_RECVFROM, uintptr(p.fd), uintptr(unsafe.Pointer(unsafe.SliceData(b))),
			uintptr(len(b)), uintptr(unix.MSG_DONTWAIT|p.receiveFlags), 0, 0)
		if errno == 0 {
			if n == 0 {
				return 0, io.EOF
			}
			p.moderation.bytes += int64(n)
			return int(n), nil
		}
		if err := p.retry(errno, unix.POLLIN); err != nil {
			return 0, err
		}
	}
	return 0, ErrInterrupted
}

// scratchLength is the memory into which each receiver reads, in bytes: less
// than the first cache of a processor.
const scratchLength = 32 << 10

// discard lets the kernel write to the same memory several times.
func (p *fdPath) discard(n int) (int, error) {
	if p.blocks != nil {
		return p.discardEach()
	}
	if p.scratch == nil {
		p.scratch = make([]byte, scratchLength)
	}
	if n <= len(p.scratch) {
		return p.receive(p.scratch[:n])
	}
	p.message.SetIovlen(len(p.intoScratch(n)))
	for !p.interrupted.Load() {
		n, _, errno := unix.RawSyscall(unix.SYS_RECVMSG, uintptr(p.fd), uintptr(unsafe.Pointer(&p.message)), uintptr(unix.MSG_DONTWAIT|p.receiveFlags))
		if errno == 0 {
			if n == 0 {
				return 0, io.EOF
			}
			p.moderation.bytes += int64(n)
			return int(n), nil
		}
		if err := p.retry(errno, unix.POLLIN); err != nil {
			return 0, err
		}
	}
	return 0, ErrInterrupted
}

// intoScratch makes vectors that take n bytes, or as many as there are vectors
// for.
func (p *fdPath) intoScratch(n int) []unix.Iovec {
	k := 0
	for ; n > 0 && k < len(p.vectors); k++ {
		part := p.scratch[:min(n, len(p.scratch))]
		p.vectors[k].Base = unsafe.SliceData(part)
		p.vectors[k].SetLen(len(part))
		n -= len(part)
	}
	return p.vectors[:k]
}

func (p *fdPath) closeWrite() error {
	if p.udp != nil {
		return nil
	}
	if err := unix.Shutdown(p.fd, unix.SHUT_WR); err != nil && !errors.Is(err, unix.ENOTCONN) {
		return fmt.Errorf("shutdown: %w", err)
	}
	return nil
}

func (p *fdPath) control(f func(fd uintptr)) error {
	f(uintptr(p.fd))
	return nil
}

func (p *fdPath) close() error {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.closed = true
	err := errors.Join(unix.Close(p.fd), unix.Close(p.wake))
	if p.alarm != nil {
		err = errors.Join(err, p.alarm.close())
	}
	return err
}
