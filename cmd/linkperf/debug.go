package main

import (
	"encoding/json"
	"fmt"
	"io"

	"linkperf/protocol/measure"
)

// A debugSink tells what happens in a test beside its report, for -d.
type debugSink struct {
	measure.Sink
	w io.Writer
}

func (d debugSink) Connect(s *measure.Start) error {
	if text, err := s.Params.Marshal(); err == nil {
		fmt.Fprintf(d.w, "debug: parameters %s\n", text)
	}
	return d.Sink.Connect(s)
}

func (d debugSink) Start(s *measure.Start) error {
	for i := range s.Streams {
		st := &s.Streams[i]
		direction := "receives from"
		if st.Sender {
			direction = "sends to"
		}
		fmt.Fprintf(d.w, "debug: stream %d, socket %d: %s %s %s, path %s\n", st.ID, st.Socket, st.Local, direction, st.Remote, st.DataPath)
	}
	return d.Sink.Start(s)
}

func (d debugSink) ServerOutput(r *measure.Result) (string, json.RawMessage) {
	return serverOutput(d.Sink, r)
}

func (d debugSink) End(r *measure.Result, failure error) error {
	if text, err := json.Marshal(r.Streams); err == nil {
		fmt.Fprintf(d.w, "debug: results %s\n", text)
	}
	for err := failure; err != nil; err = unwrapOne(err) {
		fmt.Fprintf(d.w, "debug: failed: %T: %v\n", err, err)
	}
	return d.Sink.End(r, failure)
}

// unwrapOne returns what err wraps; the first of several.
func unwrapOne(err error) error {
	switch e := err.(type) {
	case interface{ Unwrap() error }:
		return e.Unwrap()
	case interface{ Unwrap() []error }:
		if all := e.Unwrap(); len(all) > 0 {
			return all[0]
		}
	}
	return nil
}
