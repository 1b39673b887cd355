package protocol_test

import (
	"bytes"
	"encoding/binary"
	"errors"
	"io"
	"runtime"
	"strings"
	"syscall"
	"testing"
	"testing/iotest"

	"linkperf/protocol"
)

// counter is a connection that never answers and counts writes.
type counter struct {
	bytes.Buffer
	writes int
}

func (c *counter) Write(b []byte) (int, error) {
	c.writes++
	return c.Buffer.Write(b)
}

func TestOneWritePerMessage(t *testing.T) {
	for name, test := range map[string]struct {
		write func(c *protocol.Conn) error
		want  string
	}{
		"cookie": {func(c *protocol.Conn) error { return c.WriteCookie(protocol.Cookie{'a', 36: 0}) }, "a" + strings.Repeat("\x00", 36)},
		"state":  {func(c *protocol.Conn) error { return c.WriteState(protocol.AccessDenied) }, "\xff"},
		"JSON":   {func(c *protocol.Conn) error { return c.WriteJSON([]byte(`{"a":1}`)) }, "\x00\x00\x00\x07{\"a\":1}"},
		"error": {func(c *protocol.Conn) error {
			return c.WriteServerError(protocol.NewError(protocol.CodeTotalRate, nil))
		}, "\xfe\x00\x00\x00\x1b\x00\x00\x00\x00"},
		"error of the system": {func(c *protocol.Conn) error {
			return c.WriteServerError(protocol.NewError(protocol.CodeStreamListen, syscall.EADDRINUSE))
		}, "\xfe\x00\x00\x00\xca\x00\x00\x00\x62"},
	} {
		t.Run(name, func(t *testing.T) {
			var out counter
			if err := test.write(protocol.NewConn(&out)); err != nil {
				t.Fatal(err)
			}
			if out.writes != 1 || out.String() != test.want {
				t.Errorf("%d writes of %q, want %q", out.writes, out.String(), test.want)
			}
		})
	}
}

// broken fails to write.
type broken struct{ io.Reader }

func (broken) Write([]byte) (int, error) { return 0, syscall.EPIPE }

func TestWriteErrors(t *testing.T) {
	c := protocol.NewConn(broken{})
	for code, write := range map[protocol.Code]func() error{
		protocol.CodeSendCookie:  func() error { return c.WriteCookie(protocol.Cookie{}) },
		protocol.CodeSendMessage: func() error { return c.WriteState(protocol.TestEnd) },
		protocol.CodeCtrlWrite:   func() error { return c.WriteJSON(nil) },
		protocol.CodeSendParams:  func() error { return c.WriteParams(&protocol.Params{}) },
		protocol.CodeSendResults: func() error { return c.WriteResults(&protocol.Results{}) },
	} {
		err := write()
		if !errors.Is(err, protocol.NewError(code, nil)) || !errors.Is(err, syscall.EPIPE) || !strings.HasSuffix(err.Error(), ": Broken pipe") {
			t.Errorf("%d: got %v", code, err)
		}
	}
	if err := c.WriteServerError(protocol.NewError(protocol.CodeNoMsg, nil)); !errors.Is(err, protocol.NewError(protocol.CodeSendMessage, nil)) {
		t.Error(err)
	}
}

func TestReadErrors(t *testing.T) {
	for _, test := range []struct {
		name string
		read func(c *protocol.Conn) error
		code protocol.Code
	}{
		{"cookie", func(c *protocol.Conn) error { _, err := c.ReadCookie(); return err }, protocol.CodeRecvCookie},
		{"state", func(c *protocol.Conn) error { _, err := c.ReadState(); return err }, protocol.CodeRecvMessage},
		{"params", func(c *protocol.Conn) error { _, _, err := c.ReadParams(); return err }, protocol.CodeRecvParams},
		{"results", func(c *protocol.Conn) error { _, _, err := c.ReadResults(100); return err }, protocol.CodeRecvResults},
	} {
		err := test.read(protocol.NewConn(rw{iotest.ErrReader(syscall.ECONNRESET)}))
		if !errors.Is(err, protocol.NewError(test.code, nil)) || !strings.HasSuffix(err.Error(), ": Connection reset by peer") {
			t.Errorf("%s: got %v", test.name, err)
		}
	}
	if _, err := protocol.NewConn(rw{strings.NewReader("")}).ReadState(); !errors.Is(err, protocol.NewError(protocol.CodeCtrlClose, nil)) {
		t.Errorf("end: got %v", err)
	}
}

func frame(length uint32, body string) string {
	return string(binary.BigEndian.AppendUint32(nil, length)) + body
}

func TestReadJSON(t *testing.T) {
	for _, test := range []struct {
		name, in, want string // no want: an error
	}{
		{"object", frame(7, `{"a":1}`), `{"a":1}`},
		{"at the limit", frame(10, `{"a":1   }`), `{"a":1   }`},
		{"white space before", frame(9, " \n{\"a\":1}"), " \n{\"a\":1}"},
		{"over the limit", frame(11, `{"a":1    }`), ""},
		{"far over the limit", frame(1<<32-1, `{"a":1}`), ""},
		{"empty", frame(0, ""), ""},
		{"white space", frame(3, "   "), ""},
		{"array", frame(2, "[]"), ""},
		{"short body", frame(8, `{"a":1}`), ""},
		{"no body", frame(8, ""), ""},
		{"short length", "\x00\x00", ""},
		{"nothing", "", ""},
	} {
		t.Run(test.name, func(t *testing.T) {
			c := protocol.NewConn(rw{iotest.HalfReader(strings.NewReader(test.in + "\x0e"))})
			if test.want == "" {
				c = protocol.NewConn(rw{strings.NewReader(test.in)})
			}
			got, err := c.ReadJSON(10)
			if test.want == "" {
				if !errors.Is(err, protocol.NewError(protocol.CodeRecvParams, nil)) {
					t.Errorf("got %q, %v", got, err)
				}
				return
			}
			if err != nil || string(got) != test.want {
				t.Errorf("got %q, %v", got, err)
			}
			// What follows in the same segment is still there.
			if s, err := c.ReadState(); s != protocol.DisplayResults {
				t.Error(s, err)
			}
		})
	}
}

// A length alone costs the peer four bytes and us next to nothing.
func TestReadJSONAllocatesWhatArrives(t *testing.T) {
	var before, after runtime.MemStats
	runtime.ReadMemStats(&before)
	_, err := protocol.NewConn(rw{strings.NewReader(frame(protocol.MaxServerResults, `{"a":1}`))}).ReadJSON(protocol.MaxServerResults)
	runtime.ReadMemStats(&after)
	if !errors.Is(err, io.ErrUnexpectedEOF) {
		t.Error(err)
	}
	if n := after.TotalAlloc - before.TotalAlloc; n > 1<<20 {
		t.Errorf("%d bytes allocated", n)
	}
}

func TestReadServerError(t *testing.T) {
	for _, test := range []struct {
		name, in string
		want     protocol.Error
	}{
		{"3.21", "\x00\x00\x00\x1b\x00\x00\x00\x00", protocol.Error{Code: protocol.CodeTotalRate}},
		{"with number of the system", "\x00\x00\x00\xca\x00\x00\x00\x5d", protocol.Error{Code: protocol.CodeStreamListen, Errno: 93}},
		{"3.12, authentication", "\x00\x00\x00\x8e", protocol.Error{Code: protocol.CodeAuthTest}},
		{"half a second number", "\x00\x00\x00\x8e\x00\x00", protocol.Error{Code: protocol.CodeAuthTest}},
		{"half a number", "\x00\x00", protocol.Error{Code: protocol.CodeCtrlClose}},
		{"nothing", "", protocol.Error{Code: protocol.CodeCtrlClose}},
		{"negative", "\xff\xff\xff\xff\xff\xff\xff\xfe", protocol.Error{Code: -1, Errno: -2}},
	} {
		t.Run(test.name, func(t *testing.T) {
			e := protocol.NewConn(rw{iotest.OneByteReader(strings.NewReader(test.in))}).ReadServerError()
			if !e.Remote || e.Code != test.want.Code || e.Errno != test.want.Errno {
				t.Errorf("got %+v", e)
			}
		})
	}
}

func TestServerErrorBothWays(t *testing.T) {
	var b bytes.Buffer
	c := protocol.NewConn(&b)
	if err := c.WriteServerError(&protocol.Error{Code: protocol.CodeStreamListen, Err: syscall.ECONNREFUSED}); err != nil {
		t.Fatal(err)
	}
	if s, err := c.ReadState(); s != protocol.ServerError {
		t.Fatal(s, err)
	}
	if got, want := c.ReadServerError().Error(), "unable to start stream listener: Connection refused"; got != want {
		t.Errorf("got %q, want %q", got, want)
	}
}

func TestParamsAndResultsBothWays(t *testing.T) {
	var b bytes.Buffer
	c := protocol.NewConn(&b)
	p := wireParams["v3.21-tcp-many-options"]
	if err := c.WriteParams(&p); err != nil {
		t.Fatal(err)
	}
	got, warnings, err := c.ReadParams()
	if err != nil || warnings != nil || got.Title != p.Title || got.Rate != p.Rate {
		t.Error(got, warnings, err)
	}
	r := wireResults["v3.21-udp-omit.server"]
	if err := c.WriteResults(&r); err != nil {
		t.Fatal(err)
	}
	results, warnings, err := c.ReadResults(protocol.MaxClientResults)
	if err != nil || warnings != nil || summary(results) != summary(r) {
		t.Error(results, warnings, err)
	}
	if err := c.WriteParams(&protocol.Params{Transport: "X"}); !errors.Is(err, protocol.NewError(protocol.CodeSendParams, nil)) {
		t.Error(err)
	}
	if err := c.WriteResults(&protocol.Results{Linkperf: []byte("{")}); !errors.Is(err, protocol.NewError(protocol.CodePackageResults, nil)) {
		t.Error(err)
	}
}
