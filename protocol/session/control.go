package session

import (
	"context"
	"net"
	"time"

	"linkperf/protocol"
)

// Control is a control connection whose states can be waited for together with
// other events. It belongs to one goroutine.
type Control struct {
	*protocol.Conn
	conn net.Conn
	read chan Message // the one read that is under way or not yet taken, or nil
}

// Message is the outcome of reading a state.
type Message struct {
	State protocol.State
	Err   error
}

// NewControl makes a control connection of conn, which is read by it alone from
// then on.
func NewControl(conn net.Conn) *Control {
	return &Control{Conn: protocol.NewConn(conn), conn: conn}
}

// NetConn returns the connection beneath.
func (c *Control) NetConn() net.Conn { return c.conn }

// Listen delivers the next state. What it delivers has to be acknowledged with
// Taken before the connection is read in any other way.
func (c *Control) Listen() <-chan Message {
	if c.read == nil {
		c.read = make(chan Message, 1)
		go func(read chan<- Message) {
			s, err := c.ReadState()
			read <- Message{s, err}
		}(c.read)
	}
	return c.read
}

// Taken says that the message of Listen has been received.
func (c *Control) Taken() { c.read = nil }

// PutBack makes a message the next one that Listen delivers.
func (c *Control) PutBack(m Message) {
	c.read = make(chan Message, 1)
	c.read <- m
}

// Reading runs f, which reads from the connection. When ctx ends first, f is
// aborted and Reading returns the context's cause.
func (c *Control) Reading(ctx context.Context, f func() error) error {
	return untilDone(ctx, c.conn.SetReadDeadline, f)
}

// Writing is Reading for an f that writes.
func (c *Control) Writing(ctx context.Context, f func() error) error {
	return untilDone(ctx, c.conn.SetWriteDeadline, f)
}

func untilDone(ctx context.Context, setDeadline func(time.Time) error, f func() error) error {
	aborted := make(chan struct{})
	stop := context.AfterFunc(ctx, func() {
		_ = setDeadline(time.Unix(1, 0))
		close(aborted)
	})
	err := f()
	if stop() {
		return err
	}
	<-aborted
	_ = setDeadline(time.Time{})
	if err != nil {
		err = context.Cause(ctx)
	}
	return err
}

// Goodbye is how long the last words and the peer's close may take.
const Goodbye = time.Second

// HangUp says the last words, half-closes, and waits briefly for the peer to do
// the same: closing with unread input would reset the connection, and the peer
// would lose what it was told. say may be nil.
func (c *Control) HangUp(say func(*protocol.Conn) error) {
	defer c.Close()
	_ = c.conn.SetDeadline(time.Now().Add(Goodbye))
	if say != nil && say(c.Conn) != nil {
		return
	}
	if w, ok := c.conn.(interface{ CloseWrite() error }); ok {
		_ = w.CloseWrite()
	}
	if c.read != nil {
		m := <-c.read
		c.read = nil
		if m.Err != nil {
			return
		}
	}
	for {
		if _, err := c.ReadState(); err != nil {
			return
		}
	}
}

// Close closes the connection at once.
func (c *Control) Close() {
	_ = c.conn.Close()
	if c.read != nil {
		<-c.read
		c.read = nil
	}
}
