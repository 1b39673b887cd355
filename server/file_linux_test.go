package server_test

import (
	"errors"
	"syscall"
	"testing"
	"time"

	"linkperf/client"
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
