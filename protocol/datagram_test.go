package protocol_test

import (
	"bytes"
	"encoding/hex"
	"io"
	"math"
	"strings"
	"testing"
	"testing/iotest"

	"linkperf/protocol"
)

func TestHeader(t *testing.T) {
	for _, test := range []struct {
		name, hex string
		wide      bool
		want      protocol.Header
	}{
		{"3.12", "00000bdb0001517600000001", false, protocol.Header{Sec: 3035, Usec: 86390, Counter: 1}},
		{"3.12, 64 bits", "000003e2000b7af40000000000000001", true, protocol.Header{Sec: 994, Usec: 752372, Counter: 1}},
		{"all ones", "ffffffffffffffffffffffff", false, protocol.Header{Sec: math.MaxUint32, Usec: math.MaxUint32, Counter: math.MaxUint32}},
		{"all ones, 64 bits", "ffffffffffffffffffffffffffffffff", true, protocol.Header{Sec: math.MaxUint32, Usec: math.MaxUint32, Counter: math.MaxUint64}},
	} {
		t.Run(test.name, func(t *testing.T) {
			b, err := hex.DecodeString(test.hex)
			if err != nil {
				t.Fatal(err)
			}
			if got, ok := protocol.ParseHeader(append(b, 0x81), test.wide); !ok || got != test.want {
				t.Errorf("got %+v, %v", got, ok)
			}
			out := make([]byte, protocol.HeaderLen(test.wide))
			protocol.PutHeader(out, test.want, test.wide)
			if !bytes.Equal(out, b) {
				t.Errorf("wrote %x, want %x", out, b)
			}
			if _, ok := protocol.ParseHeader(b[:len(b)-1], test.wide); ok {
				t.Error("half a header was read")
			}
		})
	}
}

// The counter wraps to its lower half, and not into the filler.
func TestHeaderCounterOf32Bits(t *testing.T) {
	b := []byte("................")
	protocol.PutHeader(b, protocol.Header{Counter: 1<<32 + 5}, false)
	if h, _ := protocol.ParseHeader(b, false); h.Counter != 5 || string(b[12:]) != "...." {
		t.Errorf("got %+v, %q", h, b)
	}
}

func TestHeaderDoesNotAllocate(t *testing.T) {
	b := make([]byte, 16)
	n := testing.AllocsPerRun(100, func() {
		protocol.PutHeader(b, protocol.Header{Sec: 1, Counter: 7}, true)
		if h, _ := protocol.ParseHeader(b, true); h.Counter != 7 {
			t.Error(h)
		}
	})
	if n != 0 {
		t.Errorf("%v allocations", n)
	}
}

func TestHello(t *testing.T) {
	for _, test := range []struct{ hello, reply string }{
		{"\x39\x38\x37\x36", "\x36\x37\x38\x39"},
		{"\x36\x37\x38\x39", "\x39\x38\x37\x36"}, // 3.12 on a big-endian host
		{"\x15\xcd\x5b\x07", "\x36\x37\x38\x39"}, // 3.11 takes anything
		{"\x07\x5b\xcd\x15", "\x3a\xde\x68\xb1"},
	} {
		if !protocol.IsHello([]byte(test.hello)) || protocol.IsHello([]byte(test.hello+"x")) {
			t.Errorf("%x is no hello, or is one with more behind", test.hello)
		}
		reply := protocol.HelloReply([]byte(test.hello))
		if string(reply[:]) != test.reply || !protocol.IsReply(reply[:]) {
			t.Errorf("%x: reply %x, want %x", test.hello, reply, test.reply)
		}
	}
	for _, b := range []string{"", "987", "1234", "\x00\x00\x0b\xdb\x00\x01\x51\x76\x00\x00\x00\x01"} {
		if protocol.IsHello([]byte(b)) || protocol.IsReply([]byte(b)) {
			t.Errorf("%q opens a stream", b)
		}
	}
	if got := protocol.Hello(); string(got[:]) != "9876" {
		t.Errorf("hello %q", got)
	}
	if got := protocol.HelloReply(nil); string(got[:]) != "6789" {
		t.Errorf("reply to nothing %q", got)
	}
	for _, reply := range []string{"6789", "9876", "\xb1\x68\xde\x3a", "\x3a\xde\x68\xb1", "6789 and more", "\xb1\x68\xde\x3a and more"} {
		if !protocol.IsReply([]byte(reply)) {
			t.Errorf("%q is no reply", reply)
		}
	}
}

func TestCookie(t *testing.T) {
	a, err := protocol.NewCookie()
	if err != nil {
		t.Fatal(err)
	}
	b, err := protocol.NewCookie()
	if err != nil {
		t.Fatal(err)
	}
	if a.Equal(b) || !a.Equal(a) {
		t.Errorf("%v and %v", a, b)
	}
	if a[36] != 0 || len(a.String()) != 36 || strings.Trim(a.String(), "abcdefghijklmnopqrstuvwxyz234567") != "" {
		t.Errorf("cookie %q", a)
	}
	if got := (protocol.Cookie{'h', '.', '-'}).String(); got != "h.-" {
		t.Errorf("got %q", got)
	}
	// From a data connection nothing beyond the cookie is taken.
	r := iotest.HalfReader(strings.NewReader(string(a[:]) + "data"))
	if got, err := protocol.ReadCookie(r); err != nil || got != a {
		t.Error(got, err)
	}
	if rest, err := io.ReadAll(r); string(rest) != "data" {
		t.Errorf("%q, %v", rest, err)
	}
}

func TestStateNames(t *testing.T) {
	for s, want := range map[protocol.State]string{protocol.ParamExchange: "PARAM_EXCHANGE", protocol.ServerError: "SERVER_ERROR", 99: "state 99", -9: "state -9"} {
		if got := s.String(); got != want {
			t.Errorf("got %s, want %s", got, want)
		}
	}
}
