package protocol

import (
	"bytes"
	"encoding/binary"
	"encoding/json"
	"errors"
	"io"
	"math"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"
)

// addFiles adds the recorded files as seeds.
func addFiles(f *testing.F, pattern string) {
	f.Helper()
	names, err := filepath.Glob(filepath.Join("testdata", pattern))
	if err != nil || len(names) == 0 {
		f.Fatal("no seeds ", pattern, err)
	}
	for _, name := range names {
		b, err := os.ReadFile(name)
		if err != nil {
			f.Fatal(err)
		}
		f.Add(b)
	}
}

// wantCode fails unless err is an *Error.
func wantCode(t *testing.T, err error) {
	t.Helper()
	var e *Error
	if !errors.As(err, &e) || e.Code == CodeNone {
		t.Fatalf("%v has no code", err)
	}
}

// What was read can be written and read again, and is within its ranges.
func FuzzParseParams(f *testing.F) {
	addFiles(f, "wire/*.params.json")
	f.Add([]byte(`{"udp":true,"num":1e19,"burst":0,"flowlabel":0,"time":null,"time":5,"TOS":1.5,"title":"\ud800","linkperf":{}}`))
	f.Fuzz(func(t *testing.T, b []byte) {
		p, warnings, err := ParseParams(b)
		if len(warnings) > maxWarnings {
			t.Fatal(len(warnings), "warnings")
		}
		if err != nil {
			wantCode(t, err)
			return
		}
		if p.Streams() < 1 || p.Streams() > 2*MaxStreams || p.Length < 1 || p.Length > MaxLength || p.Omit < 0 || p.Omit > MaxOmit ||
			p.Time < 0 || p.Time > MaxTime || p.Bytes < 0 || p.Blocks < 0 || p.GSOBufferSize > MaxUDPLength || p.Window > MaxWindow {
			t.Fatalf("out of range: %+v", p)
		}
		once, err := p.Marshal()
		if err != nil {
			wantCode(t, err) // longer than is sent
			return
		}
		p, warnings, err = ParseParams(once)
		if err != nil || warnings != nil {
			t.Fatalf("%v %v in %s", err, warnings, once)
		}
		twice, err := p.Marshal()
		if err != nil || !bytes.Equal(once, twice) {
			t.Fatalf("%v\nonce  %s\ntwice %s", err, once, twice)
		}
	})
}

func FuzzParseResults(f *testing.F) {
	addFiles(f, "wire/*-results.json")
	f.Add([]byte(`{"cpu_util_total":1e999,"cpu_util_user":-1e999,"cpu_util_system":0,"sender_has_retransmits":1e30,"streams":[],"linkperf":""}`))
	f.Fuzz(func(t *testing.T, b []byte) {
		r, warnings, err := ParseResults(b)
		if len(warnings) > maxWarnings {
			t.Fatal(len(warnings), "warnings")
		}
		if err != nil {
			wantCode(t, err)
			return
		}
		if len(r.Streams) > 2*MaxStreams {
			t.Fatal(len(r.Streams), "streams")
		}
		once, err := r.Marshal()
		if err != nil || !json.Valid(once) {
			t.Fatalf("%v: %s", err, once)
		}
		r, warnings, err = ParseResults(once)
		if err != nil || warnings != nil {
			t.Fatalf("%v %v in %s", err, warnings, once)
		}
		twice, err := r.Marshal()
		if err != nil || !bytes.Equal(once, twice) {
			t.Fatalf("%v\nonce  %s\ntwice %s", err, once, twice)
		}
	})
}

// A peer that sends anything at all: every byte is either read or still there,
// and frames are objects within their limit.
func FuzzConn(f *testing.F) {
	addFiles(f, "wire/*.bin")
	f.Add([]byte("\xfe\x00\x00\x00\x8e"))
	f.Add([]byte("\xff\xff\xff\xff\xff{}"))
	f.Add([]byte("\x0d\x00\x00\x00\x02{}\x0e"))
	f.Fuzz(func(t *testing.T, b []byte) {
		const limit = 1 << 12
		in := bytes.NewReader(b)
		c := NewConn(struct {
			io.Reader
			io.Writer
		}{in, io.Discard})
		read := 0
		for {
			state, err := c.ReadState()
			if err != nil {
				wantCode(t, err)
				break
			}
			read++
			switch state {
			case ParamExchange, ExchangeResults:
				body, err := c.ReadJSON(limit)
				if err != nil {
					wantCode(t, err)
					return
				}
				if len(body) == 0 || len(body) > limit || bytes.TrimLeft(body, jsonSpace)[0] != '{' ||
					int(binary.BigEndian.Uint32(b[read:])) != len(body) || !bytes.Equal(body, b[read+4:read+4+len(body)]) {
					t.Fatalf("frame %q", body)
				}
				read += 4 + len(body)
			case ServerError:
				if e := c.ReadServerError(); !e.Remote || e.ServerText() == "" {
					t.Fatal(e)
				}
				return
			case IperfStart: // stands for a new connection
				if _, err := c.ReadCookie(); err != nil {
					wantCode(t, err)
					return
				}
				read += CookieLength
			}
			if read+c.r.Buffered()+in.Len() != len(b) {
				t.Fatalf("%d read, %d buffered, %d left of %d", read, c.r.Buffered(), in.Len(), len(b))
			}
		}
	})
}

func FuzzHeader(f *testing.F) {
	f.Add([]byte("\x00\x00\x0b\xdb\x00\x01\x51\x76\x00\x00\x00\x01filler"), false)
	f.Add([]byte("\x00\x00\x03\xe2\x00\x0b\x7a\xf4\x00\x00\x00\x00\x00\x00\x00\x01"), true)
	f.Add([]byte("9876"), false)
	f.Fuzz(func(t *testing.T, b []byte, wide bool) {
		h, ok := ParseHeader(b, wide)
		if ok != (len(b) >= HeaderLen(wide)) {
			t.Fatal(len(b), ok)
		}
		if ok {
			again := bytes.Clone(b)
			PutHeader(again, h, wide)
			if !bytes.Equal(again, b) {
				t.Fatalf("%x became %x", b, again)
			}
		}
		if IsHello(b) {
			reply := HelloReply(b)
			if !IsReply(reply[:]) {
				t.Fatalf("reply %x", reply)
			}
		}
	})
}

func FuzzDecryptToken(f *testing.F) {
	for _, name := range []string{"token-pkcs1", "token-oaep"} {
		b, err := os.ReadFile("testdata/auth/" + name)
		if err != nil {
			f.Fatal(err)
		}
		f.Add(string(b), "user: a\npwd:  b\nts:   7", name == "token-pkcs1")
	}
	f.Add("=", "user: =\npwd: \nts: 99999999999999999999", true)
	pem, err := os.ReadFile("testdata/auth/key.pem")
	if err != nil {
		f.Fatal(err)
	}
	key, err := ParsePrivateKey(pem)
	if err != nil {
		f.Fatal(err)
	}
	valid := Credentials{}
	f.Fuzz(func(t *testing.T, token, plain string, pkcs1 bool) {
		if got, err := DecryptToken(token, key, pkcs1); err == nil && (got.User == "" || got.Password == "") {
			t.Fatalf("%+v", got)
		}
		if err := Authenticate(token, key, valid, time.Unix(0, 0), math.MaxInt64, pkcs1); err == nil || err.Error() != "test authorization failed" {
			t.Fatal(err)
		}
		if got, err := parseToken(plain); err == nil && (got.User == "" || got.Password == "" || strings.ContainsAny(got.User+got.Password, tokenSpace)) {
			t.Fatalf("%+v", got)
		}
	})
}

func FuzzParseCredentials(f *testing.F) {
	addFiles(f, "auth/credentials.csv")
	f.Add([]byte("a,b\r\n,\n#c,d\na,,e"))
	f.Fuzz(func(t *testing.T, b []byte) {
		users := ParseCredentials(b)
		n := 0
		for name, hashes := range users {
			n += len(hashes)
			if strings.ContainsAny(name, ",\n") || strings.HasPrefix(name, "#") {
				t.Fatalf("user %q", name)
			}
			if users.Check(name, "\x00 no such password") {
				t.Fatalf("%q is let in", name)
			}
		}
		if n > bytes.Count(b, []byte("\n"))+1 {
			t.Fatal(n, "passwords")
		}
	})
}

func FuzzNumber(f *testing.F) {
	for _, seed := range []string{"-1", "18446744073709551615", "1.8446744073709552e+19", "1e+15", "2.05313e+06", "-0.5", "1e999", "null", `"1"`} {
		f.Add([]byte(seed))
	}
	f.Fuzz(func(t *testing.T, b []byte) {
		b = bytes.Trim(b, jsonSpace)
		if !json.Valid(b) {
			return
		}
		float, ok := parseFloat(b)
		if math.IsNaN(float) || math.IsInf(float, 0) || ok != (kindOf(b) == kindNumber) {
			t.Fatal(float, ok)
		}
		integer, ok1 := parseInteger(b)
		count, ok2 := parseCount(b)
		rate, ok3 := parseRate(b)
		if ok1 != ok || ok2 != ok || ok3 != (ok && float > -1) {
			t.Fatal(ok, ok1, ok2, ok3)
		}
		if !ok {
			return
		}
		if float < 1<<62 && integer != count || count > 0 && float < 1<<62 && rate != uint64(count) {
			t.Fatal(integer, count, rate)
		}
		if math.Abs(float) < 1<<53 && count != int64(float) {
			t.Fatal(count, float)
		}
		var again float64
		if text := appendFloat(nil, float); json.Unmarshal(text, &again) != nil || again != float {
			t.Fatalf("%v became %s", float, text)
		}
	})
}
