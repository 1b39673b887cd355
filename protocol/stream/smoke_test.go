package stream

import (
	"testing"

	"linkperf/protocol"
	"linkperf/protocol/sockopt"
)

func TestTCPBudget(t *testing.T) {
	a, b := tcpPair(t, sockopt.Options{})
	budget := NewBytes(10 << 20)
	f := start(t, a, b, Config{Budget: budget}, Config{})
	if err := <-f.txErr; err != nil {
		t.Fatal(err)
	}
	f.tx.Socket().CloseWrite()
	if err := <-f.rxErr; err != nil {
		t.Fatal(err)
	}
	if s, r := f.tx.Sample(), f.rx.Sample(); s.Bytes != 10<<20 || r.Bytes != s.Bytes || s.TCP == nil {
		t.Errorf("sent %+v received %+v", s, r)
	}
}

func TestUDPBudget(t *testing.T) {
	a, b := udpPair(t, sockopt.Options{})
	c := Config{Transport: protocol.UDP, Rate: 100e6, Length: 1000}
	tx := c
	tx.Budget = NewBlocks(500, 1000)
	f := start(t, a, b, tx, c)
	if err := <-f.txErr; err != nil {
		t.Fatal(err)
	}
	eventually(t, "all datagrams arrive", func() bool { return f.rx.Sample().Highest == 500 })
	f.rx.Stop()
	if err := <-f.rxErr; err != nil {
		t.Fatal(err)
	}
	t.Logf("%+v", f.rx.Sample())
}
