package report

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"strings"

	"linkperf/protocol/measure"
)

// Document is one test as it was stored by iperf3 (3.1 or later) or by
// linkperf: a JSON document, or a stream of JSON events.
type Document struct {
	// Raw is what was read, byte for byte: a JSON value, or the lines of a
	// stream of events with the document that may follow them.
	Raw []byte
	// Line is the line of the input on which Raw begins, from 1.
	Line int
	// Complete is false for a stream of events that has no end.
	Complete bool

	Side       measure.Side // whose document it is; Client if the test failed before that shows
	Version    string       // iperf3's, such as "iperf 3.12"
	SystemInfo string       // of the host that wrote the document
	Error      string       // why the test failed; empty if it did not

	// Result is what was measured. Start is never nil; where the document does
	// not tell something its fields are zero, and figures that stock iperf3
	// prints as 0 because it does not know them are nil.
	Result *measure.Result

	// Linkperf is what linkperf added, nil in a document of stock iperf3.
	Linkperf *Linkperf
}

// Linkperf is the value of the key linkperf.
type Linkperf struct {
	Schema   int    // version of this form
	Version  string // of the program
	Test     int    // number of the test on a server that serves several; 0 otherwise
	DataPath string `json:"data_path"` // how this side moved bytes
	Sysinfo  struct {
		Client, Server json.RawMessage // records of both ends, nil where there is none
	}
	UDP      []datagramsRead
	Findings json.RawMessage
	Run      json.RawMessage
	Warnings []string
}

// ReadError is a part of the input that is not a document.
type ReadError struct {
	Line   int   // from 1
	Offset int64 // bytes before it
	Err    error
}

// Error gives line and byte before the reason.
func (e *ReadError) Error() string {
	return fmt.Sprintf("line %d (byte %d): %v", e.Line, e.Offset, e.Err)
}

// Unwrap returns the reason.
func (e *ReadError) Unwrap() error { return e.Err }

// Named puts the name of what was read in front of each error that [Read] has
// joined.
func Named(source string, err error) error {
	many, ok := err.(interface{ Unwrap() []error })
	switch {
	case err == nil:
		return nil
	case !ok:
		return fmt.Errorf("%s: %w", source, err)
	}
	var all []error
	for _, e := range many.Unwrap() {
		all = append(all, Named(source, e))
	}
	return errors.Join(all...)
}

// Read reads all documents of r. Several may follow each other, and text may
// stand between them. What can't be read is left out and told by the error,
// which joins a [ReadError] for each such part; the other documents are
// returned all the same.
func Read(r io.Reader) ([]*Document, error) {
	input, err := io.ReadAll(r)
	if err != nil {
		return nil, fmt.Errorf("read documents: %w", err)
	}
	rd := reader{input: input, line: 1, streams: map[int]*eventStream{}}
	rd.run()
	for _, d := range rd.docs {
		d.Line = rd.lineOf(d.offset)
	}
	docs := make([]*Document, len(rd.docs))
	for i, d := range rd.docs {
		docs[i] = &d.Document
	}
	return docs, errors.Join(rd.errs...)
}

// empty reports whether a document tells of no test, not even of one that
// failed or was left out of a plan.
func (d *Document) empty() bool {
	return d.Error == "" && len(d.Result.Streams) == 0 && len(d.Result.Intervals) == 0 && (d.Linkperf == nil || d.Linkperf.Run == nil)
}

// Failure tells why a test has no final figures, or only those up to where it
// failed; empty if it went well.
func (d *Document) Failure() string {
	switch {
	case d.Error != "":
		return d.Error
	case !d.Complete:
		return "its events break off before the end of the test"
	case len(d.Result.Streams) == 0:
		return "its document has no final figures"
	}
	return ""
}

type reader struct {
	input   []byte
	docs    []*placed
	errs    []error
	streams map[int]*eventStream // that have not ended, by number of the test

	seen, line int // lineOf's progress
}

// placed is a document with its place in the input.
type placed struct {
	Document
	offset int
	stream bool   // read from events
	cookie string // of the test
}

// eventStream gathers the events of one test.
type eventStream struct {
	doc    wireDocument
	offset int
	end    int
	ended  bool
	mixed  bool   // something else stands between the events
	events []byte // without that
}

func (rd *reader) run() {
	at := 0
	for at < len(rd.input) {
		rest := rd.input[at:]
		skip := len(rest) - len(bytes.TrimLeft(rest, " \t\r\n"))
		if at += skip; at == len(rd.input) {
			break
		}
		rest = rd.input[at:]
		dec := json.NewDecoder(bytes.NewReader(rest))
		var raw json.RawMessage
		if err := dec.Decode(&raw); err != nil {
			rd.fail(at, err)
			at += nextObject(rest)
			continue
		}
		n := int(dec.InputOffset())
		if err := rd.value(rest[:n], at); err != nil {
			rd.fail(at, err)
			if rest[0] != '{' { // text such as "42 lines": none of it is a document
				n = max(n, nextObject(rest))
			}
		}
		at += n
	}
	for _, s := range rd.unfinished() {
		rd.finish(s)
	}
}

// unfinished returns the streams that have not ended in the order in which they
// began.
func (rd *reader) unfinished() []*eventStream {
	var open []*eventStream
	for _, s := range rd.streams {
		i := 0
		for i < len(open) && open[i].offset < s.offset {
			i++
		}
		open = append(open[:i], append([]*eventStream{s}, open[i:]...)...)
	}
	return open
}

// nextObject returns where the next line begins that starts with a brace.
func nextObject(b []byte) int {
	if i := bytes.Index(b, []byte("\n{")); i >= 0 {
		return i + 1
	}
	return len(b)
}

func (rd *reader) fail(at int, err error) {
	rd.errs = append(rd.errs, &ReadError{Line: rd.lineOf(at), Offset: int64(at), Err: plainly(err)})
}

// expected tells who meets something else what is read here.
const expected = "expected is the document of a test, as -J and --json-stream write it"

// plainly says in the words of the input, not of this program, what a JSON
// decoder did not like.
func plainly(err error) error {
	kind, syntax := &json.UnmarshalTypeError{}, &json.SyntaxError{}
	switch {
	case errors.Is(err, io.ErrUnexpectedEOF):
		return errors.New("the document is cut off")
	case errors.As(err, &kind) && kind.Field == "":
		return fmt.Errorf("%s; %s", jsonKind(kind.Value), expected)
	case errors.As(err, &kind):
		return fmt.Errorf("%s is %s, which it is in no test; %s", strings.ToLower(kind.Field), jsonKind(kind.Value), expected)
	case errors.As(err, &syntax):
		return fmt.Errorf("not JSON (%w); %s", err, expected)
	}
	return err
}

// jsonKind names the kind of a JSON value as a decoder's error has it.
func jsonKind(value string) string {
	switch kind, _, _ := strings.Cut(value, " "); kind {
	case "array":
		return "a list"
	case "object":
		return "an object"
	case "number":
		return "a number"
	case "string":
		return "a text"
	}
	return "true or false"
}

// lineOf returns the line of an offset.
func (rd *reader) lineOf(at int) int {
	if at < rd.seen {
		rd.seen, rd.line = 0, 1
	}
	rd.line += bytes.Count(rd.input[rd.seen:at], []byte("\n"))
	rd.seen = at
	return rd.line
}

// value takes one JSON value: a document or an event.
func (rd *reader) value(raw []byte, at int) error {
	var probe struct {
		Event     *string
		Data      json.RawMessage
		Start     json.RawMessage
		Intervals json.RawMessage
		End       json.RawMessage
		Error     json.RawMessage
		Linkperf  struct{ Test int }
	}
	if err := json.Unmarshal(raw, &probe); err != nil {
		return err
	}
	switch {
	case probe.Event != nil:
		return rd.event(*probe.Event, probe.Data, probe.Linkperf.Test, raw, at)
	case probe.Start == nil && probe.End == nil && probe.Error == nil && probe.Intervals == nil:
		return fmt.Errorf("no start, intervals, end or error; %s", expected)
	}
	var w wireDocument
	if err := json.Unmarshal(raw, &w); err != nil {
		return err
	}
	d := &placed{offset: at, cookie: w.Start.Cookie}
	d.Document = w.document()
	d.Raw, d.Complete = raw, true
	if d.empty() {
		return fmt.Errorf("no figures, and no error that tells why; %s", expected)
	}
	// The full output after a stream of events is the same test once more.
	if n := len(rd.docs); n > 0 {
		if last := rd.docs[n-1]; last.stream && last.Complete && last.cookie == d.cookie &&
			len(bytes.TrimSpace(rd.input[last.offset+len(last.Raw):at])) == 0 && (d.cookie != "" || d.Error == last.Error) {
			d.offset = last.offset
			d.Raw = rd.input[d.offset : at+len(raw)]
			rd.docs[n-1] = d
			return nil
		}
	}
	rd.docs = append(rd.docs, d)
	return nil
}

func (rd *reader) event(name string, data json.RawMessage, test int, raw []byte, at int) error {
	s := rd.streams[test]
	if s != nil && name == "start" { // the one before broke off
		rd.finish(s)
		delete(rd.streams, test)
		s = nil
	}
	if s == nil {
		s = &eventStream{offset: at}
	}
	if err := s.doc.event(name, data); err != nil {
		return fmt.Errorf("event %q: %w", name, plainly(err))
	}
	rd.streams[test] = s
	s.mixed = s.mixed || s.end > 0 && len(bytes.TrimSpace(rd.input[s.end:at])) > 0
	s.end = at + len(raw)
	s.events = append(append(s.events, raw...), '\n')
	if name == "end" {
		s.ended = true
		rd.finish(s)
		delete(rd.streams, test)
	}
	return nil
}

func (rd *reader) finish(s *eventStream) {
	if s.end == 0 {
		return
	}
	d := &placed{offset: s.offset, stream: true, cookie: s.doc.Start.Cookie}
	d.Document = s.doc.document()
	d.Complete = s.ended
	d.Raw = rd.input[s.offset:s.end]
	if s.mixed {
		d.Raw = bytes.TrimSuffix(s.events, []byte("\n"))
	}
	rd.docs = append(rd.docs, d)
}
