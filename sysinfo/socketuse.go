package sysinfo

import "time"

// socketUse follows the data connections during a test.
type socketUse struct {
	streams []socketStream
}

// socketStream is one of them.
type socketStream struct {
	first, last socketSample
	sampled     bool
	err         error
	rtts        int64 // samples
	rttSum      int64
	rttMin      int64
	rttMax      int64
	rate        *int64 // greatest delivery rate
}

func (u *socketUse) sample(_ time.Time, conns []Conn) {
	if u.streams == nil {
		u.streams = make([]socketStream, len(conns))
	}
	for i, c := range conns {
		u.streams[i].sample(c)
	}
}

func (s *socketStream) sample(c Conn) {
	if c.Raw == nil {
		s.err = because(NotAttempted, "no socket was given")
		return
	}
	now, err := readSocket(c)
	if err != nil {
		// A connection that is closed keeps its last sample.
		s.err = err
		return
	}
	if !s.sampled {
		s.first, s.sampled = now, true
	}
	s.last = now
	if now.DeliveryRate != nil && (s.rate == nil || *now.DeliveryRate > *s.rate) {
		s.rate = now.DeliveryRate
	}
	if now.RTT == nil || *now.RTT == 0 {
		return
	}
	if s.rtts == 0 || *now.RTT < s.rttMin {
		s.rttMin = *now.RTT
	}
	s.rttMax = max(s.rttMax, *now.RTT)
	s.rttSum += *now.RTT
	s.rtts++
}

// transferred is the bytes that the sockets moved in both directions, nil if
// one of them does not tell.
func (u *socketUse) transferred() *int64 {
	var total int64
	for _, s := range u.streams {
		if s.last.SentBytes == nil || s.last.ReceivedBytes == nil {
			return nil
		}
		total += *s.last.SentBytes + *s.last.ReceivedBytes - *s.first.SentBytes - *s.first.ReceivedBytes
	}
	return &total
}

func (u *socketUse) report(r *Record, conns []Conn) {
	if len(u.streams) == 0 {
		return
	}
	one := u.streams[0]
	if !one.sampled {
		r.unknown("tcp", one.err)
		r.unknown("path.mtu_bytes", one.err)
		r.unknown("peer.ttl", one.err)
		r.unknown("peer.hops_estimated", one.err)
		return
	}
	r.Path.MTU, r.Peer.TTL = one.last.PathMTU, one.last.TTL
	if one.last.TTL == nil {
		r.unknown("peer.ttl", because(NotSupported, "the kernel does not tell it for this socket"))
	}
	if t := conns[0].Transport; t != "tcp" && t != "mptcp" {
		r.unknown("tcp", because(NotApplicable, "the data goes over %s", t))
		return
	}
	t := &r.TCP
	t.MSS, t.MSSAdvertised = one.last.MSS, one.last.MSSAdvertised
	t.Timestamps, t.WindowScaling = one.last.Timestamps, one.last.WindowScaling
	t.CongestionControl = one.last.CongestionControl
	t.SendBuffer, t.ReceiveBuffer = one.last.SendBuffer, one.last.ReceiveBuffer
	t.RTT = one.last.RTT
	u.reportRTT(t)
	u.reportSending(r, conns)
}

// reportRTT joins the round-trip times of all connections.
func (u *socketUse) reportRTT(t *TCP) {
	var sum, n int64
	for _, s := range u.streams {
		if s.rtts == 0 {
			continue
		}
		least := s.rttMin
		if s.last.RTTMin != nil && *s.last.RTTMin > 0 {
			least = min(least, *s.last.RTTMin)
		}
		if n == 0 || least < *t.RTTMin {
			t.RTTMin = &least
		}
		if n == 0 || s.rttMax > *t.RTTMax {
			t.RTTMax = new(s.rttMax)
		}
		sum, n = sum+s.rttSum, n+s.rtts
	}
	if n > 0 {
		t.RTTMean = new(sum / n)
	}
}

// reportSending adds up what the sending connections counted.
func (u *socketUse) reportSending(r *Record, conns []Conn) {
	t := &r.TCP
	var busy, window, buffer, bytes, again *int64
	sending := false
	for i, s := range u.streams {
		if !conns[i].Sender || !s.sampled {
			continue
		}
		sending = true
		add(&t.DeliveryRate, s.rate, new(int64(0)))
		add(&t.Segments, s.last.Segments, s.first.Segments)
		add(&t.Retransmits, s.last.Retransmits, s.first.Retransmits)
		add(&busy, s.last.Busy, s.first.Busy)
		add(&window, s.last.WindowLimited, s.first.WindowLimited)
		add(&buffer, s.last.BufferLimited, s.first.BufferLimited)
		add(&bytes, s.last.SentBytes, s.first.SentBytes)
		add(&again, s.last.RetransmittedBytes, s.first.RetransmittedBytes)
	}
	if !sending {
		for _, f := range []string{"delivery_rate_bits_per_second", "sent_segments", "retransmitted_segments", "retransmitted_percent",
			"receive_window_limited_percent", "send_buffer_limited_percent", "congestion_window_limited_percent"} {
			r.unknown("tcp."+f, because(NotApplicable, "this end does not send"))
		}
		return
	}
	switch {
	case t.Segments != nil && t.Retransmits != nil && *t.Segments > 0:
		t.RetransmitPercent = new(hundredth(100 * float64(*t.Retransmits) / float64(*t.Segments)))
	// Windows counts bytes only.
	case t.Segments == nil && bytes != nil && again != nil && *bytes > 0:
		t.RetransmitPercent = new(hundredth(100 * float64(*again) / float64(*bytes)))
	}
	if busy == nil || window == nil || *busy <= 0 {
		return
	}
	share := func(part int64) *float64 { return new(tenth(100 * float64(part) / float64(*busy))) }
	t.ReceiveWindowLimited = share(*window)
	// Windows does not tell a full buffer from a lack of data.
	if buffer != nil {
		t.SendBufferLimited = share(*buffer)
		t.CongestionLimited = share(max(*busy-*window-*buffer, 0))
	}
}

// add increases a sum by a difference of counters, both if they are known.
func add(sum **int64, last, first *int64) {
	if last == nil || first == nil {
		return
	}
	if *sum == nil {
		*sum = new(int64)
	}
	**sum += max(*last-*first, 0)
}

func hundredth(f float64) float64 { return tenth(10*f) / 10 }
