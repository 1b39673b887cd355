package client

import (
	"errors"

	"linkperf/protocol"
)

// hintError adds to iperf3's text what probably lies behind it.
type hintError struct {
	err  *protocol.Error
	hint string
}

func (e *hintError) Error() string { return e.err.Error() + " (" + e.hint + ")" }
func (e *hintError) Unwrap() error { return e.err }

// Hint returns what is added to iperf3's text.
func (e *hintError) Hint() string { return e.hint }

const authHint = "wrong name or password, clocks that differ, or the other padding: servers before 3.17 need PKCS#1"

// explain names the likely causes of a failure before there are data
// connections. Servers of 3.21 just close the connection when they refuse a
// login.
func (t *test) explain(err error) error {
	pe, ok := errors.AsType[*protocol.Error](err)
	if !ok || t.group != nil {
		return err
	}
	asked := t.cfg.PublicKey != nil
	switch {
	case pe.Remote && pe.Code == protocol.CodeStreamListen && t.cfg.Transport == protocol.SCTP:
		return &hintError{pe, "SCTP: the server's kernel may have none; its module is sctp"}
	case pe.Code == protocol.CodeAuthTest && asked:
		return &hintError{pe, authHint}
	case pe.Code == protocol.CodeAuthTest:
		return &hintError{pe, "the server wants a name and password"}
	case pe.Code == protocol.CodeCtrlClose && t.result.Start != nil && asked:
		return &hintError{pe, "the server may have refused the login: " + authHint}
	}
	return err
}
