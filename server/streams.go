package server

import (
	"cmp"
	"context"
	"fmt"
	"net"
	"net/netip"
	"slices"
	"syscall"
	"time"

	"linkperf/protocol"
	"linkperf/protocol/measure"
	"linkperf/protocol/session"
	"linkperf/protocol/sockopt"
	"linkperf/protocol/stream"
)

const (
	// streamTime is how long a client may take for its next data connection.
	streamTime = DefaultReceiveTimeout
	// turnTime is how long a test waits for its turn to create UDP streams.
	turnTime = 5 * time.Second
)

// offer is a data connection whose cookie has been read.
type offer struct {
	conn  net.Conn
	order int // in which it was accepted
}

// offer hands a data connection to the test; false means that it wants no more.
func (t *test) offer(conn net.Conn, order int) bool {
	t.mu.Lock()
	defer t.mu.Unlock()
	select { // nothing can be sent to a nil channel
	case t.offered <- offer{conn, order}:
		return true
	default:
		return false
	}
}

// createStreams lets the client open its data connections.
func (t *test) createStreams() error {
	t.observation.Prepare(t.ctx)
	ctx, cancel := context.WithCancelCause(t.ctx)
	defer cancel(nil)
	config, err := t.streamConfig()
	if err != nil {
		return err
	}
	members, err := t.acceptStreams(ctx, cancel, config)
	if err != nil {
		for _, m := range members {
			_ = m.Stream.Close()
		}
		return err
	}
	t.observation.Start(members)
	t.group = session.NewGroup(session.Config{
		Side: measure.Server, Params: &t.params, File: t.File,
		Interval: t.interval(), Budgets: t.budgets,
		Sink: t.sink, Observer: t.observation,
	}, members)
	t.result.Start.Streams = t.group.Streams()
	if raw, err := members[0].Socket.RawConn(); err == nil {
		t.result.Start.SendBuffer, t.result.Start.ReceiveBuffer, _ = sockopt.Buffers(raw)
	}
	return nil
}

// acceptStreams opens the door for data connections, says so, and makes streams
// of what comes. The members it returns have to be closed after an error.
func (t *test) acceptStreams(ctx context.Context, cancel context.CancelCauseFunc, c stream.Config) ([]session.Member, error) {
	var offered chan offer
	var next func(context.Context) (stream.Socket, error)
	if t.params.Transport == protocol.TCP {
		offered = make(chan offer, t.params.Streams())
		t.takeOffers(offered)
		defer t.takeOffers(nil)
	} else {
		if err := t.awaitTurn(); err != nil {
			return nil, err
		}
		defer func() { <-t.datagram }()
		l, err := t.listen(ctx)
		if err != nil {
			return nil, err
		}
		defer func() { _ = l.Close() }()
		next = l.Accept
	}
	if err := t.write(protocol.CreateStreams); err != nil {
		return nil, err
	}

	sockets := make(chan stream.Socket)
	failed := make(chan error, 1)
	go func() {
		if next == nil {
			failed <- t.collectTCP(ctx, offered, sockets)
		} else {
			failed <- t.collect(ctx, next, sockets)
		}
		close(sockets)
	}()
	return t.makeStreams(cancel, c, sockets, failed)
}

// awaitTurn waits until no other test creates streams that carry no cookie.
func (t *test) awaitTurn() error {
	timer := time.NewTimer(turnTime)
	defer timer.Stop()
	select {
	case t.datagram <- struct{}{}:
		return nil
	case <-timer.C:
		return protocol.ErrAccessDenied
	case <-t.ctx.Done():
		return context.Cause(t.ctx)
	}
}

// takeOffers sets where data connections go, and closes what was offered before
// and not used.
func (t *test) takeOffers(offered chan offer) {
	t.mu.Lock()
	defer t.mu.Unlock()
	for len(t.offered) > 0 {
		_ = (<-t.offered).conn.Close()
	}
	t.offered = offered
}

func (t *test) listen(ctx context.Context) (stream.Listener, error) {
	o := t.dataOptions()
	if t.params.Transport == protocol.SCTP {
		return stream.ListenSCTP(ctx, t.local, o, t.XBind, t.cookie)
	}
	peer := addrPort(t.ctl.NetConn().RemoteAddr()).Addr().WithZone("")
	allow := func(a netip.Addr) bool { return !peer.IsValid() || a.WithZone("") == peer }
	return stream.ListenUDP(ctx, t.local, o, allow)
}

func (t *test) dataOptions() sockopt.Options {
	p := &t.params
	o := sockopt.Options{
		Window: p.Window, MSS: p.MSS, NoDelay: p.NoDelay,
		Congestion: p.Congestion, CongestionOptional: true,
		TOS: p.TOS, DontFragment: p.DontFragment,
		UserTimeout: t.SendTimeout, Device: t.BindDevice,
	}
	if p.Reverse || p.Bidirectional {
		o.PacingRate = p.FQRate
	}
	return o
}

// collect delivers as many sockets as the test has streams, in the order in
// which the client opened them.
func (t *test) collect(ctx context.Context, next func(context.Context) (stream.Socket, error), sockets chan<- stream.Socket) error {
	for range t.params.Streams() {
		waiting, cancel := context.WithTimeoutCause(ctx, streamTime, errNoStream)
		sock, err := next(waiting)
		cancel()
		if err != nil {
			return err
		}
		select {
		case sockets <- sock:
		case <-ctx.Done():
			_ = sock.Close()
			return context.Cause(ctx)
		}
	}
	return nil
}

var errNoStream = protocol.NewError(protocol.CodeNoMsg, fmt.Errorf("no data connection within %v: %w", streamTime, syscall.ETIMEDOUT))

// collectTCP waits for all connections before it delivers the first. Their
// cookies were read side by side, so that only then their order is known, and
// the order tells their direction.
func (t *test) collectTCP(ctx context.Context, offered <-chan offer, sockets chan<- stream.Socket) error {
	n := cap(offered)
	offers := make([]offer, 0, n)
	defer func() {
		for _, o := range offers {
			_ = o.conn.Close()
		}
	}()
	timer := time.NewTimer(streamTime)
	defer timer.Stop()
	for len(offers) < n {
		select {
		case o := <-offered:
			offers = append(offers, o)
			timer.Reset(streamTime)
		case <-timer.C:
			return errNoStream
		case <-ctx.Done():
			return context.Cause(ctx)
		}
	}
	slices.SortFunc(offers, func(a, b offer) int { return cmp.Compare(a.order, b.order) })
	for len(offers) > 0 {
		// Options that a listener would hand down are set here: on a listener
		// that is shared and stays open they would outlive the test, and a
		// receive buffer once set switches its automatic growth off for good.
		sock, warnings, err := stream.FromConn(offers[0].conn, t.dataOptions())
		offers = offers[1:]
		if err != nil {
			return err
		}
		t.warn(warnings)
		select {
		case sockets <- sock:
		case <-ctx.Done():
			_ = sock.Close()
			return context.Cause(ctx)
		}
	}
	return nil
}

// warn adds to the result what is not there yet.
func (t *test) warn(warnings []string) {
	for _, w := range warnings {
		if !slices.Contains(t.result.Warnings, w) {
			t.result.Warnings = append(t.result.Warnings, w)
		}
	}
}

// makeStreams makes streams of the sockets as they come, while it listens to
// the client, which may give up.
func (t *test) makeStreams(cancel context.CancelCauseFunc, c stream.Config, sockets <-chan stream.Socket, failed <-chan error) ([]session.Member, error) {
	var members []session.Member
	var err error
	for {
		var said <-chan session.Message
		if err == nil {
			said = t.ctl.Listen()
		}
		select {
		case m := <-said:
			var s protocol.State
			if s, err = t.receive(m); err == nil && s != protocol.TestStart { // which iperf3 ignores
				err = unexpected(s)
			}
			if err != nil {
				cancel(err)
			}
		case sock, ok := <-sockets:
			if !ok {
				if cause := <-failed; err == nil {
					err = cause
				}
				return members, err
			}
			if err != nil {
				_ = sock.Close()
				continue
			}
			var m session.Member
			if m, err = t.member(sock, len(members), c); err != nil {
				cancel(err)
				continue
			}
			members = append(members, m)
		}
	}
}

// member makes a stream of the k-th socket. The client sends on the first ones.
func (t *test) member(sock stream.Socket, k int, c stream.Config) (session.Member, error) {
	sender := t.params.Reverse || t.params.Bidirectional && k >= t.params.Parallel
	if sender && len(t.budgets) > 0 {
		c.Budget = t.budgets[0]
	}
	s, err := stream.New(sock, c, session.StreamInfo(k, sender))
	return session.Member{Socket: sock, Stream: s}, err
}

func (t *test) streamConfig() (stream.Config, error) {
	p := &t.params
	c := session.StreamConfig(p, t.File)
	if !p.Reverse && !p.Bidirectional {
		return c, nil
	}
	t.budgets = sendBudget(p)
	var err error
	if c.Payload, err = stream.NewPayload(c); err != nil {
		return c, protocol.NewError(protocol.CodeInitStream, err)
	}
	return c, nil
}

// sendBudget returns what the server sends in all, nothing if there is no
// limit. A client of iperf3 that only receives ends a UDP test when it has
// received the amount, which never happens after a loss unless the server goes
// on. One that sends as well ends it when it has sent the amount.
func sendBudget(p *protocol.Params) []*stream.Budget {
	linkperf := len(p.Linkperf) > 0
	switch {
	case p.Transport == protocol.UDP && !linkperf && !p.Bidirectional:
		return nil
	case p.Bytes > 0:
		return []*stream.Budget{stream.NewBytes(p.Bytes)}
	case p.Blocks > 0:
		return []*stream.Budget{stream.NewBlocks(p.Blocks, p.Length)}
	}
	return nil
}
