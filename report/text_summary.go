package report

import (
	"fmt"
	"strconv"
	"strings"

	"linkperf/protocol"
	"linkperf/protocol/measure"
)

// summary writes what was measured over the whole test. A server shows its own
// side, and the client's only with Verbose; a client shows both. What one side
// has not told is "not available" where iperf3 has zeros.
func (t *textSink) summary(r *measure.Result) {
	t.printf("%s", separator)
	if t.o.Verbose {
		t.printf("Test Complete. Summary Results:")
	}
	t.printf("%s", t.header(t.summaryColumns(r)))
	if t.start == nil || len(r.Streams) == 0 {
		return
	}
	for _, d := range directions(&t.start.Params) {
		sender := d.toServer == (t.o.Side == measure.Client)
		n := 0
		for i := range r.Streams {
			sr := &r.Streams[i]
			if sr.Stream.Sender != sender {
				continue
			}
			n++
			id := streamID(sr.Stream)
			t.sent(id, sender, sr.Sent)
			if sr.Received != nil {
				t.oddDatagrams(sender, sr.Received)
			}
			if sr.File != nil {
				t.file(sr)
			}
			t.received(id, sender, sr.Received)
		}
		if n > 0 && t.start.Params.Parallel > 1 {
			sent, received := sums(t.o.Side, r, d.toServer)
			t.sent(sumID, sender, sent)
			t.received(sumID, sender, received)
		}
		if t.o.Verbose {
			t.host(r, sender)
		}
	}
}

// shows tells whether the sender's or receiver's line is wanted on a side that
// sends or does not.
func (t *textSink) shows(own bool) bool {
	return own || t.o.Verbose || t.o.Side == measure.Client
}

func (t *textSink) summaryColumns(r *measure.Result) string {
	if t.udp() {
		return "         Jitter    Lost/Total Datagrams"
	}
	for i := range r.Streams {
		sr := &r.Streams[i]
		if sr.Sent != nil && sr.Sent.Retransmits >= 0 && t.shows(sr.Stream.Sender) {
			return "         Retr"
		}
	}
	if len(r.Streams) == 0 {
		return "         Retr"
	}
	return ""
}

func (t *textSink) sent(id string, sender bool, s *measure.Totals) {
	if !t.shows(sender) {
		return
	}
	if s == nil {
		t.printf("[%s] (sender statistics not available)", id)
		return
	}
	rest := strings.Repeat(" ", 18) + "sender"
	switch {
	case s.UDP != nil:
		packets := "Unknown"
		if n, ok := datagramsSent(s); ok {
			packets = strconv.FormatInt(n, 10)
		}
		rest = fmt.Sprintf("  %5.3f ms  0/%s (0%%)  sender", 0.0, packets)
	case s.Retransmits >= 0 && id == sumID:
		rest = fmt.Sprintf("  %3d%13ssender", s.Retransmits, "")
	case s.Retransmits >= 0:
		rest = fmt.Sprintf("  %3d%12ssender", s.Retransmits, "")
	}
	t.line(id, sender, 0, s.Duration, s.Bytes, rest)
}

func (t *textSink) received(id string, sender bool, s *measure.Totals) {
	if !t.shows(!sender) {
		return
	}
	if s == nil {
		t.printf("[%s] (receiver statistics not available)", id)
		return
	}
	rest := strings.Repeat(" ", 18) + "receiver"
	if s.UDP != nil {
		rest = "  " + lossText(s.UDP, s.LossUnknown) + "  receiver"
	}
	t.line(id, sender, 0, s.Duration, s.Bytes, rest)
}

// oddDatagrams counts apart what is not loss: reordering as iperf3 does,
// repetition, and datagrams that reached the host and found no room there.
func (t *textSink) oddDatagrams(sender bool, s *measure.Totals) {
	if s.UDP == nil || !t.shows(!sender) {
		return
	}
	for _, odd := range []struct {
		n     int64
		least bool
		what  string
	}{
		{s.UDP.OutOfOrder, false, "datagrams received out-of-order"},
		{s.UDP.Duplicates, false, "duplicate datagrams received"},
		{s.UDP.Dropped, s.UDP.DroppedAtLeast, "datagrams dropped by the receiver's socket buffer"},
	} {
		if odd.n > 0 {
			least := ""
			if odd.least {
				least = "at least "
			}
			t.printf("[%s]%s %4.1f-%4.1f sec  %s%d %s", sumID, t.role(sender), 0.0, seconds(s.Duration), least, odd.n, odd.what)
		}
	}
}

func (t *textSink) file(sr *measure.StreamResult) {
	f := sr.File
	moved := f.Received
	if sr.Stream.Sender {
		moved = f.Sent
	}
	t.printf("        Sent %s / %s (%d%%) of %s", unitNumber(float64(moved), 'A'), unitNumber(float64(f.Size), 'A'),
		int64(percent(moved, f.Size)), f.Name)
}

// host writes the lines of -V about both hosts. Processor time is told in the
// direction in which this side sends.
func (t *textSink) host(r *measure.Result, sender bool) {
	if sender {
		t.printf("CPU Utilization: local/sender %s, remote/receiver %s", cpuText(r.LocalCPU), cpuText(r.RemoteCPU))
		if t.bidirectional() {
			t.printf("CPU Utilization: local/receiver %s, remote/sender %s", cpuText(r.LocalCPU), cpuText(r.RemoteCPU))
		}
	}
	if transport(&t.start.Params) != protocol.TCP {
		return
	}
	both := t.o.Side == measure.Client || r.Exchanged
	if r.SenderCongestion != "" && (both || sender) {
		t.printf("snd_tcp_congestion %s", r.SenderCongestion)
	}
	if r.ReceiverCongestion != "" && (both || !sender) {
		t.printf("rcv_tcp_congestion %s", r.ReceiverCongestion)
	}
}

func cpuText(c *measure.CPU) string {
	if c == nil {
		return "not available"
	}
	return fmt.Sprintf("%.1f%% (%.1f%%u/%.1f%%s)", c.Total, c.User, c.System)
}
