package server_test

import (
	"errors"
	"net"
	"strings"
	"testing"
	"time"

	"linkperf/protocol"
	"linkperf/protocol/protocoltest"
	"linkperf/server"
)

var udpParams = strings.NewReplacer(`"tcp":true`, `"udp":true`, `"len":131072`, `"len":1000`).Replace(params)

// hello introduces a UDP stream and waits for the answer.
func (p *peer) hello() {
	p.Helper()
	c, err := net.Dial("udp", p.addr)
	if err != nil {
		p.Fatal(err)
	}
	p.Cleanup(func() { _ = c.Close() })
	_ = c.SetDeadline(time.Now().Add(15 * time.Second))
	if _, err := c.Write([]byte("9876")); err != nil {
		p.Fatal(err)
	}
	if _, err := c.Read(make([]byte, 16)); err != nil {
		p.Fatal(err)
	}
}

// TestGivenUp leaves a server for one test before its UDP streams are there, or
// known to be there.
func TestGivenUp(t *testing.T) {
	t.Parallel() // it waits
	reverse := strings.Replace(udpParams, `"omit"`, `"reverse":true,"omit"`, 1)
	running := protocoltest.Expect(protocol.TestStart, protocol.TestRunning)
	for name, leave := range map[string]func(p *peer){
		"the hello is lost": func(p *peer) { p.open(udpParams) },
		"the second hello is lost": func(p *peer) {
			p.open(strings.Replace(udpParams, `"parallel":1`, `"parallel":2`, 1))
			p.hello()
		},
		"the answer is lost": func(p *peer) {
			p.open(udpParams)
			p.hello()
			p.play(running)
		},
		"the answer is lost in reverse": func(p *peer) {
			p.open(reverse)
			p.hello()
			p.play(running)
		},
	} {
		t.Run(name, func(t *testing.T) {
			b := start(t, &server.Server{OneOff: true})
			p := b.peer()
			leave(p)
			p.play(protocoltest.Send(protocol.IperfDone))
			if o := b.outcome(); !errors.Is(o.err, server.ErrGaveUp) || !isCode(o.err, protocol.CodeClientTerm) {
				t.Errorf("the set-up ended with: %v", o.err)
			}
			b.serves()
			if err := <-b.served; err != nil {
				t.Errorf("Serve: %v", err)
			}
		})
	}
}

// TestNoOtherTry leaves a server for one test in a way that counts, or without
// coming again.
func TestNoOtherTry(t *testing.T) {
	t.Parallel() // it waits
	for name, leave := range map[string]func(p *peer){
		"interrupted": func(p *peer) {
			p.open(udpParams)
			p.play(protocoltest.Send(protocol.ClientTerminate))
		},
		"TCP": func(p *peer) {
			p.open(params)
			p.play(protocoltest.Send(protocol.IperfDone))
		},
		"not again": func(p *peer) {
			p.open(udpParams)
			p.play(protocoltest.Send(protocol.IperfDone))
		},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			b := start(t, &server.Server{OneOff: true})
			p := b.peer()
			leave(p)
			if o := b.outcome(); o.err == nil || errors.Is(o.err, server.ErrGaveUp) != (name == "not again") {
				t.Errorf("ended with: %v", o.err)
			}
			select {
			case err := <-b.served:
				if err != nil {
					t.Errorf("Serve: %v", err)
				}
			case <-time.After(20 * time.Second):
				t.Error("the server waits on")
			}
		})
	}
}
