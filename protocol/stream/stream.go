package stream

import (
	"context"
	"errors"
	"fmt"
	"io"
	"math"
	"os"
	"sync/atomic"
	"time"

	"linkperf/protocol"
	"linkperf/protocol/measure"
	"linkperf/protocol/sockopt"
)

// Config says how a stream moves data. Both directions use the same.
type Config struct {
	Transport protocol.Transport // "" is TCP
	Length    int                // bytes of a write, read, message or datagram; 0 means the transport's default
	// LengthSet tells that the length was asked for. Otherwise a TCP stream may
	// move several blocks with one system call.
	LengthSet bool
	Rate      uint64 // bit/s of payload; 0 is unlimited
	Burst     int    // blocks sent for one decision of the pacer; 0 and 1 are one
	Streams   int    // of this side's test, all directions; sizes buffers, 0 means 1

	WideCounters     bool // UDP: 64-bit counters
	ZeroCopy         bool // TCP: send with sendfile
	SkipRxCopy       bool // TCP: receive without copying
	RepeatingPayload bool

	File string // TCP, SCTP: what is sent comes from this file, what is received goes there
	// Budget, if not nil, ends a sender when it is used up; a receiver only
	// charges it.
	Budget *Budget
	// Portable keeps the stream on the data path over net.Conn.
	Portable bool
	// without leaves kernel features out, for tests.
	without without
	// Payload, if not nil, is what is sent; several streams can share one.
	Payload *Payload
}

// Stream is one direction of a data connection.
type Stream struct {
	// Info is as given to New, with the addresses and the data path filled in.
	Info measure.StreamInfo

	c          Config
	sock       *socket
	path       path
	file       *os.File // of Config.File
	blocks     *os.File // the payload for zero copy
	blocksSize int
	pacer      *Pacer
	base       time.Time
	epoch      int64 // base in nanoseconds since 1970
	n          counters
	tx         sending
	rx         datagramCounter
	drops      atomic.Int64 // of the socket at Begin, -1 unknown
	mark       atomic.Bool
	stop       atomic.Bool
	began      atomic.Bool
	done       chan struct{}
	sizeAt     atomic.Int64 // of the file, when Run has returned
}

// counters have one writer, the goroutine of Run.
type counters struct {
	bytes, packets           atomic.Int64
	highest, lost, late, dup atomic.Int64
	jitter                   atomic.Uint64 // bits of a float64, seconds
	last                     atomic.Int64  // nanoseconds since base

	charging                     atomic.Bool
	bytesBefore, datagramsBefore atomic.Int64 // what was moved without a charge
	_                            [64]byte     // keeps neighbours off the line
}

// New makes a stream of a socket, which it owns from then on, also when it
// fails. It opens the file (iperf3's error 14) and chooses the data path.
func New(sock Socket, c Config, info measure.StreamInfo) (*Stream, error) {
	s := &Stream{Info: info, c: c, sock: sock.handle(), done: make(chan struct{})}
	if err := s.open(); err != nil {
		_ = s.release()
		return nil, err
	}
	return s, nil
}

func (s *Stream) open() error {
	if s.c.Length <= 0 {
		s.c.Length = DefaultLength(s.c.Transport)
	}
	s.c.Streams = max(s.c.Streams, 1)
	udp := s.c.Transport == protocol.UDP
	if udp && s.c.Length < protocol.MinUDPLength {
		return protocol.NewError(protocol.CodeUDPBlockSize, nil)
	}
	if s.c.File != "" && !udp {
		if err := s.openFile(); err != nil {
			return protocol.NewError(protocol.CodeFile, err)
		}
	}
	if s.Info.Sender {
		if s.c.Payload == nil {
			p, err := NewPayload(s.c)
			if err != nil {
				return protocol.NewError(protocol.CodeInitStream, err)
			}
			s.c.Payload = p
		}
		if s.c.ZeroCopy && s.file == nil && !udp {
			if err := s.openBlocks(); err != nil {
				return protocol.NewError(protocol.CodeInitStream, err)
			}
		}
		s.pacer = s.c.pacer()
	} else if udp {
		s.rx = newDatagramCounter(s.c.WideCounters)
	}
	if err := s.sock.replace(func(p path) (path, error) { return s.c.choose(p, s.Info.Sender) }); err != nil {
		return protocol.NewError(protocol.CodeInitStream, err)
	}
	s.path = s.sock.path
	if udp {
		s.growBuffers()
	}
	s.Info.Local, s.Info.Remote, s.Info.DataPath = s.sock.LocalAddr(), s.sock.RemoteAddr(), s.sock.Path()
	return nil
}

// pacer returns what keeps a sender to its rate, nil if it has none.
func (c *Config) pacer() *Pacer {
	if c.Rate == 0 {
		return nil
	}
	p := NewPacer(c.Rate, c.Length, c.Burst, c.Transport == protocol.UDP || c.Transport == protocol.SCTP)
	return &p
}

// udpBuffer is the receive buffer that UDP streams ask for, in bytes. An
// unprivileged process gets no more than the system's limit.
const udpBuffer = 4 << 20

// growBuffers makes the buffers hold a datagram at least, and many of them at a
// receiver whose buffer size was not asked for.
func (s *Stream) growBuffers() {
	if s.sock.window > 0 {
		return
	}
	raw := rawConn{s.sock}
	_, _ = sockopt.GrowSendBuffer(raw, s.c.Length+1024)
	n := s.c.Length + 1024
	if !s.Info.Sender {
		n = max(n, udpBuffer)
	}
	_, _ = sockopt.GrowReceiveBuffer(raw, n)
}

func (s *Stream) openFile() (err error) {
	if s.Info.Sender {
		s.file, err = os.Open(s.c.File)
	} else {
		s.file, err = os.OpenFile(s.c.File, os.O_WRONLY|os.O_CREATE|os.O_TRUNC, 0o644)
	}
	return err
}

// DefaultLength returns the length that iperf3 uses for a transport if none was
// asked for and nothing is known about the path, in bytes.
func DefaultLength(t protocol.Transport) int {
	switch t {
	case protocol.UDP:
		return protocol.DefaultUDPLength
	case protocol.SCTP:
		return protocol.DefaultSCTPLength
	}
	return protocol.DefaultTCPLength
}

// Begin sets the origin of the stream's time, which pacing, the stamps in
// datagrams and Sample.Last count from. It is called once, before Run.
func (s *Stream) Begin(base time.Time) {
	s.base, s.epoch = base, base.UnixNano()
	d, err := sockopt.Drops(rawConn{s.sock})
	if err != nil {
		d = -1
	}
	s.drops.Store(d)
}

// Run moves data until Stop, the end of the context, of the budget or of the
// file, or, at a receiver, of what the peer sends; all these are nil except the
// context's cause. A connection that breaks is an error. Errors are of type *[protocol.Error]. No goroutine outlives it. It may
// be called once.
func (s *Stream) Run(ctx context.Context) error {
	if s.base.IsZero() {
		s.Begin(time.Now())
	}
	s.began.Store(true)
	defer close(s.done)
	defer context.AfterFunc(ctx, s.Stop)()
	s.path.enter()
	defer s.path.leave()

	err := s.move()
	if s.file != nil {
		if fi, serr := s.file.Stat(); serr == nil {
			s.sizeAt.Store(fi.Size())
		}
	}
	switch {
	case ctx.Err() != nil:
		return context.Cause(ctx)
	case errors.Is(err, protocol.NewError(protocol.CodeFile, nil)): // stopping does not cause it
		return err
	case s.stop.Load() || errors.Is(err, ErrInterrupted) || errors.Is(err, io.EOF):
		return nil
	}
	return err
}

func (s *Stream) move() error {
	udp := s.c.Transport == protocol.UDP
	switch {
	case udp && s.Info.Sender:
		return s.failure(protocol.CodeStreamWrite, s.sendDatagrams())
	case udp:
		return s.failure(protocol.CodeStreamRead, s.receiveDatagrams())
	case s.Info.Sender:
		return s.failure(protocol.CodeStreamWrite, s.sendBytes())
	}
	return s.failure(protocol.CodeStreamRead, s.receiveBytes())
}

// failure gives an error iperf3's number, unless it is none.
func (s *Stream) failure(code protocol.Code, err error) error {
	if err == nil || errors.Is(err, ErrInterrupted) || errors.Is(err, io.EOF) {
		return err
	}
	if pe, ok := errors.AsType[*protocol.Error](err); ok {
		return pe
	}
	return protocol.NewError(code, fmt.Errorf("stream %d: %w", s.Info.ID, err))
}

// Stop ends Run now; it may be called from any goroutine, at any time.
func (s *Stream) Stop() {
	s.stop.Store(true)
	s.sock.Interrupt()
}

// Mark is the end of the omit period: the jitter starts anew. The cumulative
// counters run on.
func (s *Stream) Mark() { s.mark.Store(true) }

// Charges reports whether the stream itself decides where the measured part
// begins: at the first block that it charges to its budget. A receiver of
// datagrams does not.
func (s *Stream) Charges() bool {
	return s.c.Budget != nil && (s.Info.Sender || s.c.Transport != protocol.UDP)
}

// Uncharged returns what a stream that charges had moved when it began to: bytes,
// and a sender's datagrams. ok is false until then.
func (s *Stream) Uncharged() (bytes, datagrams int64, ok bool) {
	ok = s.n.charging.Load()
	return s.n.bytesBefore.Load(), s.n.datagramsBefore.Load(), ok
}

// charges notes that what follows the given bytes is charged.
func (s *Stream) charges(bytes int64) {
	s.n.bytesBefore.Store(bytes)
	s.n.datagramsBefore.Store(s.n.packets.Load())
	s.n.charging.Store(true)
}

// Done is closed when Run has returned.
func (s *Stream) Done() <-chan struct{} { return s.done }

// Socket returns the stream's socket.
func (s *Stream) Socket() Socket { return s.sock }

// Close stops Run if it is active, waits for it and closes socket and file.
func (s *Stream) Close() error {
	s.Stop()
	if s.began.Load() {
		<-s.done
	}
	if err := s.release(); err != nil {
		return fmt.Errorf("close stream %d: %w", s.Info.ID, err)
	}
	return nil
}

// release closes what the stream owns.
func (s *Stream) release() error {
	err := s.sock.Close()
	for _, f := range []*os.File{s.file, s.blocks} {
		if f == nil {
			continue
		}
		if cerr := f.Close(); !errors.Is(cerr, os.ErrClosed) {
			err = errors.Join(err, cerr)
		}
	}
	return err
}

// Warning says what the data path could not do as it was meant to, or nothing.
// It is to be read when Run has returned; so is the path that was used in the
// end, [Socket.Path].
func (s *Stream) Warning() string { return s.path.warning() }

// FileSize returns the size of the stream's file in bytes when Run returned, 0
// without file.
func (s *Stream) FileSize() int64 { return s.sizeAt.Load() }

// Sample is a stream's cumulative counters at an instant.
type Sample struct {
	Bytes  int64 // payload that the kernel took, or that arrived
	Blocks int64 // Bytes in blocks of Length, begun ones not counted

	// UDP. A sender has only Packets, the datagrams sent; a receiver's Packets
	// are the distinct ones received, so that Highest = Packets + Lost.
	Packets    int64
	Highest    int64 // highest counter received
	Lost       int64 // counters up to Highest that did not arrive (yet)
	OutOfOrder int64 // datagrams that arrived below Highest for the first time
	Duplicates int64 // datagrams that had arrived before
	// Dropped counts datagrams that this host's socket buffer dropped, -1 where
	// unknown. Several that the system had put together (GRO) count as one.
	Dropped int64
	Jitter  float64 // seconds

	Last time.Duration    // when the last byte was counted, since Begin; 0 if there was none
	TCP  *measure.TCPInfo // of a TCP sender, where the system tells
}

// Sample reads the counters, and TCP_INFO of a TCP sender. It may be called from
// any goroutine.
func (s *Stream) Sample() Sample {
	n := &s.n
	a := Sample{
		Bytes:      n.bytes.Load(),
		Packets:    n.packets.Load(),
		Highest:    n.highest.Load(),
		Lost:       n.lost.Load(),
		OutOfOrder: n.late.Load(),
		Duplicates: n.dup.Load(),
		Dropped:    -1,
		Jitter:     math.Float64frombits(n.jitter.Load()),
		Last:       time.Duration(n.last.Load()),
	}
	if s.c.Transport == protocol.UDP {
		a.Blocks = a.Packets
		if before := s.drops.Load(); !s.Info.Sender && before >= 0 {
			if d, err := sockopt.Drops(rawConn{s.sock}); err == nil {
				a.Dropped = d - before
			}
		}
		return a
	}
	a.Blocks = a.Bytes / int64(s.c.Length)
	if s.Info.Sender && s.c.Transport != protocol.SCTP {
		if ti, err := sockopt.TCPInfo(rawConn{s.sock}); err == nil {
			a.TCP = &ti
		}
	}
	return a
}

// without names kernel features that a path leaves out.
type without struct{ gso, gro bool }
