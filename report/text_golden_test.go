package report

import (
	"bytes"
	"encoding/json"
	"net/netip"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"testing"
	"time"

	"linkperf/protocol"
	"linkperf/protocol/measure"
)

// notText are recorded runs whose standard output is not a report.
var notText = map[string]string{
	"debug-3_3.21_client":                       "debug output is not for compatibility",
	"debug-3_3.21_server":                       "debug output is not for compatibility",
	"version_3.21_client":                       "printed by the command line",
	"auth-json-wrong-password_3.21_client":      "JSON, of a kind that TestJSONAgainstRecordings covers",
	"auth-json-wrong-password_3.21_server":      "JSON, of a kind that TestJSONAgainstRecordings covers",
	"get-server-output-json-server_3.21_server": "JSON, of a kind that TestJSONAgainstRecordings covers",
}

// Every recorded text of iperf3 3.21 is told to a sink as events, with the
// numbers that stand in the text, and the sink's lines are the same but for
// digits.
func TestTextAgainstRecordings(t *testing.T) {
	changed := map[string]int{}
	lines, exact := 0, 0
	for _, rec := range recordings(t, "text") {
		if rec.File == "" || rec.Version != "3.21" && !strings.HasPrefix(rec.Version, "3.21-to") == strings.HasPrefix(rec.Role, "client") {
			continue // the other end of a mixed pair is 3.12
		}
		t.Run(rec.name(), func(t *testing.T) {
			if why, ok := notText[rec.name()]; ok {
				t.Skip(why)
			}
			raw, err := os.ReadFile(filepath.Join("testdata", "text", rec.File))
			if err != nil {
				t.Fatal(err)
			}
			want := corrections(&rec, string(raw), changed)
			var buf bytes.Buffer
			p := parseText(t, &rec, string(raw))
			p.replay(&buf)
			got := strings.ReplaceAll(buf.String(), version+"\n", version+"+\n") // recorded with a later build
			wantLines, gotLines := strings.Split(want, "\n"), strings.Split(got, "\n")
			for i := range min(len(wantLines), len(gotLines)) {
				w, g := wantLines[i], gotLines[i]
				lines++
				if w == g {
					exact++
				}
				if digits.ReplaceAllString(w, "0") != digits.ReplaceAllString(g, "0") {
					t.Errorf("line %d:\n got %q\nwant %q", i+1, g, w)
				}
			}
			if len(wantLines) != len(gotLines) {
				t.Errorf("%d lines, want %d:\n%s", len(gotLines), len(wantLines), got)
			}
		})
	}
	t.Logf("%d of %d lines are the same to the digit", exact, lines)
	if exact*100 < lines*95 {
		t.Error("too few lines are the same to the digit")
	}
	for _, why := range textDifferences {
		if changed[why] == 0 {
			t.Errorf("the difference %q does not occur any more", why)
		}
	}
}

var digits = regexp.MustCompile(`[0-9]`)

// The ways in which linkperf's text differs from 3.21's on purpose.
const (
	repeated    = "3.21 prints the last interval a second time when the other side ended the test"
	notKnown    = "3.21 prints zeros for the other side when a test broke off"
	twice       = "3.21's server has target_bitrate twice in its document"
	cwndHeading = "3.21 prints a heading with Retr and Cwnd above one single interval of a receiving client"
)

var textDifferences = []string{repeated, notKnown, twice, cwndHeading}

// corrections applies the differences to a recorded text.
func corrections(rec *recording, text string, changed map[string]int) string {
	type line struct{ prefix, text string }
	_, strip := options(rec)
	var lines []line
	for _, l := range strings.Split(text, "\n") {
		prefix := strip.FindString(l)
		lines = append(lines, line{prefix, l[len(prefix):]})
	}
	isInterval := func(l line) bool { return intervalLine.MatchString(l.text) }
	for size := 8; size >= 1; size-- { // of the report that is repeated, with its heading
		for i := 0; i+2*size <= len(lines); i++ {
			a, b := lines[i:i+size], lines[i+size:i+2*size]
			if slices.EqualFunc(a, b, func(x, y line) bool { return x.text == y.text }) && slices.ContainsFunc(a, isInterval) {
				lines = slices.Delete(lines, i+size, i+2*size)
				changed[repeated]++
			}
		}
	}
	broken := strings.Contains(rec.Stderr, "interrupt - ") || strings.Contains(rec.Stderr, "has terminated")
	rates := 0
	var out []string
	for _, l := range lines {
		m := summaryLine.FindStringSubmatch(l.text)
		if rec.Role == "client" && broken && m != nil && strings.Contains(l.text, "0.00 Bytes  0.00 bits/sec") {
			l.text = "[" + m[1] + "] (" + m[len(m)-1] + " statistics not available)"
			changed[notKnown]++
		}
		if strings.HasSuffix(l.text, "Retr  Cwnd") && rec.Role == "client" && strings.Contains(rec.Command, " -R") {
			l.text = strings.TrimSuffix(l.text, "         Retr  Cwnd")
			changed[cwndHeading]++
		}
		if strings.HasPrefix(l.text, "\t\t\"target_bitrate\"") {
			if rates++; rates == 2 {
				changed[twice]++
				continue
			}
		}
		out = append(out, l.prefix+l.text)
	}
	return strings.Join(out, "\n")
}

var (
	bannerLine   = regexp.MustCompile(`^Server listening on (\d+) \(test #(\d+)\)$`)
	peerLine     = regexp.MustCompile(`^(?:Connecting to host|Accepted connection from) (.*), port (\d+)$`)
	streamLine   = regexp.MustCompile(`^\[ *(\d+)\] local (.*) port (\d+) connected to (.*) port (\d+)$`)
	startingLine = regexp.MustCompile(`^Starting Test: protocol: (\w+), (\d+) streams, (\d+) byte blocks, omitting (\d+) seconds, (\d+) (second test|bytes to send|blocks to send), tos (\d+)$`)
	columns      = `^\[([ \dSUM]+)\](\[[TR]X-[CS]\])? +([\d.]+)-([\d.]+) +sec +([\d.]+) ([KMGT]?)Bytes +([\d.]+ [KMGT]?(?:bit|Byte)s)/sec`
	intervalLine = regexp.MustCompile(columns + `(?: +(\d+)   *([\d.]+) ([KMGT]?)Bytes| +(\d+)  ?| +([\d.]+) ms +(-?\d+)/(\d+) \([^)]*\))? *(\(omitted\))?$`)
	summaryLine  = regexp.MustCompile(columns + `(?: +(\d+)| +([\d.]+) ms +(-?\d+|Unknown)/(\d+)(?: \([^)]*\))?)? +(sender|receiver)$`)
	absentLine   = regexp.MustCompile(`^\[ *(\d+)\] \((sender|receiver) statistics not available\)$`)
	orderLine    = regexp.MustCompile(`^\[SUM\](?:\[.*\])? +[\d.]+- *([\d.]+) sec  (\d+) datagrams received out-of-order$`)
	fileLine     = regexp.MustCompile(`^        Sent ([\d.]+) ([KMGT]?)Byte / ([\d.]+) ([KMGT]?)Byte \(\d+%\) of (.*)$`)
	cpuLine      = regexp.MustCompile(`^CPU Utilization: local/sender ([\d.]+)% \(([\d.]+)%u/([\d.]+)%s\), remote/receiver ([\d.]+)% \(([\d.]+)%u/([\d.]+)%s\)$`)
)

// textTest is a test as it was read from a text.
type textTest struct {
	banner, test int
	start        *measure.Start
	connected    bool
	intervals    []*measure.Interval
	result       measure.Result
	pending      int64 // datagrams out of order, told before the receiver's line
	summary      bool
	done         bool
}

type textParser struct {
	t     *testing.T
	o     Options
	tests []*textTest
}

func (p *textParser) replay(buf *bytes.Buffer) {
	check := func(err error) {
		if err != nil {
			p.t.Helper()
			p.t.Fatal(err)
		}
	}
	for _, test := range p.tests {
		if test.banner > 0 {
			check(WriteBanner(buf, p.o, test.banner, test.test))
		}
		sink, err := New(buf, nil, p.o)
		check(err)
		if test.start.Peer.Host != "" {
			check(sink.Connect(test.start))
		}
		if test.connected {
			check(sink.Start(test.start))
		}
		for _, iv := range test.intervals {
			check(sink.Interval(iv))
		}
		var failed error
		switch {
		case test.summary && !test.done && p.o.Side == measure.Client:
			failed = &SignalError{"Interrupt", 2}
		case !test.done && p.o.Side == measure.Client:
			failed = protocol.NewError(protocol.CodeCtrlClose, nil)
		}
		if test.start.Peer.Host != "" || failed != nil {
			check(sink.End(&test.result, failed))
		}
	}
}

func option(rec *recording, re string) string {
	m := regexp.MustCompile(` ` + re).FindStringSubmatch(rec.Command)
	if m == nil {
		return ""
	}
	return m[len(m)-1]
}

// options returns the options of a recorded run, and what its lines begin with.
func options(rec *recording) (Options, *regexp.Regexp) {
	o := Options{
		Verbose:    strings.Contains(rec.Command, " -V"),
		Timestamps: option(rec, `'?--timestamps=([^']*)`),
		SystemInfo: "Linux host.example 6.1.0 #1 SMP PREEMPT_DYNAMIC x86_64",
		Now:        func() time.Time { return time.Date(2026, 11, 30, 14, 24, 37, 0, time.UTC) },
	}
	if o.Timestamps == "" && strings.Contains(rec.Command, " --timestamps") {
		o.Timestamps = "%c "
	}
	if strings.HasPrefix(rec.Role, "server") {
		o.Side = measure.Server
	}
	if f := option(rec, `-f (\w)`); f != "" {
		o.Format = f[0]
	}
	if o.Side == measure.Client {
		o.Title = option(rec, `-T '?([\w ]+)`)
	}
	prefix := o.stamp()
	if o.Title != "" {
		prefix += o.Title + ":  "
	}
	return o, regexp.MustCompile("^" + digits.ReplaceAllString(regexp.QuoteMeta(prefix), `\d`))
}

// parseText makes events of a text.
func parseText(t *testing.T, rec *recording, text string) *textParser {
	t.Helper()
	o, strip := options(rec)
	p := &textParser{t: t, o: o}
	output := "" // server output being collected
	inOutput := false
	cur := &textTest{start: &measure.Start{Side: p.o.Side}}
	add := func() {
		if len(p.tests) == 0 || p.tests[len(p.tests)-1] != cur {
			p.tests = append(p.tests, cur)
		}
	}
	for line := range strings.Lines(text) {
		full := line
		line = strings.TrimSuffix(strip.ReplaceAllString(line, ""), "\n")
		s := cur.start
		if inOutput {
			if line == "iperf Done." {
				inOutput, cur.done = false, true
				if strings.HasPrefix(output, "{") {
					cur.result.ServerOutputJSON = json.RawMessage(strings.TrimRight(output, "\n"))
				} else {
					cur.result.ServerOutputText = strings.TrimSuffix(strings.TrimSuffix(output, "\n"), "\n")
				}
				continue
			}
			output += full
			continue
		}
		if m := bannerLine.FindStringSubmatch(line); m != nil {
			cur = &textTest{start: &measure.Start{Side: p.o.Side}, banner: atoi(m[1]), test: atoi(m[2])}
			add()
			continue
		}
		switch {
		case line == "Server output:" || line == "Server JSON output:":
			inOutput = true
		case line == "iperf Done.":
			cur.done = true
		case strings.HasPrefix(line, "Control connection MSS "):
			s.ControlMSS = atoi(strings.Fields(line)[3])
		case strings.HasPrefix(line, "Setting UDP block size"):
			s.DefaultLength = true
		case strings.HasPrefix(line, "Time: "):
			s.Time, _ = time.Parse(httpTime, strings.TrimPrefix(line, "Time: "))
		case peerLine.MatchString(line):
			m := peerLine.FindStringSubmatch(line)
			s.Peer = measure.Endpoint{Host: m[1], Port: atoi(m[2])}
			p.params(rec, cur)
			add()
		case strings.HasPrefix(line, "      Cookie: "):
			s.Cookie = strings.Fields(line)[1]
		case strings.HasPrefix(line, "      TCP MSS: "):
			if !strings.HasSuffix(line, "(default)") {
				s.Params.MSS = atoi(strings.Fields(line)[2])
			}
		case strings.HasPrefix(line, "      Target Bitrate: "):
			s.Params.Rate = uint64(atoi(strings.Fields(line)[2]))
		case startingLine.MatchString(line):
			p.starting(cur, startingLine.FindStringSubmatch(line))
		case streamLine.MatchString(line):
			p.stream(cur, streamLine.FindStringSubmatch(line))
		case line == separator:
			cur.summary = len(cur.start.Streams) == 0 || cur.summary
			add()
		case strings.HasPrefix(line, "[ ID]") && strings.HasSuffix(line, "Bitrate         Retr"):
			cur.summary = true
		case orderLine.MatchString(line), fileLine.MatchString(line), absentLine.MatchString(line), summaryLine.MatchString(line):
			cur.summary = true
			p.summary(cur, line)
		case intervalLine.MatchString(line):
			p.interval(cur, intervalLine.FindStringSubmatch(line))
		case cpuLine.MatchString(line):
			m := cpuLine.FindStringSubmatch(line)
			cur.result.LocalCPU = &measure.CPU{Total: float(m[1]), User: float(m[2]), System: float(m[3])}
			cur.result.RemoteCPU = &measure.CPU{Total: float(m[4]), User: float(m[5]), System: float(m[6])}
		case strings.HasPrefix(line, "snd_tcp_congestion "):
			cur.result.SenderCongestion = strings.Fields(line)[1]
		case strings.HasPrefix(line, "rcv_tcp_congestion "):
			cur.result.ReceiverCongestion = strings.Fields(line)[1]
		}
	}
	for _, test := range p.tests {
		p.unrepeat(test)
	}
	return p
}

// unrepeat takes out what 3.21 prints a second time, and what it prints for
// figures that it does not know.
func (p *textParser) unrepeat(test *textTest) {
	test.intervals = slices.CompactFunc(test.intervals, func(a, b *measure.Interval) bool {
		return a.Start == b.Start && a.End == b.End && a.Omitted == b.Omitted
	})
	for i := range test.result.Streams {
		sr := &test.result.Streams[i]
		if p.o.Side != measure.Client || test.done {
			continue
		}
		if sr.Stream.Sender && sr.Received != nil && sr.Received.Bytes == 0 {
			sr.Received = nil
		}
		if !sr.Stream.Sender && sr.Sent != nil && sr.Sent.Bytes == 0 {
			sr.Sent = nil
		}
	}
}

func atoi(s string) int { n, _ := strconv.Atoi(s); return n }

func float(s string) float64 { f, _ := strconv.ParseFloat(s, 64); return f }

// params takes the parameters from the command line; a server's stand in the
// text, which the streams and intervals complete.
func (p *textParser) params(rec *recording, test *textTest) {
	q := &test.start.Params
	q.Parallel, q.Length, q.Time, q.Omit = 1, protocol.DefaultTCPLength, 10, atoi(option(rec, `-O (\d+)`))
	if l := option(&recording{Command: rec.Client}, `-l (\d+)`); l != "" {
		q.Length = atoi(l)
	}
	test.start.Interval = time.Second
	if i := option(rec, `-i ([\d.]+)`); i != "" {
		test.start.Interval = time.Duration(float(i) * float64(time.Second))
	}
	if strings.Contains(rec.Command, " -u") || strings.HasPrefix(rec.Case, "udp") || strings.HasSuffix(rec.Case, "-udp") {
		q.Transport = protocol.UDP
	}
	if strings.Contains(rec.Case, "sctp") {
		q.Transport = protocol.SCTP
	}
	q.Reverse = p.o.Side == measure.Client && strings.Contains(rec.Command, " -R") ||
		p.o.Side == measure.Server && (strings.Contains(rec.Case, "-R") || rec.Case == "file-R")
	q.Bidirectional = strings.Contains(rec.Case, "bidir")
	if m := regexp.MustCompile(`-P(\d+)`).FindStringSubmatch(rec.Case); m != nil {
		q.Parallel = atoi(m[1])
	}
	if m := regexp.MustCompile(`-O(\d+)`).FindStringSubmatch(rec.Case); m != nil {
		q.Omit = atoi(m[1])
	}
}

func (p *textParser) starting(test *textTest, m []string) {
	q := &test.start.Params
	q.Parallel, q.Length, q.Omit, q.TOS = atoi(m[2]), atoi(m[3]), atoi(m[4]), atoi(m[7])
	switch m[6] {
	case "second test":
		q.Time = atoi(m[5])
	case "bytes to send":
		q.Time, q.Bytes = 0, int64(atoi(m[5]))
	default:
		q.Time, q.Blocks = 0, int64(atoi(m[5]))
	}
}

func (p *textParser) stream(test *textTest, m []string) {
	s := test.start
	test.connected = true
	client := p.o.Side == measure.Client
	sender := client != s.Params.Reverse
	if s.Params.Bidirectional && len(s.Streams) >= s.Params.Parallel {
		sender = !sender
	}
	s.Streams = append(s.Streams, measure.StreamInfo{
		Socket: atoi(m[1]), Sender: sender,
		Local:  netip.AddrPortFrom(netip.MustParseAddr(m[2]), uint16(atoi(m[3]))),
		Remote: netip.AddrPortFrom(netip.MustParseAddr(m[4]), uint16(atoi(m[5]))),
	})
}

func (test *textTest) info(socket int) *measure.StreamInfo {
	for i := range test.start.Streams {
		if test.start.Streams[i].Socket == socket {
			return &test.start.Streams[i]
		}
	}
	return nil
}

func (p *textParser) interval(test *textTest, m []string) {
	id := strings.TrimSpace(m[1])
	omitted := m[15] != ""
	if id == "SUM" {
		iv := test.intervals[len(test.intervals)-1]
		sender := iv.Streams[len(iv.Streams)-1].Stream.Sender
		sum, _ := iv.Sum(sender)
		iv.Start, iv.End = p.times(m, sum.Bytes)
		return
	}
	info := test.info(atoi(id))
	bytes := p.bytes(test, m)
	start, end := p.times(m, bytes)
	st := measure.StreamInterval{Stream: info, Start: start, End: end, Omitted: omitted, Bytes: bytes}
	switch {
	case m[14] != "":
		st.UDP = &measure.UDPStats{Jitter: float(m[12]) / 1000, Lost: int64(atoi(m[13])), Packets: int64(atoi(m[14]))}
	case m[11] != "":
		st.UDP = &measure.UDPStats{Packets: int64(atoi(m[11]))}
	case m[8] != "":
		st.TCP = &measure.TCPInfo{Retransmits: int64(atoi(m[8])), SndCwnd: int64(float(m[9]) * multipleOf(m[10]))}
	}
	n := len(test.intervals)
	if n == 0 || slices.ContainsFunc(test.intervals[n-1].Streams, func(o measure.StreamInterval) bool { return o.Stream == info }) {
		test.intervals = append(test.intervals, &measure.Interval{Start: start, End: end, Omitted: omitted})
		n++
	}
	iv := test.intervals[n-1]
	iv.Streams = append(iv.Streams, st)
}

// bytes finds the number of bytes behind a Transfer column: for datagrams a
// multiple of their length, otherwise whole blocks if they fit, otherwise what
// stands there.
func (p *textParser) bytes(test *textTest, m []string) int64 {
	return nearestBytes(m[5], m[6], int64(test.start.Params.Length))
}

func nearestBytes(digits, prefix string, block int64) int64 {
	scale := multipleOf(prefix)
	exact := float(digits) * scale
	if block > 0 {
		whole := int64(exact/float64(block)+0.5) * block
		if strings.Fields(sizeText(float64(whole)))[0] == digits {
			return whole
		}
	}
	return int64(exact + 0.5)
}

func multipleOf(prefix string) float64 {
	for i, x := range []string{"", "K", "M", "G", "T"} {
		if x == prefix {
			return float64(int64(1) << (10 * i))
		}
	}
	return 1
}

// times finds start and end that print as they stand there, with a difference
// that makes the rate print as it stands there.
func (p *textParser) times(m []string, bytes int64) (start, end time.Duration) {
	at := func(x float64) time.Duration { return time.Duration(x * float64(time.Second)).Round(time.Microsecond) }
	start, end = at(float(m[3])), at(float(m[4]))
	number, unit, _ := strings.Cut(m[7], " ")
	unit = strings.TrimSuffix(unit, "s")
	bits := float(number)
	if prefix, ok := strings.CutSuffix(unit, "Byte"); ok {
		bits *= 8 * multipleOf(prefix)
	} else {
		bits *= map[string]float64{"bit": 1, "Kbit": 1e3, "Mbit": 1e6, "Gbit": 1e9, "Tbit": 1e12}[unit]
	}
	if number == "1000" && p.o.Format == 0 { // less than that, or the next prefix would be there
		bits *= 0.9999
	}
	if bits == 0 || strings.TrimSpace(bitRate(measure.Rate(bytes, end-start), p.o.Format)) == m[7]+"/sec" {
		return start, end
	}
	length := at(float64(bytes) * 8 / bits)
	for step := -49; step <= 49; step++ {
		a := max(0, start+time.Duration(step)*100*time.Microsecond)
		if b := a + length; b > end-5*time.Millisecond && b < end+5*time.Millisecond {
			return a, b
		}
	}
	return start, end
}

// summary takes a line of the summary.
func (p *textParser) summary(test *textTest, line string) {
	r := &test.result
	of := func(socket int) *measure.StreamResult {
		for i := range r.Streams {
			if r.Streams[i].Stream.Socket == socket {
				return &r.Streams[i]
			}
		}
		r.Streams = append(r.Streams, measure.StreamResult{Stream: test.info(socket)})
		return &r.Streams[len(r.Streams)-1]
	}
	if m := absentLine.FindStringSubmatch(line); m != nil {
		of(atoi(m[1]))
		return
	}
	if m := orderLine.FindStringSubmatch(line); m != nil {
		test.pending = int64(atoi(m[2]))
		return
	}
	if m := fileLine.FindStringSubmatch(line); m != nil {
		f := &measure.File{Name: m[5], Size: nearestBytes(m[3], m[4], 0)}
		f.Sent, f.Received = f.Size, f.Size
		if len(r.Streams) == 0 {
			of(test.start.Streams[0].Socket)
		}
		r.Streams[len(r.Streams)-1].File = f
		return
	}
	m := summaryLine.FindStringSubmatch(line)
	if m == nil || strings.Contains(m[1], "SUM") {
		return
	}
	sr := of(atoi(strings.TrimSpace(m[1])))
	t := &measure.Totals{Retransmits: -1, Reorder: -1}
	t.Bytes = p.bytes(test, m)
	_, t.Duration = p.times(m, t.Bytes)
	if m[8] != "" {
		t.Retransmits = int64(atoi(m[8]))
	}
	if m[11] != "" {
		t.UDP = &measure.UDPStats{Jitter: float(m[9]) / 1000, Lost: int64(atoi(m[10])), Packets: int64(atoi(m[11]))}
		t.LossUnknown = m[10] == "Unknown"
	}
	if m[12] == "sender" {
		sr.Sent = t
		return
	}
	if t.UDP != nil {
		t.UDP.OutOfOrder = test.pending
		test.pending = 0
	}
	sr.Received = t
}
