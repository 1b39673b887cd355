package protocoltest_test

import (
	"net"
	"strings"
	"testing"
	"time"

	"linkperf/protocol"
	"linkperf/protocol/protocoltest"
)

// pipe returns both ends of a connection that gives up after a while.
func pipe(t *testing.T) (net.Conn, net.Conn) {
	a, b := net.Pipe()
	deadline := time.Now().Add(10 * time.Second)
	for _, end := range []net.Conn{a, b} {
		if err := end.SetDeadline(deadline); err != nil {
			t.Fatal(err)
		}
		t.Cleanup(func() { end.Close() })
	}
	return a, b
}

func TestWholeTest(t *testing.T) {
	client, server := pipe(t)
	cookie, err := protocol.NewCookie()
	if err != nil {
		t.Fatal(err)
	}
	done := make(chan error)
	var got protocol.Cookie
	var params, results []byte
	go func() {
		done <- protocoltest.Play(server,
			protocoltest.ReceiveCookie(&got),
			protocoltest.Send(protocol.ParamExchange),
			protocoltest.ReceiveJSON(&params),
			protocoltest.Send(protocol.CreateStreams, protocol.TestStart, protocol.TestRunning),
			protocoltest.Expect(protocol.TestEnd),
			protocoltest.Send(protocol.ExchangeResults),
			protocoltest.ReceiveJSON(&results),
			protocoltest.SendError(protocol.CodeNoMsg),
			protocoltest.ExpectClose(),
		)
	}()
	err = protocoltest.Play(client,
		protocoltest.SendCookie(cookie),
		protocoltest.Expect(protocol.ParamExchange),
		protocoltest.SendJSON(`{"a":1}`),
		protocoltest.Expect(protocol.CreateStreams, protocol.TestStart, protocol.TestRunning),
		protocoltest.Send(protocol.TestEnd),
		protocoltest.Expect(protocol.ExchangeResults),
		protocoltest.SendJSON(`{"b":2}`),
		protocoltest.ExpectError(protocol.CodeNoMsg),
	)
	client.Close()
	if err != nil {
		t.Error("client:", err)
	}
	if err := <-done; err != nil {
		t.Error("server:", err)
	}
	if got != cookie || string(params) != `{"a":1}` || string(results) != `{"b":2}` {
		t.Errorf("received %v, %s, %s", got, params, results)
	}
}

func TestUnexpected(t *testing.T) {
	for _, test := range []struct {
		name   string
		expect protocoltest.Step
		want   string
	}{
		{"state", protocoltest.Expect(protocol.TestEnd), "step 1: got IPERF_DONE instead of TEST_END"},
		{"error", protocoltest.ExpectError(protocol.CodeNoMsg), "step 1: got IPERF_DONE instead of SERVER_ERROR"},
		{"end", protocoltest.ExpectClose(), "step 1: got IPERF_DONE instead of the end"},
	} {
		t.Run(test.name, func(t *testing.T) {
			client, server := pipe(t)
			go protocoltest.Play(client, protocoltest.Send(protocol.IperfDone))
			err := protocoltest.Play(server, test.expect)
			if err == nil || !strings.Contains(err.Error(), test.want) {
				t.Errorf("got %v, want %q", err, test.want)
			}
		})
	}
}
