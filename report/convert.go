package report

import (
	"bytes"
	"encoding/json"
	"net/netip"
	"time"

	"linkperf/protocol"
	"linkperf/protocol/measure"
)

// document turns what stands in a document into what was measured.
func (w *wireDocument) document() Document {
	d := Document{
		Version:    w.Start.Version,
		SystemInfo: w.Start.SystemInfo,
		Error:      w.Error,
		Linkperf:   w.Linkperf,
	}
	if w.Start.Accepted != nil {
		d.Side = measure.Server
	}
	c := converter{w: w, side: d.Side, stock: w.Linkperf == nil}
	c.start()
	r := &measure.Result{
		Start:              c.s,
		SenderCongestion:   w.End.SenderCongestion,
		ReceiverCongestion: w.End.ReceiverCongestion,
		ServerOutputText:   w.OutputText,
		ServerOutputJSON:   notNull(w.OutputJSON),
	}
	d.Result = r
	c.roles()
	r.Intervals = c.intervals()
	r.Streams = c.streams()
	for i := range r.Streams {
		if s := &r.Streams[i]; s.Sent != nil && s.Stream.Sender {
			r.Duration = max(r.Duration, s.Sent.Duration)
		} else if s.Received != nil && !s.Stream.Sender {
			r.Duration = max(r.Duration, s.Received.Duration)
		}
	}
	if cpu := w.End.CPU; cpu != nil {
		r.LocalCPU = readCPU(cpu.HostTotal, cpu.HostUser, cpu.HostSystem)
		r.RemoteCPU = readCPU(cpu.RemoteTotal, cpu.RemoteUser, cpu.RemoteSystem)
		if r.RemoteCPU != nil && *r.RemoteCPU == (measure.CPU{}) && c.otherUnknown() {
			r.RemoteCPU = nil
		}
	}
	r.Exchanged = r.RemoteCPU != nil
	if l := w.Linkperf; l != nil {
		l.Findings, l.Run = notNull(l.Findings), notNull(l.Run)
		l.Sysinfo.Client, l.Sysinfo.Server = notNull(l.Sysinfo.Client), notNull(l.Sysinfo.Server)
		r.Warnings = l.Warnings
		r.LocalRecord, r.PeerRecord = l.Sysinfo.Client, l.Sysinfo.Server
		if d.Side == measure.Server {
			r.LocalRecord, r.PeerRecord = r.PeerRecord, r.LocalRecord
		}
	}
	return d
}

func notNull(raw json.RawMessage) json.RawMessage {
	if len(raw) == 0 || bytes.Equal(raw, []byte("null")) {
		return nil
	}
	return raw
}

func readCPU(total, user, system *number) *measure.CPU {
	if total == nil {
		return nil
	}
	return &measure.CPU{Total: total.float(), User: user.float(), System: system.float()}
}

// converter carries what the parts of a document need of each other.
type converter struct {
	w     *wireDocument
	s     *measure.Start
	side  measure.Side
	stock bool
}

// otherUnknown reports whether zeros about the other side mean that this side
// did not know: stock iperf3 prints them on every server, and on a client whose
// test broke off.
func (c *converter) otherUnknown() bool {
	return c.stock && (c.side == measure.Server || c.w.Error != "")
}

func (c *converter) start() {
	in := &c.w.Start
	s := &measure.Start{
		Side:          c.side,
		Cookie:        in.Cookie,
		Time:          time.UnixMilli(in.Timestamp.Millis.integer()),
		ControlMSS:    int(in.DefaultMSS.integer()),
		SendBuffer:    int(in.SendBuffer.integer()),
		ReceiveBuffer: int(in.RecvBuffer.integer()),
	}
	if in.Timestamp.Millis == 0 {
		s.Time = time.Unix(in.Timestamp.Secs.integer(), 0)
	}
	if c.w.Linkperf != nil {
		s.Number = c.w.Linkperf.Test
	}
	for _, peer := range []*wirePeer{in.ConnectingTo, in.Accepted} {
		if peer != nil {
			s.Peer = measure.Endpoint{Host: peer.Host, Port: int(peer.Port.integer())}
		}
	}
	s.Params = protocol.Params{
		Transport: protocol.TCP,
		MSS:       int(in.MSS.integer()),
		Window:    int(in.Window.integer()),
		Rate:      rate(in.TargetRate),
		FQRate:    rate(in.FQRate),
		Title:     c.w.Title,
		ExtraData: c.w.ExtraData,
	}
	p := &s.Params
	if t := in.Test; t != nil {
		p.Transport = protocol.Transport(t.Protocol)
		p.Parallel = int(t.Streams.integer())
		p.Length = int(t.Length.integer())
		p.Omit = int(t.Omit.integer())
		p.Time = int(t.Duration.integer())
		p.Bytes, p.Blocks = t.Bytes.integer(), t.Blocks.integer()
		p.Reverse, p.Bidirectional = t.Reverse != 0, t.Bidir != 0
		p.TOS = int(t.TOS.integer())
		p.GSO, p.GRO = t.GSO != 0, t.GRO != 0
		if p.Rate == 0 {
			p.Rate = rate(t.TargetRate)
		}
		s.Interval = duration(t.Interval)
	}
	p.GetServerOutput = c.w.OutputText != "" || notNull(c.w.OutputJSON) != nil
	for k, conn := range in.Connected {
		info := measure.StreamInfo{
			ID:     protocol.StreamID(k),
			Socket: int(conn.Socket.integer()),
			Local:  addrPort(conn.LocalHost, conn.LocalPort),
			Remote: addrPort(conn.RemoteHost, conn.RemotePort),
		}
		if c.w.Linkperf != nil {
			info.DataPath = c.w.Linkperf.DataPath
		}
		s.Streams = append(s.Streams, info)
	}
	c.s = s
}

func rate(n number) uint64 { return uint64(max(0, n.integer())) }

// duration turns seconds into a duration of at most a thousand years' length.
func duration(s number) time.Duration {
	const most = 1 << 33
	return time.Duration(max(-most, min(most, float64(s))) * float64(time.Second))
}

func (n *number) duration() time.Duration {
	if n == nil {
		return 0
	}
	return duration(*n).Round(time.Microsecond)
}

func addrPort(host string, port number) netip.AddrPort {
	a, err := netip.ParseAddr(host)
	if err != nil {
		return netip.AddrPort{}
	}
	return netip.AddrPortFrom(a, uint16(max(0, min(65535, port.integer()))))
}

// roles finds out which streams this side sends on. Versions before 3.7 do not
// tell; there all streams go one way.
func (c *converter) roles() {
	p := &c.s.Params
	sender := map[int]bool{}
	note := func(f *wireFigures) {
		if f != nil && f.Sender != nil {
			sender[int(f.Socket.integer())] = *f.Sender
		}
	}
	for _, iv := range c.w.Intervals {
		for i := range iv.Streams {
			note(&iv.Streams[i])
		}
	}
	for _, s := range c.w.End.Streams {
		note(s.Sender)
		note(s.UDP)
	}
	forward, backward := false, false
	for i := range c.s.Streams {
		st := &c.s.Streams[i]
		known := false
		if st.Sender, known = sender[st.Socket]; !known {
			st.Sender = (c.side == measure.Client) != p.Reverse
			if p.Parallel > 0 && len(c.s.Streams) == 2*p.Parallel { // both ways, sending to the server first
				st.Sender = (i < p.Parallel) == (c.side == measure.Client)
			}
		}
		if st.ToServer(c.side) {
			forward = true
		} else {
			backward = true
		}
	}
	p.Bidirectional = p.Bidirectional || forward && backward // 3.7 to 3.12 do not tell
}

// stream returns the stream of a socket number, adding one that start did not
// tell of.
func (c *converter) stream(f *wireFigures) *measure.StreamInfo {
	socket := int(f.Socket.integer())
	for i := range c.s.Streams {
		if c.s.Streams[i].Socket == socket {
			return &c.s.Streams[i]
		}
	}
	info := measure.StreamInfo{Socket: socket, Sender: (c.side == measure.Client) != c.s.Params.Reverse}
	if f.Sender != nil {
		info.Sender = *f.Sender
	}
	return &info
}

func (c *converter) intervals() []measure.Interval {
	var out []measure.Interval
	for _, in := range c.w.Intervals {
		var iv measure.Interval
		if t, err := time.Parse(time.RFC3339Nano, in.Linkperf.Time); err == nil {
			iv.Time = t
		}
		for i := range in.Streams {
			iv.Streams = append(iv.Streams, c.streamInterval(&in.Streams[i]))
		}
		sum := in.Sum
		if sum == nil {
			sum = in.Reverse
		}
		switch {
		case sum != nil:
			iv.Start, iv.End, iv.Omitted = sum.Start.duration(), sum.End.duration(), sum.Omitted
		case len(iv.Streams) > 0:
			first := &iv.Streams[0]
			iv.Start, iv.End, iv.Omitted = first.Start, first.End, first.Omitted
		}
		out = append(out, iv)
	}
	return out
}

func (c *converter) streamInterval(f *wireFigures) measure.StreamInterval {
	st := measure.StreamInterval{
		Stream: c.stream(f),
		Start:  f.Start.duration(), End: f.End.duration(),
		Omitted: f.Omitted,
		Bytes:   f.Bytes.at(0),
	}
	if f.Packets != nil {
		st.UDP = &measure.UDPStats{
			Packets: f.Packets.at(0), Lost: f.Lost.at(0), Jitter: f.JitterMS.float() / 1000,
			OutOfOrder: -1, Duplicates: -1, Dropped: -1,
		}
	}
	if f.Retransmits != nil {
		st.TCP = &measure.TCPInfo{
			Retransmits: f.Retransmits.at(0),
			SndCwnd:     f.SndCwnd.at(0), SndWnd: f.SndWnd.at(-1),
			RTT: f.RTT.at(0), RTTVar: f.RTTVar.at(0),
			PMTU: f.PMTU.at(-1), Reorder: f.Reorder.at(-1),
		}
	}
	return st
}

func (c *converter) streams() []measure.StreamResult {
	var out []measure.StreamResult
	for _, in := range c.w.End.Streams {
		var sr measure.StreamResult
		switch {
		case in.UDP != nil:
			sr.Stream = c.stream(in.UDP)
			c.udpStream(&sr, in.UDP)
		case in.Sender != nil:
			sr.Stream = c.stream(in.Sender)
		case in.Receiver != nil:
			sr.Stream = c.stream(in.Receiver)
		default:
			continue
		}
		if in.Sender != nil && c.known(in.Sender, sr.Stream.Sender) {
			sr.Sent = totals(in.Sender)
		}
		if in.Receiver != nil && c.known(in.Receiver, !sr.Stream.Sender) {
			sr.Received = totals(in.Receiver)
		}
		if f := in.File; f != nil {
			sr.File = &measure.File{Name: f.Name, Size: f.Size.integer(), Sent: f.Sent.integer(), Received: f.Received.integer()}
		}
		out = append(out, sr)
	}
	c.shareReceived(out)
	return out
}

// known reports whether figures were measured. own means by this side.
func (c *converter) known(f *wireFigures, own bool) bool {
	if f.Bytes == nil {
		return false
	}
	return own || *f.Bytes != 0 || !c.otherUnknown()
}

func totals(f *wireFigures) *measure.Totals {
	return &measure.Totals{
		Bytes: f.Bytes.at(0), Duration: f.End.duration(),
		Retransmits: f.Retransmits.at(-1), Reorder: f.Reorder.at(-1),
		MaxSndCwnd: f.MaxSndCwnd.at(0), MaxSndWnd: f.MaxSndWnd.at(0),
		MaxRTT: f.MaxRTT.at(0), MinRTT: f.MinRTT.at(0), MeanRTT: f.MeanRTT.at(0),
	}
}
