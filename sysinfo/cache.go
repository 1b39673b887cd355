package sysinfo

import (
	"sync"
	"time"
)

// Cache keeps the answers of slow sources from one test to the next. The zero
// value is ready; it may be shared by tests that run at the same time.
type Cache struct {
	mu      sync.Mutex
	answers map[string]answer

	commands sharedCommands
}

// answer is what a source said, and until when that may be used.
type answer struct {
	part  *Record
	err   error
	until time.Time
}

func (c *Cache) get(key string) (answer, bool) {
	if c == nil {
		return answer{}, false
	}
	c.mu.Lock()
	defer c.mu.Unlock()
	a, ok := c.answers[key]
	return a, ok && time.Now().Before(a.until)
}

func (c *Cache) put(key string, a answer) {
	if c == nil {
		return
	}
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.answers == nil {
		c.answers = make(map[string]answer)
	}
	c.answers[key] = a
}
