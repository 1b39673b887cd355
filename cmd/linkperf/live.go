package main

import (
	"bufio"
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"maps"
	"slices"
	"strings"

	"linkperf/report"
	"linkperf/sysinfo"
)

// maxEvent bounds one line of a stream of events: an "end" with 128 streams,
// and a server's whole document, stay far below it.
const maxEvent = 64 << 20

// readStandardInput reads results from a pipe.
func readStandardInput(stdin io.Reader) (*report.Set, error) {
	set := &report.Set{Name: "standard input"}
	docs, err := report.Read(stdin)
	set.Add("-", docs...)
	return set, aboutInput(err, len(docs))
}

// aboutInput is what is to be said of the input after all of it was read.
func aboutInput(err error, tests int) error {
	if err == nil && tests == 0 {
		err = errors.New("no test in it; expected is what -J or --json-stream writes")
	}
	return report.Named("standard input", err)
}

// watch draws each interval of a stream of events as it comes; the figures of
// the whole test follow at its end. It can go on for as long as a server runs:
// of a test that lasts, only its beginning is kept.
func watch(ctx context.Context, stdin io.Reader, stdout io.Writer) error {
	v := liveView{w: stdout, open: map[int]*part{}}
	lines := bufio.NewScanner(stdin)
	lines.Buffer(make([]byte, 64<<10), maxEvent)
	lines.Split(wholeLines)
	var at inputLine
	for lines.Scan() && ctx.Err() == nil {
		at.line++
		v.line(lines.Bytes(), at)
		at.offset += int64(len(lines.Bytes()))
	}
	for _, test := range slices.Sorted(maps.Keys(v.open)) {
		v.close(test)
	}
	err := errors.Join(aboutInput(errors.Join(lines.Err(), errors.Join(v.errs...)), v.tests), v.err)
	if v.tests > 0 && v.failed == v.tests {
		err = errors.Join(err, noResult(v.tests))
	}
	return err
}

// wholeLines splits into lines with their ends.
func wholeLines(data []byte, atEOF bool) (int, []byte, error) {
	if i := bytes.IndexByte(data, '\n'); i >= 0 {
		return i + 1, data[:i+1], nil
	}
	if atEOF && len(data) > 0 {
		return len(data), data, nil
	}
	return 0, nil, nil
}

// inputLine is where a line of the input begins.
type inputLine struct {
	line   int   // from 1
	offset int64 // bytes before it
}

// part is what is kept of a test that has not ended: its events but for the
// intervals, or the lines of its document.
type part struct {
	text   []byte
	starts []int       // of the lines in text
	places []inputLine // of the same lines in the input
}

func (p *part) add(line []byte, at inputLine) {
	p.starts, p.places = append(p.starts, len(p.text)), append(p.places, at)
	p.text = append(p.text, line...)
}

// locate makes an error about the text one about the input.
func (p *part) locate(err error) {
	many, _ := err.(interface{ Unwrap() []error })
	if many == nil {
		return
	}
	for _, e := range many.Unwrap() {
		if where, ok := errors.AsType[*report.ReadError](e); ok {
			i, found := slices.BinarySearch(p.starts, int(where.Offset))
			if !found {
				i--
			}
			where.Line = p.places[i].line
			where.Offset += p.places[i].offset - int64(p.starts[i])
		}
	}
}

// liveView draws one bar a report: the longest so far is the full width.
type liveView struct {
	w    io.Writer
	top  float64 // bits per second
	open map[int]*part
	errs []error
	err  error // of w

	tests  int              // whose end was shown
	failed int              // of these
	stream *report.Document // the last that came as events
	noise  bool             // text between documents was told of
}

const barWidth = 40

// document is where the lines of a document are kept; events are kept under the
// number of their test.
const document = -1

// line takes a line of the input: an event, or a part of something else.
func (v *liveView) line(line []byte, at inputLine) {
	var e struct {
		Event    string
		Data     json.RawMessage
		Linkperf struct{ Test int }
	}
	switch {
	case line[0] != '{' && v.open[document] == nil:
		if len(bytes.TrimSpace(line)) > 0 && !v.noise {
			v.noise = true
			v.keep(document, line, at)
			v.close(document)
		}
	case line[0] == '{' && json.Unmarshal(line, &e) == nil && e.Event != "":
		test := e.Linkperf.Test
		if e.Event == "start" {
			v.close(test) // the one before broke off
		}
		if e.Event == "interval" && v.interval(e.Data) && v.open[test] != nil {
			return
		}
		v.keep(test, line, at)
		if e.Event == "end" {
			v.close(test)
		}
	default:
		if line[0] == '{' {
			v.close(document) // the one before is cut off
		}
		v.keep(document, line, at)
		if line[0] == '}' || json.Valid(line) {
			v.close(document)
		}
	}
}

func (v *liveView) keep(test int, line []byte, at inputLine) {
	if v.open[test] == nil {
		v.open[test] = &part{}
	}
	v.open[test].add(line, at)
}

// close shows the end of a test.
func (v *liveView) close(test int) {
	p := v.open[test]
	if p == nil {
		return
	}
	delete(v.open, test)
	docs, err := report.Read(bytes.NewReader(p.text))
	if err != nil {
		p.locate(err)
		v.errs = append(v.errs, err)
	}
	for _, d := range docs {
		// The full output after a stream of events is the same test once more.
		repeated := test == document && v.stream != nil && d.Error == v.stream.Error && d.Result.Start.Cookie == v.stream.Result.Start.Cookie
		if v.stream = nil; test != document {
			v.stream = d
		}
		if !repeated {
			v.summary(d)
		}
	}
}

// interval draws an interval; false if it can't be read.
func (v *liveView) interval(data []byte) bool {
	type sum struct {
		Start, End float64
		Rate       float64 `json:"bits_per_second"`
		Omitted    bool
	}
	var sums struct {
		Sum     *sum
		Reverse *sum `json:"sum_bidir_reverse"`
	}
	if json.Unmarshal(data, &sums) != nil {
		return false
	}
	for i, s := range []*sum{sums.Sum, sums.Reverse} {
		if s == nil {
			continue
		}
		v.top = max(v.top, s.Rate)
		bar := ""
		if v.top > 0 {
			bar = strings.Repeat("█", int(max(s.Rate, 0)/v.top*barWidth+0.5))
		}
		note := ""
		if s.Omitted {
			note = " (omitted)"
		}
		v.printf("%6.2f-%-6.2f s %s %14s  %-*s%s\n", s.Start, s.End, [...]string{" ", "←"}[i], bitRate(s.Rate), barWidth, bar, note)
	}
	return true
}

// summary is the test's last line.
func (v *liveView) summary(d *report.Document) {
	v.tests++
	if why := d.Failure(); why != "" {
		v.failed++
		v.printf("the test failed: %s\n", sysinfo.Printable(why))
		return
	}
	for _, toServer := range d.Directions() {
		if rate, ok := d.Received(toServer); ok {
			way := "server to client"
			if toServer {
				way = "client to server"
			}
			v.printf("%s: %s received\n", way, bitRate(rate))
		}
	}
}

func (v *liveView) printf(format string, args ...any) {
	if v.err == nil {
		_, v.err = fmt.Fprintf(v.w, format, args...)
	}
}
