//go:build !linux

package stream

// choose returns the data path of a stream: the portable one.
func (c *Config) choose(p path, sender bool) (path, error) {
	p, err := settled(p)
	if err != nil {
		return nil, err
	}
	return p, p.ready(c, sender)
}
