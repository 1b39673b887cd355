package main

import (
	"context"
	"encoding/json"
	"strings"
	"sync"
	"sync/atomic"

	"linkperf/protocol/measure"
	"linkperf/server"
	"linkperf/sysinfo"
)

// A lookout observes each test of this program with sysinfo. The peer is told
// as much as it may know; this side's own report gets the whole record.
type lookout struct {
	level   sysinfo.Level // what a peer is told that has not logged in
	redact  bool
	options sysinfo.Options
	cache   sysinfo.Cache

	mu    sync.Mutex
	tests map[measure.Endpoint]*sighting // by control connection
}

// A sighting is one test under observation.
type sighting struct {
	observation *sysinfo.Observation
	level       sysinfo.Level // what this peer is told
	transport   string
	moved       atomic.Int64 // bytes after the omitted seconds
}

// at returns the sighting of a test, which the observer and the sink share.
func (l *lookout) at(peer measure.Endpoint) *sighting {
	l.mu.Lock()
	defer l.mu.Unlock()
	if l.tests == nil {
		l.tests = make(map[measure.Endpoint]*sighting)
	}
	s := l.tests[peer]
	if s == nil {
		s = &sighting{level: l.level}
		l.tests[peer] = s
	}
	return s
}

func (l *lookout) forget(peer measure.Endpoint) {
	l.mu.Lock()
	defer l.mu.Unlock()
	delete(l.tests, peer)
}

// observe is a [measure.Observe].
func (l *lookout) observe(ctx context.Context, side measure.Side, peer measure.Endpoint, trusted bool) measure.Observer {
	s := l.at(peer)
	if side == measure.Server && trusted && s.level == sysinfo.Limited {
		s.level = sysinfo.Full
	}
	o := l.options
	o.Cache = &l.cache
	s.observation = sysinfo.Watch(ctx, sysinfo.Target{Side: side.String(), Host: peer.Host, Options: o})
	return s
}

// Prepare implements [measure.Observer].
func (s *sighting) Prepare(ctx context.Context) { s.observation.Prepare(ctx) }

// Start implements [measure.Observer].
func (s *sighting) Start(conns []measure.Connection) {
	list := make([]sysinfo.Conn, len(conns))
	for i, c := range conns {
		list[i] = sysinfo.Conn{
			Local:     c.Stream.Local,
			Remote:    c.Stream.Remote,
			Raw:       c.Raw,
			Sender:    c.Stream.Sender,
			Transport: s.transport,
		}
	}
	s.observation.Start(list)
}

// Interval implements [measure.Observer].
func (s *sighting) Interval() { s.observation.Interval() }

// End implements [measure.Observer].
func (s *sighting) End() json.RawMessage {
	if n := s.moved.Load(); n > 0 { // otherwise no interval has ended yet
		s.observation.Transferred(n)
	}
	return s.observation.End(s.level)
}

// watched makes a sink that tells the observer what it needs to know of a test,
// and completes the result with the whole record.
func (l *lookout) watched(sink measure.Sink) measure.Sink {
	return &watchedSink{Sink: sink, lookout: l}
}

type watchedSink struct {
	measure.Sink
	lookout *lookout
	*sighting
	peer measure.Endpoint
}

func (w *watchedSink) Connect(s *measure.Start) error {
	w.peer, w.sighting = s.Peer, w.lookout.at(s.Peer)
	w.transport = strings.ToLower(string(s.Params.Transport))
	return w.Sink.Connect(s)
}

func (w *watchedSink) Start(s *measure.Start) error { return w.Sink.Start(s) }

func (w *watchedSink) Interval(iv *measure.Interval) error {
	switch {
	case !iv.Omitted:
		for i := range iv.Streams {
			w.moved.Add(iv.Streams[i].Bytes)
		}
	case w.observation != nil:
		w.observation.Restart()
	}
	return w.Sink.Interval(iv)
}

func (w *watchedSink) ServerOutput(r *measure.Result) (string, json.RawMessage) {
	return serverOutput(w.Sink, w.completed(r))
}

func (w *watchedSink) End(r *measure.Result, err error) error {
	if w.sighting != nil {
		w.lookout.forget(w.peer)
	}
	return w.Sink.End(w.completed(r), err)
}

// serverOutput is what a sink has for a client that wants this server's output.
func serverOutput(sink measure.Sink, r *measure.Result) (string, json.RawMessage) {
	if out, ok := sink.(server.OutputSink); ok {
		return out.ServerOutput(r)
	}
	return "", nil
}

// completed is the result with this side's whole record, and with what of the
// peer's is a record.
func (w *watchedSink) completed(r *measure.Result) *measure.Result {
	whole := *r
	if r.LocalRecord != nil {
		w.observation.SetPeer(peerProgram(r))
		whole.LocalRecord = w.lookout.told(w.observation.End(sysinfo.Full))
	}
	whole.PeerRecord = w.lookout.told(r.PeerRecord)
	return &whole
}

// peerProgram is what the protocol tells of the program at the other end: of a
// client in its parameters, of a server in its results.
func peerProgram(r *measure.Result) (tool, version string) {
	params := r.Start.Params
	switch server := r.Start.Side == measure.Server; {
	case r.PeerLinkperf || server && len(params.Linkperf) > 0:
		return "linkperf", r.PeerVersion
	case server:
		return "iperf3", params.ClientVersion
	case r.Exchanged:
		return "iperf3", ""
	}
	return "", ""
}

// told is a record as it goes into the report: safe for a terminal whoever sent
// it, without addresses and names if they are not wanted; nil if it is none.
func (l *lookout) told(text json.RawMessage) json.RawMessage {
	r, err := sysinfo.ParseRecord(text)
	if err != nil {
		return nil
	}
	if l.redact {
		r.Redact()
	}
	return r.Tell(sysinfo.Full)
}
