package stream

// portable prepares the path that every system has.
func (c *Config) portable(p path, sender bool) (path, error) {
	if a, ok := p.(*answerer); ok {
		n, err := a.take()
		if err != nil {
			return nil, err
		}
		p = n
	}
	return p, p.ready(c, sender)
}
