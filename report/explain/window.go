package explain

import (
	"fmt"
	"math/bits"

	"linkperf/sysinfo"
)

// rateLimited has one finding for a test whose every direction reached the
// rate that was asked for.
func rateLimited(v *view) []Finding {
	if !v.allHeld() {
		return nil
	}
	for i := range v.flows {
		if f := &v.flows[i]; f.ceiling > 0 && f.share() >= ceilingReached {
			return nil
		}
	}
	f := &v.flows[0]
	return []Finding{*say(fmt.Sprintf("The test was asked for %s and reached %s %s: more was not tried.", bitRate(f.limit), bitRate(f.rate), f.words()),
		"-b 0 for the most that is possible").about(sideBoth).
		figure(f.key("bits_per_second"), f.rate).figure(f.key("asked_bits_per_second"), f.limit)}
}

func shaper(v *view, e *end) *Finding {
	rate := e.Queue.Rate
	if rate == nil || *rate <= 0 || !v.sends(e) {
		return nil
	}
	link := ""
	if tx := e.Link.SpeedTx; tx != nil && *tx > 0 {
		if float64(*rate) >= shaperMargin*float64(*tx) {
			return nil
		}
		link = fmt.Sprintf(" The link itself runs at %s.", bitRate(*tx))
	}
	return say(fmt.Sprintf("The queue discipline %s of %s limits what it sends to %s.%s", or(e.Queue.Discipline, "(unknown)"), e.name(), bitRate(*rate), link),
		"look at it with: tc qdisc show dev "+e.device()).on(e, "queue.rate_bits_per_second", "queue.discipline", "link.speed_tx_bits_per_second")
}

// sends reports whether the end sent data in the test.
func (v *view) sends(e *end) bool {
	for i := range v.flows {
		if v.flows[i].sender == e {
			return true
		}
	}
	return false
}

// receives reports whether the end received data in the test.
func (v *view) receives(e *end) bool {
	for i := range v.flows {
		if v.flows[i].receiver == e {
			return true
		}
	}
	return false
}

func windowLimited(v *view) []Finding {
	var list []Finding
	for i := range v.flows {
		f := &v.flows[i]
		if f.held() || !f.sender.known() || f.sender.TCP.ReceiveWindowLimited == nil || *f.sender.TCP.ReceiveWindowLimited <= limitedShare {
			continue
		}
		why, advice := "its buffer is too small, or its program or processor too slow", f.receiver.setReceiveBufferOrWindow(v)
		if f.receiver.known() && f.receiver.saturated() {
			why, advice = "its processor was the limit, for a core was saturated", ""
		}
		list = append(list, *say(fmt.Sprintf("For %s of its busy time the %s waited for the window of the %s: %s.",
			percent(*f.sender.TCP.ReceiveWindowLimited), f.sender.side, f.receiver.side, why), advice).
			about(f.receiver.side).on(f.sender, "tcp.receive_window_limited_percent").
			on(f.receiver, "tcp.receive_buffer_bytes", "limits.tcp_receive_buffer_max_bytes", "cpu.busy_max_percent"))
	}
	return list
}

// setReceiveBufferOrWindow is what makes a receiver's window larger: without
// -w it grows up to the system's bound.
func (e *end) setReceiveBufferOrWindow(v *view) string {
	if v.start.Params.Window > 0 {
		return fmt.Sprintf("leave out -w (%d bytes now), or make it larger", v.start.Params.Window)
	}
	if !e.known() || e.Limits.TCPReceiveMax == nil {
		return "a larger bound for TCP's receive buffer at the " + e.side
	}
	return e.at(e.setReceiveBuffer(twice(*e.Limits.TCPReceiveMax)))
}

// twice a limit, as far as a system takes it.
func twice(n int64) int64 { return 2 * min(n, 1<<29) }

func sendBufferLimited(v *view) []Finding {
	var list []Finding
	for i := range v.flows {
		f := &v.flows[i]
		e := f.sender
		if f.held() || !e.known() || e.TCP.SendBufferLimited == nil || *e.TCP.SendBufferLimited <= limitedShare {
			continue
		}
		advice := "a larger bound for TCP's send buffer at the " + e.side
		switch {
		case v.start.Params.Window > 0:
			advice = fmt.Sprintf("leave out -w (%d bytes now), or make it larger", v.start.Params.Window)
		case e.Limits.TCPSendMax != nil:
			advice = e.at(e.setSendBuffer(twice(*e.Limits.TCPSendMax)))
		}
		list = append(list, *say(fmt.Sprintf("For %s of its busy time the send buffer of the %s was the limit: the window was open, and no more data fitted into the buffer.",
			percent(*e.TCP.SendBufferLimited), e.side), advice).about(e.side).
			on(e, "tcp.send_buffer_limited_percent", "tcp.send_buffer_bytes", "limits.tcp_send_buffer_max_bytes"))
	}
	return list
}

func bufferBelowBDP(v *view) []Finding {
	if !v.tcp() {
		return nil
	}
	found := map[string]bool{}
	var list []Finding
	for i := range v.flows {
		one := v.smallBuffer(&v.flows[i])
		if one == nil || found[one.Side] {
			continue
		}
		found[one.Side] = true
		list = append(list, *one)
	}
	return list
}

// smallBuffer compares the bandwidth-delay product of a direction with the
// smaller of the buffers at its ends, nil if that is enough.
func (v *view) smallBuffer(f *flow) *Finding {
	timer := f.sender
	if !timer.known() || timer.TCP.RTTMin == nil {
		timer = f.receiver
	}
	if !timer.known() || timer.TCP.RTTMin == nil || f.speed <= 0 || f.held() {
		return nil
	}
	rtt := *timer.TCP.RTTMin
	bdp := f.speed * float64(rtt) / 8e6
	if bdp > 1<<40 {
		return nil // no such link
	}
	one := say("", "").on(timer, "tcp.rtt_min_us").on(f.sender, "link.speed_tx_bits_per_second").on(f.receiver, "link.speed_rx_bits_per_second").
		figure(f.key("bandwidth_delay_product_bytes"), int64(bdp))
	begin := fmt.Sprintf("%s with %s round trip need %s in flight", bitRate(f.speed), milliseconds(rtt), byteCount(bdp))
	if w := v.start.Params.Window; w > 0 {
		if float64(w) >= bdp {
			return nil
		}
		one.Sentence = fmt.Sprintf("%s; the socket buffer asked for (-w) is %s.", begin, byteCount(int64(w)))
		one.Advice = fmt.Sprintf("leave out -w, or make it at least %d", int64(bdp)+1)
		return one.about(sideBoth).figure("window_bytes", w)
	}
	room := int64(1) << bits.Len64(2*uint64(bdp)) // twice, because the kernel's own share counts too
	send, receive := (*int64)(nil), (*int64)(nil)
	if f.sender.known() {
		send = f.sender.Limits.TCPSendMax
	}
	if f.receiver.known() {
		receive = f.receiver.Limits.TCPReceiveMax
	}
	switch {
	case receive != nil && float64(*receive) < bdp && (send == nil || *receive <= *send):
		one.Sentence = fmt.Sprintf("%s; the receive buffer at the %s can grow to %s.", begin, f.receiver.side, byteCount(*receive))
		one.Advice = f.receiver.at(f.receiver.setReceiveBuffer(room))
		return one.about(f.receiver.side).on(f.receiver, "limits.tcp_receive_buffer_max_bytes")
	case send != nil && float64(*send) < bdp:
		one.Sentence = fmt.Sprintf("%s; the send buffer at the %s can grow to %s.", begin, f.sender.side, byteCount(*send))
		one.Advice = f.sender.at(f.sender.setSendBuffer(room))
		return one.about(f.sender.side).on(f.sender, "limits.tcp_send_buffer_max_bytes")
	}
	return nil
}

func autoTuningOff(v *view, e *end) *Finding {
	if !v.tcp() || !v.receives(e) || v.start.Params.Window > 0 || !is(e.Limits.AutoTuning, "disabled", "restricted", "highlyrestricted") {
		return nil
	}
	advice := "let the system size the window"
	switch or(e.Host.OS, "") {
	case "windows":
		advice = e.at("netsh interface tcp set global autotuninglevel=normal (as administrator)")
	case "linux":
		advice = e.at("sudo sysctl -w net.ipv4.tcp_moderate_rcvbuf=1")
	}
	return say(fmt.Sprintf("TCP's window auto-tuning at the %s is %s: its receive window does not grow as far as the link needs.", e.side, *e.Limits.AutoTuning), advice).
		on(e, "limits.auto_tuning")
}

func congestionDiffers(v *view) *Finding {
	if !v.tcp() || v.pathEnd(sysinfo.KindLoopback, sysinfo.KindOwnAddress) != nil {
		return nil
	}
	if !v.client.known() || !v.server.known() {
		return nil
	}
	c, s := v.client.TCP.CongestionControl, v.server.TCP.CongestionControl
	if c == nil || s == nil || *c == *s {
		return nil
	}
	return say(fmt.Sprintf("The client sends with %s and the server with %s: the two directions of a test differ for that reason too.", *c, *s),
		"-C "+congestionArgument(*c)+" for both").about(sideBoth).
		on(v.client, "tcp.congestion_control").on(v.server, "tcp.congestion_control")
}

// congestionArgument is the name of an algorithm for a command, a placeholder
// if it is not fit for one.
func congestionArgument(name string) string {
	if bareName(name) {
		return name
	}
	return "ALGORITHM"
}
