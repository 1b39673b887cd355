package report

import (
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"strconv"
	"strings"
	"unicode"

	"linkperf/protocol"
	"linkperf/protocol/measure"
)

// textSink shows a test as lines. The first failed write is returned by the
// method it happened in; later lines are still tried.
type textSink struct {
	w, errw io.Writer
	o       Options
	start   *measure.Start
	reports int             // intervals shown
	omitted bool            // within the omit period
	kept    strings.Builder // what ServerOutput returns, if the client asked
	werr    error
}

func newText(w, errw io.Writer, o Options) *textSink {
	return &textSink{w: w, errw: errw, o: o}
}

// printf writes one line. Strings among args may come from the peer: what could
// control a terminal is taken out of them.
func (t *textSink) printf(format string, args ...any) {
	for i, a := range args {
		if s, ok := a.(string); ok {
			args[i] = visible(s, "\t")
		}
	}
	t.write(fmt.Sprintf(format, args...))
}

// write writes a line, or several that belong together, in front of which stand
// the time stamp, the client's title and the number of the test, if any.
func (t *textSink) write(text string) {
	line := t.o.stamp()
	if t.o.Side == measure.Client && t.o.Title != "" {
		line += t.o.Title + ":  "
	}
	if t.start != nil && t.start.Number > 0 {
		line += "#" + strconv.Itoa(t.start.Number) + ":  "
	}
	line += text + "\n"
	if t.start != nil && t.start.Params.GetServerOutput && t.o.Side == measure.Server {
		t.kept.WriteString(line)
	}
	if _, err := io.WriteString(t.w, line); err != nil && t.werr == nil {
		t.werr = err
	}
}

// visible replaces what a terminal would not print of a string: control
// characters but for those in keep, and invisible ones that turn the direction
// of what follows.
func visible(s, keep string) string {
	return strings.Map(func(r rune) rune {
		if unicode.IsPrint(r) || unicode.Is(unicode.Zs, r) || strings.ContainsRune(keep, r) {
			return r
		}
		return unicode.ReplacementChar
	}, s)
}

func (t *textSink) done() error {
	err := t.werr
	t.werr = nil
	return err
}

func (t *textSink) versionLines() {
	t.printf("%s", version)
	t.printf("%s", t.o.SystemInfo)
}

func (t *textSink) Connect(s *measure.Start) error {
	client := t.o.Side == measure.Client
	if t.o.Verbose && client {
		t.versionLines()
	}
	t.start = s
	p := &s.Params
	if t.o.Verbose {
		if k := s.ControlKeepalive; k != nil {
			t.printf("Control connection TCP Keepalive TCP_KEEPIDLE/TCP_KEEPINTVL/TCP_KEEPCNT are set to %d/%d/%d", k.Idle, k.Interval, k.Count)
		}
		if client {
			t.printf("Control connection MSS %d", s.ControlMSS)
			if transport(p) == protocol.UDP && s.DefaultLength {
				t.printf("Setting UDP block size to %d", p.Length)
			}
		}
		t.printf("Time: %s", s.Time.UTC().Format(httpTime))
	}
	if client {
		t.printf("Connecting to host %s, port %d", s.Peer.Host, s.Peer.Port)
		if p.Reverse {
			t.printf("Reverse mode, remote host %s is sending", s.Peer.Host)
		}
	} else {
		t.printf("Accepted connection from %s, port %d", s.Peer.Host, s.Peer.Port)
	}
	if !t.o.Verbose {
		return t.done()
	}
	t.printf("      Cookie: %s", s.Cookie)
	if transport(p) == protocol.TCP {
		if p.MSS > 0 {
			t.printf("      TCP MSS: %d", p.MSS)
		} else {
			t.printf("      TCP MSS: %d (default)", s.ControlMSS)
		}
	}
	if p.Rate > 0 {
		t.printf("      Target Bitrate: %d", p.Rate)
	}
	return t.done()
}

func (t *textSink) Start(s *measure.Start) error {
	t.start = s
	for i := range s.Streams {
		st := &s.Streams[i]
		t.printf("[%3d] local %s port %d connected to %s port %d", st.Socket,
			address(st.Local), st.Local.Port(), address(st.Remote), st.Remote.Port())
	}
	p := &s.Params
	t.omitted = p.Omit > 0
	if t.o.Verbose {
		length := fmt.Sprintf("%d second test", p.Time)
		switch {
		case p.Bytes > 0:
			length = fmt.Sprintf("%d bytes to send", p.Bytes)
		case p.Blocks > 0:
			length = fmt.Sprintf("%d blocks to send", p.Blocks)
		}
		t.printf("Starting Test: protocol: %s, %d streams, %d byte blocks, omitting %d seconds, %s, tos %d",
			transport(p), max(p.Parallel, 1), p.Length, p.Omit, length, p.TOS)
	}
	return t.done()
}

func (t *textSink) End(r *measure.Result, err error) error {
	r = withStart(r, t.start)
	var x Extra
	if t.o.Extra != nil {
		x = t.o.Extra(r, err)
	}
	client := t.o.Side == measure.Client
	if t.start == nil && client && t.o.Verbose {
		t.versionLines()
	}
	var signal *SignalError
	if len(r.Streams) > 0 || client && errors.As(err, &signal) {
		t.summary(r)
	}
	switch {
	case r.ServerOutputJSON != nil:
		t.write("\nServer JSON output:\n" + string(appendValue(nil, r.ServerOutputJSON, 0)))
	case r.ServerOutputText != "":
		t.write("\nServer output:\n" + visible(r.ServerOutputText, "\n\t"))
	}
	if x.Text != "" {
		t.printf("")
		for line := range strings.Lines(x.Text) {
			t.printf("%s", strings.TrimSuffix(line, "\n"))
		}
	}
	if client && err == nil {
		t.printf("")
		t.printf("iperf Done.")
	}
	if t.errw != nil {
		for _, w := range r.Warnings {
			if _, werr := fmt.Fprintf(t.errw, "warning: %s\n", w); werr != nil && t.werr == nil {
				t.werr = werr
			}
		}
	}
	return t.done()
}

// ServerOutput implements [Sink].
func (t *textSink) ServerOutput(r *measure.Result) (string, json.RawMessage) {
	c := textSink{w: io.Discard, o: t.o, start: t.start, reports: t.reports}
	c.kept.WriteString(t.kept.String())
	c.summary(withStart(r, t.start))
	return c.kept.String(), nil
}

// WriteBanner writes what a server says before each test: with Verbose the
// versions, then the port and the number of the test. In the JSON kinds it
// writes nothing.
func WriteBanner(w io.Writer, o Options, port, test int) error {
	if o.Kind != Text {
		return nil
	}
	o.Side = measure.Server
	t := newText(w, nil, o)
	if o.Verbose {
		t.versionLines()
	}
	line := strings.Repeat("-", 59)
	t.printf("%s", line)
	t.printf("Server listening on %d (test #%d)", port, test)
	t.printf("%s", line)
	return t.done()
}
