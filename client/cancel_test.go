package client_test

import (
	"context"
	"errors"
	"fmt"
	"net"
	"testing"

	"linkperf/client"
	"linkperf/protocol"
	"linkperf/protocol/protocoltest"
)

// Whoever ends a test while its data connections are being opened is named as
// the cause, and the server hears that it was not a lost datagram.
func TestCancelledWhileOpening(t *testing.T) {
	f := startFake(t, hello, asked, params, streams, protocoltest.Expect(protocol.ClientTerminate))
	udp, err := net.ListenPacket("udp", fmt.Sprintf("127.0.0.1:%d", f.port))
	if err != nil {
		t.Fatal(err)
	}
	defer udp.Close()
	ctx, cancel := context.WithCancelCause(t.Context())
	cause := errors.New("enough")
	go func() {
		_, _, err := udp.ReadFrom(make([]byte, 64)) // the hello of the first stream
		if err == nil {
			cancel(cause)
		}
	}()
	config := f.config()
	config.Transport, config.Parallel = protocol.UDP, 3
	if _, err := client.Run(ctx, config, nil); !errors.Is(err, cause) {
		t.Errorf("got %v", err)
	}
	if err := <-f.played; err != nil {
		t.Errorf("the server: %v", err)
	}
}
