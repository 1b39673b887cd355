package session_test

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"net"
	"slices"
	"strings"
	"testing"
	"time"

	"linkperf/client"
	"linkperf/protocol"
	"linkperf/protocol/measure"
	"linkperf/server"
)

// watcher is an observer that counts, and that nobody may wake after its end.
type watcher struct {
	prepared    bool
	connections int
	side        measure.Side
	ended       bool
	t           *testing.T
}

func (w *watcher) Prepare(context.Context) { w.prepared = true }
func (w *watcher) Start(c []measure.Connection) {
	if !w.prepared {
		w.t.Errorf("%v: started without having looked at the host", w.side)
	}
	w.connections = len(c)
}
func (w *watcher) Interval() {
	if w.ended {
		w.t.Errorf("%v: a report after the end", w.side)
	}
}
func (w *watcher) End() json.RawMessage {
	w.ended = true
	b, _ := json.Marshal(fmt.Sprintf("%v saw %d", w.side, w.connections))
	return b
}

func TestObserver(t *testing.T) {
	observe := func(_ context.Context, side measure.Side, _ measure.Endpoint, trusted bool) measure.Observer {
		if trusted != (side == measure.Client) {
			t.Errorf("%v: trusted is %v", side, trusted)
		}
		return &watcher{side: side, t: t}
	}
	s := startServer(t, &server.Server{Observe: observe, Version: "1.s"})
	r, f := s.run(t, client.Config{Blocks: 2, Bidirectional: true, Observe: observe, Version: "1.c"})
	if got := string(r.LocalRecord) + string(r.PeerRecord); got != `"client saw 2""server saw 2"` {
		t.Errorf("client has %s", got)
	}
	if got := string(f.LocalRecord) + string(f.PeerRecord); got != `"server saw 2""client saw 2"` {
		t.Errorf("server has %s", got)
	}
	if r.PeerVersion != "1.s" || f.PeerVersion != "1.c" {
		t.Errorf("versions %q and %q", r.PeerVersion, f.PeerVersion)
	}
}

// teller is an observer whose record has a length.
type teller int

func (teller) Prepare(context.Context)    {}
func (teller) Start([]measure.Connection) {}
func (teller) Interval()                  {}
func (n teller) End() json.RawMessage {
	return json.RawMessage(`"` + strings.Repeat("x", int(n)-2) + `"`)
}

// TestLongRecords checks that a record of the largest size reaches the peer
// beside the figures of many streams, and that a longer one is not sent.
func TestLongRecords(t *testing.T) {
	const most = 64 << 10
	for size, want := range map[int]int{most: most, most + 1: 0} {
		observe := func(context.Context, measure.Side, measure.Endpoint, bool) measure.Observer { return teller(size) }
		s := startServer(t, &server.Server{Observe: observe})
		r, f := s.run(t, client.Config{Transport: protocol.UDP, Blocks: 256, Parallel: 64, Bidirectional: true, Length: 1000, Observe: observe})
		for side, r := range map[string]*measure.Result{"client": r, "server": f} {
			warned := slices.ContainsFunc(r.Warnings, func(w string) bool { return strings.Contains(w, "too much to send") })
			if len(r.PeerRecord) != want || len(r.LocalRecord) != size || warned != (want == 0) {
				t.Errorf("%s: a record of %d bytes, %d came, warnings %q", side, size, len(r.PeerRecord), r.Warnings)
			}
		}
	}
}

// slow is an observer that looks at the host until it is released.
type slow struct {
	watcher
	looking, release chan struct{}
}

func (s *slow) Prepare(ctx context.Context) {
	close(s.looking)
	select {
	case <-s.release:
	case <-ctx.Done():
	}
	s.watcher.Prepare(ctx)
}

// TestObserverBeforeData checks that no data connection is opened while one
// side's observer looks at the host, and that an interrupted test does not wait
// for it.
func TestObserverBeforeData(t *testing.T) {
	for _, observing := range []measure.Side{measure.Client, measure.Server} {
		for _, interrupted := range []bool{false, true} {
			looks := &slow{watcher: watcher{side: observing, t: t}, looking: make(chan struct{}), release: make(chan struct{})}
			begins := make(chan struct{}, 2) // the other side's observer sees the connections
			observer := func(_ context.Context, side measure.Side, _ measure.Endpoint, _ bool) measure.Observer {
				if side == observing {
					return looks
				}
				return &starter{teller: 2, begins: begins}
			}
			s := startServer(t, &server.Server{Observe: observer})
			ctx, cancel := context.WithCancel(t.Context())
			ended := make(chan error, 1)
			go func() {
				_, err := client.Run(ctx, client.Config{Host: "127.0.0.1", Port: s.port, Blocks: 1, Observe: observer}, nil)
				ended <- err
			}()
			<-looks.looking
			if interrupted {
				cancel()
				if err := <-ended; !errors.Is(err, context.Canceled) {
					t.Errorf("%v, interrupted: %v", observing, err)
				}
				close(looks.release)
				<-s.ended
				continue
			}
			select {
			case <-begins:
				t.Errorf("the connections were opened before the %v had looked at its host", observing)
			case <-time.After(50 * time.Millisecond):
			}
			close(looks.release)
			if err := <-ended; err != nil {
				t.Errorf("%v: %v", observing, err)
			}
			<-begins
			<-s.ended
			cancel()
		}
	}
}

// starter is an observer that tells when it is started.
type starter struct {
	teller
	begins chan struct{}
}

func (s *starter) Start([]measure.Connection) { s.begins <- struct{}{} }

// TestObserverOfRefusedTest checks that an observer of a test that does not get
// as far as connections is not asked for its record, and that its context ends.
func TestObserverOfRefusedTest(t *testing.T) {
	var contexts [2]context.Context
	observe := func(ctx context.Context, side measure.Side, _ measure.Endpoint, _ bool) measure.Observer {
		contexts[side] = ctx
		return &refused{teller: 2, t: t}
	}
	s := startServer(t, &server.Server{Observe: observe})
	ln, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	defer func() { _ = ln.Close() }()
	// The client's port is taken, so that it cannot open its data connection.
	_, err = client.Run(t.Context(), client.Config{
		Host: "127.0.0.1", Port: s.port, Blocks: 1, Observe: observe, Bind: "127.0.0.1", ClientPort: ln.Addr().(*net.TCPAddr).Port,
	}, nil)
	if err == nil {
		t.Error("the client had its connection")
	}
	if f := s.end(t); f.err == nil {
		t.Error("the server had its connection")
	}
	for side, ctx := range contexts {
		select {
		case <-ctx.Done():
		case <-time.After(10 * time.Second):
			t.Errorf("%v: the observer goes on", measure.Side(side))
		}
	}
}

// refused is an observer that must not be started.
type refused struct {
	teller
	t *testing.T
}

func (r *refused) Start([]measure.Connection) { r.t.Error("started") }
func (r *refused) End() json.RawMessage {
	r.t.Error("asked for a record")
	return nil
}
