package client

import (
	"context"
	"errors"
	"fmt"
	"time"

	"linkperf/protocol"
	"linkperf/protocol/measure"
	"linkperf/protocol/session"
	"linkperf/protocol/sockopt"
	"linkperf/protocol/stream"
)

// replyTimeout is how long one UDP hello is given. It must not be repeated, so
// that the set-up starts over on a new control connection after that.
const replyTimeout = 3 * time.Second

// createStreams opens the data connections, strictly one after the other: the
// server tells them apart by their order alone.
func (t *test) createStreams() error {
	t.phase = "opening the data connections"
	t.observation.Prepare(t.ctx)
	ctx, cancel := context.WithCancelCause(t.ctx)
	defer cancel(nil)
	config := session.StreamConfig(&t.params, t.cfg.File)
	config.LengthSet = t.cfg.Length > 0
	if t.cfg.sends() {
		var err error
		if config.Payload, err = stream.NewPayload(config); err != nil {
			return protocol.NewError(protocol.CodeInitStream, err)
		}
	}
	var members []session.Member
	done := make(chan error, 1)
	go func() {
		var err error
		members, err = t.open(ctx, config)
		done <- err
	}()
	var err error
	var early *session.Message
	select {
	case err = <-done:
	case m := <-t.ctl.Listen():
		// The server gives up, or begins: one before 3.7 knows of only half of
		// the streams of a bidirectional test.
		_, said := t.receive(m)
		if said != nil {
			cancel(said)
			<-done
			err = said
		} else {
			early = &m
			err = <-done
		}
	}
	if early != nil {
		t.ctl.PutBack(*early)
	}
	if t.ctx.Err() != nil { // whatever else it looks like
		err = context.Cause(t.ctx)
	}
	if err != nil {
		closeAll(members)
		return t.explainSilence(err)
	}
	t.observation.Start(members)
	t.group = session.NewGroup(session.Config{
		Side: measure.Client, Params: &t.params, File: t.cfg.File,
		Interval: t.cfg.Interval, Budgets: t.budgets.list(),
		Sink: t.sink, Observer: t.observation,
	}, members)
	t.result.Start.Streams = t.group.Streams()
	if raw, err := members[0].Socket.RawConn(); err == nil {
		t.result.Start.SendBuffer, t.result.Start.ReceiveBuffer, _ = sockopt.Buffers(raw)
	}
	return nil
}

func closeAll(members []session.Member) {
	for _, m := range members {
		_ = m.Stream.Close()
	}
}

// open dials all streams. What it returns with an error has to be closed.
func (t *test) open(ctx context.Context, config stream.Config) (members []session.Member, err error) {
	for i := range t.params.Streams() {
		sender := i < t.cfg.Parallel && t.cfg.sends()
		sock, err := stream.Dial(ctx, t.dialConfig(i, sender))
		if err != nil {
			return members, err
		}
		c := config
		c.Budget = t.budgets.of(sender)
		s, err := stream.New(sock, c, session.StreamInfo(i, sender))
		if err != nil {
			return members, err
		}
		members = append(members, session.Member{Socket: sock, Stream: s})
	}
	return members, nil
}

func (t *test) dialConfig(i int, sender bool) stream.DialConfig {
	c := stream.DialConfig{
		Transport: t.params.Transport,
		MPTCP:     t.params.MPTCP,
		Remote:    t.remote,
		Local:     t.local,
		Options: sockopt.Options{
			Window: t.params.Window, MSS: t.params.MSS, NoDelay: t.params.NoDelay,
			Congestion: t.params.Congestion, TOS: t.params.TOS, FlowLabel: t.params.FlowLabel,
			DontFragment: t.params.DontFragment, UserTimeout: t.cfg.SendTimeout, Device: t.device,
		},
		Cookie:      t.cookie,
		Timeout:     replyTimeout,
		Reverse:     !sender,
		XBind:       t.cfg.XBind,
		SCTPStreams: t.cfg.SCTPStreams,
	}
	if sender {
		c.Options.PacingRate = t.params.FQRate
	}
	if t.cfg.ClientPort > 0 {
		c.LocalPort = t.cfg.ClientPort + i
	}
	return c
}

// explainSilence says what a missing reply to a UDP hello means.
func (t *test) explainSilence(err error) error {
	if !errors.Is(err, stream.ErrNoReply) {
		return err
	}
	return protocol.NewError(protocol.CodeStreamRead, &noReplyError{
		text: fmt.Sprintf("UDP port %d got no answer although TCP works: is there a firewall or NAT in between?", t.port),
		err:  err,
	})
}

// noReplyError keeps the cause without showing it.
type noReplyError struct {
	text string
	err  error
}

func (e *noReplyError) Error() string { return e.text }
func (e *noReplyError) Unwrap() error { return e.err }

// budgets are the amounts after which a test ends, one for each direction that
// the client takes part in.
type budgets struct{ send, receive *stream.Budget }

func (c *Config) budgets(p *protocol.Params) (b budgets) {
	budget := func() *stream.Budget {
		if p.Bytes > 0 {
			return stream.NewBytes(p.Bytes)
		}
		return stream.NewBlocks(p.Blocks, p.Length)
	}
	if p.Bytes <= 0 && p.Blocks <= 0 {
		return b
	}
	if c.sends() {
		b.send = budget()
	}
	if c.receives() {
		b.receive = budget()
	}
	return b
}

func (b *budgets) of(sender bool) *stream.Budget {
	if sender {
		return b.send
	}
	return b.receive
}

func (b *budgets) list() (all []*stream.Budget) {
	for _, x := range []*stream.Budget{b.send, b.receive} {
		if x != nil {
			all = append(all, x)
		}
	}
	return all
}

// received is closed when the client has received the amount.
func (b *budgets) received() <-chan struct{} {
	if b.receive == nil {
		return nil
	}
	return b.receive.Done()
}
