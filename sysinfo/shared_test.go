package sysinfo

import (
	"context"
	"errors"
	"sync"
	"sync/atomic"
	"testing"
)

// Sources side by side that need one slow answer make one process.
func TestSharedCommandRunsOnce(t *testing.T) {
	var runs atomic.Int32
	begun, release := make(chan struct{}), make(chan struct{})
	p := &probe{Options: Options{Cache: new(Cache)}, exec: func(context.Context, string, []string) ([]byte, []byte, error) {
		if runs.Add(1) == 1 {
			close(begun)
		}
		<-release
		return []byte("answer"), nil, nil
	}}
	ask := func() {
		if out, err := p.shared(t.Context(), "/tool", "a", "b"); string(out) != "answer" || err != nil {
			t.Errorf("%q, %v", out, err)
		}
	}
	var all sync.WaitGroup
	all.Go(ask)
	<-begun
	for range 4 {
		all.Go(ask)
	}
	close(release)
	all.Wait()
	ask()
	if n := runs.Load(); n != 1 {
		t.Errorf("%d processes for one question", n)
	}
	// Another question is another process, and without a cache each is.
	if _, err := p.shared(t.Context(), "/tool", "a"); err != nil || runs.Load() != 2 {
		t.Errorf("%d processes for two questions, %v", runs.Load(), err)
	}
	p.Cache = nil
	if _, err := p.shared(t.Context(), "/tool", "a"); err != nil || runs.Load() != 3 {
		t.Errorf("%d processes, %v", runs.Load(), err)
	}
}

// Who comes second is not held by the first one's time, and a failure is not
// kept.
func TestSharedCommandOutlivesAsker(t *testing.T) {
	begun := make(chan struct{}, 2)
	fail := make(chan struct{})
	p := &probe{Options: Options{Cache: new(Cache)}}
	p.exec = func(ctx context.Context, _ string, _ []string) ([]byte, []byte, error) {
		begun <- struct{}{}
		select {
		case <-ctx.Done():
			return nil, nil, ctx.Err()
		case <-fail:
			return []byte("answer"), nil, nil
		}
	}
	brief, cancel := context.WithCancel(t.Context())
	var all sync.WaitGroup
	all.Go(func() {
		if _, err := p.shared(brief, "/tool"); unknownOf(err).Reason != Timeout {
			t.Errorf("first: %v", err)
		}
	})
	<-begun
	gone, leave := context.WithCancel(t.Context())
	leave()
	if _, err := p.shared(gone, "/tool"); !errors.Is(err, context.Canceled) {
		t.Errorf("one that does not wait: %v", err)
	}
	all.Go(func() {
		if out, err := p.shared(t.Context(), "/tool"); string(out) != "answer" || err != nil {
			t.Errorf("second: %q, %v", out, err)
		}
	})
	cancel()
	<-begun
	close(fail)
	all.Wait()
}
