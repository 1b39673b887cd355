package test

import (
	"encoding/json"
	"fmt"
	"math"
	"os"
	"path/filepath"
	"runtime"
	"strings"
	"testing"
	"time"
)

// Row 16: output can be read while the test runs. Row 17: also of many
// streams.
var _ = promise(
	truth{row: 16, name: "as it happens", run: testEventsAsTheyHappen},
	truth{row: 17, name: "256 streams", run: testManyStreams},
)

// event is a line of the streaming output.
type event struct {
	Event string          `json:"event"`
	Data  json.RawMessage `json:"data"`
}

// events reads the events that the text begins with; a whole document may
// follow them.
func events(t *testing.T, text string) []event {
	t.Helper()
	var list []event
	for line := range strings.Lines(text) {
		if !strings.HasPrefix(line, `{"event":`) {
			break
		}
		if !strings.HasSuffix(line, "\n") {
			t.Errorf("a line without an end: %q", line)
		}
		var e event
		if err := json.Unmarshal([]byte(line), &e); err != nil {
			t.Fatalf("%v in %q", err, line)
		}
		if repeated, err := repeatedKeys(line); err != nil || len(repeated) > 0 {
			t.Errorf("keys that stand twice: %v %v", repeated, err)
		}
		list = append(list, e)
	}
	return list
}

// checkEvents asks for a start, intervals each of which is there once, and an
// end.
func checkEvents(t *testing.T, text string) {
	t.Helper()
	var names []string
	seen := make(map[string]bool)
	for _, e := range events(t, text) {
		if e.Event != "interval" {
			names = append(names, e.Event)
			continue
		}
		doc, err := parseDocument(string(e.Data))
		if err != nil {
			t.Fatal(err)
		}
		if start := doc.object("sum")["start"].(json.Number).String(); seen[start] {
			t.Errorf("the interval that starts at %s is there twice", start)
		} else {
			seen[start] = true
		}
	}
	if len(names) < 2 || names[0] != "start" || names[len(names)-1] != "end" {
		t.Errorf("events: %v", names)
	}
}

// testEventsAsTheyHappen reads the events of a test of half a minute after a
// few tenths of a second.
func testEventsAsTheyHappen(t *testing.T) {
	for _, file := range []bool{false, true} {
		for _, ofClient := range []bool{true, false} {
			who, side := theClient, "client"
			if !ofClient {
				who, side = theServer, "server"
			}
			to := "stdout"
			if file {
				to = "file"
			}
			t.Run(side+" "+to, func(t *testing.T) {
				eachQuietPair(t, who, func(t *testing.T, client, server peer) {
					own := []string{"--json-stream", "-i", "0.1"}
					path := filepath.Join(t.TempDir(), "log")
					if file {
						own = append(own, "--logfile", path)
					}
					clientArgs, serverArgs := []string{"-t", "30", "-b", "20M", "-l", "16K"}, []string{"-1"}
					if ofClient {
						clientArgs = append(clientArgs, own...)
					} else {
						serverArgs = append(serverArgs, own...)
					}
					s := startServer(t, server, serverArgs...)
					begun := time.Now()
					c := begin(t, client.command(t.Context(), append([]string{"-c", "127.0.0.1", "-p", s.portArg()}, clientArgs...)...))
					p := c
					if !ofClient {
						p = s.process
					}
					text := func() string {
						if !file {
							return p.out.String()
						}
						b, _ := os.ReadFile(path)
						return string(b)
					}
					for deadline := time.Now().Add(15 * time.Second); strings.Count(text(), `{"event":"interval"`) < 4; time.Sleep(10 * time.Millisecond) {
						select {
						case <-p.done:
							t.Fatalf("ended: %v", p.outcome())
						default:
						}
						if time.Now().After(deadline) {
							t.Fatalf("no four intervals after 15 s: %q", clip(text()))
						}
					}
					checkTimes(t, events(t, wholeLines(text())), begun)
				})
			})
		}
	}
}

// wholeLines leaves out a line that is being written.
func wholeLines(text string) string { return text[:strings.LastIndexByte(text, '\n')+1] }

// checkTimes asks for an absolute time in each interval: between then and now,
// and as far from the next one as the intervals' ends are.
func checkTimes(t *testing.T, list []event, begun time.Time) {
	t.Helper()
	if len(list) == 0 || list[0].Event != "start" {
		t.Fatalf("events: %v", list)
	}
	var lastTime time.Time
	var lastEnd float64
	for _, e := range list {
		if e.Event != "interval" {
			continue
		}
		doc, err := parseDocument(string(e.Data))
		if err != nil {
			t.Fatal(err)
		}
		text, end := doc.str("linkperf.time"), doc.num(t, "sum.end")
		at, err := time.Parse("2006-01-02T15:04:05.000Z", text)
		if err != nil {
			t.Fatalf("time %q: %v", text, err)
		}
		if at.Before(begun.Add(-time.Second)) || at.After(time.Now().Add(time.Second)) {
			t.Errorf("an interval ended at %v, the test began at %v", at, begun.UTC())
		}
		if between := at.Sub(lastTime).Seconds(); !lastTime.IsZero() && (math.Abs(between-(end-lastEnd)) > 0.01) {
			t.Errorf("%v s from %v to %v, the intervals end %v s apart", between, lastTime, at, end-lastEnd)
		}
		lastTime, lastEnd = at, end
	}
}

// testManyStreams runs as many streams as there can be, again and again.
func testManyStreams(t *testing.T) {
	const streams, limit = 128, 5 * time.Second
	rounds := 1
	if everything() {
		rounds = 10
	}
	whole := func(client, server peer) bool { return judged(client) && judged(server) || everything() }
	eachPair(t, whole, func(t *testing.T, client, server peer) {
		n := rounds
		if !judged(client) || !judged(server) {
			n = 1 // the other end takes its time
		}
		for range n {
			// The threads of both ends need each processor all the time, so that the
			// test lasts longer by what a hypervisor takes, which nobody is told.
			patientUntil(t, 3, func() verdict {
				r := &trial{client: client, server: server, clientArgs: []string{"-P", "128", "--bidir", "-t", "2"}, limit: time.Minute}
				begun, before := time.Now(), worked()
				r.succeed(t)
				others, whole := worked()-before-r.c.work()-r.s.work(), time.Since(begun)*time.Duration(runtime.NumCPU())
				for _, v := range r.judgedViews() {
					if n := len(v.doc.objects("end.streams")); n != 2*streams {
						t.Errorf("%v: %d streams", v, n)
					}
					for _, f := range v.flows(r.clientArgs) {
						checkSums(t, v, f)
						if received := v.doc.num(t, f.received+".bytes"); received <= 0 {
							t.Errorf("%v, %s: received %.0f bytes", v, f.name, received)
						}
					}
				}
				return func(heldUp time.Duration) []string {
					took := r.c.took
					if took <= limit || !judged(client) || !judged(server) {
						return nil
					}
					if heldUp > 0 && others > whole/10 {
						return nil // the machine explains it
					}
					return []string{fmt.Sprintf("took %v, in which others had %v of %v of the processors", took, others, whole)}
				}
			})
		}
	})
}
