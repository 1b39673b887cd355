package server

import (
	"context"
	"errors"
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

// test is one client's test. Its methods run in the order of the states that it
// sends, on one goroutine; only offer is called by others.
type test struct {
	*serving
	ctl     *session.Control
	cookie  protocol.Cookie
	params  protocol.Params
	arrived time.Time // of the parameters
	info    TestInfo
	sink    measure.Sink

	budgets []*stream.Budget // of what the server sends, empty for none
	sentAll bool             // a server that only sends has nothing more to send

	// Guarded by serving.mu.
	offered chan offer // takes data connections with the right cookie; nil when none are wanted
	ending  bool       // the place is about to be free

	observation *session.Observation // nil if nobody observes
	group       *session.Group
	began       time.Time // when the group began
	done        bool      // the client has said IperfDone
	terminated  bool      // the client has been told that the server ends
	result      measure.Result
	sinkErrs    []error
}

func newTest(v *serving, ctl *session.Control, cookie protocol.Cookie, p protocol.Params, arrived time.Time) *test {
	t := &test{
		serving: v, ctl: ctl, cookie: cookie, params: p, arrived: arrived,
		info: TestInfo{
			Cookie: cookie.String(), Time: arrived,
			Peer: endpoint(ctl.NetConn().RemoteAddr()),
		},
		sink: measure.Tee(),
	}
	v.register(t)
	if v.NewSink != nil {
		if s := v.NewSink(t.info); s != nil {
			t.sink = s
		}
	}
	return t
}

func endpoint(a net.Addr) measure.Endpoint {
	ap := addrPort(a)
	if !ap.IsValid() {
		return measure.Endpoint{}
	}
	return measure.Endpoint{Host: ap.Addr().String(), Port: int(ap.Port())}
}

func addrPort(a net.Addr) netip.AddrPort {
	tcp, ok := a.(*net.TCPAddr)
	if !ok {
		return netip.AddrPort{}
	}
	ap := tcp.AddrPort()
	return netip.AddrPortFrom(ap.Addr().Unmap(), ap.Port())
}

// serve makes the test, or refuses it because its parameters are wrong, and
// frees its place as soon as its numbers are known.
func (t *test) serve(wrong error) {
	err := wrong
	if err == nil {
		err = t.run()
	}
	if t.gaveUp() {
		err = protocol.NewError(protocol.CodeClientTerm, ErrGaveUp)
	}
	t.endingSoon(t)
	if t.ctx.Err() != nil && !t.began.IsZero() && !t.result.Exchanged {
		t.terminate()
	}
	t.finish(err)
	refusedLogin, gaveUp := errors.Is(err, protocol.NewError(protocol.CodeAuthTest, nil)), errors.Is(err, ErrGaveUp)
	t.note(t.sink.End(&t.result, err))
	for _, serr := range t.sinkErrs {
		t.log.Error("output of the test", "test", t.info.Number, "error", serr)
	}
	if err != nil {
		t.logEnd(err)
	}
	if t.OnTestEnd != nil {
		t.OnTestEnd(t.info, err)
	}
	last := t.OneOff && !refusedLogin && !gaveUp
	t.release(t, last)
	if t.OneOff && gaveUp {
		t.expectAgain()
	}
	if refusedLogin {
		t.pause(authTime - time.Since(t.arrived))
	}
	t.goodbye(err)
	if last {
		t.cancel(errServed)
	}
}

// run goes through the states of a test until its results are exchanged.
func (t *test) run() error {
	if err := t.check(); err != nil {
		return err
	}
	restore, err := t.setAffinity()
	if err != nil {
		return err
	}
	defer restore()
	for _, step := range []func() error{
		t.connect, t.createStreams, t.startTest, t.measure, t.exchange,
	} {
		if err := step(); err != nil {
			return err
		}
	}
	return nil
}

// setAffinity does what the client wants until restore is called. The whole
// process moves, so that a server of several tests at once does not.
func (t *test) setAffinity() (restore func(), err error) {
	cpu := t.params.ServerAffinity
	if cpu == nil {
		return func() {}, nil
	}
	if t.MaxTests > 1 {
		t.warn([]string{"the server runs several tests at once and ignored the CPU that the client asked for"})
		return func() {}, nil
	}
	undo, err := sockopt.SetAffinity(*cpu)
	if err != nil {
		return nil, err
	}
	return func() { _ = undo() }, nil
}

// check refuses clients and parameters that are not welcome.
func (t *test) check() error {
	if err := t.authenticate(&t.params); err != nil {
		return err
	}
	return t.refuse(&t.params)
}

// connect tells the sink about the client.
func (t *test) connect() error {
	if err := t.controlOptions(); err != nil {
		return err
	}
	shown := t.params
	shown.AuthToken = ""
	start := &measure.Start{
		Side: measure.Server, Params: shown, Cookie: t.info.Cookie, Time: t.arrived,
		Peer: t.info.Peer, Interval: t.interval(),
	}
	if t.MaxTests > 1 {
		start.Number = t.info.Number
	}
	if raw := rawConn(t.ctl.NetConn()); raw != nil && t.ControlKeepalive != nil {
		if k, err := sockopt.KeepAlive(raw); err == nil {
			start.ControlKeepalive = &k
		}
	}
	t.result.Start = start
	t.note(t.sink.Connect(start))
	trusted := t.PrivateKey != nil
	t.observation = session.Observe(t.ctx, t.Observe, measure.Server, t.info.Peer, trusted)
	return nil
}

func (s *Server) interval() time.Duration {
	if s.Interval == 0 && !s.IntervalSet {
		return DefaultInterval
	}
	return s.Interval
}

// observeTime is how long an observer may delay the start.
const observeTime = time.Second

// startTest lets the observer look and gives the signal to start.
func (t *test) startTest() error {
	if started := t.observation.Started(); started != nil {
		select {
		case <-started:
		case <-time.After(observeTime):
		case <-t.ctx.Done():
			return context.Cause(t.ctx)
		}
	}
	t.note(t.sink.Start(t.result.Start))
	for _, s := range []protocol.State{protocol.TestStart, protocol.TestRunning} {
		if err := t.write(s); err != nil {
			return err
		}
	}
	return nil
}

// write sends a state.
func (t *test) write(s protocol.State) error {
	ctx, cancel := context.WithTimeoutCause(t.ctx, writeTime, syscall.ETIMEDOUT)
	defer cancel()
	return t.cause(protocol.CodeSendMessage, t.ctl.Writing(ctx, func() error { return t.ctl.WriteState(s) }))
}

// How long a client may take to take, and to send, what it must at once.
const (
	writeTime   = DefaultReceiveTimeout
	resultsTime = DefaultReceiveTimeout
)

// cause gives a bare timeout iperf3's number.
func (t *test) cause(code protocol.Code, err error) error {
	if err == nil || t.ctx.Err() != nil {
		return err
	}
	if _, ok := errors.AsType[*protocol.Error](err); ok {
		return err
	}
	return protocol.NewError(code, err)
}

// receive takes what the control connection brought: a state that is wanted, or
// an error.
func (t *test) receive(m session.Message) (protocol.State, error) {
	t.ctl.Taken()
	switch {
	case m.Err != nil:
		return 0, m.Err
	case m.State == protocol.ClientTerminate || m.State == protocol.IperfDone:
		t.done = m.State == protocol.IperfDone
		return 0, protocol.NewError(protocol.CodeClientTerm, nil)
	}
	return m.State, nil
}

func unexpected(s protocol.State) error {
	return protocol.NewError(protocol.CodeMessage, fmt.Errorf("got %v", s))
}

// exchange ends the measurement and puts both sides' results together.
func (t *test) exchange() error {
	t.group.Stop()
	t.group.CloseWrite()
	if err := t.write(protocol.ExchangeResults); err != nil {
		return err
	}
	peer, err := t.readResults()
	if err != nil {
		return err
	}
	t.group.Drain(t.ctx, &peer)
	t.result.LocalRecord = t.observation.End()
	own, warning := t.group.Results(&peer, t.Version, t.result.LocalRecord)
	if warning != "" {
		t.result.Warnings = append(t.result.Warnings, warning)
	}
	t.group.Finish(&t.result, &peer)
	if out, ok := t.sink.(OutputSink); ok && t.params.GetServerOutput {
		own.ServerOutputText, own.ServerOutputJSON = out.ServerOutput(&t.result)
	}
	ctx, cancel := context.WithTimeoutCause(t.ctx, writeTime, syscall.ETIMEDOUT)
	defer cancel()
	err = t.ctl.Writing(ctx, func() error { return t.ctl.WriteResults(own) })
	if err != nil {
		return t.cause(protocol.CodeSendResults, err)
	}
	t.endingSoon(t)
	if err := t.write(protocol.DisplayResults); err != nil {
		return err
	}
	return t.group.FileError()
}

// note keeps an error of the sink, which may be nil, unless it is known.
func (t *test) note(err error) {
	if err != nil && !slices.ContainsFunc(t.sinkErrs, func(known error) bool { return known.Error() == err.Error() }) {
		t.sinkErrs = append(t.sinkErrs, err)
	}
}

func (t *test) readResults() (peer protocol.Results, err error) {
	ctx, cancel := context.WithTimeoutCause(t.ctx, resultsTime, syscall.ETIMEDOUT)
	defer cancel()
	err = t.ctl.Reading(ctx, func() (err error) {
		var wrong []protocol.Warning
		peer, wrong, err = t.ctl.ReadResults(protocol.MaxClientResults)
		for _, w := range wrong {
			t.log.Warn("results of the client", "test", t.info.Number, "warning", w)
		}
		return err
	})
	if err != nil {
		return peer, t.cause(protocol.CodeRecvResults, err)
	}
	known := map[int]bool{}
	for _, s := range t.group.Streams() {
		known[s.ID] = true
	}
	for i := range peer.Streams {
		if !known[peer.Streams[i].ID] {
			return peer, protocol.NewError(protocol.CodeStreamID, nil)
		}
	}
	return peer, nil
}
