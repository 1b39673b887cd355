//go:build !linux

package stream

// choose returns the data path of a stream on this system.
func (c *Config) choose(p path, sender bool) (path, error) { return c.portable(p, sender) }
