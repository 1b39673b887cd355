// Package protocoltest is a fake iperf3 peer for tests: a script of what it
// sends and expects, played over one end of a connection against the real
// client or server at the other. The script sees the control connection only;
// deadlines are those of the connection.
package protocoltest

import (
	"errors"
	"fmt"
	"io"

	"linkperf/protocol"
)

// A Step is one thing that the peer does on its control connection. A test can
// write its own.
type Step func(*protocol.Conn) error

// Play does one step after the other over rw, which is not closed, and returns
// the first error with the number of its step, counted from 1.
func Play(rw io.ReadWriter, script ...Step) error {
	c := protocol.NewConn(rw)
	for i, step := range script {
		if err := step(c); err != nil {
			return fmt.Errorf("step %d: %w", i+1, err)
		}
	}
	return nil
}

// SendCookie sends a client's cookie.
func SendCookie(cookie protocol.Cookie) Step {
	return func(c *protocol.Conn) error { return c.WriteCookie(cookie) }
}

// ReceiveCookie stores the client's cookie; into may be nil.
func ReceiveCookie(into *protocol.Cookie) Step {
	return func(c *protocol.Conn) error {
		cookie, err := c.ReadCookie()
		if err == nil && into != nil {
			*into = cookie
		}
		return err
	}
}

// Send sends states, each with a write of its own.
func Send(states ...protocol.State) Step {
	return func(c *protocol.Conn) error {
		for _, s := range states {
			if err := c.WriteState(s); err != nil {
				return err
			}
		}
		return nil
	}
}

// Expect receives states and fails at the first other one.
func Expect(states ...protocol.State) Step {
	return func(c *protocol.Conn) error {
		for _, want := range states {
			got, err := c.ReadState()
			if err != nil {
				return fmt.Errorf("instead of %v: %w", want, err)
			}
			if got != want {
				return fmt.Errorf("got %v instead of %v", got, want)
			}
		}
		return nil
	}
}

// SendJSON sends a frame of any text, valid or not.
func SendJSON(body string) Step {
	return func(c *protocol.Conn) error { return c.WriteJSON([]byte(body)) }
}

// ReceiveJSON stores the text of a frame; into may be nil.
func ReceiveJSON(into *[]byte) Step {
	return func(c *protocol.Conn) error {
		b, err := c.ReadJSON(protocol.MaxServerResults)
		if err == nil && into != nil {
			*into = b
		}
		return err
	}
}

// SendError sends a server's error.
func SendError(code protocol.Code) Step {
	return func(c *protocol.Conn) error { return c.WriteServerError(protocol.NewError(code, nil)) }
}

// ExpectError receives a server's error and fails if it has another code.
func ExpectError(code protocol.Code) Step {
	return func(c *protocol.Conn) error {
		if err := Expect(protocol.ServerError)(c); err != nil {
			return err
		}
		if e := c.ReadServerError(); e.Code != code {
			return fmt.Errorf("got error %d (%w) instead of %d", e.Code, e, code)
		}
		return nil
	}
}

// ExpectClose receives the end of the connection and fails at anything else.
func ExpectClose() Step {
	return func(c *protocol.Conn) error {
		s, err := c.ReadState()
		switch {
		case err == nil:
			return fmt.Errorf("got %v instead of the end", s)
		case errors.Is(err, protocol.NewError(protocol.CodeCtrlClose, nil)):
			return nil
		}
		return err
	}
}
