package test

import "testing"

// tried are the peers that are held against a promise of one side alone.
func tried(t *testing.T) []peer {
	t.Helper()
	if stockOnTrial() {
		return stockPeers(t)
	}
	return []peer{linkperf(t)}
}

// anybody are the peers that may stand at the other end.
func anybody(t *testing.T) []peer {
	t.Helper()
	if stockOnTrial() {
		return stockPeers(t)
	}
	return append(stockPeers(t), linkperf(t))
}
