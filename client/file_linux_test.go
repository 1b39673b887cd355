package client_test

import (
	"context"
	"errors"
	"net"
	"syscall"
	"testing"
	"time"

	"linkperf/client"
	"linkperf/server"
)

// A file that cannot take what was received is a failure, although all streams
// of the direction come to their end by it.
func TestFullFile(t *testing.T) {
	s := &server.Server{Bind: "127.0.0.1", AnyPort: true}
	ln, err := s.Listen(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	ctx, cancel := context.WithCancel(context.Background())
	served := make(chan struct{})
	go func() {
		defer close(served)
		_ = s.Serve(ctx, ln)
	}()
	defer func() { cancel(); <-served }()
	for _, c := range []client.Config{{Time: 30 * time.Second}, {Blocks: 1, Length: 1000}} {
		c.Host, c.Port, c.Reverse, c.File = "127.0.0.1", ln.Addr().(*net.TCPAddr).Port, true, "/dev/full"
		if _, err := client.Run(t.Context(), c, nil); !errors.Is(err, syscall.ENOSPC) {
			t.Errorf("%v, %d blocks: got %v, want that the file is full", c.Time, c.Blocks, err)
		}
	}
}
