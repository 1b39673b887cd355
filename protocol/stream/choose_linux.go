package stream

// choose returns the data path of a stream: a descriptor of our own if the
// system has one to give, otherwise the portable path.
func (c *Config) choose(p path, sender bool) (path, error) {
	p, err := settled(p)
	if err != nil {
		return nil, err
	}
	if n, ok := p.(*netPath); ok && !c.Portable {
		if fd, err := newFDPath(n); err == nil {
			if err := fd.ready(c, sender); err != nil {
				_ = fd.close()
				return nil, err
			}
			return fd, nil
		}
	}
	return p, p.ready(c, sender)
}
