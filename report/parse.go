package report

import (
	"bytes"
	"encoding/json"
	"math"
	"strconv"
)

// wireDocument is a document as iperf3 writes it. Numbers are taken as they
// come; a key that is missing or null is nil where that matters.
type wireDocument struct {
	Start      wireStart
	Intervals  []wireInterval
	End        wireEnd
	Error      string
	Title      string
	ExtraData  string          `json:"extra_data"`
	OutputJSON json.RawMessage `json:"server_output_json"`
	OutputText string          `json:"server_output_text"`
	Linkperf   *Linkperf
}

// event adds one event of a stream.
func (w *wireDocument) event(name string, data json.RawMessage) error {
	switch name {
	case "start":
		return json.Unmarshal(data, &w.Start)
	case "interval":
		var iv wireInterval
		if err := json.Unmarshal(data, &iv); err != nil {
			return err
		}
		w.Intervals = append(w.Intervals, iv)
	case "error":
		return json.Unmarshal(data, &w.Error)
	case "server_output_json":
		w.OutputJSON = data
	case "server_output_text":
		return json.Unmarshal(data, &w.OutputText)
	case "linkperf":
		return json.Unmarshal(data, &w.Linkperf)
	case "end":
		return json.Unmarshal(data, &w.End)
	}
	return nil
}

type wireStart struct {
	Connected []struct {
		Socket     number
		LocalHost  string `json:"local_host"`
		LocalPort  number `json:"local_port"`
		RemoteHost string `json:"remote_host"`
		RemotePort number `json:"remote_port"`
	}
	Version    string
	SystemInfo string `json:"system_info"`
	Timestamp  struct {
		Secs   number `json:"timesecs"`
		Millis number `json:"timemillisecs"`
	}
	ConnectingTo *wirePeer `json:"connecting_to"`
	Accepted     *wirePeer `json:"accepted_connection"`
	Cookie       string
	MSS          number `json:"tcp_mss"`
	DefaultMSS   number `json:"tcp_mss_default"`
	TargetRate   number `json:"target_bitrate"`
	FQRate       number `json:"fq_rate"`
	Window       number `json:"sock_bufsize"`
	SendBuffer   number `json:"sndbuf_actual"`
	RecvBuffer   number `json:"rcvbuf_actual"`
	Test         *struct {
		Protocol   string
		Streams    number `json:"num_streams"`
		Length     number `json:"blksize"`
		Omit       number
		Duration   number
		Bytes      number
		Blocks     number
		Reverse    number
		TOS        number
		TargetRate number `json:"target_bitrate"`
		Bidir      number
		Interval   number
		GSO, GRO   number
	} `json:"test_start"`
}

type wirePeer struct {
	Host string
	Port number
}

type wireInterval struct {
	Streams  []wireFigures
	Sum      *wireFigures
	Reverse  *wireFigures `json:"sum_bidir_reverse"`
	Linkperf struct{ Time string }
}

// wireFigures holds what is measured of a stream or a sum, over an interval or
// the whole test. Which keys exist depends on which it is.
type wireFigures struct {
	Socket      number
	Start       *number
	End         *number
	Seconds     *number
	Bytes       *number
	Rate        *number `json:"bits_per_second"`
	Retransmits *number
	SndCwnd     *number `json:"snd_cwnd"`
	SndWnd      *number `json:"snd_wnd"`
	RTT         *number
	RTTVar      *number
	PMTU        *number
	Reorder     *number
	MaxSndCwnd  *number `json:"max_snd_cwnd"`
	MaxSndWnd   *number `json:"max_snd_wnd"`
	MaxRTT      *number `json:"max_rtt"`
	MinRTT      *number `json:"min_rtt"`
	MeanRTT     *number `json:"mean_rtt"`
	JitterMS    *number `json:"jitter_ms"`
	Lost        *number `json:"lost_packets"`
	Packets     *number
	LostPercent *number `json:"lost_percent"`
	OutOfOrder  *number `json:"out_of_order"`
	Omitted     bool
	Sender      *bool
}

type wireEnd struct {
	Streams []struct {
		Sender, Receiver, UDP *wireFigures
		File                  *struct {
			Sent, Received, Size number
			Name                 string `json:"filename"`
		} `json:"diskfile"`
	}
	Sum             *wireFigures
	Sent            *wireFigures `json:"sum_sent"`
	Received        *wireFigures `json:"sum_received"`
	ReverseSum      *wireFigures `json:"sum_bidir_reverse"`
	ReverseSent     *wireFigures `json:"sum_sent_bidir_reverse"`
	ReverseReceived *wireFigures `json:"sum_received_bidir_reverse"`
	CPU             *struct {
		HostTotal    *number `json:"host_total"`
		HostUser     *number `json:"host_user"`
		HostSystem   *number `json:"host_system"`
		RemoteTotal  *number `json:"remote_total"`
		RemoteUser   *number `json:"remote_user"`
		RemoteSystem *number `json:"remote_system"`
	} `json:"cpu_utilization_percent"`
	SenderCongestion   string `json:"sender_tcp_congestion"`
	ReceiverCongestion string `json:"receiver_tcp_congestion"`
}

// datagramsRead is what linkperf tells of a stream's receiver beside iperf3's
// keys.
type datagramsRead struct {
	Socket     number
	Bytes      *number
	Seconds    *number
	Packets    *number
	OutOfOrder *number `json:"out_of_order"`
	Duplicates *number
	Dropped    *number `json:"dropped_by_socket"`
	AtLeast    bool    `json:"dropped_at_least"`
}

// number is a number of a document. iperf3 3.12 prints -1 as
// 18446744073709551615, some versions print integers with exponents, and the
// nan and inf of old ones came out as null: all of that is read as what was
// meant, and what is no number at all as 0.
type number float64

// UnmarshalJSON never fails.
func (n *number) UnmarshalJSON(raw []byte) error {
	*n = 0
	if bytes.Equal(raw, []byte("true")) {
		*n = 1
		return nil
	}
	f, err := strconv.ParseFloat(string(raw), 64)
	if err != nil || math.IsInf(f, 0) {
		return nil
	}
	if f >= 1<<63 && f <= 1<<64 { // a negative number without its sign
		f = 0
		if u, err := strconv.ParseUint(string(raw), 10, 64); err == nil {
			f = float64(int64(u))
		} else {
			f = -1
		}
	}
	*n = number(f)
	return nil
}

// integer returns the number without its fraction, within ±2^53, up to which
// JSON's numbers are exact.
func (n number) integer() int64 {
	const exact = 1 << 53
	return int64(math.Max(-exact, math.Min(exact, float64(n))))
}

// at returns a number that may be missing; fallback then.
func (n *number) at(fallback int64) int64 {
	if n == nil {
		return fallback
	}
	return n.integer()
}

func (n *number) float() float64 {
	if n == nil {
		return 0
	}
	return float64(*n)
}
