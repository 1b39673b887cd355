// Package session runs the streams of one test together, on either side:
// started at the same instant, sampled at the same instants, stopped and
// drained, and what they counted put into intervals, totals and the results
// that both sides exchange.
//
// It does not know who opened the streams or what is said on the control
// connection. A control loop calls, in this order, [Group.Start], [Group.Stop]
// when the test is over, [Group.Drain], [Group.Results] for the peer, and
// [Group.Finish] with what the peer reported. After a failure it calls
// [Group.Finish] at once. [Control] is what such a loop listens on.
package session

import (
	"context"
	"errors"
	"strings"
	"sync"
	"time"

	"linkperf/protocol"
	"linkperf/protocol/measure"
	"linkperf/protocol/sockopt"
	"linkperf/protocol/stream"
)

// Member is one stream of a test with the socket beneath it.
type Member struct {
	Socket stream.Socket
	Stream *stream.Stream
}

// Config says how a group counts and whom it tells.
type Config struct {
	Side   measure.Side
	Params *protocol.Params
	File   string // what the streams were configured with, for the totals

	Interval time.Duration // between reports; 0 = one at the end
	// Budgets are what the streams of a -n or -k test charge; the group resets
	// them when the omit period ends.
	Budgets  []*stream.Budget
	Sink     measure.Sink // gets Interval; may be nil
	Observer *Observation // gets Interval; may be nil
}

// Group is the streams of one test. Except where a method says otherwise, its
// methods belong to the one goroutine that controls the test.
type Group struct {
	cfg     Config
	omit    time.Duration
	planned time.Duration // length of the measured part, 0 if it has no fixed length
	members []*member

	base   time.Time // when counting began
	failed chan error
	ended  chan struct{} // closed when every stream's Run has returned
	// Closed when every sender's and every receiver's Run has returned.
	sendersDone, receiversDone chan struct{}

	counting chan struct{} // closed when the measured part begins
	stopping chan struct{} // closed by Stop
	sampled  chan struct{} // closed when the sampler has returned
	stopped  bool
	end      time.Time // when the senders had stopped and the clock with them

	mu      sync.Mutex // guards what the sampler writes and Moved reads, and fileErr
	start   time.Time  // of the measured part, or base within the omit period
	omitted bool       // within the omit period
	fileErr error

	last    time.Time // end of the last interval
	cpu     cpuMeter
	sinkErr []error
}

// member is a stream with what was seen of it so far.
type member struct {
	Member
	info *measure.StreamInfo
	mark stream.Sample // when the omit period ended; zero without one
	// The omit period has ended, and the stream has not told yet where it began
	// to charge its budget, which is where the measured part begins for it.
	waits bool
	prev  stream.Sample // when the last interval ended
	final stream.Sample
	tcp   tcpStats
	// The system put datagrams together for this receiver.
	coalesced bool
}

// NewGroup prepares streams that exist and have not begun.
func NewGroup(cfg Config, members []Member) *Group {
	g := &Group{
		cfg:           cfg,
		omit:          time.Duration(cfg.Params.Omit) * time.Second,
		planned:       time.Duration(cfg.Params.Time) * time.Second,
		failed:        make(chan error, 1),
		ended:         make(chan struct{}),
		sendersDone:   make(chan struct{}),
		receiversDone: make(chan struct{}),
		counting:      make(chan struct{}),
		stopping:      make(chan struct{}),
		sampled:       make(chan struct{}),
	}
	for _, m := range members {
		g.members = append(g.members, &member{Member: m, info: &m.Stream.Info})
	}
	return g
}

// Streams describes the streams in order of creation.
func (g *Group) Streams() []measure.StreamInfo {
	infos := make([]measure.StreamInfo, len(g.members))
	for i, m := range g.members {
		infos[i] = *m.info
	}
	return infos
}

// Start lets all streams move data and begins to count. It may be called once.
// Ending the context stops the streams as Stop does.
func (g *Group) Start(ctx context.Context) {
	g.cpu.begin()
	g.base = time.Now()
	g.start, g.last, g.omitted = g.base, g.base, g.omit > 0
	if g.omitted {
		for _, b := range g.cfg.Budgets {
			b.Hold()
		}
	}
	for _, m := range g.members {
		m.Stream.Begin(g.base)
	}
	var senders, receivers sync.WaitGroup
	for _, m := range g.members {
		runs := &receivers
		if m.info.Sender {
			runs = &senders
		}
		runs.Go(func() {
			if err := m.Stream.Run(ctx); err != nil {
				g.fail(err)
			}
		})
	}
	go func() {
		defer close(g.ended)
		senders.Wait()
		close(g.sendersDone)
		receivers.Wait()
	}()
	go func() {
		receivers.Wait()
		close(g.receiversDone)
	}()
	if !g.omitted {
		close(g.counting)
	}
	go g.sample()
}

func (g *Group) fail(err error) {
	select {
	case g.failed <- err:
	default: // one is enough
	}
	if pe, ok := errors.AsType[*protocol.Error](err); ok && pe.Code == protocol.CodeFile {
		g.mu.Lock()
		defer g.mu.Unlock()
		if g.fileErr == nil {
			g.fileErr = err
		}
	}
}

// FileError returns what kept a stream from reading or writing its file, nil if
// nothing did. Unlike what [Group.Failed] delivers it counts after Stop too: no
// peer can cause it. After Finish it is final.
func (g *Group) FileError() error {
	g.mu.Lock()
	defer g.mu.Unlock()
	return g.fileErr
}

// Counting is closed when the measured part begins: when the omit period is
// over, or at the start.
func (g *Group) Counting() <-chan struct{} { return g.counting }

// Failed delivers the first error of a stream. After Stop it means nothing: the
// peer may close data connections as it likes then.
func (g *Group) Failed() <-chan error { return g.failed }

// SendersDone is closed when nothing more will be sent: every sending stream
// has used up its budget or its file, or has lost its connection. It is closed
// from Start on if there is none.
func (g *Group) SendersDone() <-chan struct{} { return g.sendersDone }

// ReceiversDone is closed when nothing more can be received: every receiving
// stream has come to its end. It is closed from Start on if there is none.
func (g *Group) ReceiversDone() <-chan struct{} { return g.receiversDone }

// Moved returns the bytes, and for UDP the datagrams that must have been sent,
// of all streams of one direction since the omit period ended; 0 within it. Any
// goroutine may call it between Start and Finish.
func (g *Group) Moved(sender bool) (bytes, datagrams int64) {
	g.mu.Lock()
	defer g.mu.Unlock()
	if g.omitted {
		return 0, 0
	}
	for _, m := range g.members {
		if m.info.Sender == sender {
			s, mark, _ := m.counts()
			bytes += s.Bytes - mark.Bytes
			datagrams += counted(m.info, &s) - counted(m.info, &mark)
		}
	}
	return bytes, datagrams
}

// Total returns the bytes of all streams for which include is true, since Start.
// Any goroutine may call it between Start and Finish.
func (g *Group) Total(include func(*measure.StreamInfo) bool) (bytes int64) {
	for _, m := range g.members {
		if include(m.info) {
			bytes += m.Stream.Sample().Bytes
		}
	}
	return bytes
}

// Stop ends the measurement: senders stop, then the clock does. Receivers go on
// until Finish. Further calls do nothing, nor does one before Start.
func (g *Group) Stop() {
	if g.stopped || g.base.IsZero() {
		return
	}
	g.stopped = true
	close(g.stopping)
	<-g.sampled
	g.each(true, func(m *member) { m.Stream.Stop() })
	g.each(true, func(m *member) { <-m.Stream.Done() })
	g.end = time.Now()
	g.cpu.end()
	g.each(true, func(m *member) {
		m.final = g.take(m)
		m.tcp.add(m.final.TCP)
	})
}

// Unsent returns how many bytes that were sent are still on this host, as far
// as the system tells.
func (g *Group) Unsent() (bytes int) {
	g.each(true, func(m *member) {
		if raw, err := m.Socket.RawConn(); err == nil {
			if n, err := sockopt.Unsent(raw); err == nil {
				bytes += n
			}
		}
	})
	return bytes
}

// CloseWrite tells the peer's receivers that nothing more comes.
func (g *Group) CloseWrite() {
	g.each(true, func(m *member) { _ = m.Socket.CloseWrite() })
}

func (g *Group) each(sender bool, do func(*member)) {
	for _, m := range g.members {
		if m.info.Sender == sender {
			do(m)
		}
	}
}

// How long receivers wait for what is still under way when a test is over.
const (
	drainLimit = 2 * time.Second
	drainIdle  = 200 * time.Millisecond // without a byte, where nothing else tells
	drainEOF   = time.Second            // without a byte, where the end of the connection must come
	drainPoll  = 2 * time.Millisecond
)

// Drain waits, after Stop, until the receivers have what was sent: all of it if
// peer says how much that is, else until the connections end or nothing has
// come for a while; never longer than 2 s. peer may be nil.
func (g *Group) Drain(ctx context.Context, peer *protocol.Results) {
	limit := time.NewTimer(drainLimit)
	defer limit.Stop()
	poll := time.NewTicker(drainPoll)
	defer poll.Stop()
	for !g.drained(peer, time.Now()) {
		select {
		case <-g.receiversDone:
			return
		case <-limit.C:
			return
		case <-ctx.Done():
			return
		case <-poll.C:
		}
	}
}

func (g *Group) drained(peer *protocol.Results, now time.Time) bool {
	for _, m := range g.members {
		if !m.info.Sender && !g.hasAll(m, findStream(peer, m.info.ID), now) {
			return false
		}
	}
	return true
}

// hasAll reports whether a receiver need not be waited for. sent is what its
// sender reported, or nil.
func (g *Group) hasAll(m *member, sent *protocol.StreamResults, now time.Time) bool {
	select {
	case <-m.Stream.Done():
		return true
	default:
	}
	s := m.Stream.Sample()
	quiet := now.Sub(g.quietSince(&s))
	switch {
	case g.udp():
		return quiet >= drainIdle || sent != nil && s.Highest-s.Lost >= sent.Packets
	case sent == nil: // a server closes its connections at the end of a test
		return quiet >= drainEOF
	case g.omit > 0: // both sides' omit periods end at slightly different bytes
		return quiet >= drainIdle
	}
	return s.Bytes >= sent.Bytes
}

// quietSince returns since when a receiver has got nothing, not before Stop.
func (g *Group) quietSince(s *stream.Sample) time.Time {
	if t := g.base.Add(s.Last); t.After(g.end) {
		return t
	}
	return g.end
}

func (g *Group) udp() bool { return g.cfg.Params.Transport == protocol.UDP }

// stopReceivers ends what Stop left running and takes the last samples. Sockets
// stay open, since an observer may still look at them.
func (g *Group) stopReceivers() {
	g.Stop()
	g.each(false, func(m *member) { m.Stream.Stop() })
	<-g.ended
	<-g.receiversDone
	g.each(false, func(m *member) {
		m.final = g.take(m)
		m.coalesced = strings.HasSuffix(m.Socket.Path(), "+gro")
	})
	if g.omitted { // the measured part has not begun
		for _, m := range g.members {
			m.mark = m.final
		}
	}
}

// Close stops whatever still runs and closes the sockets. It must be called in
// any case, also instead of Start.
func (g *Group) Close() {
	if !g.base.IsZero() {
		g.stopReceivers()
	}
	for _, m := range g.members {
		_ = m.Stream.Close()
	}
}
