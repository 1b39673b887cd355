package server_test

import (
	"errors"
	"os"
	"path/filepath"
	"syscall"
	"testing"
	"time"

	"linkperf/client"
	"linkperf/protocol"
	"linkperf/server"
)

// A file that cannot take what was received is a failure, also when the client
// ends the test before that shows.
func TestFullFile(t *testing.T) {
	for _, c := range []client.Config{{Time: 10 * time.Second}, {Blocks: 1, Length: 1000}} {
		b := start(t, &server.Server{File: "/dev/full"})
		c.Host, c.Port = "127.0.0.1", b.port
		_, err := client.Run(t.Context(), c, nil)
		if o := b.outcome(); !errors.Is(o.err, syscall.ENOSPC) {
			t.Errorf("%v, %d blocks: ended with %v, want that the file is full", c.Time, c.Blocks, o.err)
		}
		if c.Time > 0 && err == nil {
			t.Error("the client was not told")
		}
	}
}

// A file is not read and overwritten at once.
func TestFileBothWays(t *testing.T) {
	name := filepath.Join(t.TempDir(), "file")
	if err := os.WriteFile(name, []byte("content"), 0o600); err != nil {
		t.Fatal(err)
	}
	b := start(t, &server.Server{File: name})
	_, err := client.Run(t.Context(), client.Config{Host: "127.0.0.1", Port: b.port, Blocks: 1, Bidirectional: true}, nil)
	if o := b.outcome(); !isCode(err, protocol.CodeFile) || !isCode(o.err, protocol.CodeFile) {
		t.Errorf("the client ended with %v, the server with %v; want that both are refused", err, o.err)
	}
	if text, err := os.ReadFile(name); err != nil || string(text) != "content" {
		t.Errorf("the file is now %q, %v", text, err)
	}
}
