package stream

import (
	"io"
	"unsafe"

	"golang.org/x/sys/unix"
)

// blockCalls moves several blocks of a byte stream with one system call,
// sendmmsg(2) or recvmmsg(2), where their length was asked for: to the kernel
// each is a write or read of its own of that length; only the way into the
// kernel is shared.
type blockCalls struct {
	length   int // of a block, bytes
	n        int // messages that one call has at most
	messages [maxMessages]mmsghdr
	vectors  [maxMessages]unix.Iovec
}

// newBlockCalls returns nil where a call would move no more than one block.
func newBlockCalls(length int) *blockCalls {
	n := min(maxChunk/length, maxMessages)
	if n < 2 {
		return nil
	}
	c := &blockCalls{length: length, n: n}
	for i := range c.messages {
		m := &c.messages[i]
		m.Iov = &c.vectors[i]
		m.SetIovlen(1)
	}
	return c
}

// shareVectors lets every message write to the same memory.
func (c *blockCalls) shareVectors(v []unix.Iovec) {
	for i := range c.messages {
		c.messages[i].Iov = &v[0]
		c.messages[i].SetIovlen(len(v))
	}
}

// moved is what the first n messages moved, in bytes.
func (c *blockCalls) moved(n int) (sum int) {
	for i := range n {
		sum += int(c.messages[i].len)
	}
	return sum
}

// sendEach is sendBlocks with a message for each block. The kernel stops after
// one that it takes only a part of.
func (p *fdPath) sendEach(block []byte, off, n int) (int, error) {
	c := p.blocks
	k := 0
	for ; n > 0 && k < c.n; k++ {
		part := block[off:min(off+n, len(block))]
		c.vectors[k].Base = unsafe.SliceData(part)
		c.vectors[k].SetLen(len(part))
		n -= len(part)
		off = 0
	}
	for !p.interrupted.Load() {
		done, _, errno := unix.RawSyscall6(unix.SYS_SENDMMSG, uintptr(p.fd), uintptr(unsafe.Pointer(&c.messages)),
			uintptr(k), unix.MSG_DONTWAIT|unix.MSG_NOSIGNAL, 0, 0)
		if errno == 0 {
			return c.moved(int(done)), nil
		}
		if err := p.retry(errno, unix.POLLOUT); err != nil {
			return 0, err
		}
	}
	return 0, ErrInterrupted
}

// discardEach is discard with a message for each block. At the end of the stream
// the kernel fills all of them with nothing.
func (p *fdPath) discardEach() (int, error) {
	c := p.blocks
	if p.scratch == nil {
		p.scratch = make([]byte, min(c.length, scratchLength))
		c.shareVectors(p.intoScratch(c.length))
	}
	for !p.interrupted.Load() {
		done, _, errno := unix.RawSyscall6(unix.SYS_RECVMMSG, uintptr(p.fd), uintptr(unsafe.Pointer(&c.messages)),
			uintptr(c.n), uintptr(unix.MSG_DONTWAIT|p.receiveFlags), 0, 0)
		if errno == 0 {
			sum := c.moved(int(done))
			if sum == 0 {
				return 0, io.EOF
			}
			p.moderation.bytes += int64(sum)
			return sum, nil
		}
		if err := p.retry(errno, unix.POLLIN); err != nil {
			return 0, err
		}
	}
	return 0, ErrInterrupted
}
