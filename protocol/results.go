package protocol

import (
	"encoding/json"
	"errors"
	"fmt"
)

// Results is what each side tells the other after the test: the frames that
// follow ExchangeResults.
type Results struct {
	// CPUTotal, CPUUser and CPUSystem are the process's CPU time over the
	// test's, in percent of one CPU; it may exceed 100.
	CPUTotal, CPUUser, CPUSystem float64
	// SenderHasRetransmits is 1 if this side sends TCP and counts
	// retransmissions, 0 if it sends and cannot count them, -1 if it only
	// receives.
	SenderHasRetransmits int
	// CongestionUsed is the TCP congestion control algorithm of the data
	// connections; "" if there is none.
	CongestionUsed string
	// ServerOutputText is the server's report, lines ending in "\n". It can
	// come unasked.
	ServerOutputText string
	// ServerOutputJSON is the server's report as a JSON object. It can come
	// unasked, and its keys can repeat.
	ServerOutputJSON json.RawMessage
	// Streams has one entry for each stream, in both directions. Parsed, they
	// come in the peer's order and some can be missing.
	Streams []StreamResults
	// Linkperf is the value of the key "linkperf": any JSON, or nil.
	Linkperf json.RawMessage
}

// StreamResults is what one side knows of one stream.
type StreamResults struct {
	// ID is the stream's: see StreamID.
	ID int
	// Bytes of payload that this side sent or received, without the omit period.
	Bytes int64
	// Retransmits counts TCP segments after the omit period; -1 is unknown.
	Retransmits int64
	// Jitter of the datagrams that this side received, in seconds.
	Jitter float64
	// Errors counts the datagrams that this side found lost, and OmittedErrors
	// those of them in the omit period. Versions before 3.1.3 count without the
	// omit period. For streams that a server sends, both are the client's.
	Errors, OmittedErrors int64
	// Packets counts the datagrams sent, or is the highest counter received;
	// OmittedPackets is the part of the omit period.
	Packets, OmittedPackets int64
	// HasOmitted says that both omitted counts are known. Versions before 3.14
	// do not send them.
	HasOmitted bool
	// StartTime is 0 and EndTime the length of the measurement, in seconds on
	// this side's clock.
	StartTime, EndTime float64
	// HasTimes says that both times are known. Versions before 3.2 do not send
	// them.
	HasTimes bool
}

// Marshal returns the frame's JSON with iperf3's keys in iperf3's order. What is
// no number (NaN, infinity) is sent as 0. It fails with CodePackageResults when
// ServerOutputJSON or Linkperf is not JSON.
func (r *Results) Marshal() ([]byte, error) {
	var w objectWriter
	w.float("cpu_util_total", r.CPUTotal)
	w.float("cpu_util_user", r.CPUUser)
	w.float("cpu_util_system", r.CPUSystem)
	w.integer("sender_has_retransmits", int64(r.SenderHasRetransmits))
	if r.CongestionUsed != "" {
		w.text("congestion_used", r.CongestionUsed)
	}
	switch {
	case r.ServerOutputJSON != nil:
		w.raw("server_output_json", r.ServerOutputJSON)
	case r.ServerOutputText != "":
		w.text("server_output_text", r.ServerOutputText)
	}
	w.key("streams")
	w.b = append(w.b, '[')
	for i := range r.Streams {
		if i > 0 {
			w.b = append(w.b, ',')
		}
		w.b = append(w.b, r.Streams[i].marshal()...)
	}
	w.b = append(w.b, ']')
	if r.Linkperf != nil {
		w.raw("linkperf", r.Linkperf)
	}
	b, err := w.end()
	if err != nil {
		return nil, NewError(CodePackageResults, err)
	}
	return b, nil
}

func (s *StreamResults) marshal() []byte {
	var w objectWriter
	w.integer("id", int64(s.ID))
	w.integer("bytes", s.Bytes)
	w.integer("retransmits", s.Retransmits)
	w.float("jitter", s.Jitter)
	w.integer("errors", s.Errors)
	if s.HasOmitted {
		w.integer("omitted_errors", s.OmittedErrors)
	}
	w.integer("packets", s.Packets)
	if s.HasOmitted {
		w.integer("omitted_packets", s.OmittedPackets)
	}
	if s.HasTimes {
		w.float("start_time", s.StartTime)
		w.float("end_time", s.EndTime)
	}
	b, _ := w.end() // numbers alone do not fail
	return b
}

// ParseResults reads the peer's results. A key of the wrong type counts as
// absent and gives a Warning; unknown keys are ignored. It fails with
// CodeRecvResults when a key is missing that every iperf3 sends, when only one
// omitted count is there, or when there are more streams than a test can have.
func ParseResults(b []byte) (Results, []Warning, error) {
	var warnings []Warning
	o, err := parseObject(b, "", &warnings)
	if err != nil {
		return Results{}, nil, NewError(CodeRecvResults, err)
	}
	q := required{object: o}
	r := Results{
		CPUTotal:             q.float("cpu_util_total"),
		CPUUser:              q.float("cpu_util_user"),
		CPUSystem:            q.float("cpu_util_system"),
		SenderHasRetransmits: int(q.integer("sender_has_retransmits")),
		CongestionUsed:       o.text("congestion_used"),
		ServerOutputText:     o.text("server_output_text"),
		Linkperf:             o.raw("linkperf"),
	}
	if raw, ok := o.get("server_output_json", kindObject); ok {
		r.ServerOutputJSON = raw
	}
	streams, ok := o.get("streams", kindArray)
	if !ok {
		q.missing("streams")
	}
	if q.err == nil {
		r.Streams, q.err = parseStreams(streams, &warnings)
	}
	if q.err != nil {
		return r, warnings, NewError(CodeRecvResults, q.err)
	}
	return r, warnings, nil
}

func parseStreams(raw json.RawMessage, warnings *[]Warning) ([]StreamResults, error) {
	var values []json.RawMessage
	if err := json.Unmarshal(raw, &values); err != nil {
		return nil, err
	}
	if len(values) > 2*MaxStreams {
		return nil, fmt.Errorf("results of %d streams, a test has at most %d", len(values), 2*MaxStreams)
	}
	streams := make([]StreamResults, len(values))
	for i, value := range values {
		place := fmt.Sprintf("streams[%d]", i)
		o, err := parseObject(value, place+".", warnings)
		if err != nil {
			return nil, fmt.Errorf("%s: %w", place, err)
		}
		if streams[i], err = parseStream(o); err != nil {
			return nil, err
		}
	}
	return streams, nil
}

func parseStream(o object) (StreamResults, error) {
	q := required{object: o}
	s := StreamResults{
		ID:          int(q.integer("id")),
		Bytes:       q.integer("bytes"),
		Retransmits: q.integer("retransmits"),
		Jitter:      q.float("jitter"),
		Errors:      q.integer("errors"),
		Packets:     q.integer("packets"),
	}
	omittedErrors, hasErrors := o.get("omitted_errors", kindNumber)
	omittedPackets, hasPackets := o.get("omitted_packets", kindNumber)
	if hasErrors != hasPackets && q.err == nil {
		q.err = errors.New(o.place + "omitted_errors and omitted_packets do not come together")
	}
	if s.HasOmitted = hasErrors && hasPackets; s.HasOmitted {
		s.OmittedErrors, _ = parseInteger(omittedErrors)
		s.OmittedPackets, _ = parseInteger(omittedPackets)
	}
	start, hasStart := o.get("start_time", kindNumber)
	end, hasEnd := o.get("end_time", kindNumber)
	if s.HasTimes = hasStart && hasEnd; s.HasTimes {
		s.StartTime, _ = parseFloat(start)
		s.EndTime, _ = parseFloat(end)
	}
	return s, q.err
}

// required reads numbers that must be there and keeps the first that is not.
type required struct {
	object
	err error
}

func (q *required) missing(key string) {
	if q.err == nil {
		q.err = fmt.Errorf("%s%s is missing", q.place, key)
	}
}

func (q *required) integer(key string) int64 {
	raw, ok := q.get(key, kindNumber)
	if !ok {
		q.missing(key)
		return 0
	}
	n, _ := parseInteger(raw)
	return n
}

func (q *required) float(key string) float64 {
	raw, ok := q.get(key, kindNumber)
	if !ok {
		q.missing(key)
		return 0
	}
	f, _ := parseFloat(raw)
	return f
}
