package server

import (
	"container/list"
	"context"
	"errors"
	"fmt"
	"log/slog"
	"net"
	"net/netip"
	"strconv"
	"strings"
	"sync"
	"time"

	"linkperf/protocol"
	"linkperf/protocol/sockopt"
)

// Listen opens the port: both families unless one was asked for or Bind is an
// address of one. Errors are *protocol.Error with iperf3's number.
func (s *Server) Listen(ctx context.Context) (net.Listener, error) {
	if err := s.Validate(); err != nil {
		return nil, err
	}
	network := "tcp"
	switch {
	case s.IPv4Only:
		network = "tcp4"
	case s.IPv6Only:
		network = "tcp6"
	}
	port := s.Port
	if port == 0 && !s.AnyPort {
		port = DefaultPort
	}
	host, device, _ := strings.Cut(s.Bind, "%")
	if a, err := netip.ParseAddr(host); err == nil && a.IsLinkLocalUnicast() && a.Is6() {
		host, device = s.Bind, ""
	}
	if device == "" {
		device = s.BindDevice
	}
	lc := net.ListenConfig{KeepAlive: -1, Control: sockopt.Control(sockopt.Options{Device: device})}
	ln, err := lc.Listen(ctx, network, net.JoinHostPort(host, strconv.Itoa(port)))
	if pe, ok := errors.AsType[*protocol.Error](err); ok {
		return nil, pe
	}
	if err != nil {
		return nil, protocol.NewError(protocol.CodeListen, err)
	}
	return ln, nil
}

// Serve serves tests on a listener until ctx ends, and then tells the clients,
// waits for their tests to end and returns the context's cause. With OneOff it
// returns nil after the first test, or after IdleTimeout without one. It closes
// the listener. The server can serve several listeners.
func (s *Server) Serve(ctx context.Context, ln net.Listener) error {
	if err := s.Validate(); err != nil {
		_ = ln.Close()
		return err
	}
	if s.Affinity != nil {
		restore, err := sockopt.SetAffinity(*s.Affinity)
		if err != nil {
			_ = ln.Close()
			return err
		}
		defer func() { _ = restore() }()
	}
	ctx, cancel := context.WithCancelCause(ctx)
	defer cancel(nil)
	v := &serving{
		Server: s, ctx: ctx, cancel: cancel, log: s.Log,
		waiting:  list.New(),
		tests:    make(map[protocol.Cookie]*test),
		all:      max(s.MaxTests, 1),
		places:   max(s.MaxTests, 1),
		freed:    make(chan struct{}),
		datagram: make(chan struct{}, 1),
		long:     make(chan struct{}, maxLong),
	}
	if v.log == nil {
		v.log = slog.New(slog.DiscardHandler)
	}
	if a, ok := ln.Addr().(*net.TCPAddr); ok {
		v.local = a.AddrPort()
		v.local = netip.AddrPortFrom(v.local.Addr().Unmap(), v.local.Port())
	}
	v.armIdle()
	defer context.AfterFunc(ctx, func() { _ = ln.Close() })()
	err := v.accept(ln)
	_ = ln.Close()
	if err != nil {
		cancel(err)
	}
	v.wg.Wait()
	if cause := context.Cause(ctx); cause != errServed {
		return cause
	}
	return nil
}

// errServed ends a server that has done all it should.
var errServed = errors.New("served")

// serving is a server at work on one listener.
type serving struct {
	*Server
	ctx    context.Context
	cancel context.CancelCauseFunc
	log    *slog.Logger
	local  netip.AddrPort // of the listener; invalid if it has no such address
	wg     sync.WaitGroup

	// datagram is held by the test whose UDP or SCTP streams are being created:
	// hellos carry no cookie, and one listener has the port at a time.
	datagram chan struct{}
	// long is held by guests that send long parameters, so that all guests
	// together take little memory.
	long chan struct{}

	mu      sync.Mutex
	waiting *list.List                // *guest, those who are not a test yet, oldest first
	tests   map[protocol.Cookie]*test // all that have a place
	all     int                       // places in all
	places  int                       // free ones
	ending  int                       // tests whose results have been exchanged
	freed   chan struct{}             // closed and replaced whenever a place is freed
	number  int                       // of the last test
	idle    *time.Timer
}

// accept takes connections until the listener is closed. Nothing here waits for
// a peer.
func (v *serving) accept(ln net.Listener) error {
	for order := 0; ; order++ {
		conn, err := ln.Accept()
		switch {
		case err == nil:
			v.admit(conn, order)
		case v.ctx.Err() != nil || errors.Is(err, net.ErrClosed):
			if v.ctx.Err() == nil {
				return protocol.NewError(protocol.CodeAccept, err)
			}
			return nil
		default:
			// Out of descriptors, or a connection that is gone again. Both pass.
			v.log.Warn("accept a connection", "error", err)
			select {
			case <-time.After(acceptPause):
			case <-v.ctx.Done():
			}
		}
	}
}

const (
	acceptPause = 20 * time.Millisecond
	// maxWaiting bounds the connections that are not a test yet. The oldest
	// gives way, since a client says who it is at once.
	maxWaiting = 256
)

// admit lets a connection say who it is, in a goroutine of its own.
func (v *serving) admit(conn net.Conn, order int) {
	g := &guest{serving: v, conn: conn, order: order}
	v.mu.Lock()
	g.entry = v.waiting.PushBack(g)
	if v.waiting.Len() > maxWaiting {
		oldest := v.waiting.Remove(v.waiting.Front()).(*guest)
		oldest.evicted = true
		_ = oldest.conn.Close()
	}
	v.mu.Unlock()
	v.wg.Go(g.greet)
}

// take gives a test a place. A test that is just ending is waited for, because
// its client may be the one that comes again.
func (v *serving) take(ctx context.Context) bool {
	for {
		v.mu.Lock()
		if v.places > 0 {
			v.places--
			v.stopIdle()
			v.mu.Unlock()
			return true
		}
		freed, ending := v.freed, v.ending > 0
		v.mu.Unlock()
		if !ending {
			return false
		}
		select {
		case <-freed:
		case <-ctx.Done():
			return false
		}
	}
}

// busy reports whether no place is free and none is about to be.
func (v *serving) busy() bool {
	v.mu.Lock()
	defer v.mu.Unlock()
	return v.places == 0 && v.ending == 0
}

// release frees a test's place. With one-off, a test that counts keeps it.
func (v *serving) release(t *test, keep bool) {
	v.mu.Lock()
	defer v.mu.Unlock()
	delete(v.tests, t.cookie)
	if t.ending {
		v.ending--
	}
	if !keep {
		v.places++
		v.armIdleLocked()
	}
	close(v.freed)
	v.freed = make(chan struct{})
}

// endingSoon says that a test is about to free its place.
func (v *serving) endingSoon(t *test) {
	v.mu.Lock()
	defer v.mu.Unlock()
	if !t.ending {
		t.ending = true
		v.ending++
	}
}

// register gives a test that has a place its number.
func (v *serving) register(t *test) {
	v.mu.Lock()
	defer v.mu.Unlock()
	v.number++
	t.info.Number = v.number
	v.tests[t.cookie] = t
}

func (v *serving) armIdle() {
	v.mu.Lock()
	defer v.mu.Unlock()
	v.armIdleLocked()
}

func (v *serving) armIdleLocked() {
	if v.OneOff && v.IdleTimeout > 0 {
		v.endUnused(v.IdleTimeout)
	}
}

// endUnused ends the server unless a client comes in time. The caller holds
// v.mu.
func (v *serving) endUnused(within time.Duration) {
	v.stopIdle()
	v.idle = time.AfterFunc(within, func() {
		v.mu.Lock()
		defer v.mu.Unlock()
		if v.places == v.all { // otherwise a client has just come, or is still there
			v.cancel(errServed)
		}
	})
}

func (v *serving) stopIdle() {
	if v.idle != nil {
		v.idle.Stop()
	}
}

// peerOf names the peer of a connection for the log.
func peerOf(conn net.Conn) string {
	if a := conn.RemoteAddr(); a != nil {
		return a.String()
	}
	return fmt.Sprintf("%T", conn)
}
