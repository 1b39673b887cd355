package test

import (
	"strings"
	"syscall"
	"testing"
	"time"
)

// Row 7: a pause is not the end of an amount.
var _ = promise(
	truth{row: 7, name: "paused", run: testPausedAmount},
)

// testPausedAmount stops the server for a second in the middle of an amount
// that it sends faster than its rate would take.
func testPausedAmount(t *testing.T) {
	for _, server := range tried(t) {
		s := startServer(t, server, "-1")
		c := startClient(t, s, linkperf(t), strings.Fields("-u -R -n 2M -b 10M -l 1K --json-stream")...)
		if err := s.cmd.Process.Signal(syscall.SIGSTOP); err != nil {
			t.Fatal(err)
		}
		time.Sleep(1700 * time.Millisecond) // longer than the amount would have taken
		if err := s.cmd.Process.Signal(syscall.SIGCONT); err != nil {
			t.Fatal(err)
		}
		o := c.within(t, 30*time.Second)
		if o.code != 0 {
			t.Errorf("client: %v", o)
		}
		list := events(t, o.stdout)
		end, err := parseDocument(string(list[len(list)-1].Data))
		if err != nil {
			t.Fatal(err)
		}
		if got, want := end.num(t, "sum_received.bytes"), 2.0*1024*1024; got != want {
			t.Errorf("received %.0f bytes, want %.0f", got, want)
		}
	}
}
