package sysinfo

import (
	"context"
	"strings"
	"sync"
	"time"
)

// sharedFor is how long the output of a slow command may be used again. It is
// meant for sources that need the same answer at the same time.
const sharedFor = 10 * time.Second

// sharedCommands keeps outputs of slow commands, so that sources side by side
// run each of them once. The zero value is ready.
type sharedCommands struct {
	mu    sync.Mutex
	asked map[string]*sharedCommand
}

type sharedCommand struct {
	done chan struct{} // closed when out and err are there
	out  []byte
	err  error
	at   time.Time
}

// shared is command for slow programs whose output several sources need. With
// a cache, the program runs once for all of them.
func (p *probe) shared(ctx context.Context, name string, args ...string) ([]byte, error) {
	if p.Cache == nil {
		return p.command(ctx, name, args...)
	}
	c, first := p.Cache.commands.join(strings.Join(append([]string{name}, args...), "\x00"))
	if first {
		c.out, c.err = p.command(ctx, name, args...)
		c.at = time.Now()
		close(c.done)
	}
	select {
	case <-c.done:
	case <-ctx.Done():
		return nil, ctx.Err()
	}
	if c.err != nil && !first && ctx.Err() == nil { // perhaps the other had less time
		return p.command(ctx, name, args...)
	}
	return c.out, c.err
}

// join gives the command's answer, which may still be under way; first tells
// the caller to run it.
func (s *sharedCommands) join(key string) (c *sharedCommand, first bool) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if c = s.asked[key]; c != nil {
		select {
		case <-c.done:
			if c.err == nil && time.Since(c.at) < sharedFor {
				return c, false
			}
		default:
			return c, false
		}
	}
	if s.asked == nil {
		s.asked = make(map[string]*sharedCommand)
	}
	c = &sharedCommand{done: make(chan struct{})}
	s.asked[key] = c
	return c, true
}
