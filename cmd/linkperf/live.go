package main

import (
	"bufio"
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"strings"

	"linkperf/report"
)

// maxEvent bounds one line of a stream of events: an "end" with 128 streams,
// and a server's whole document, stay far below it.
const maxEvent = 64 << 20

// readStandardInput reads results from a pipe. With live, each interval of a
// stream of events is drawn as it comes, and the table of the test follows at
// its end.
func readStandardInput(ctx context.Context, stdin io.Reader, stdout io.Writer, live bool) (*report.Set, error) {
	set := &report.Set{Name: "standard input"}
	if !live {
		docs, err := report.Read(stdin)
		set.Add("-", docs...)
		return set, err
	}
	v := liveView{w: stdout}
	var all bytes.Buffer
	lines := bufio.NewScanner(stdin)
	lines.Buffer(make([]byte, 64<<10), maxEvent)
	for lines.Scan() && ctx.Err() == nil {
		all.Write(lines.Bytes())
		all.WriteByte('\n')
		v.event(lines.Bytes())
	}
	docs, err := report.Read(bytes.NewReader(all.Bytes()))
	set.Add("-", docs...)
	if len(docs) == 0 && err == nil {
		err = errors.New("no test found on standard input")
	}
	for _, d := range docs {
		v.summary(d)
	}
	return set, errors.Join(lines.Err(), err, v.err)
}

// liveView draws one bar a report: the longest so far is the full width.
type liveView struct {
	w   io.Writer
	top float64 // bits per second
	err error
}

const barWidth = 40

// event draws what a line says, if it is an interval.
func (v *liveView) event(line []byte) {
	type sum struct {
		Start, End float64
		Rate       float64 `json:"bits_per_second"`
		Omitted    bool
	}
	var e struct {
		Event string
		Data  struct {
			Sum     *sum
			Reverse *sum `json:"sum_bidir_reverse"`
		}
	}
	if json.Unmarshal(line, &e) != nil || e.Event != "interval" {
		return
	}
	for i, s := range []*sum{e.Data.Sum, e.Data.Reverse} {
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
}

// summary is the test's last line.
func (v *liveView) summary(d *report.Document) {
	if d.Error != "" {
		v.printf("the test failed: %s\n", d.Error)
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
