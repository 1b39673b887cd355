package sysinfo

import (
	"context"
	"encoding/json"
	"maps"
	"reflect"
	"runtime"
	"sync"
	"sync/atomic"
	"time"
)

// Of a test's time, these are the longest waits before and after the data.
// Together they are the most that an observation delays a test.
const (
	prepareBudget = 150 * time.Millisecond
	startBudget   = 150 * time.Millisecond
	endBudget     = 200 * time.Millisecond
)

// Target is the test to observe.
type Target struct {
	Side string // "client" or "server"
	Host string // as the caller named the other end; recorded only with Options.HostName
	Options
}

// Observation is one test being observed: [Observation.Prepare] before the data
// connections are opened, [Observation.Start] when they exist, [Observation.Interval] while they carry data,
// [Observation.End] before they are closed. Its methods may be called from any
// goroutine and never fail.
type Observation struct {
	cancel context.CancelFunc
	ctx    context.Context
	c      *collection
	probe  *probe
	host   <-chan struct{}
	known  atomic.Pointer[probe] // with the path, from when it is found
	net    counterUse            // before known is set its start is not complete

	mu      sync.Mutex
	conns   []Conn
	linked  <-chan struct{} // nil until the start
	started time.Time
	delay   time.Duration
	cpu     cpuUse
	sockets socketUse
	peer    Peer
	bytes   *int64
	record  *Record // after the end
}

// Watch begins to observe a test and returns at once: what is slow to learn is
// asked beside the test. The observation ends with ctx at the latest; what is
// asked then is given up, and what is known stays.
func Watch(ctx context.Context, t Target) *Observation {
	return watch(ctx, t, &probe{Options: t.Options}, tableOf(runtime.GOOS), allCollectors())
}

func watch(ctx context.Context, t Target, p *probe, tb table, by map[string]collector) *Observation {
	o := &Observation{c: newCollection(tb, by), probe: p}
	if t.HostName {
		o.peer.Host = known(t.Host)
	}
	o.c.record.Role = t.Side
	o.ctx, o.cancel = context.WithCancel(ctx)
	o.host = o.c.start(o.ctx, p, ofHost, nil)
	return o
}

// Prepare waits until what is quick to learn about the host is known, so that
// asking does not take processors from the data of the test.
func (o *Observation) Prepare(ctx context.Context) {
	began := time.Now()
	ctx, cancel := context.WithTimeout(ctx, prepareBudget)
	defer cancel()
	within(ctx, o.host)
	o.mu.Lock()
	defer o.mu.Unlock()
	o.delay += time.Since(began)
}

// Start tells the data connections, when they are established and before they
// carry data. It finds the path and takes the first samples.
func (o *Observation) Start(conns []Conn) {
	began := time.Now()
	o.mu.Lock()
	defer o.mu.Unlock()
	defer func() { o.delay += time.Since(began) }()
	if o.record != nil || len(conns) == 0 || o.linked != nil {
		return
	}
	o.conns = conns
	ctx, cancel := context.WithTimeout(o.ctx, startBudget)
	defer cancel()
	linked := make(chan struct{})
	o.linked = linked
	go func() {
		defer close(linked)
		o.findPath(conns)
		if p := o.known.Load(); p != nil {
			within(o.ctx, o.c.start(o.ctx, p, ofLink, nil))
		}
	}()
	within(ctx, linked)
	o.started = time.Now()
	o.restart()
}

// findPath asks for the path of the connections, and then takes the counters
// of its interface.
func (o *Observation) findPath(conns []Conn) {
	asking := *o.probe
	asking.conns = conns
	within(o.ctx, o.c.start(o.ctx, &asking, ofPath, nil))
	p := asking // sources that were given up may still read the other one
	o.c.update(func(r *Record) { p.path = r.Path })
	o.net.start(&p)
	o.known.Store(&p)
}

// Restart forgets what was sampled: the omitted seconds of a test are over.
func (o *Observation) Restart() {
	o.mu.Lock()
	defer o.mu.Unlock()
	o.restart()
}

func (o *Observation) restart() {
	o.cpu, o.sockets = cpuUse{}, socketUse{}
	o.sample()
}

// Interval takes the samples of one moment; it costs well under a millisecond
// and may be called as often as intervals end.
func (o *Observation) Interval() {
	o.mu.Lock()
	defer o.mu.Unlock()
	if o.record == nil {
		o.sample()
	}
}

func (o *Observation) sample() {
	now := time.Now()
	o.sockets.sample(now, o.conns)
	o.cpu.sample(now, o.probe)
}

// SetPeer tells the other end's program and version as the protocol gave them,
// "" for what is not known. It counts also after the end, since a server is
// named only by the results.
func (o *Observation) SetPeer(tool, version string) {
	o.mu.Lock()
	defer o.mu.Unlock()
	o.peer.Tool, o.peer.Version = known(tool), known(version)
	if o.record == nil || o.linked == nil {
		return
	}
	r := *o.record // who holds the record keeps it as it was
	r.Unknown = maps.Clone(r.Unknown)
	r.Peer.Tool, r.Peer.Version = o.peer.Tool, o.peer.Version
	for path, v := range map[string]*string{"peer.tool": r.Peer.Tool, "peer.version": r.Peer.Version} {
		if delete(r.Unknown, path); v == nil {
			r.unknown(path, errNotSaid)
		}
	}
	o.record = &r
}

func known(s string) *string {
	if s == "" {
		return nil
	}
	return new(Printable(shorten(s, maxText)))
}

// Transferred tells the bytes that the test moved in both directions. Without
// it the kernel's count for the sockets is used, which UDP does not have.
func (o *Observation) Transferred(bytes int64) {
	o.mu.Lock()
	defer o.mu.Unlock()
	o.bytes = &bytes
}

// End takes the last samples and gives the record, as much of it as a reader
// of that level may see. The result is at most [MaxRecordBytes] long. Call it
// before the data connections are closed; called again it gives the same
// record, for another level if wanted.
func (o *Observation) End(level Level) json.RawMessage {
	return o.Record().Tell(level)
}

// Record ends the observation as [Observation.End] does and gives all of it.
// The caller must not change it.
func (o *Observation) Record() *Record {
	o.mu.Lock()
	defer o.mu.Unlock()
	if o.record == nil {
		o.finish()
	}
	return o.record
}

func (o *Observation) finish() {
	began := time.Now()
	defer o.cancel()
	if o.linked != nil {
		o.sample()
		o.observed()
	}
	ctx, cancel := context.WithTimeout(o.ctx, endBudget)
	defer cancel()
	again := o.ask(ctx)
	within(ctx, o.host)
	if o.linked != nil {
		within(ctx, o.linked)
	}
	r := o.c.seal()
	if again != nil {
		r.Changed = changes(r, again)
	}
	o.delay += time.Since(began)
	r.CollectMS = milliseconds(o.delay)
	r.collapse()
	o.record = r
}

// observed merges what the samples tell into the record.
func (o *Observation) observed() {
	var classes []string
	o.c.update(func(r *Record) { classes = r.CPU.Classes })
	part := &Record{Peer: o.peer}
	o.cpu.report(part, classes)
	o.sockets.report(part, o.conns)
	if p := o.known.Load(); p != nil && o.net.at.Before(o.started) {
		o.net.report(part, p)
		o.confirm(part)
	} else {
		late := because(Timeout, "the path was found after the data began to flow")
		part.unknown("counters", late)
		part.unknown("path.confirmed", late)
		part.unknown("thermal.throttle_events", late)
	}
	o.c.update(func(r *Record) { inferPeer(part, r.Path, r.Link) })
	for row, s := range o.c.table.sources {
		if s.stage == during {
			o.c.merge(row, part, nil, 0)
		}
	}
}

// confirm compares the interface's counters with the bytes of the test.
func (o *Observation) confirm(part *Record) {
	total := o.bytes
	if total == nil {
		total = o.sockets.transferred()
	}
	rx, tx := part.Counters.RxBytes, part.Counters.TxBytes
	switch {
	case rx == nil || tx == nil:
		part.unknown("path.confirmed", because(NotSupported, "no counters of the interface"))
	case total == nil:
		part.unknown("path.confirmed", because(NotSupported, "the sockets have no byte counters"))
	default:
		part.Path.Confirmed = new(float64(*rx+*tx) >= 0.9*float64(*total))
	}
}

// ask asks the quick sources of what can change a second time. It is nil if
// there was no test.
func (o *Observation) ask(ctx context.Context) *Record {
	p := o.known.Load()
	if p == nil {
		return nil
	}
	c := newCollection(o.c.table, o.c.collectors)
	quick := func(s source) bool { return s.keep == 0 && mayChange(s.fields) }
	host := c.start(ctx, p, ofHost, quick)
	within(ctx, c.start(ctx, p, ofLink, quick))
	within(ctx, host)
	return c.seal()
}

// changeable are the groups whose facts can change during a test and explain
// a result when they do.
var changeable = []string{"link", "thunderbolt", "wifi", "offload", "queue", "limits", "firewall", "security", "power", "cpu.governor"}

func mayChange(fields []string) bool {
	for _, f := range fields {
		for _, group := range changeable {
			if covers(group, f) {
				return true
			}
		}
	}
	return false
}

// changes lists the facts that are known at both moments and differ.
func changes(before, after *Record) map[string][2]any {
	then := maps.Collect(leaves(before))
	changed := make(map[string][2]any)
	for path, now := range leaves(after) {
		// The signal changes all the time, the rate it allows is the fact.
		if !mayChange([]string{path}) || path == "wifi.signal_dbm" {
			continue
		}
		if now.Kind() == reflect.Slice && now.Type().Elem().Kind() == reflect.Struct {
			continue // a list such as the filters' layers, whose sums are facts of their own
		}
		was := then[path]
		if !was.IsNil() && !now.IsNil() && !reflect.DeepEqual(was.Interface(), now.Interface()) {
			changed[path] = [2]any{was.Interface(), now.Interface()}
		}
	}
	return changed
}
