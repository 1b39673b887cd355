package stream

import (
	"bytes"
	"crypto/rand"
	"errors"
	"fmt"
	"io"
	"os"

	"linkperf/protocol"
)

// payloadFile is what sendFile reads: a file whose offset may be moved.
type payloadFile interface {
	io.ReadSeeker
	Fd() uintptr
}

// Payload is what senders send: one block, over and over, read only, so that
// any number of streams can share it.
type Payload struct{ block []byte }

// NewPayload makes the payload that streams of this configuration send. Its
// memory goes with the last stream.
func NewPayload(c Config) (*Payload, error) {
	length := c.Length
	if length <= 0 {
		length = DefaultLength(c.Transport)
	}
	p := &Payload{block: make([]byte, length)}
	if c.RepeatingPayload {
		for i := range p.block {
			p.block[i] = '0' + byte(i%10)
		}
	} else if _, err := rand.Read(p.block); err != nil {
		return nil, fmt.Errorf("make random payload: %w", err)
	}
	return p, nil
}

// The size of the file of whole blocks that zero copy sends from: what measured
// best between the cost of a call and that of a cache that overflows, and the
// bound for all streams of a test, in bytes.
const (
	zeroCopyFile  = 512 << 10
	zeroCopyFiles = 8 << 20
)

// openBlocks makes the file that a stream sends from without copying. Each has
// its own: the kernel counts the users of every page, and a page that several
// processors count at once is slow.
func (s *Stream) openBlocks() error {
	length := s.c.Length
	n := 1
	if s.c.several() {
		n = max(min(zeroCopyFile, zeroCopyFiles/s.c.Streams)/length, 1)
	}
	f, err := memoryFile(bytes.Repeat(s.c.Payload.block, n))
	if err != nil {
		return fmt.Errorf("make a file of the payload: %w", err)
	}
	s.blocks, s.blocksSize = f, n*length
	return nil
}

// several reports whether one call may send several blocks: the user did not
// ask for a length, and the transport does not keep blocks apart.
func (c *Config) several() bool {
	return !c.LengthSet && (c.Transport == "" || c.Transport == protocol.TCP)
}

// source is where a byte stream's payload comes from.
type source interface {
	chunk() int // the most that send takes
	// send hands up to n bytes, at least one, to the kernel. It returns io.EOF
	// when nothing is left.
	send(n int) (int, error)
}

func (s *Stream) source() source {
	switch {
	case s.file != nil && s.c.ZeroCopy:
		return &wholeFile{path: s.path, f: s.file, max: s.c.Length}
	case s.file != nil:
		return &fileBlocks{path: s.path, f: s.file, buf: make([]byte, s.c.Length)}
	case s.blocks != nil:
		return &repeatedFile{path: s.path, f: s.blocks, size: s.blocksSize}
	}
	return &repeatedBlock{path: s.path, block: s.c.Payload.block, max: s.c.chunk()}
}

// repeatedBlock sends the same block over and over.
type repeatedBlock struct {
	path  path
	block []byte
	max   int
	off   int // in the block
}

func (r *repeatedBlock) chunk() int { return r.max }

func (r *repeatedBlock) send(n int) (int, error) {
	if r.off > 0 && r.max == len(r.block) {
		n = min(n, len(r.block)-r.off) // one block for one call, not the ends of two
	}
	m, err := r.path.sendBlocks(r.block, r.off, n)
	r.off = (r.off + m) % len(r.block)
	return m, err
}

// repeatedFile is the same with sendfile.
type repeatedFile struct {
	path path
	f    *os.File
	size int
	off  int
}

func (r *repeatedFile) chunk() int { return r.size }

func (r *repeatedFile) send(n int) (int, error) {
	m, err := r.path.sendFile(r.f, int64(r.off), min(n, r.size-r.off))
	if r.off += m; r.off == r.size {
		r.off = 0
	}
	return m, err
}

// fileBlocks sends a file once, a block at a time.
type fileBlocks struct {
	path path
	f    *os.File
	buf  []byte
	rest []byte // read and not sent
}

func (r *fileBlocks) chunk() int { return len(r.buf) }

func (r *fileBlocks) send(n int) (int, error) {
	if len(r.rest) == 0 {
		m, err := io.ReadFull(r.f, r.buf)
		if m == 0 {
			return 0, fileEnd(err)
		}
		r.rest = r.buf[:m]
	}
	m, err := r.path.send(r.rest[:min(n, len(r.rest))])
	r.rest = r.rest[m:]
	return m, err
}

// fileEnd leaves io.EOF bare and says of any other error where it comes from.
func fileEnd(err error) error {
	if err == nil || errors.Is(err, io.EOF) {
		return io.EOF
	}
	return protocol.NewError(protocol.CodeFile, fmt.Errorf("read: %w", err))
}

// wholeFile sends a file once with sendfile.
type wholeFile struct {
	path path
	f    *os.File
	max  int
	off  int64
}

func (r *wholeFile) chunk() int { return r.max }

func (r *wholeFile) send(n int) (int, error) {
	m, err := r.path.sendFile(r.f, r.off, n)
	r.off += int64(m)
	if m == 0 && err == nil {
		return 0, io.EOF
	}
	return m, err
}
