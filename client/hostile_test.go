package client_test

import (
	"context"
	"errors"
	"net"
	"strings"
	"testing"
	"time"

	"go.uber.org/goleak"

	"linkperf/client"
	"linkperf/protocol"
	"linkperf/protocol/measure"
	"linkperf/protocol/protocoltest"
)

func TestMain(m *testing.M) { goleak.VerifyTestMain(m) }

// fake is a server by hand: it plays its script on the first connection and
// takes the others as data connections.
type fake struct {
	port   int
	played chan error
	data   chan net.Conn
}

func startFake(t *testing.T, script ...protocoltest.Step) *fake {
	t.Helper()
	ln, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	f := &fake{port: ln.Addr().(*net.TCPAddr).Port, played: make(chan error, 1), data: make(chan net.Conn, 300)}
	accepting := make(chan struct{})
	go func() {
		defer close(accepting)
		first := true
		for {
			c, err := ln.Accept()
			if err != nil {
				return
			}
			if !first {
				f.data <- c
				continue
			}
			first = false
			go func() {
				_ = c.SetDeadline(time.Now().Add(10 * time.Second))
				f.played <- protocoltest.Play(c, script...)
				_ = c.Close()
			}()
		}
	}()
	t.Cleanup(func() {
		_ = ln.Close()
		<-accepting
		close(f.data)
		for c := range f.data {
			_ = c.Close()
		}
	})
	return f
}

func (f *fake) config() client.Config {
	return client.Config{Host: "127.0.0.1", Port: f.port, Time: time.Second, Deadline: 3 * time.Second}
}

// step makes steps of raw bytes.
func step(text string) protocoltest.Step {
	return func(c *protocol.Conn) error { return c.WriteJSON([]byte(text)) }
}

var (
	hello     = protocoltest.ReceiveCookie(nil)
	asked     = protocoltest.Send(protocol.ParamExchange)
	params    = protocoltest.ReceiveJSON(nil)
	streams   = protocoltest.Send(protocol.CreateStreams)
	begin     = protocoltest.Send(protocol.TestStart, protocol.TestRunning)
	end       = protocoltest.Expect(protocol.TestEnd)
	exchange  = protocoltest.Send(protocol.ExchangeResults)
	results   = protocoltest.ReceiveJSON(nil)
	goodWords = `{"cpu_util_total":1,"cpu_util_user":1,"cpu_util_system":0,"sender_has_retransmits":18446744073709551615,"streams":[{"id":1,"bytes":5,"retransmits":18446744073709551615,"jitter":0,"errors":0,"packets":0}]}`
)

func code(c protocol.Code) error { return protocol.NewError(c, nil) }

func TestServerErrors(t *testing.T) {
	for _, c := range []struct {
		name   string
		script []protocoltest.Step
		want   error
	}{
		{"busy", []protocoltest.Step{hello, protocoltest.Send(protocol.AccessDenied)}, protocol.ErrServerBusy},
		{"busy after the parameters", []protocoltest.Step{hello, asked, params, protocoltest.Send(protocol.AccessDenied)}, protocol.ErrServerBusy},
		{"refused", []protocoltest.Step{hello, asked, params, protocoltest.SendError(protocol.CodeTotalRate)}, code(protocol.CodeTotalRate)},
		{"refused in four bytes", []protocoltest.Step{hello, asked, params, protocoltest.Send(protocol.ServerError, 0, 0, 0, -114)}, code(protocol.CodeAuthTest)},
		{"refused without a reason", []protocoltest.Step{hello, asked, params, protocoltest.Send(protocol.ServerError)}, code(protocol.CodeCtrlClose)},
		{"gone after the parameters", []protocoltest.Step{hello, asked, params}, code(protocol.CodeCtrlClose)},
		{"gone before the start", []protocoltest.Step{hello, asked, params, streams}, code(protocol.CodeCtrlClose)},
		{"gone while running", []protocoltest.Step{hello, asked, params, streams, begin}, code(protocol.CodeCtrlClose)},
		{"interrupted", []protocoltest.Step{hello, asked, params, streams, begin, protocoltest.Send(protocol.ServerTerminate), protocoltest.Expect(protocol.IperfDone)}, code(protocol.CodeServerTerm)},
		{"error while running", []protocoltest.Step{hello, asked, params, streams, begin, protocoltest.SendError(protocol.CodeNoMsg)}, code(protocol.CodeNoMsg)},
		{"gone after the end", []protocoltest.Step{hello, asked, params, streams, begin, end}, code(protocol.CodeCtrlClose)},
		{"gone before its results", []protocoltest.Step{hello, asked, params, streams, begin, end, exchange, results}, code(protocol.CodeRecvResults)},
		{"states in the wrong order", []protocoltest.Step{hello, streams}, code(protocol.CodeMessage)},
		{"end before the client's", []protocoltest.Step{hello, asked, params, streams, begin, exchange}, code(protocol.CodeMessage)},
		{"unknown state", []protocoltest.Step{hello, protocoltest.Send(77)}, code(protocol.CodeMessage)},
		{"results are no JSON", []protocoltest.Step{hello, asked, params, streams, begin, end, exchange, results, step("{")}, code(protocol.CodeRecvResults)},
		{"results are an array", []protocoltest.Step{hello, asked, params, streams, begin, end, exchange, results, step("[]")}, code(protocol.CodeRecvResults)},
		{"results of a stream that is not ours", []protocoltest.Step{hello, asked, params, streams, begin, end, exchange, results, step(strings.Replace(goodWords, `"id":1`, `"id":2`, 1))}, code(protocol.CodeStreamID)},
		{"length of results", []protocoltest.Step{hello, asked, params, streams, begin, end, exchange, results, protocoltest.Send(-1, -1, -1, -1)}, code(protocol.CodeRecvResults)},
	} {
		t.Run(c.name, func(t *testing.T) {
			t.Parallel()
			f := startFake(t, c.script...)
			var sink measure.Recorder
			r, err := client.Run(t.Context(), f.config(), &sink)
			if !errors.Is(err, c.want) {
				t.Errorf("got %v, want %v", err, c.want)
			}
			if err := <-f.played; err != nil {
				t.Errorf("the server: %v", err)
			}
			if got, serr := sink.Result(); got != r || serr != err {
				t.Errorf("the sink got %p, %v", got, serr)
			}
			if r.Exchanged {
				t.Error("results count as exchanged")
			}
			if measured := len(c.script) > 4; measured && (len(r.Streams) != 1 || r.Streams[0].Received != nil) {
				t.Errorf("kept %+v", r.Streams)
			}
		})
	}
}

// TestOddResults survives what a server says about a test.
func TestOddResults(t *testing.T) {
	for name, text := range map[string]string{
		"ordinary":        goodWords,
		"no streams":      `{"cpu_util_total":1,"cpu_util_user":1,"cpu_util_system":0,"sender_has_retransmits":-1,"streams":[]}`,
		"huge numbers":    strings.Replace(goodWords, `"bytes":5`, `"bytes":1e300,"start_time":-1e300,"end_time":1e300`, 1),
		"linkperf string": strings.Replace(goodWords, `"streams"`, `"linkperf":"no","streams"`, 1),
		"unasked output":  strings.Replace(goodWords, `"streams"`, `"server_output_text":"Server listening","streams"`, 1),
		"long record":     strings.Replace(goodWords, `"streams"`, `"linkperf":{"record":"`+strings.Repeat("x", 200<<10)+`"},"streams"`, 1),
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			f := startFake(t, hello, asked, params, streams, begin, end, exchange, results, step(text),
				protocoltest.Send(protocol.DisplayResults), protocoltest.Expect(protocol.IperfDone),
				// What 3.21 sends after one failed test, for ever.
				protocoltest.SendError(protocol.CodeRecvParams))
			r, err := client.Run(t.Context(), f.config(), nil)
			if err != nil {
				t.Fatal(err)
			}
			if serr := <-f.played; serr != nil {
				t.Errorf("the server: %v", serr)
			}
			if !r.Exchanged || r.Streams[0].Sent == nil || r.PeerRecord != nil || r.ServerOutputText != "" {
				t.Errorf("got %+v", r)
			}
		})
	}
}

// TestStuck ends although the server does nothing more, with what was measured.
func TestStuck(t *testing.T) {
	forever := func(c *protocol.Conn) error {
		for {
			if _, err := c.ReadState(); err != nil {
				return nil
			}
		}
	}
	for _, tc := range []struct {
		name   string
		script []protocoltest.Step
		length time.Duration // of the test
		where  string
	}{
		{"at once", []protocoltest.Step{forever}, time.Second, "waiting for the server's PARAM_EXCHANGE"},
		{"before streams", []protocoltest.Step{hello, asked, params, forever}, time.Second, "waiting for the server's CREATE_STREAMS"},
		{"measuring", []protocoltest.Step{hello, asked, params, streams, begin, forever}, 10 * time.Second, "measuring"},
		{"after the end", []protocoltest.Step{hello, asked, params, streams, begin, end, forever}, time.Second, "waiting for the server's EXCHANGE_RESULTS"},
		{"after results", []protocoltest.Step{hello, asked, params, streams, begin, end, exchange, results, forever}, time.Second, "reading the server's results"},
	} {
		t.Run(tc.name, func(t *testing.T) {
			t.Parallel()
			f := startFake(t, tc.script...)
			config := f.config()
			config.Time, config.Deadline = tc.length, 1500*time.Millisecond
			r, err := client.Run(t.Context(), config, nil)
			if !errors.Is(err, client.ErrDeadline) || !strings.HasSuffix(err.Error(), "stuck while "+tc.where) {
				t.Errorf("got %v, want stuck while %s", err, tc.where)
			}
			if len(tc.script) > 4 && (len(r.Streams) != 1 || r.Streams[0].Sent.Duration < 900*time.Millisecond) {
				t.Errorf("kept %+v", r.Streams)
			}
			<-f.played
		})
	}
}

// TestFlood is a server that never stops talking.
func TestFlood(t *testing.T) {
	f := startFake(t, hello, func(c *protocol.Conn) error {
		for {
			if c.WriteState(protocol.ParamExchange) != nil {
				return nil
			}
		}
	})
	_, err := client.Run(t.Context(), f.config(), nil)
	if !errors.Is(err, code(protocol.CodeMessage)) {
		t.Errorf("got %v", err)
	}
	<-f.played
}

func TestInterruptBeforeStart(t *testing.T) {
	cause := errors.New("stop")
	ctx, cancel := context.WithCancelCause(t.Context())
	f := startFake(t, hello, asked, params, func(*protocol.Conn) error { cancel(cause); return nil },
		protocoltest.Expect(protocol.ClientTerminate), protocoltest.ExpectClose())
	r, err := client.Run(ctx, f.config(), nil)
	if err != cause || r == nil {
		t.Errorf("got %v", err)
	}
	if err := <-f.played; err != nil {
		t.Errorf("the server: %v", err)
	}
}

func TestParams(t *testing.T) {
	var sent []byte
	f := startFake(t, hello, asked, protocoltest.ReceiveJSON(&sent), protocoltest.SendError(protocol.CodeNumStreams))
	config := f.config()
	config.Transport, config.Time, config.TimeSet = protocol.UDP, 0, true
	_, _ = client.Run(t.Context(), config, nil)
	<-f.played
	for _, part := range []string{`"udp":true`, `"time":0`, `"num":0`, `"parallel":1`, `"bandwidth":1048576`, `"pacing_timer":1000`, `"gso":0`, `"linkperf":{`} {
		if !strings.Contains(string(sent), part) {
			t.Errorf("%s lacks %s", sent, part)
		}
	}
	var length struct{ n int }
	if i := strings.Index(string(sent), `"len":`); i < 0 {
		t.Errorf("%s lacks a length", sent)
	} else {
		for _, d := range string(sent[i+6:]) {
			if d < '0' || d > '9' {
				break
			}
			length.n = 10*length.n + int(d-'0')
		}
	}
	if length.n < 16 || length.n > 65507 {
		t.Errorf("datagrams of %d bytes", length.n)
	}
}

func TestUnreachable(t *testing.T) {
	ln, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	free := ln.Addr().(*net.TCPAddr).Port
	_ = ln.Close()
	for name, config := range map[string]client.Config{
		"refused":              {Host: "127.0.0.1", Port: free},
		"no such host":         {Host: "host.invalid"},
		"other family":         {Host: "127.0.0.1", Port: free, IPv6Only: true},
		"cannot bind":          {Host: "127.0.0.1", Port: free, Bind: "192.0.2.1"},
		"binds another family": {Host: "127.0.0.1", Port: free, Bind: "::1"},
	} {
		r, err := client.Run(t.Context(), config, nil)
		if !errors.Is(err, code(protocol.CodeConnect)) || r.Start != nil {
			t.Errorf("%s: %v", name, err)
		}
	}
	_, err = client.Run(t.Context(), client.Config{Host: "fe80::1", Port: free}, nil)
	if !errors.Is(err, code(protocol.CodeHostDev)) || !strings.Contains(err.Error(), "fe80::1%eth0") {
		t.Errorf("link-local without scope: %v", err)
	}
}

// TestBusyThenRefused waits for a server that opens its port anew between two
// tests, as iperf3 does.
func TestBusyThenRefused(t *testing.T) {
	ln, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	address := ln.Addr().String()
	played := make(chan error, 1)
	serve := func(ln net.Listener, script ...protocoltest.Step) error {
		_ = ln.(*net.TCPListener).SetDeadline(time.Now().Add(10 * time.Second))
		c, err := ln.Accept()
		if err != nil {
			return err
		}
		_ = ln.Close()
		defer c.Close()
		_ = c.SetDeadline(time.Now().Add(10 * time.Second))
		return protocoltest.Play(c, script...)
	}
	go func() {
		err := serve(ln, hello, protocoltest.Send(protocol.AccessDenied))
		time.Sleep(250 * time.Millisecond) // longer than the client's first pause
		var again net.Listener
		if err == nil {
			again, err = net.Listen("tcp", address)
		}
		if err == nil {
			err = serve(again, hello, asked, params, protocoltest.SendError(protocol.CodeTotalRate))
		}
		played <- err
	}()
	_, err = client.Run(t.Context(), client.Config{
		Host: "127.0.0.1", Port: ln.Addr().(*net.TCPAddr).Port, RetryBusy: 10 * time.Second,
	}, nil)
	if !errors.Is(err, code(protocol.CodeTotalRate)) {
		t.Errorf("got %v", err)
	}
	if err := <-played; err != nil {
		t.Errorf("the server: %v", err)
	}
}
