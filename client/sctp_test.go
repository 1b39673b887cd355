package client

import (
	"context"
	"errors"
	"fmt"
	"net"
	"net/netip"
	"runtime"
	"strings"
	"syscall"
	"testing"

	"linkperf/protocol"
	"linkperf/protocol/measure"
	"linkperf/protocol/sockopt"
	"linkperf/protocol/stream"
	"linkperf/server"
)

// answers makes a kernel of which a socket was asked in vain.
func answers(err error) func() error { return func() error { return err } }

// TestKernelWithoutSCTP checks that it is told before there is a connection.
func TestKernelWithoutSCTP(t *testing.T) {
	if runtime.GOOS != "linux" {
		t.Skip("elsewhere Validate refuses SCTP")
	}
	none := answers(protocol.NewError(protocol.CodeStreamListen, fmt.Errorf("socket: %w", syscall.EPROTONOSUPPORT)))
	var sink measure.Recorder
	_, err := Run(t.Context(), Config{Host: "127.0.0.1", Transport: protocol.SCTP, kernelSCTP: none, DialControl: func(context.Context, string, string) (net.Conn, error) {
		t.Error("a connection was made")
		return nil, errors.ErrUnsupported
	}}, &sink)
	const want = "no SCTP support available (SCTP: this host's kernel has none; its module is sctp)"
	if !errors.Is(err, protocol.NewError(protocol.CodeNoSCTP, nil)) || err.Error() != want {
		t.Errorf("got %v, want %s", err, want)
	}
	if r, _ := sink.Result(); r == nil || r.Start != nil {
		t.Errorf("the sink got %+v", r)
	}
}

// TestServerWithoutSCTP checks that the refusal of a server names SCTP.
func TestServerWithoutSCTP(t *testing.T) {
	if runtime.GOOS != "linux" {
		t.Skip("elsewhere Validate refuses SCTP")
	}
	if l, err := stream.ListenSCTP(t.Context(), netip.MustParseAddrPort("127.0.0.1:0"), sockopt.Options{}, nil, protocol.Cookie{}); err == nil {
		l.Close()
		t.Skip("this kernel has SCTP")
	}
	s := &server.Server{Bind: "127.0.0.1", AnyPort: true}
	ln, err := s.Listen(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	ctx, cancel := context.WithCancel(t.Context())
	served := make(chan struct{})
	go func() { defer close(served); _ = s.Serve(ctx, ln) }()
	defer func() { cancel(); <-served }()
	_, err = Run(t.Context(), Config{Host: "127.0.0.1", Port: ln.Addr().(*net.TCPAddr).Port, Transport: protocol.SCTP,
		kernelSCTP: answers(errors.ErrUnsupported), // not the answer of a kernel without it
	}, nil)
	if !errors.Is(err, protocol.NewError(protocol.CodeStreamListen, nil)) || !strings.Contains(err.Error(), "SCTP") {
		t.Errorf("got %v", err)
	}
}

// TestSCTPParameters checks what is asked of the server, whatever the kernel has.
func TestSCTPParameters(t *testing.T) {
	if runtime.GOOS != "linux" {
		t.Skip("elsewhere Validate refuses SCTP")
	}
	c, err := Config{Host: "localhost", Transport: protocol.SCTP, kernelSCTP: answers(errors.ErrUnsupported)}.settle()
	if err != nil {
		t.Fatal(err)
	}
	if p, err := c.params(1448); err != nil || p.Transport != protocol.SCTP || p.Length != protocol.DefaultSCTPLength || p.Time != 10 {
		t.Errorf("%v, %+v", err, p)
	}
}
