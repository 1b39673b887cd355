package server_test

import (
	"context"
	"errors"
	"io"
	"log/slog"
	"net"
	"strings"
	"testing"
	"time"

	"go.uber.org/goleak"

	"linkperf/client"
	"linkperf/protocol"
	"linkperf/protocol/measure"
	"linkperf/protocol/protocoltest"
	"linkperf/server"
)

func TestMain(m *testing.M) { goleak.VerifyTestMain(m) }

// outcome is how a test ended for the server.
type outcome struct {
	info   server.TestInfo
	result *measure.Result
	err    error
}

// bench is a server under test.
type bench struct {
	*testing.T
	addr   string
	port   int
	ended  chan outcome
	served chan error
	stop   context.CancelFunc
}

func start(t *testing.T, s *server.Server) *bench {
	t.Helper()
	b := &bench{T: t, ended: make(chan outcome, 1000), served: make(chan error, 1)}
	s.Bind, s.AnyPort = "127.0.0.1", true
	s.NewSink = func(info server.TestInfo) measure.Sink { return &sink{b: b, info: info} }
	ln, err := s.Listen(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	b.addr, b.port = ln.Addr().String(), ln.Addr().(*net.TCPAddr).Port
	var ctx context.Context
	ctx, b.stop = context.WithCancel(context.Background())
	go func() {
		b.served <- s.Serve(ctx, ln)
		close(b.served)
	}()
	t.Cleanup(func() {
		b.stop()
		<-b.served
	})
	return b
}

type sink struct {
	measure.Recorder
	b    *bench
	info server.TestInfo
}

func (s *sink) End(r *measure.Result, err error) error {
	_ = s.Recorder.End(r, err)
	s.b.ended <- outcome{s.info, r, err}
	return nil
}

func (b *bench) dial() net.Conn {
	b.Helper()
	c, err := net.Dial("tcp", b.addr)
	if err != nil {
		b.Fatal(err)
	}
	_ = c.SetDeadline(time.Now().Add(15 * time.Second))
	b.Cleanup(func() { _ = c.Close() })
	return c
}

// serves checks that the next client is served, and how soon.
func (b *bench) serves() {
	b.Helper()
	begin := time.Now()
	_, err := client.Run(b.Context(), client.Config{Host: "127.0.0.1", Port: b.port, Blocks: 1}, nil)
	if err != nil {
		b.Errorf("the next client: %v", err)
		return
	}
	if d := time.Since(begin); d > 8*time.Second { // strangers have 10 s
		b.Errorf("the next client took %v", d)
	}
	if o := b.outcome(); o.err != nil {
		b.Errorf("the next client, says the server: %v", o.err)
	}
}

func (b *bench) outcome() outcome {
	b.Helper()
	select {
	case o := <-b.ended:
		return o
	case <-time.After(20 * time.Second):
		b.Fatal("the test did not end")
		return outcome{}
	}
}

func isCode(err error, code protocol.Code) bool {
	return errors.Is(err, protocol.NewError(code, nil))
}

const params = `{"tcp":true,"omit":0,"time":10,"num":0,"blockcount":0,"parallel":1,"len":131072,"pacing_timer":1000,"client_version":"3.12"}`

// peer is a client by hand.
type peer struct {
	*bench
	cookie protocol.Cookie
	conn   net.Conn
}

func (b *bench) peer() *peer {
	b.Helper()
	cookie, err := protocol.NewCookie()
	if err != nil {
		b.Fatal(err)
	}
	return &peer{bench: b, cookie: cookie, conn: b.dial()}
}

func (p *peer) play(script ...protocoltest.Step) {
	p.Helper()
	if err := protocoltest.Play(p.conn, script...); err != nil {
		p.Fatal(err)
	}
}

// open gets as far as CreateStreams.
func (p *peer) open(params string) {
	p.Helper()
	p.play(protocoltest.SendCookie(p.cookie), protocoltest.Expect(protocol.ParamExchange),
		protocoltest.SendJSON(params), protocoltest.Expect(protocol.CreateStreams))
}

// data opens a data connection.
func (p *peer) data(cookie protocol.Cookie) net.Conn {
	p.Helper()
	c := p.dial()
	if err := protocol.WriteCookie(c, cookie); err != nil {
		p.Fatal(err)
	}
	return c
}

// running gets as far as TestRunning and returns the data connection.
func (p *peer) running(params string) net.Conn {
	p.Helper()
	p.open(params)
	c := p.data(p.cookie)
	p.play(protocoltest.Expect(protocol.TestStart, protocol.TestRunning))
	return c
}

func TestStrangers(t *testing.T) {
	b := start(t, &server.Server{OneOff: true})
	var held []net.Conn
	hold := func(text string) {
		c := b.dial()
		_, _ = io.WriteString(c, text)
		held = append(held, c)
	}
	for range 300 {
		hold("")
	}
	hold("ten bytes.")
	hold("GET / HTTP/1.1\r\nHost: example.org\r\nUser-Agent: someone\r\n\r\n")
	hold("\x16\x03\x01\x02\x00\x01\x00\x01\xfc\x03\x03" + strings.Repeat("\xaa", 200))
	for range 20 { // as a port scan does
		_ = b.dial().Close()
	}
	for _, frame := range []string{"", "\x00\x00", "\x00\x00\x00\x10{\"tcp\"", "\x00\x00\x00\x00", "\xff\xff\xff\xff", "\x00\x01\x00\x01" + strings.Repeat("x", 65537), "\x00\x00\x00\x02[]", "\x00\x00\x00\x05hello"} {
		p := b.peer()
		_ = protocol.WriteCookie(p.conn, p.cookie)
		_, _ = io.WriteString(p.conn, frame)
		held = append(held, p.conn)
	}
	b.serves()
	if err := <-b.served; err != nil {
		t.Errorf("Serve: %v", err)
	}
	for _, c := range held {
		_ = c.Close()
	}
}

// TestRefusals checks what a client is told.
func TestRefusals(t *testing.T) {
	for _, c := range []struct {
		name, params string
		server       server.Server
		code         protocol.Code
	}{
		{name: "not JSON", params: `{"tcp":tru`, code: protocol.CodeRecvParams},
		{name: "array", params: `[1]`, code: protocol.CodeRecvParams},
		{name: "too many streams", params: `{"parallel":129}`, code: protocol.CodeNumStreams},
		{name: "negative streams", params: `{"parallel":-1}`, code: protocol.CodeNumStreams},
		{name: "long blocks", params: `{"len":1048577}`, code: protocol.CodeBlockSize},
		{name: "short datagrams", params: `{"udp":true,"len":15}`, code: protocol.CodeUDPBlockSize},
		{name: "long", params: `{"time":86401}`, code: protocol.CodeDuration},
		{name: "longer than allowed", params: `{"time":11,"omit":1}`, server: server.Server{MaxDuration: 11 * time.Second}, code: protocol.CodeMaxServerTestDurationExceeded},
		{name: "endless", params: `{"time":0}`, server: server.Server{MaxDuration: 11 * time.Second}, code: protocol.CodeMaxServerTestDurationExceeded},
		{name: "UDP with a file", params: `{"udp":true,"len":1000}`, server: server.Server{File: "x"}, code: protocol.CodeUDPFileTransfer},
		{name: "fast", params: `{"parallel":2,"bandwidth":600}`, server: server.Server{BitrateLimit: 1000}, code: protocol.CodeTotalRate},
		{name: "fast by the kernel", params: `{"bidirectional":true,"fqrate":600}`, server: server.Server{BitrateLimit: 1000}, code: protocol.CodeTotalRate},
	} {
		t.Run(c.name, func(t *testing.T) {
			b := start(t, &c.server)
			p := b.peer()
			p.play(protocoltest.SendCookie(p.cookie), protocoltest.Expect(protocol.ParamExchange),
				protocoltest.SendJSON(c.params), protocoltest.ExpectError(c.code), protocoltest.ExpectClose())
			if c.code != protocol.CodeRecvParams {
				if o := b.outcome(); !isCode(o.err, c.code) || o.result.Start != nil {
					t.Errorf("server: %v, %+v", o.err, o.result.Start)
				}
			}
		})
	}
}

// TestRefusedInLog checks that the operator hears of a client whose numbers
// cannot be, and of a stranger only when he asks for it.
func TestRefusedInLog(t *testing.T) {
	for params, level := range map[string]string{`{"bandwidth":-1}`: "ERROR", `{"num":-1}`: "ERROR", `[1]`: "INFO"} {
		var log strings.Builder
		b := start(t, &server.Server{Log: slog.New(slog.NewTextHandler(&log, nil))})
		p := b.peer()
		p.play(protocoltest.SendCookie(p.cookie), protocoltest.Expect(protocol.ParamExchange),
			protocoltest.SendJSON(params), protocoltest.ExpectError(protocol.CodeRecvParams), protocoltest.ExpectClose())
		_ = p.conn.Close()
		b.stop()
		<-b.served
		if got := log.String(); strings.Count(got, "\n") != 1 || !strings.Contains(got, "level="+level) {
			t.Errorf("%s: %q, want one line of level %s", params, got, level)
		}
	}
}

// TestVanish leaves the server alone in every state.
func TestVanish(t *testing.T) {
	b := start(t, &server.Server{})
	for name, leave := range map[string]func(p *peer){
		"before the streams": func(p *peer) { p.open(params) },
		"half the streams": func(p *peer) {
			p.open(strings.Replace(params, `"parallel":1`, `"parallel":2`, 1))
			p.data(p.cookie)
		},
		"running": func(p *peer) { p.running(params) },
		"in reverse": func(p *peer) {
			p.running(strings.Replace(params, `"tcp":true`, `"tcp":true,"reverse":true`, 1))
		},
		"before the results": func(p *peer) {
			p.running(params)
			p.play(protocoltest.Send(protocol.TestEnd), protocoltest.Expect(protocol.ExchangeResults))
		},
	} {
		t.Run(name, func(t *testing.T) {
			p := b.peer()
			leave(p)
			_ = p.conn.Close()
			if o := b.outcome(); o.err == nil {
				t.Error("the server saw no error")
			}
			b.serves()
		})
	}
}

func TestMisbehaviour(t *testing.T) {
	b := start(t, &server.Server{})
	results := func(p *peer) {
		p.running(params)
		p.play(protocoltest.Send(protocol.TestEnd), protocoltest.Expect(protocol.ExchangeResults))
	}
	for _, c := range []struct {
		name string
		do   func(p *peer)
		code protocol.Code
	}{
		{"end before the streams", func(p *peer) { p.open(params); p.play(protocoltest.Send(protocol.TestEnd)) }, protocol.CodeMessage},
		{"unknown state", func(p *peer) { p.running(params); p.play(protocoltest.Send(99)) }, protocol.CodeMessage},
		{"server's state", func(p *peer) { p.running(params); p.play(protocoltest.Send(protocol.ServerError)) }, protocol.CodeMessage},
		{"results are not JSON", func(p *peer) { results(p); p.play(protocoltest.SendJSON("{")) }, protocol.CodeRecvResults},
		{"results are empty", func(p *peer) { results(p); p.play(protocoltest.SendJSON("{}")) }, protocol.CodeRecvResults},
		{"results are too long", func(p *peer) { results(p); _, _ = p.conn.Write([]byte{0xff, 0xff, 0xff, 0xff}) }, protocol.CodeRecvResults},
		{"results of another stream", func(p *peer) {
			results(p)
			p.play(protocoltest.SendJSON(`{"cpu_util_total":0,"cpu_util_user":0,"cpu_util_system":0,"sender_has_retransmits":0,"streams":[{"id":2,"bytes":1,"retransmits":0,"jitter":0,"errors":0,"packets":0}]}`))
		}, protocol.CodeStreamID},
	} {
		t.Run(c.name, func(t *testing.T) {
			p := b.peer()
			c.do(p)
			p.play(protocoltest.ExpectError(c.code))
			if o := b.outcome(); !isCode(o.err, c.code) {
				t.Errorf("server: %v", o.err)
			}
			b.serves()
		})
	}
}

// TestForeignConnections are refused without harm to the test.
func TestForeignConnections(t *testing.T) {
	b := start(t, &server.Server{})
	p := b.peer()
	p.open(strings.Replace(params, `"parallel":1`, `"parallel":2`, 1))
	stranger := b.peer()
	denied := func(c net.Conn) {
		t.Helper()
		if got, err := io.ReadAll(c); err != nil || string(got) != "\xff" {
			t.Errorf("got %q, %v", got, err)
		}
	}
	denied(p.data(stranger.cookie))
	p.data(p.cookie)
	p.data(p.cookie)
	p.play(protocoltest.Expect(protocol.TestStart, protocol.TestRunning))
	denied(p.data(p.cookie))
	denied(p.data(stranger.cookie))
	p.play(protocoltest.Send(protocol.ClientTerminate), protocoltest.ExpectClose())
	if o := b.outcome(); !isCode(o.err, protocol.CodeClientTerm) {
		t.Errorf("server: %v", o.err)
	}
}

// TestOrder reads the cookies of data connections late and the other way round.
func TestOrder(t *testing.T) {
	b := start(t, &server.Server{})
	p := b.peer()
	p.open(strings.Replace(params, `"tcp":true`, `"tcp":true,"bidirectional":true`, 1))
	first, second := b.dial(), b.dial()
	if err := protocol.WriteCookie(second, p.cookie); err != nil {
		t.Fatal(err)
	}
	time.Sleep(20 * time.Millisecond) // makes the wrong order likely, not the test right
	if err := protocol.WriteCookie(first, p.cookie); err != nil {
		t.Fatal(err)
	}
	p.play(protocoltest.Expect(protocol.TestStart, protocol.TestRunning))
	if n, err := second.Read(make([]byte, 1)); n != 1 {
		t.Errorf("the server does not send on the second connection: %v", err)
	}
}

func TestBusy(t *testing.T) {
	b := start(t, &server.Server{})
	p := b.peer()
	p.running(params)
	_, err := client.Run(t.Context(), client.Config{Host: "127.0.0.1", Port: b.port}, nil)
	if !errors.Is(err, protocol.ErrServerBusy) {
		t.Errorf("second client: %v", err)
	}
	waiting := make(chan error, 1)
	go func() {
		_, err := client.Run(t.Context(), client.Config{Host: "127.0.0.1", Port: b.port, Blocks: 1, RetryBusy: time.Minute}, nil)
		waiting <- err
	}()
	p.play(protocoltest.Send(protocol.ClientTerminate), protocoltest.ExpectClose())
	b.outcome()
	if err := <-waiting; err != nil {
		t.Errorf("client that waits its turn: %v", err)
	}
}

func TestSilence(t *testing.T) {
	t.Parallel() // it waits
	for _, more := range []string{
		`"nodelay":true`, `"reverse":true`,
		// The rest of such a test would fit into buffers.
		`"reverse":true,"bandwidth":1000000,"len":1000`,
		`"bidirectional":true,"bandwidth":1000000,"len":1000`,
	} {
		t.Run(more, func(t *testing.T) {
			b := start(t, &server.Server{ReceiveTimeout: 500 * time.Millisecond})
			p := b.peer()
			p.open(`{"tcp":true,"time":10,"parallel":1,` + more + `}`)
			p.data(p.cookie)
			if strings.Contains(more, "bidirectional") {
				p.data(p.cookie)
			}
			// It neither sends nor receives.
			p.play(protocoltest.Expect(protocol.TestStart, protocol.TestRunning), protocoltest.ExpectError(protocol.CodeNoMsg))
			if o := b.outcome(); !isCode(o.err, protocol.CodeNoMsg) {
				t.Errorf("server: %v", o.err)
			}
		})
	}
	t.Run("slow", func(t *testing.T) {
		b := start(t, &server.Server{ReceiveTimeout: 200 * time.Millisecond})
		r, err := client.Run(t.Context(), client.Config{
			Host: "127.0.0.1", Port: b.port, Time: 2 * time.Second,
			Transport: protocol.UDP, Length: 1000, Rate: 16000, // two datagrams a second
		}, nil)
		if err != nil || r.Streams[0].Received.UDP.Packets < 4 {
			t.Errorf("got %v, %+v", err, r.Streams)
		}
	})
}

func TestMeasuredRate(t *testing.T) {
	b := start(t, &server.Server{BitrateLimit: 1000, BitrateAverage: 300 * time.Millisecond})
	_, err := client.Run(t.Context(), client.Config{Host: "127.0.0.1", Port: b.port}, nil)
	if !isCode(err, protocol.CodeTotalRate) {
		t.Errorf("client: %v", err)
	}
	if o := b.outcome(); !isCode(o.err, protocol.CodeTotalRate) || o.result.Streams[0].Received.Bytes == 0 {
		t.Errorf("server: %v", o.err)
	}
}

func TestIdleTimeout(t *testing.T) {
	b := start(t, &server.Server{OneOff: true, IdleTimeout: 50 * time.Millisecond})
	if err := <-b.served; err != nil {
		t.Errorf("Serve: %v", err)
	}
}

// TestTestsInARow leaves nothing behind; goleak looks afterwards.
func TestTestsInARow(t *testing.T) {
	b := start(t, &server.Server{})
	for i := range 50 {
		config := client.Config{Host: "127.0.0.1", Port: b.port, Blocks: 1, Reverse: i%2 == 1}
		if _, err := client.Run(t.Context(), config, nil); err != nil {
			t.Fatalf("test %d: %v", i, err)
		}
		if o := b.outcome(); o.err != nil || o.info.Number != i+1 {
			t.Fatalf("test %d: %v, number %d", i, o.err, o.info.Number)
		}
	}
}
