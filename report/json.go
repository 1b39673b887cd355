package report

import (
	"encoding/json"
	"errors"
	"io"

	"linkperf/protocol/measure"
)

// jsonSink shows a test as a document, or as a stream of events.
type jsonSink struct {
	w         io.Writer
	o         Options
	start     *measure.Start
	started   bool
	intervals array // kept only if a document will be wanted
}

func newJSON(w io.Writer, o Options) *jsonSink { return &jsonSink{w: w, o: o} }

func (j *jsonSink) Connect(s *measure.Start) error {
	j.start = s
	return nil
}

func (j *jsonSink) Start(s *measure.Start) error {
	j.start, j.started = s, true
	return j.event("start", startObject(&j.o, s, true))
}

func (j *jsonSink) Interval(iv *measure.Interval) error {
	if j.start == nil || idle(j.start, iv) {
		return nil
	}
	o := intervalObject(j.start, iv)
	if j.o.Kind == JSON || j.o.FullOutput || j.start.Params.GetServerOutput {
		j.intervals = append(j.intervals, o)
	}
	return j.event("interval", o)
}

func (j *jsonSink) End(r *measure.Result, err error) error {
	r = withStart(r, j.start)
	var x Extra
	if j.o.Extra != nil {
		x = j.o.Extra(r, err)
	}
	doc := j.document()
	doc.set("end", j.end(r, err))
	if err != nil {
		doc.set("error", ErrorText(j.o.Side, err))
	}
	title, extra := j.o.Title, j.o.ExtraData
	if j.start != nil {
		title, extra = j.start.Params.Title, j.start.Params.ExtraData
	}
	if title != "" {
		doc.set("title", title)
	}
	if extra != "" {
		doc.set("extra_data", extra)
	}
	if r.ServerOutputJSON != nil {
		doc.set("server_output_json", r.ServerOutputJSON)
	}
	if r.ServerOutputText != "" {
		doc.set("server_output_text", r.ServerOutputText)
	}
	doc.set("linkperf", linkperfObject(&j.o, j.start, r, &x))

	var failed error
	if j.o.Kind == JSONStream {
		if err != nil {
			failed = errors.Join(failed, j.event("error", firstErrorText(j.o.Side, err)))
		}
		for _, name := range []string{"server_output_json", "server_output_text", "linkperf", "end"} {
			if v := doc.get(name); v != nil {
				failed = errors.Join(failed, j.event(name, v))
			}
		}
		if !j.o.FullOutput {
			return failed
		}
	}
	_, werr := j.w.Write(append(appendValue(nil, doc, 0), '\n'))
	return errors.Join(failed, werr)
}

// ServerOutput implements [Sink].
func (j *jsonSink) ServerOutput(r *measure.Result) (string, json.RawMessage) {
	doc := j.document()
	doc.set("end", j.end(withStart(r, j.start), nil))
	return "", appendValue(nil, doc, compact)
}

func (j *jsonSink) document() object {
	intervals := j.intervals
	if intervals == nil {
		intervals = array{}
	}
	return object{{"start", startObject(&j.o, j.start, j.started)}, {"intervals", intervals}}
}

// end is empty unless streams were measured. A client that its user ended
// before there were any has moved 0 bytes, and says so as iperf3 does.
func (j *jsonSink) end(r *measure.Result, err error) object {
	var signal *SignalError
	switch {
	case len(r.Streams) > 0 && r.Start != nil:
		return endObject(r.Start, r)
	case j.o.Side == measure.Client && errors.As(err, &signal):
		return endObject(j.start, &measure.Result{LocalCPU: r.LocalCPU})
	}
	return object{}
}

// event writes one event of a JSONStream. With several tests at once, each
// event tells its test.
func (j *jsonSink) event(name string, data any) error {
	if j.o.Kind != JSONStream {
		return nil
	}
	e := object{{"event", name}, {"data", data}}
	if j.start != nil && j.start.Number > 0 {
		e.set("linkperf", object{{"test", j.start.Number}})
	}
	_, err := j.w.Write(append(appendValue(nil, e, compact), '\n'))
	return err
}

// withStart returns the result with its Start, which sums need.
func withStart(r *measure.Result, s *measure.Start) *measure.Result {
	if r.Start != nil || s == nil {
		return r
	}
	c := *r
	c.Start = s
	return &c
}
