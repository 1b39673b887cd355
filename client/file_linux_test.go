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
	_, err = client.Run(t.Context(), client.Config{
		Host: "127.0.0.1", Port: ln.Addr().(*net.TCPAddr).Port, Reverse: true, File: "/dev/full",
		Time: 30 * time.Second,
	}, nil)
	if !errors.Is(err, syscall.ENOSPC) {
		t.Errorf("got %v, want that the file is full", err)
	}
}
