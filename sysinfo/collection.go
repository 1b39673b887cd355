package sysinfo

import (
	"context"
	"fmt"
	"maps"
	"reflect"
	"strings"
	"sync"
	"time"
)

// collection asks sources side by side and puts their answers into one
// record. Each source fills a record of its own, so that one that comes too
// late can be left behind.
type collection struct {
	table      table
	collectors map[string]collector

	mu      sync.Mutex
	record  *Record
	rank    map[string]int // path → row of the source that answered or explained it
	pending map[int]bool   // rows asked and not yet answered
	cost    map[int]time.Duration
	sealed  bool
}

func newCollection(t table, by map[string]collector) *collection {
	return &collection{
		table: t, collectors: by,
		record: &Record{
			Schema: Schema, CollectedAt: time.Now().UTC(),
			Unknown: make(map[string]Unknown), Sources: make(map[string]Origin), Changed: make(map[string][2]any),
		},
		rank: make(map[string]int), pending: make(map[int]bool), cost: make(map[int]time.Duration),
	}
}

// start asks the sources of a stage that want wants and returns at once. The
// channel is closed when all have answered.
func (c *collection) start(ctx context.Context, p *probe, st stage, want func(source) bool) <-chan struct{} {
	var asked sync.WaitGroup
	for row, s := range c.table.sources {
		if s.stage != st || want != nil && !want(s) {
			continue
		}
		c.mu.Lock()
		c.pending[row] = true
		c.mu.Unlock()
		asked.Go(func() { c.ask(ctx, p, row) })
	}
	done := make(chan struct{})
	go func() {
		asked.Wait()
		close(done)
	}()
	return done
}

// ask asks one source and merges what it says.
func (c *collection) ask(ctx context.Context, p *probe, row int) {
	s := c.table.sources[row]
	key := s.name + "\x00" + p.route() + "\x00" + p.link()
	if a, ok := p.Cache.get(key); s.keep > 0 && ok {
		c.merge(row, a.part, a.err, 0)
		return
	}
	timeout := s.timeout
	if timeout == 0 {
		timeout = defaultTimeout
	}
	ctx, cancel := context.WithTimeout(ctx, timeout)
	defer cancel()
	began := time.Now()
	part := new(Record)
	err := attempt(ctx, c.collectors[s.name], p, part)
	cost := time.Since(began)
	// Names come from devices and other hosts, too.
	for _, v := range leaves(part) {
		clean(v)
	}
	if s.keep > 0 && ctx.Err() == nil {
		p.Cache.put(key, answer{part, err, time.Now().Add(s.keep)})
	}
	c.merge(row, part, err, cost)
}

// attempt calls a collector. A fault in one must not end a test.
func attempt(ctx context.Context, f collector, p *probe, part *Record) (err error) {
	defer func() {
		if fault := recover(); fault != nil {
			err = because(Failed, "%v", fault)
		}
	}()
	if f == nil {
		return because(NotSupported, "no collector")
	}
	return f(ctx, p, part)
}

// merge takes what a source said about its fields. Of two answers to one
// field that of the earlier row stays.
func (c *collection) merge(row int, part *Record, err error, cost time.Duration) {
	s := c.table.sources[row]
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.sealed {
		return
	}
	delete(c.pending, row)
	for _, at := range places() {
		path := at.path
		if !s.answers(path) {
			continue
		}
		best, seen := c.rank[path]
		into, value := at.of(c.record), at.of(part)
		if value.IsNil() {
			why := c.reason(s, path, part, err)
			// That a fact makes no sense to one source says less than why
			// another one does not have it.
			had, explained := c.record.Unknown[path]
			better := !explained || had.Reason == NotApplicable && why.Reason != NotApplicable ||
				row < best && (had.Reason == NotApplicable || why.Reason != NotApplicable)
			if into.IsNil() && (!seen || better) {
				c.record.Unknown[path] = why
				c.rank[path] = row
			}
			continue
		}
		if layers, ok := value.Interface().([]Layer); ok {
			value = reflect.ValueOf(addLayers(into.Interface().([]Layer), layers))
		}
		if into.IsNil() || row < best || value.Type() == layersType {
			into.Set(value)
			c.rank[path] = row
			delete(c.record.Unknown, path)
		}
	}
	c.cost[row] = cost
}

// layersType is the one list that several sources make together.
var layersType = reflect.TypeFor[[]Layer]()

// reason is why a source left a field nil.
func (c *collection) reason(s source, path string, part *Record, err error) Unknown {
	if u, ok := part.Why(path); ok {
		return u
	}
	if err != nil {
		return unknownOf(err)
	}
	return Unknown{NotSupported, "not told by " + s.name}
}

// seal ends the collection and gives every null its reason. Sources that have
// not answered are too late from now on.
func (c *collection) seal() *Record {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.sealed = true
	finishFirewall(c.record)
	late := make(map[string]string)
	for path, v := range leaves(c.record) {
		if !v.IsNil() {
			continue
		}
		if _, ok := c.record.Unknown[path]; !ok {
			c.record.Unknown[path] = c.unasked(path)
		}
		for row := range c.pending {
			s := c.table.sources[row]
			if s.answers(path) {
				late[path] = s.name
			}
		}
	}
	for path, name := range late {
		c.record.Unknown[path] = Unknown{Timeout, name + " had not answered"}
	}
	c.credit()
	return c.record
}

// credit notes where the facts came from: for each group the source that told
// most of it, and for the others their own.
func (c *collection) credit() {
	told := make(map[string]map[int]int) // group → row → facts
	for path, v := range leaves(c.record) {
		if row, ok := c.rank[path]; ok && !v.IsNil() {
			group := groupOf(path)
			if told[group] == nil {
				told[group] = make(map[int]int)
			}
			told[group][row]++
		}
	}
	for path, v := range leaves(c.record) {
		row, ok := c.rank[path]
		if !ok || v.IsNil() {
			continue
		}
		group, key := groupOf(path), path
		if main := most(told[group]); main == row {
			key = group
		}
		c.record.Sources[key] = Origin{c.table.sources[row].name, milliseconds(c.cost[row])}
	}
}

// groupOf is the path of the group that a fact stands in, or of the fact
// itself at the top of the record.
func groupOf(path string) string {
	group, _, _ := strings.Cut(path, ".")
	return group
}

// most returns the row with the most facts, the better one of equals.
func most(told map[int]int) int {
	best := -1
	for row, n := range told {
		if best < 0 || n > told[best] || n == told[best] && row < best {
			best = row
		}
	}
	return best
}

// unasked is the reason for a field that no source was asked about.
func (c *collection) unasked(path string) Unknown {
	for _, a := range c.table.absent {
		if a.answers(path) {
			return Unknown{a.reason, a.detail}
		}
	}
	for _, s := range c.table.sources {
		if !s.answers(path) {
			continue
		}
		switch s.stage {
		case onOrder:
			return Unknown{NotAttempted, "only on request"}
		case ofPath, ofLink, during:
			return Unknown{NotApplicable, "no data connection"}
		}
	}
	return Unknown{NotSupported, ""}
}

// update changes the record under the collection's lock.
func (c *collection) update(f func(*Record)) {
	c.mu.Lock()
	defer c.mu.Unlock()
	if !c.sealed {
		f(c.record)
	}
}

// within waits for done, at most until the context ends.
func within(ctx context.Context, done <-chan struct{}) {
	select {
	case <-done:
	case <-ctx.Done():
	}
}

func milliseconds(d time.Duration) float64 {
	return float64(d.Round(10*time.Microsecond)) / float64(time.Millisecond)
}

// join puts tables together, better ones first.
func join(tables ...table) table {
	var t table
	for _, one := range tables {
		t.sources = append(t.sources, one.sources...)
		t.absent = append(t.absent, one.absent...)
	}
	return t
}

// allCollectors are those of every system and those of this one.
func allCollectors() map[string]collector {
	all := maps.Clone(portableCollectors)
	for name, f := range collectors() {
		if _, twice := all[name]; twice {
			panic(fmt.Sprintf("two collectors named %s", name))
		}
		all[name] = f
	}
	return all
}
