package stream

// settled returns the path beneath a socket when it is about to carry data: a
// UDP socket that a listener has made stops answering hellos.
func settled(p path) (path, error) {
	if a, ok := p.(*answerer); ok {
		return a.take()
	}
	return p, nil
}
