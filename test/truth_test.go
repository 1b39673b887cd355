package test

import (
	"os"
	"slices"
	"strconv"
	"strings"
	"testing"
	"time"
)

// truth is a promise about something that stock gets wrong. The rows of the
// promises are numbered; a row can have several.
type truth struct {
	row  int
	name string
	long bool // not part of the short subset
	run  func(t *testing.T)
}

// truths are all promises, registered by the files truth_*_test.go.
var truths []truth

// promise registers truths while the package is initialised.
func promise(list ...truth) bool {
	truths = append(truths, list...)
	return true
}

// truthRows is how many rows there are.
const truthRows = 17

// quickRows are the rows that the short form of the tests has.
var quickRows = []int{2, 4, 5, 7, 8, 14, 16}

// TestTruth runs every promise as TestTruth/ROW/NAME.
func TestTruth(t *testing.T) {
	for row := 1; row <= truthRows; row++ {
		if !everything() && !slices.Contains(quickRows, row) {
			continue
		}
		t.Run(strconv.Itoa(row), func(t *testing.T) {
			for _, p := range truths {
				if p.row == row && (!p.long || everything()) {
					t.Run(p.name, p.run)
				}
			}
		})
	}
}

// stockOnTrial tells that stock stands in linkperf's place, to see that it
// fails what it is known to get wrong.
func stockOnTrial() bool { return os.Getenv("LINKPERF_TEST_STOCK") != "" }

// judged tells whether a promise is held against this peer, or only against
// the other end.
func judged(p peer) bool { return p.ours || stockOnTrial() }

// subject is whom a promise is about: the pairs in which it is judged are run.
type subject func(client, server peer) bool

func eitherSide(client, server peer) bool { return judged(client) || judged(server) }
func theClient(client, _ peer) bool       { return judged(client) }
func theServer(_, server peer) bool       { return judged(server) }

// theSender is the side that sends in a test with these options of the client;
// theReceiver is the other one.
func theSender(args string) subject {
	if directionOf(strings.Fields(args)) == reverse {
		return theServer
	}
	return theClient
}

func theReceiver(args string) subject {
	if directionOf(strings.Fields(args)) == reverse {
		return theClient
	}
	return theServer
}

// eachPair runs the test with linkperf as client, as server and as both, or
// with stock as both when stock is on trial.
func eachPair(t *testing.T, who subject, run func(t *testing.T, client, server peer)) {
	t.Helper()
	stocks := stockPeers(t)
	var pairs [][2]peer
	if stockOnTrial() {
		for _, stock := range stocks {
			pairs = append(pairs, [2]peer{stock, stock})
		}
	} else {
		ours := linkperf(t)
		pairs = append(pairs, [2]peer{ours, ours})
		for _, stock := range stocks {
			pairs = append(pairs, [2]peer{ours, stock}, [2]peer{stock, ours})
		}
	}
	for _, p := range pairs {
		if who(p[0], p[1]) {
			t.Run(p[0].name+"->"+p[1].name, func(t *testing.T) { run(t, p[0], p[1]) })
		}
	}
}

// eachQuietPair is eachPair for tests that leave the machine idle: some of
// them run at the same time.
func eachQuietPair(t *testing.T, who subject, run func(t *testing.T, client, server peer)) {
	t.Helper()
	eachPair(t, who, func(t *testing.T, client, server peer) {
		t.Parallel()
		run(t, client, server)
	})
}

// options lists the options of clients to run a test with; those of long only
// when every mode was asked for.
func options(short, long []string) []string {
	if !everything() {
		return short
	}
	return slices.Concat(short, long)
}

// trial is one test between two peers, both of which print documents.
type trial struct {
	client, server         peer
	host                   string // of the server, 127.0.0.1 if empty
	clientArgs, serverArgs []string
	limit                  time.Duration                 // of the client's time, runDeadline if 0
	via                    func(port int) (relay int)    // the port to connect to, nil for the server's own
	during                 func(client, server *process) // runs while they do; may be nil

	c, s       outcome
	cdoc, sdoc document
}

// run runs both sides to their end and reads the documents.
func (r *trial) run(t *testing.T) {
	t.Helper()
	s := startServer(t, r.server, append([]string{"-1", "-J"}, r.serverArgs...)...)
	host, port := r.host, s.port
	if host == "" {
		host = "127.0.0.1"
	}
	if r.via != nil {
		port = r.via(port)
	}
	if r.limit == 0 {
		r.limit = runDeadline
	}
	args := append([]string{"-c", host, "-p", strconv.Itoa(port), "-J"}, r.clientArgs...)
	c := begin(t, r.client.command(t.Context(), args...))
	if r.during != nil {
		r.during(c, s.process)
	}
	r.c = c.within(t, r.limit)
	r.s = s.within(t, 15*time.Second)
	r.cdoc, r.sdoc = mustDocument(t, r.client, r.c.stdout), mustDocument(t, r.server, r.s.stdout)
	t.Cleanup(func() {
		if t.Failed() {
			t.Logf("%s\n%s", r.c.command, r.s.command)
		}
	})
}

// succeed is run for a test that must end well.
func (r *trial) succeed(t *testing.T) {
	t.Helper()
	r.run(t)
	for _, o := range []outcome{r.c, r.s} {
		if o.code != 0 {
			t.Fatalf("exit status %d: %v", o.code, o)
		}
	}
	for _, doc := range []document{r.cdoc, r.sdoc} {
		if doc.has("error") {
			t.Fatalf("error: %v", doc.get("error"))
		}
	}
}

// directionOf is the direction that the options of a client ask for.
func directionOf(args []string) direction {
	switch {
	case slices.Contains(args, "-R"):
		return reverse
	case slices.Contains(args, "--bidir"):
		return both
	}
	return forward
}

// view is one side's document of a trial.
type view struct {
	peer   peer
	client bool
	doc    document
}

// judgedViews are the documents of the sides that are held against a promise.
func (r *trial) judgedViews() []view {
	var views []view
	for _, v := range []view{{r.client, true, r.cdoc}, {r.server, false, r.sdoc}} {
		if judged(v.peer) {
			views = append(views, v)
		}
	}
	return views
}

func (v view) String() string {
	if v.client {
		return "client"
	}
	return "server"
}

// flows lists the directions that the view shows.
func (v view) flows(args []string) []flow { return flows(mode{dir: directionOf(args)}, v.client) }
