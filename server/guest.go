package server

import (
	"container/list"
	"context"
	"errors"
	"fmt"
	"net"
	"time"

	"linkperf/protocol"
	"linkperf/protocol/session"
)

const (
	// cookieTime is how long a connection may take to say who it is.
	cookieTime = 10 * time.Second
	// paramsTime is how long a client may take for its parameters.
	paramsTime = 10 * time.Second
	// takeTime is how long a client waits for a test that is just ending.
	takeTime = time.Second
	// maxLong is how many clients may send parameters at once that are longer
	// than iperf3 accepts.
	maxLong = 8
	// authTime is when every refused login gets its answer, counted from the
	// arrival of the parameters, whatever was wrong.
	authTime = 250 * time.Millisecond
)

// guest is a connection that has not become a test or a part of one yet.
// Nobody else waits for it.
type guest struct {
	*serving
	conn    net.Conn
	order   int           // in which it was accepted
	entry   *list.Element // in serving.waiting
	evicted bool          // closed to make room; guarded by serving.mu
}

// greet finds out who it is. Whoever is turned away stays on the list until the
// connection is closed.
func (g *guest) greet() {
	defer g.leave()
	cookie, err := g.readCookie()
	if err != nil {
		if g.ctx.Err() != nil {
			_ = g.conn.Close()
			return
		}
		g.log.Info("not a client: no cookie", "peer", peerOf(g.conn), "error", err)
		session.NewControl(g.conn).HangUp(func(c *protocol.Conn) error {
			return c.WriteServerError(protocol.NewError(protocol.CodeRecvCookie, nil))
		})
		return
	}
	if t := g.find(cookie); t != nil { // a data connection of that test
		if !g.leave() || !t.offer(g.conn, g.order) {
			g.deny()
		}
		return
	}
	g.serve(cookie)
}

func (g *guest) readCookie() (protocol.Cookie, error) {
	_ = g.conn.SetDeadline(time.Now().Add(cookieTime))
	aborted := make(chan struct{})
	stop := context.AfterFunc(g.ctx, func() {
		_ = g.conn.SetDeadline(time.Unix(1, 0))
		close(aborted)
	})
	cookie, err := protocol.ReadCookie(g.conn)
	if !stop() {
		<-aborted
	}
	_ = g.conn.SetDeadline(time.Time{})
	return cookie, err
}

// leave takes the guest off the list, if it is still on it; false means that it
// has been closed to make room.
func (g *guest) leave() bool {
	g.mu.Lock()
	defer g.mu.Unlock()
	if g.evicted {
		return false
	}
	g.waiting.Remove(g.entry)
	return true
}

// deny tells a connection that there is no place for it.
func (g *guest) deny() {
	session.NewControl(g.conn).HangUp(func(c *protocol.Conn) error {
		return c.WriteState(protocol.AccessDenied)
	})
}

// find returns the test with this cookie, nil if there is none.
func (v *serving) find(cookie protocol.Cookie) *test {
	v.mu.Lock()
	defer v.mu.Unlock()
	return v.tests[cookie]
}

// serve asks a client for its parameters and makes its test. Only then does it
// take a place: whoever does not get that far keeps nobody waiting.
func (g *guest) serve(cookie protocol.Cookie) {
	if g.busy() {
		g.log.Info("busy", "peer", peerOf(g.conn))
		g.deny()
		return
	}
	prepare(g.conn, g.Server)
	ctl := session.NewControl(g.conn)
	params, err := g.askParams(ctl)
	arrived := time.Now()
	if g.ctx.Err() != nil {
		ctl.HangUp(func(c *protocol.Conn) error { return c.WriteState(protocol.ServerTerminate) })
		return
	}
	if pe, ok := err.(*protocol.Error); err != nil && (!ok || pe.Code == protocol.CodeRecvParams) {
		if errors.Is(err, protocol.ErrRange) {
			g.log.Error("a client's parameters were refused", "peer", peerOf(g.conn), "error", err)
		} else {
			g.log.Info("not a client: no parameters", "peer", peerOf(g.conn), "error", err)
		}
		ctl.HangUp(func(c *protocol.Conn) error {
			return c.WriteServerError(protocol.NewError(protocol.CodeRecvParams, nil))
		})
		return
	}
	ctx, cancel := context.WithTimeout(g.ctx, takeTime)
	defer cancel()
	if !g.take(ctx) {
		ctl.HangUp(func(c *protocol.Conn) error { return c.WriteState(protocol.AccessDenied) })
		return
	}
	g.leave()
	newTest(g.serving, ctl, cookie, params, arrived).serve(err)
}

func (g *guest) askParams(ctl *session.Control) (p protocol.Params, err error) {
	ctx, cancel := context.WithTimeoutCause(g.ctx, paramsTime, context.DeadlineExceeded)
	defer cancel()
	err = ctl.Writing(ctx, func() error { return ctl.WriteState(protocol.ParamExchange) })
	if err != nil {
		return p, fmt.Errorf("ask for the parameters: %w", err)
	}
	err = ctl.Reading(ctx, func() error {
		length, err := ctl.ReadParamsLength()
		if err != nil {
			return err
		}
		if length > protocol.MaxParamsSent {
			select {
			case g.long <- struct{}{}:
				defer func() { <-g.long }()
			case <-ctx.Done():
				return context.Cause(ctx)
			}
		}
		var wrong []protocol.Warning
		p, wrong, err = ctl.ReadParamsOf(length)
		for _, w := range wrong {
			g.log.Warn("parameters of the client", "peer", peerOf(g.conn), "warning", w)
		}
		return err
	})
	return p, err
}
