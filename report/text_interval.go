package report

import (
	"fmt"
	"strings"
	"time"

	"linkperf/protocol"
	"linkperf/protocol/measure"
)

// separator stands between the reports of several streams and before the
// summary.
var separator = strings.TrimSuffix(strings.Repeat("- ", 25), " ")

// header returns the titles of the columns.
func (t *textSink) header(columns string) string {
	role := ""
	if t.bidirectional() {
		role = "[Role]"
	}
	return "[ ID]" + role + " Interval           Transfer     Bitrate" + columns
}

func (t *textSink) bidirectional() bool { return t.start != nil && t.start.Params.Bidirectional }

func (t *textSink) udp() bool {
	return t.start != nil && transport(&t.start.Params) == protocol.UDP
}

// role returns the column that tells the directions of a bidirectional test
// apart.
func (t *textSink) role(sender bool) string {
	if !t.bidirectional() {
		return ""
	}
	side := "C"
	if t.o.Side == measure.Server {
		side = "S"
	}
	if sender {
		return "[TX-" + side + "]"
	}
	return "[RX-" + side + "]"
}

const sumID = "SUM"

func streamID(st *measure.StreamInfo) string { return fmt.Sprintf("%3d", st.Socket) }

// line writes the columns that all lines have, followed by rest.
func (t *textSink) line(id string, sender bool, start, end time.Duration, bytes int64, rest string) {
	t.printf("[%s]%s %6.2f-%-6.2f sec  %s  %s%s", id, t.role(sender), seconds(start), seconds(end),
		sizeText(float64(bytes)), bitRate(measure.Rate(bytes, end-start), t.o.Format), rest)
}

func (t *textSink) Interval(iv *measure.Interval) error {
	if t.start == nil {
		return nil
	}
	if t.omitted && !iv.Omitted {
		t.omitted = false
		if t.o.Verbose && t.start.Interval == 0 {
			t.printf("Finished omit period, starting real test")
		}
	}
	if idle(t.start, iv) {
		return t.done()
	}
	several := t.start.Params.Parallel > 1
	switch {
	case t.reports == 0:
		t.printf("%s", t.header(t.intervalColumns(iv)))
	case several:
		t.printf("%s", separator)
	}
	t.reports++
	for _, d := range directions(&t.start.Params) {
		sender := d.toServer == (t.o.Side == measure.Client)
		for i := range iv.Streams {
			if st := &iv.Streams[i]; st.Stream.Sender == sender {
				t.intervalLine(streamID(st.Stream), st, sender)
			}
		}
		if sum, ok := iv.Sum(sender); ok && several {
			t.intervalLine(sumID, &sum, sender)
		}
	}
	return t.done()
}

func (t *textSink) intervalColumns(iv *measure.Interval) string {
	sends, counts := false, false
	for i := range iv.Streams {
		sends = sends || iv.Streams[i].Stream.Sender
		counts = counts || iv.Streams[i].Stream.Sender && iv.Streams[i].TCP != nil
	}
	switch {
	case t.udp() && sends && !t.bidirectional():
		return "         Total Datagrams"
	case t.udp():
		return "         Jitter    Lost/Total Datagrams"
	case counts:
		return "         Retr  Cwnd"
	}
	return ""
}

func (t *textSink) intervalLine(id string, st *measure.StreamInterval, sender bool) {
	tail := ""
	if st.Omitted {
		tail = "(omitted)"
	}
	rest := strings.Repeat(" ", 18) + tail
	switch {
	case st.UDP != nil && sender:
		blanks := 2
		if t.bidirectional() {
			blanks = 12
		}
		rest = fmt.Sprintf("%*s%d  %s", blanks, "", st.UDP.Packets, tail)
	case st.UDP != nil:
		rest = "  " + lossText(st.UDP, false) + "  " + tail
	case st.TCP != nil && sender && id == sumID:
		rest = fmt.Sprintf("  %3d%13s%s", st.TCP.Retransmits, "", tail)
	case st.TCP != nil && sender:
		rest = fmt.Sprintf("  %3d   %s%7s%s", st.TCP.Retransmits, sizeText(float64(st.TCP.SndCwnd)), "", tail)
	}
	t.line(id, sender, st.Start, st.End, st.Bytes, rest)
}

// lossText returns jitter and loss. unknown means that the losses can't be told
// from those of the omit period.
func lossText(u *measure.UDPStats, unknown bool) string {
	if unknown {
		return fmt.Sprintf("%5.3f ms  Unknown/%d", u.Jitter*1000, u.Packets)
	}
	return fmt.Sprintf("%5.3f ms  %d/%d (%.2g%%)", u.Jitter*1000, u.Lost, u.Packets, percent(u.Lost, u.Packets))
}
