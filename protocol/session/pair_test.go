package session_test

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"net"
	"os"
	"path/filepath"
	"sync"
	"testing"
	"time"

	"go.uber.org/goleak"

	"linkperf/client"
	"linkperf/protocol"
	"linkperf/protocol/measure"
	"linkperf/protocol/sockopt"
	"linkperf/server"
)

func TestMain(m *testing.M) { goleak.VerifyTestMain(m) }

// finished is what one side's sink got.
type finished struct {
	result *measure.Result
	err    error
}

// serverSide is a server on loopback whose results arrive on ended.
type serverSide struct {
	port  int
	ended chan finished
}

// startServer serves until the test is over.
func startServer(t *testing.T, s *server.Server) *serverSide {
	t.Helper()
	side := &serverSide{ended: make(chan finished, 100)}
	s.AnyPort, s.Bind = true, "127.0.0.1"
	s.NewSink = func(server.TestInfo) measure.Sink { return &sink{side: side} }
	ln, err := s.Listen(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	side.port = ln.Addr().(*net.TCPAddr).Port
	ctx, cancel := context.WithCancel(context.Background())
	done := make(chan error, 1)
	go func() { done <- s.Serve(ctx, ln) }()
	t.Cleanup(func() {
		cancel()
		if err := <-done; err != nil && !errors.Is(err, context.Canceled) {
			t.Errorf("Serve: %v", err)
		}
	})
	return side
}

// sink hands on what a recorder has gathered.
type sink struct {
	measure.Recorder
	side *serverSide
}

func (s *sink) End(r *measure.Result, err error) error {
	_ = s.Recorder.End(r, err)
	s.side.ended <- finished{r, err}
	return nil
}

// end returns the next result of the server.
func (s *serverSide) end(t *testing.T) finished {
	t.Helper()
	select {
	case f := <-s.ended:
		return f
	case <-time.After(time.Minute):
		t.Fatal("the server's test did not end")
		return finished{}
	}
}

// run makes one test against the server and checks what holds for every one.
func (s *serverSide) run(t *testing.T, c client.Config) (here, there *measure.Result) {
	t.Helper()
	c.Host, c.Port = "127.0.0.1", s.port
	r, err := client.Run(t.Context(), c, &measure.Recorder{})
	if err != nil {
		t.Fatalf("client: %v", err)
	}
	f := s.end(t)
	if f.err != nil {
		t.Fatalf("server: %v", f.err)
	}
	checkResult(t, r)
	checkResult(t, f.result)
	checkPair(t, r, f.result)
	return r, f.result
}

// checkResult checks what one side says by itself.
func checkResult(t *testing.T, r *measure.Result) {
	t.Helper()
	side := r.Start.Side
	if !r.Exchanged {
		t.Errorf("%v: results were not exchanged", side)
	}
	if n := r.Start.Params.Streams(); len(r.Streams) != n {
		t.Fatalf("%v: %d streams of %d", side, len(r.Streams), n)
	}
	for i, s := range r.Streams {
		if s.Sent == nil || s.Received == nil {
			t.Fatalf("%v, stream %d: a half is missing: %+v", side, s.Stream.ID, s)
		}
		own := s.Received
		if s.Stream.Sender {
			own = s.Sent
		}
		var bytes, packets, lost int64
		last := time.Duration(-1)
		for _, iv := range r.Intervals {
			si := iv.Streams[i]
			if iv.Omitted {
				continue
			}
			if last >= 0 && iv.Start != last {
				t.Errorf("%v: an interval begins at %v, the one before ended at %v", side, iv.Start, last)
			}
			last = iv.End
			bytes += si.Bytes
			if si.UDP != nil {
				packets += si.UDP.Packets
				lost += si.UDP.Lost
			}
		}
		if bytes != own.Bytes {
			t.Errorf("%v, stream %d: intervals have %d bytes, the total %d", side, s.Stream.ID, bytes, own.Bytes)
		}
		if own.UDP != nil && (packets != own.UDP.Packets || lost != own.UDP.Lost) {
			t.Errorf("%v, stream %d: intervals have %d datagrams and %d lost, the total %d and %d",
				side, s.Stream.ID, packets, lost, own.UDP.Packets, own.UDP.Lost)
		}
		if own := s.Sent; sockopt.Supported(sockopt.TCPInfos) && s.Stream.Sender && r.Start.Params.Transport == protocol.TCP && (own.MaxSndCwnd == 0 || own.MeanRTT == 0) {
			t.Errorf("%v, stream %d: nothing is known of the connection: %+v", side, s.Stream.ID, own)
		}
		if s.Received.Bytes > s.Sent.Bytes && !exhausted(r, i) {
			t.Errorf("%v, stream %d: received %d of %d bytes", side, s.Stream.ID, s.Received.Bytes, s.Sent.Bytes)
		}
		if u := s.Received.UDP; u != nil && (u.Lost < 0 || !exhausted(r, i) && (u.Lost > s.Sent.UDP.Packets || u.Packets > s.Sent.UDP.Packets)) {
			t.Errorf("%v, stream %d: %d datagrams sent, %d expected, %d lost", side, s.Stream.ID, s.Sent.UDP.Packets, u.Packets, u.Lost)
		}
	}
}

// exhausted tells whether a receiver's last interval could not make up for all
// that belonged to the omit period and came after it: it shows nothing then. On
// a busy machine the two sides' omit periods end far apart.
func exhausted(r *measure.Result, stream int) bool {
	last := r.Intervals[len(r.Intervals)-1].Streams[stream]
	return r.Start.Params.Omit > 0 && !r.Streams[stream].Stream.Sender && last.Bytes == 0
}

// checkPair checks that both sides say the same.
func checkPair(t *testing.T, here, there *measure.Result) {
	t.Helper()
	for i := range here.Streams {
		a, b := here.Streams[i], there.Streams[i]
		if a.Stream.ID != b.Stream.ID || a.Stream.Sender == b.Stream.Sender {
			t.Errorf("stream %d: %+v and %+v do not match", i, a.Stream, b.Stream)
		}
		if a.Stream.Local != b.Stream.Remote {
			t.Errorf("stream %d: from %v, to the server from %v", i, a.Stream.Local, b.Stream.Remote)
		}
		if exhausted(here, i) || exhausted(there, i) {
			continue
		}
		if a.Sent.Bytes != b.Sent.Bytes || a.Received.Bytes != b.Received.Bytes {
			t.Errorf("stream %d: the client has %d sent, %d received, the server %d and %d",
				a.Stream.ID, a.Sent.Bytes, a.Received.Bytes, b.Sent.Bytes, b.Received.Bytes)
		}
		if a.Sent.UDP != nil {
			if a.Sent.UDP.Packets != b.Sent.UDP.Packets || a.Received.UDP.Lost != b.Received.UDP.Lost {
				t.Errorf("stream %d: the client has %d datagrams, %d lost, the server %d and %d", a.Stream.ID,
					a.Sent.UDP.Packets, a.Received.UDP.Lost, b.Sent.UDP.Packets, b.Received.UDP.Lost)
			}
		}
		if a.Sent.Retransmits != b.Sent.Retransmits {
			t.Errorf("stream %d: %d and %d retransmits", a.Stream.ID, a.Sent.Retransmits, b.Sent.Retransmits)
		}
	}
	if !here.PeerLinkperf || !there.PeerLinkperf {
		t.Error("linkperf does not recognise itself")
	}
}

const (
	amount   = 3_000_000
	udpBlock = 1000
)

// roundUp returns the amount that a test with blocks of a length ends at.
func roundUp(n, length int64) int64 { return (n + length - 1) / length * length }

func TestAmounts(t *testing.T) {
	s := startServer(t, &server.Server{})
	udp := client.Config{Transport: protocol.UDP, Length: udpBlock, Rate: 200e6}
	for _, c := range []struct {
		name   string
		config client.Config
		length int64
	}{
		{"TCP", client.Config{}, 128 << 10},
		{"UDP", udp, udpBlock},
		{"small blocks", client.Config{Length: 1111}, 1111},
	} {
		for name, change := range map[string]func(*client.Config){
			"forward":       func(*client.Config) {},
			"reverse":       func(c *client.Config) { c.Reverse = true },
			"three streams": func(c *client.Config) { c.Parallel = 3 },
			"no intervals":  func(c *client.Config) { c.IntervalSet = true },
			"bidirectional": func(c *client.Config) { c.Bidirectional = true },
		} {
			t.Run(c.name+" "+name, func(t *testing.T) {
				config := c.config
				config.Bytes = amount
				change(&config)
				r, _ := s.run(t, config)
				sum, _ := r.Sum(!config.Reverse, true)
				if want := roundUp(amount, c.length); !config.Bidirectional && sum.Bytes != want {
					t.Errorf("sent %d bytes, want %d", sum.Bytes, want)
				}
			})
			t.Run(c.name+" blocks "+name, func(t *testing.T) {
				config := c.config
				config.Blocks = 20
				change(&config)
				r, _ := s.run(t, config)
				sum, _ := r.Sum(!config.Reverse, true)
				if want := 20 * c.length; !config.Bidirectional && sum.Bytes != want {
					t.Errorf("sent %d bytes, want %d", sum.Bytes, want)
				}
			})
		}
	}
}

// TestAmountsAfterOmit checks that what the omit period sends, receives and has
// begun is no part of the amount, at either end, although the two sides' periods
// do not end at the same byte.
func TestAmountsAfterOmit(t *testing.T) {
	const asked = 200_000
	udp := client.Config{Transport: protocol.UDP, Length: udpBlock, RateSet: true, Bytes: asked}
	for name, c := range map[string]struct {
		config client.Config
		want   int64
	}{
		"TCP":                  {client.Config{Bytes: asked}, 256 << 10},
		"reverse":              {client.Config{Bytes: asked, Reverse: true}, 256 << 10},
		"reverse, no interval": {client.Config{Bytes: asked, Reverse: true, IntervalSet: true}, 256 << 10},
		"reverse, 8 streams":   {client.Config{Bytes: asked, Reverse: true, Parallel: 8}, 256 << 10},
		"paced":                {client.Config{Bytes: asked, Rate: 5e6, IntervalSet: true}, 256 << 10},
		"short blocks":         {client.Config{Blocks: 3, Length: 100}, 300},
		"UDP":                  {udp, asked},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel() // it waits
			c.config.Omit = time.Second
			r, _ := startServer(t, &server.Server{}).run(t, c.config)
			sent, _ := r.Sum(!c.config.Reverse, true)
			received, _ := r.Sum(!c.config.Reverse, false)
			if sent.Bytes != c.want || received.Bytes != c.want && c.config.Transport != protocol.UDP {
				t.Errorf("sent %d bytes, received %d, want %d", sent.Bytes, received.Bytes, c.want)
			}
		})
	}
}

// TestBrokenOffWithinOmit checks that what was to be omitted is not shown as
// measured when the test does not get any further.
func TestBrokenOffWithinOmit(t *testing.T) {
	s := startServer(t, &server.Server{Interval: 100 * time.Millisecond})
	ctx, cancel := context.WithCancel(t.Context())
	defer cancel()
	r, err := client.Run(ctx, client.Config{
		Host: "127.0.0.1", Port: s.port, Omit: time.Minute, Time: time.Second, Interval: 100 * time.Millisecond, Rate: 50e6,
	}, &cancelSink{cancel: cancel})
	if !errors.Is(err, context.Canceled) {
		t.Fatalf("client: %v", err)
	}
	for side, result := range map[string]*measure.Result{"client": r, "server": s.end(t).result} {
		if len(result.Streams) != 1 || result.Streams[0].Sent != nil || result.Streams[0].Received != nil {
			t.Errorf("%s: %+v", side, result.Streams)
		}
	}
	for _, iv := range r.Intervals {
		if !iv.Omitted {
			t.Errorf("measured: %+v", iv)
		}
	}
}

// cancelSink ends its test at the first interval.
type cancelSink struct {
	measure.Recorder
	cancel context.CancelFunc
}

func (s *cancelSink) Interval(iv *measure.Interval) error {
	s.cancel()
	return s.Recorder.Interval(iv)
}

// TestTimes runs tests of a second, several at once on one server.
func TestTimes(t *testing.T) {
	s := startServer(t, &server.Server{MaxTests: 8, Interval: 300 * time.Millisecond})
	configs := map[string]client.Config{
		"TCP":           {},
		"reverse":       {Reverse: true},
		"bidirectional": {Bidirectional: true, Parallel: 2},
		"omit":          {Omit: time.Second, Rate: 50e6},
		"UDP":           {Transport: protocol.UDP, Length: udpBlock},
		"omit reverse":  {Omit: time.Second, Reverse: true},
		"UDP both omit": {Transport: protocol.UDP, Length: udpBlock, Bidirectional: true, Omit: time.Second, UDPCounters64: true},
	}
	var wg sync.WaitGroup
	var mu sync.Mutex
	clients := map[string]*measure.Result{} // by cookie
	for name, config := range configs {
		config.Host, config.Port = "127.0.0.1", s.port
		config.Time, config.Interval = time.Second, 300*time.Millisecond
		config.Title = name
		wg.Go(func() {
			r, err := client.Run(t.Context(), config, &measure.Recorder{})
			if err != nil {
				t.Errorf("%s: %v", name, err)
				return
			}
			checkResult(t, r)
			mu.Lock()
			clients[r.Start.Cookie] = r
			mu.Unlock()
			if r.LocalCPU != nil || r.RemoteCPU != nil {
				t.Errorf("%s: CPU figures of a process that runs other tests: %v, %v", name, r.LocalCPU, r.RemoteCPU)
			}
		})
	}
	wg.Wait()
	for range configs {
		f := s.end(t)
		if f.err != nil {
			t.Errorf("server: %v", f.err)
			continue
		}
		checkResult(t, f.result)
		if c := clients[f.result.Start.Cookie]; c != nil {
			checkPair(t, c, f.result)
		}
		if f.result.Start.Number == 0 {
			t.Error("a test among several has no number")
		}
	}
}

func TestFile(t *testing.T) {
	dir := t.TempDir()
	from, to := filepath.Join(dir, "from"), filepath.Join(dir, "to")
	content := make([]byte, 300_001)
	for i := range content {
		content[i] = byte(i * i)
	}
	if err := os.WriteFile(from, content, 0o600); err != nil {
		t.Fatal(err)
	}
	s := startServer(t, &server.Server{File: to})
	r, _ := s.run(t, client.Config{File: from})
	got, err := os.ReadFile(to)
	if err != nil || string(got) != string(content) {
		t.Errorf("the file arrived with %d of %d bytes: %v", len(got), len(content), err)
	}
	if f := r.Streams[0].File; f == nil || f.Size != int64(len(content)) || f.Sent != f.Size || f.Received != f.Size {
		t.Errorf("file: %+v", f)
	}
}

// TestFileFromServer checks that a client which only receives ends with the
// file that the server sends, not with its time.
func TestFileFromServer(t *testing.T) {
	from := filepath.Join(t.TempDir(), "from")
	const size = 3_000_001
	if err := os.WriteFile(from, make([]byte, size), 0o600); err != nil {
		t.Fatal(err)
	}
	s := startServer(t, &server.Server{File: from})
	r, there := s.run(t, client.Config{Reverse: true, Time: time.Minute})
	if got := r.Streams[0].Received.Bytes; got != size || r.Duration > 30*time.Second {
		t.Errorf("%d of %d bytes in %v", got, size, r.Duration)
	}
	if got := there.Streams[0].Sent.Bytes; got != size {
		t.Errorf("the server sent %d of %d bytes", got, size)
	}
}

// outputSink has something to say to a client that asks for it.
type outputSink struct{ sink }

func (s *outputSink) ServerOutput(r *measure.Result) (string, json.RawMessage) {
	return fmt.Sprintf("received %d bytes\n", r.Streams[0].Received.Bytes), nil
}

func TestServerOutput(t *testing.T) {
	srv := &server.Server{}
	s := startServer(t, srv)
	srv.NewSink = func(server.TestInfo) measure.Sink { return &outputSink{sink{side: s}} }
	r, _ := s.run(t, client.Config{Blocks: 2, GetServerOutput: true})
	if want := fmt.Sprintf("received %d bytes\n", 2*128<<10); r.ServerOutputText != want {
		t.Errorf("got %q, want %q", r.ServerOutputText, want)
	}
	if r, _ := s.run(t, client.Config{Blocks: 2}); r.ServerOutputText != "" {
		t.Errorf("got %q unasked", r.ServerOutputText)
	}
}

// full is a sink that cannot keep anything.
type full struct{}

func (full) Connect(*measure.Start) error     { return errors.New("disk full") }
func (full) Start(*measure.Start) error       { return errors.New("disk full") }
func (full) Interval(*measure.Interval) error { return errors.New("disk full") }
func (full) End(*measure.Result, error) error { return errors.New("disk full") }

// TestFailingSink checks that a test goes on without its sink, and that what
// the sink says at every report is told once.
func TestFailingSink(t *testing.T) {
	s := startServer(t, &server.Server{})
	r, err := client.Run(t.Context(), client.Config{
		Host: "127.0.0.1", Port: s.port, Time: time.Second, Interval: 100 * time.Millisecond, Rate: 1e6, Length: 1000,
	}, full{})
	if err == nil || err.Error() != "disk full" || !r.Exchanged {
		t.Errorf("got %v, exchanged: %v", err, r.Exchanged)
	}
	s.end(t)
}

// TestManyStreams is what a machine with few cores finds hard.
func TestManyStreams(t *testing.T) {
	s := startServer(t, &server.Server{})
	r, _ := s.run(t, client.Config{Parallel: 128, Bidirectional: true, Time: time.Second, Deadline: 5 * time.Minute})
	if len(r.Streams) != 256 {
		t.Errorf("%d streams", len(r.Streams))
	}
}

// TestInterrupt ends a test early in good order.
func TestInterrupt(t *testing.T) {
	s := startServer(t, &server.Server{})
	cause := errors.New("enough")
	for _, reverse := range []bool{false, true} {
		ctx, cancel := context.WithCancelCause(t.Context())
		config := client.Config{Host: "127.0.0.1", Port: s.port, Reverse: reverse, Time: time.Minute, Interval: 100 * time.Millisecond}
		r, err := client.Run(ctx, config, &stopper{after: 3, stop: func() { cancel(cause) }})
		if err != cause {
			t.Fatalf("got %v", err)
		}
		checkResult(t, r)
		if f := s.end(t); f.err != nil {
			t.Errorf("server: %v", f.err)
		} else {
			checkPair(t, r, f.result)
		}
	}
}

// stopper stops a test after some intervals.
type stopper struct {
	measure.Recorder
	after int
	stop  func()
}

func (s *stopper) Interval(iv *measure.Interval) error {
	if s.after--; s.after == 0 {
		s.stop()
	}
	return s.Recorder.Interval(iv)
}

// TestServerStops tells the client of a server that is interrupted.
func TestServerStops(t *testing.T) {
	side := &serverSide{ended: make(chan finished, 1)}
	ctx, cancel := context.WithCancelCause(t.Context())
	cause := errors.New("going home")
	s := &server.Server{AnyPort: true, Bind: "127.0.0.1", Interval: 100 * time.Millisecond}
	s.NewSink = func(server.TestInfo) measure.Sink {
		return measure.Tee(&stopper{after: 3, stop: func() { cancel(cause) }}, &sink{side: side})
	}
	ln, err := s.Listen(ctx)
	if err != nil {
		t.Fatal(err)
	}
	served := make(chan error, 1)
	go func() { served <- s.Serve(ctx, ln) }()
	r, err := client.Run(t.Context(), client.Config{
		Host: "127.0.0.1", Port: ln.Addr().(*net.TCPAddr).Port, Time: time.Minute,
	}, nil)
	if !errors.Is(err, protocol.NewError(protocol.CodeServerTerm, nil)) {
		t.Errorf("client: %v", err)
	}
	if len(r.Streams) != 1 || r.Streams[0].Sent.Bytes == 0 || r.Streams[0].Received != nil {
		t.Errorf("client has %+v", r.Streams)
	}
	if err := <-served; err != cause {
		t.Errorf("Serve: %v", err)
	}
	if f := side.end(t); f.err != cause || len(f.result.Streams) != 1 || f.result.Streams[0].Received.Bytes == 0 {
		t.Errorf("server: %v, %+v", f.err, f.result.Streams)
	}
}
