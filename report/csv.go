package report

import (
	"encoding/csv"
	"errors"
	"fmt"
	"io"
	"maps"
	"math"
	"os"
	"slices"
	"strconv"
	"strings"
	"time"

	"linkperf/protocol/measure"
	"linkperf/report/compare"
)

// A CSV file has one fact a row: a run in one direction, an interval of a
// stream, a comparison. An empty field was not measured, 0 is a measured
// zero; units stand in the column names; bits per second are integers. The
// form is RFC 4180 in UTF-8.

var runColumns = []string{
	"source", "case", "round", "order", "warmup", "status", "reason", "start_utc", "version", "side", "peer",
	"protocol", "direction", "streams", "block_bytes", "duration_seconds",
	"sent_bytes", "received_bytes", "sent_bits_per_second", "received_bits_per_second",
	"retransmits", "rtt_mean_ms", "datagrams", "lost_datagrams", "lost_percent", "out_of_order_datagrams", "duplicate_datagrams", "jitter_ms",
	"client_cpu_percent", "server_cpu_percent", "client_cpu_seconds_per_gigabyte", "server_cpu_seconds_per_gigabyte",
	"sender_congestion", "receiver_congestion", "data_path",
}

// WriteRunsCSV writes runs.csv: a row for each run and direction; a
// bidirectional run has two, a failed one keeps its row. The labels of the
// set's cases are the last columns, named label_AXIS.
func (s *Set) WriteRunsCSV(w io.Writer) error {
	axes := s.labelNames()
	c := newCSV(w)
	header := append([]string(nil), runColumns...)
	for _, a := range axes {
		header = append(header, "label_"+a)
	}
	c.row(header...)
	for i := range s.Runs {
		r := &s.Runs[i]
		for _, row := range r.csvRows() {
			for _, a := range axes {
				row = append(row, guard(r.Labels[a]))
			}
			c.row(row...)
		}
	}
	return c.close()
}

func (s *Set) labelNames() []string {
	names := map[string]bool{}
	for i := range s.Runs {
		for k := range s.Runs[i].Labels {
			names[k] = true
		}
	}
	return slices.Sorted(maps.Keys(names))
}

// csvRows returns the run's rows without its labels.
func (r *StoredRun) csvRows() [][]string {
	ways := r.Directions()
	if len(ways) == 0 {
		return [][]string{r.csvRow("", nil, nil)}
	}
	var rows [][]string
	for _, toServer := range ways {
		rows = append(rows, r.csvRow(directionName(toServer), r.totals(toServer, true), r.totals(toServer, false)))
	}
	return rows
}

func directionName(toServer bool) string {
	if toServer {
		return "client_to_server"
	}
	return "server_to_client"
}

func (r *StoredRun) csvRow(direction string, sent, received *measure.Totals) []string {
	start := r.Result.Start
	round, path := "", ""
	if r.Round != 0 || r.planned {
		round = strconv.Itoa(r.Round)
	}
	if r.Linkperf != nil {
		path = r.Linkperf.DataPath
	}
	peer := ""
	if start.Peer.Host != "" {
		peer = start.Peer.Host + " port " + strconv.Itoa(start.Peer.Port)
	}
	row := []string{
		guard(r.File), guard(r.Case()), round, strconv.Itoa(r.Order), strconv.FormatBool(r.Warmup), r.Status, guard(r.Reason),
		utc(r.Start), guard(r.Version), r.Side.String(), guard(peer),
	}
	if direction == "" {
		return append(row, make([]string, len(runColumns)-len(row))...)
	}
	values := compare.Values(r.Result)
	value := func(name string) string {
		v, ok := values[name]
		return number6(v, ok)
	}
	toServer := direction == directionName(true)
	row = append(row, guard(strings.ToLower(string(transport(&start.Params)))), direction, strconv.Itoa(max(1, start.Params.Parallel)),
		strconv.Itoa(start.Params.Length), number6(r.Duration().Seconds(), r.Duration() > 0),
		bytesOf(sent), bytesOf(received), bits(sent), bits(received))
	retransmits, ok := r.Retransmits(toServer)
	rtt, rttOK := r.RTT(toServer)
	row = append(row, integer(retransmits, ok), number6(float64(rtt)/float64(time.Millisecond), rttOK))
	datagrams := make([]string, 6)
	if received != nil && received.UDP != nil {
		lossPercent, lossOK := r.Loss(toServer)
		base := received.UDP.Packets
		if sent != nil && sent.UDP != nil {
			base = sent.UDP.Packets
		}
		datagrams = []string{integer(base, true), integer(received.UDP.Lost, !received.LossUnknown), number6(lossPercent, lossOK),
			integer(received.UDP.OutOfOrder, received.UDP.OutOfOrder >= 0), integer(received.UDP.Duplicates, received.UDP.Duplicates >= 0),
			number6(received.UDP.Jitter*1000, true)}
	} else if sent != nil && sent.UDP != nil {
		datagrams[0] = integer(sent.UDP.Packets, true)
	}
	row = append(row, datagrams...)
	for _, side := range []measure.Side{measure.Client, measure.Server} {
		cpu, ok := r.CPU(side)
		row = append(row, number6(cpu.Total, ok))
	}
	return append(row, value("client_cpu_seconds_per_gigabyte"), value("server_cpu_seconds_per_gigabyte"),
		guard(r.Result.SenderCongestion), guard(r.Result.ReceiverCongestion), guard(path))
}

var intervalColumns = []string{
	"source", "case", "round", "order", "time_utc", "direction", "stream", "omitted", "start_seconds", "end_seconds",
	"bytes", "bits_per_second", "retransmits", "congestion_window_bytes", "rtt_ms", "rtt_deviation_ms", "path_mtu_bytes",
	"datagrams", "lost_datagrams", "jitter_ms",
}

// WriteIntervalsCSV writes intervals.csv: a row for each interval of each
// stream, as this side of the test saw it.
func (s *Set) WriteIntervalsCSV(w io.Writer) error {
	c := newCSV(w)
	c.row(slices.Clone(intervalColumns)...)
	for i := range s.Runs {
		r := &s.Runs[i]
		for j := range r.Result.Intervals {
			iv := &r.Result.Intervals[j]
			for k := range iv.Streams {
				c.row(r.intervalRow(iv, &iv.Streams[k])...)
			}
		}
	}
	return c.close()
}

func (r *StoredRun) intervalRow(iv *measure.Interval, st *measure.StreamInterval) []string {
	round := ""
	if r.Round != 0 || r.planned {
		round = strconv.Itoa(r.Round)
	}
	row := []string{guard(r.File), guard(r.Case()), round, strconv.Itoa(r.Order), utc(iv.Time),
		directionName(st.Stream.ToServer(r.Side)), strconv.Itoa(st.Stream.Socket), strconv.FormatBool(st.Omitted),
		number6(st.Start.Seconds(), true), number6(st.End.Seconds(), true), integer(st.Bytes, true), integer(int64(math.Round(st.BitsPerSecond())), st.End > st.Start)}
	tcp := make([]string, 5)
	if t := st.TCP; t != nil {
		tcp = []string{integer(t.Retransmits, t.Retransmits >= 0), integer(t.SndCwnd, t.SndCwnd > 0),
			number6(float64(t.RTT)/1000, t.RTT > 0), number6(float64(t.RTTVar)/1000, t.RTT > 0), integer(t.PMTU, t.PMTU > 0)}
	}
	udp := make([]string, 3)
	if u := st.UDP; u != nil {
		udp = []string{integer(u.Packets, true), integer(u.Lost, !st.Stream.Sender), number6(u.Jitter*1000, !st.Stream.Sender)}
	}
	return append(append(row, tcp...), udp...)
}

var compareColumns = []string{
	"metric", "unit", "higher_is_better", "axis", "base", "other", "verdict", "shift", "shift_low", "shift_high", "shift_unit",
	"confidence", "p_value", "paired", "runs", "strata", "runs_needed",
}

// WriteCompareCSV writes compare.csv: a row for each verdict.
func WriteCompareCSV(w io.Writer, verdicts []compare.Verdict) error {
	c := newCSV(w)
	c.row(slices.Clone(compareColumns)...)
	for i := range verdicts {
		v := &verdicts[i]
		unit := v.Metric.Unit
		switch {
		case v.Shift.Relative:
			unit = "fraction"
		case unit == "%": // the difference of two percentages is none
			unit = "points"
		}
		known := !math.IsNaN(v.Shift.Estimate)
		c.row(v.Metric.Name, v.Metric.Unit, strconv.FormatBool(v.Metric.Higher), guard(v.Axis), guard(v.Base), guard(v.Other), string(v.Outcome),
			number6(v.Shift.Estimate, known), number6(v.Shift.Lo, v.Shift.Confidence > 0), number6(v.Shift.Hi, v.Shift.Confidence > 0), unit,
			number6(v.Shift.Confidence, v.Shift.Confidence > 0), significant(v.P, known), strconv.FormatBool(v.Shift.Paired),
			strconv.Itoa(v.Shift.N), strconv.Itoa(v.Shift.Strata), integer(int64(v.Needed), v.Needed > 0))
	}
	return c.close()
}

// AppendRunCSV appends one run to a file, with the header if the file is new
// or empty; a file with another header is left as it is. Labels are not
// written, so that every run has the same columns.
func AppendRunCSV(file string, d *Document) (err error) {
	f, err := os.OpenFile(file, os.O_RDWR|os.O_CREATE|os.O_APPEND, 0o666)
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, f.Close()) }()
	fi, err := f.Stat()
	if err != nil {
		return err
	}
	s := &Set{}
	s.add(d, "")
	s.label()
	c := newCSV(f)
	if fi.Size() == 0 {
		c.row(slices.Clone(runColumns)...)
	} else if header, err := csv.NewReader(f).Read(); err != nil || !slices.Equal(header, runColumns) {
		return errors.Join(fmt.Errorf("%s is no table of runs: its first line does not name their columns", file), err)
	}
	for _, row := range s.Runs[0].csvRows() {
		c.row(row...)
	}
	if err := c.close(); err != nil {
		return fmt.Errorf("%s: %w", file, err)
	}
	return nil
}

type csvWriter struct{ w *csv.Writer }

func newCSV(w io.Writer) *csvWriter {
	c := csv.NewWriter(w)
	c.UseCRLF = true // RFC 4180 section 2
	return &csvWriter{w: c}
}

// row writes a line. RFC 4180 has no control characters within fields but line
// ends, and a terminal would take them for commands.
func (c *csvWriter) row(fields ...string) {
	for i := range fields {
		fields[i] = visible(fields[i], "\t\r\n")
	}
	c.w.Write(fields) // close returns the error
}

func (c *csvWriter) close() error {
	c.w.Flush()
	return c.w.Error() // the first, whichever row it happened in
}

// guard keeps a spreadsheet from taking text for a formula: texts come from
// peers, too.
func guard(s string) string {
	if s != "" && strings.ContainsRune("=+-@\t\r", rune(s[0])) {
		return "'" + s
	}
	return s
}

func utc(t time.Time) string {
	if t.IsZero() || t.Unix() == 0 {
		return ""
	}
	return t.UTC().Format("2006-01-02T15:04:05.000Z")
}

func integer(n int64, ok bool) string {
	if !ok {
		return ""
	}
	return strconv.FormatInt(n, 10)
}

// number6 prints up to six decimals.
func number6(f float64, ok bool) string {
	if !ok || math.IsNaN(f) || math.IsInf(f, 0) {
		return ""
	}
	return strconv.FormatFloat(math.Round(f*1e6)/1e6+0, 'f', -1, 64) // + 0 makes -0 a 0
}

// significant prints up to six significant digits, of small numbers as well.
func significant(f float64, ok bool) string {
	if !ok || math.IsNaN(f) || math.IsInf(f, 0) {
		return ""
	}
	return strconv.FormatFloat(f, 'g', 6, 64)
}

func bytesOf(t *measure.Totals) string {
	if t == nil {
		return ""
	}
	return integer(t.Bytes, true)
}

func bits(t *measure.Totals) string {
	if t == nil || t.Duration <= 0 {
		return ""
	}
	return integer(int64(math.Round(t.BitsPerSecond())), true)
}
