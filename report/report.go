// Package report shows tests the way iperf3 does, as text, as its JSON
// document and as its stream of JSON events, and reads such documents back.
//
// [New] makes a [Sink], which follows one test. iperf3's layout, keys and units
// are kept to the byte, since scripts read them. Where iperf3 prints a zero for
// something that it has not measured, text says that it is not available and
// JSON has null.
package report

import (
	"encoding/json"
	"fmt"
	"io"
	"time"

	"linkperf/protocol/measure"
)

// Kind is a way to show a test.
type Kind int8

const (
	// Text is for people: lines that appear as things happen.
	Text Kind = iota
	// JSON is one indented document at the end of the test (-J).
	JSON
	// JSONStream is one compact JSON object per line, for each event as it
	// happens (--json-stream).
	JSONStream
)

// Options say how a test is shown. The zero value is a client's text with
// adaptive units.
type Options struct {
	Side measure.Side
	Kind Kind
	// FullOutput adds the whole document after the last event of a JSONStream
	// (--json-stream-full-output).
	FullOutput bool
	// Format is the letter of -f, one of kmgtKMGT: the unit of bit rates in
	// text. 0 takes the unit that fits.
	Format byte
	// Verbose adds the lines of -V to text.
	Verbose bool
	// Timestamps is the strftime format in front of each line of text
	// (--timestamps); empty for none. iperf3's own default is "%c ".
	Timestamps string
	// Title stands in front of each line of a client's text, and in JSON (-T).
	// Servers take the client's.
	Title string
	// ExtraData goes into a client's JSON (--extra-data). Servers take the
	// client's.
	ExtraData string
	// Version is linkperf's own, for the key linkperf. The version that stands
	// where iperf3 has its own is iperf3's.
	Version string
	// SystemInfo is the line about this host, see [SystemInfo].
	SystemInfo string
	// Extra is asked once, at the end of the test, for what others know about
	// it. Nil adds nothing.
	Extra func(result *measure.Result, err error) Extra
	// Now is the clock for Timestamps; nil means time.Now.
	Now func() time.Time
}

// Extra is what others add to the report of a test.
type Extra struct {
	Findings json.RawMessage // JSON: linkperf.findings; nil for none
	Run      json.RawMessage // JSON: linkperf.run, the test's place in a larger plan; nil for none
	Warnings []string        // JSON: linkperf.warnings, after those of the result
	Text     string          // text: lines after the summary; empty for none
}

// Sink shows one test. Each line of text, each event and each document is
// written with one Write, as soon as it is known. Errors of the writer are
// returned from the method in which they happened.
type Sink interface {
	measure.Sink
	// ServerOutput returns what a client that asked for the server's output
	// gets: text from a Text sink, otherwise a document. It is called on a
	// server when the test has ended well and before results are sent, with
	// what End will bring, and prints nothing.
	ServerOutput(*measure.Result) (text string, document json.RawMessage)
}

// New returns a sink for one test that writes to w. In text, warnings of the
// result go to errw as iperf3's "warning: " lines; nil drops them. It fails on
// a Format or Kind that does not exist.
func New(w, errw io.Writer, o Options) (Sink, error) {
	if o.Format != 0 && !validFormat(o.Format) {
		return nil, fmt.Errorf("format %q: not one of kmgtKMGT", o.Format)
	}
	if o.Now == nil {
		o.Now = time.Now
	}
	switch o.Kind {
	case Text:
		return newText(w, errw, o), nil
	case JSON, JSONStream:
		return newJSON(w, o), nil
	}
	return nil, fmt.Errorf("output kind %d does not exist", o.Kind)
}
