package stream

import (
	"fmt"
	"sync/atomic"
	"unsafe"

	"golang.org/x/sys/unix"

	"linkperf/protocol"
)

const (
	// maxMessages is how many messages one sendmmsg or recvmmsg call moves.
	maxMessages = 64
	// maxBatchBytes bounds what one call moves, so that a batch stays in the
	// processor's cache.
	maxBatchBytes = 128 << 10
	// minBatchBytes is what every stream may use, however many there are, and
	// allBatchBytes what those of a test may use together.
	minBatchBytes, allBatchBytes = 64 << 10, 16 << 20
)

// mmsghdr is struct mmsghdr of sendmmsg(2).
type mmsghdr struct {
	unix.Msghdr
	len uint32
}

// udpCalls is what a UDP stream on a descriptor of its own needs beside it:
// many messages for one system call, and segmentation and receive offload
// (udp(7): UDP_SEGMENT, UDP_GRO).
type udpCalls struct {
	gso      atomic.Bool // until the kernel refuses
	refusal  error       // why it did
	gro      bool
	segments int // datagrams in a message with segmentation offload
	budget   int // bytes of a batch
	messages [maxMessages]mmsghdr
	vectors  [maxMessages]unix.Iovec
	control  [maxMessages]groControl
	spin     spin
}

func (u *udpCalls) name(sends bool) string {
	switch {
	case sends && u.gso.Load():
		return "sendmmsg+gso"
	case sends:
		return "sendmmsg"
	case u.gro:
		return "recvmmsg+gro"
	}
	return "recvmmsg"
}

func newUDPCalls(c *Config) *udpCalls {
	return &udpCalls{segments: 1, budget: max(minBatchBytes, min(maxBatchBytes, allBatchBytes/c.Streams))}
}

func (p *fdPath) batch(length int) int {
	u := p.udp
	return min(max(u.budget/length, u.segments), maxMessages*u.segments)
}

func (p *fdPath) newBatch(length int) *batch {
	u := p.udp
	slot, n := length, maxMessages
	if u.gro {
		slot = maxSuper
	}
	b := newBatch(max(min(n, u.budget/slot), 1), slot)
	for i := range b.size {
		v, m := &u.vectors[i], &u.messages[i]
		v.Base = unsafe.SliceData(b.message(i))
		v.SetLen(slot)
		m.Iov = v
		m.SetIovlen(1)
	}
	return b
}

// sendDatagrams groups the datagrams to messages of as many as the kernel
// takes apart again.
func (p *fdPath) sendDatagrams(b []byte, length int) (int, error) {
	u := p.udp
	for !p.interrupted.Load() {
		size := length * u.segments
		n := 0
		for rest := b; len(rest) > 0 && n < maxMessages; n++ {
			part := rest[:min(size, len(rest))]
			rest = rest[len(part):]
			v, m := &u.vectors[n], &u.messages[n]
			v.Base = unsafe.SliceData(part)
			v.SetLen(len(part))
			m.Iov = v
			m.SetIovlen(1)
		}
		done, _, errno := unix.RawSyscall6(unix.SYS_SENDMMSG, uintptr(p.fd), uintptr(unsafe.Pointer(&u.messages)),
			uintptr(n), unix.MSG_DONTWAIT|unix.MSG_NOSIGNAL, 0, 0)
		if errno == 0 {
			return min(int(done)*size, len(b)) / length, nil
		}
		if u.refused(errno, p.fd) {
			continue
		}
		if err := p.retry(errno, unix.POLLOUT); err != nil {
			return 0, err
		}
	}
	return 0, ErrInterrupted
}

func (p *fdPath) receiveDatagrams(b *batch) error {
	u := p.udp
	for !p.interrupted.Load() {
		if u.gro {
			u.resetControl(len(b.size))
		}
		n, _, errno := unix.RawSyscall6(unix.SYS_RECVMMSG, uintptr(p.fd), uintptr(unsafe.Pointer(&u.messages)),
			uintptr(len(b.size)), unix.MSG_DONTWAIT, 0, 0)
		if errno == 0 {
			b.n = int(n)
			single := true
			for i := range b.n {
				b.size[i], b.segment[i] = int(u.messages[i].len), 0
				if u.gro {
					b.segment[i] = u.segmentSize(i)
					single = single && b.segment[i] == 0
				}
			}
			u.spin.received(single)
			return nil
		}
		if errno == unix.EAGAIN && u.spin.again() {
			continue
		}
		if err := p.retry(errno, unix.POLLIN); err != nil {
			return err
		}
	}
	return ErrInterrupted
}

// ready prepares the calls and offloads that the stream will use.
func (p *fdPath) ready(c *Config, sender bool) error {
	p.sends = sender
	p.streams = c.Streams
	if pacer := c.pacer(); sender && pacer != nil {
		p.pause = pacer.Gap()
	}
	p.zeroCopy = c.ZeroCopy
	if c.Transport == protocol.UDP {
		p.udp = newUDPCalls(c)
		if sender && !c.without.gso {
			p.udp.segmentation(p.fd, c.Length)
		} else if !sender && !c.without.gro {
			p.udp.coalescing(p.fd)
		}
		return nil
	}
	if c.LengthSet && !p.sctp && c.File == "" { // else there is nothing to keep apart
		p.blocks = newBlockCalls(c.Length)
	}
	if c.SkipRxCopy && !sender && c.File == "" && !p.sctp {
		p.receiveFlags = unix.MSG_TRUNC // tcp(7): received bytes are thrown away
	}
	if p.sctp && sender {
		if err := p.fitMessage(c.Length); err != nil {
			return fmt.Errorf("send buffer for messages of %d bytes: %w", c.Length, err)
		}
	}
	return nil
}
