package explain

import (
	"fmt"
	"strings"
)

func drops(_ *view, e *end) *Finding {
	var what []string
	advice := ""
	for _, c := range []struct {
		count *int64
		where string
		do    string
	}{
		{e.Counters.RxDropped, "on receipt by the interface", e.moreRing()},
		{e.Counters.TxDropped, "on sending by the interface", ""},
		{e.Counters.QueueDropped, "by the queue discipline", ""},
		{e.Counters.SoftnetDropped, "in the backlog of a core", e.moreBacklog()},
	} {
		if or(c.count, 0) <= 0 {
			continue
		}
		what = append(what, fmt.Sprintf("%d %s", *c.count, c.where))
		if advice == "" {
			advice = c.do
		}
	}
	if len(what) == 0 {
		return nil
	}
	return say(fmt.Sprintf("Packets were dropped at the %s during the test: %s.", e.side, strings.Join(what, ", ")), advice).
		on(e, "counters.rx_dropped", "counters.tx_dropped", "counters.queue_dropped", "counters.softnet_dropped", "queue.ring_rx", "queue.ring_rx_max", "queue.receive_backlog")
}

// moreRing is the command for a larger ring of received packets, "" if there
// is no room for one.
func (e *end) moreRing() string {
	if !is(e.Host.OS, "linux") || e.Queue.RingRx == nil || e.Queue.RingRxMax == nil || *e.Queue.RingRx >= *e.Queue.RingRxMax {
		return ""
	}
	return e.at(fmt.Sprintf("sudo ethtool -G %s rx %d (now %d)", e.device(), *e.Queue.RingRxMax, *e.Queue.RingRx))
}

func (e *end) moreBacklog() string {
	if !is(e.Host.OS, "linux") || e.Queue.Backlog == nil {
		return ""
	}
	return e.at(fmt.Sprintf("sudo sysctl -w net.core.netdev_max_backlog=%d (now %d)", twice(*e.Queue.Backlog), *e.Queue.Backlog))
}

// udpBufferDrops prefers what the test's own sockets counted to what the
// system counted for all.
func udpBufferDrops(v *view) []Finding {
	if !v.udp() {
		return nil
	}
	var list []Finding
	for i := range v.flows {
		f := &v.flows[i]
		e := f.receiver
		var one *Finding
		if sum, ok := v.Result.Sum(f.toServer, false); ok && sum.UDP != nil && sum.UDP.Dropped > 0 {
			least := ""
			if sum.UDP.DroppedAtLeast {
				least = "at least "
			}
			one = say(fmt.Sprintf("The socket buffer at the %s overflowed: %s%d datagrams arrived and were dropped there, not on the way.", e.side, least, sum.UDP.Dropped), "").
				figure(f.key("datagrams_dropped_by_socket"), sum.UDP.Dropped)
		} else if e.known() && or(e.Counters.UDPReceiveDrops, 0) > 0 {
			one = say(fmt.Sprintf("UDP socket buffers at the %s overflowed: %d datagrams arrived and were dropped there (all programs of the host together).", e.side, *e.Counters.UDPReceiveDrops), "").
				on(e, "counters.udp_receive_buffer_errors")
		}
		if one == nil {
			continue
		}
		one.Advice = "a larger socket buffer (-w 4M)"
		if limit := e.socketLimit(); limit > 0 && limit < 4<<20 {
			if command := e.setSocketBuffer(4 << 20); command != "" {
				one.Advice += fmt.Sprintf("; the system allows %d bytes, so first %s", limit, e.at(command))
			}
			one.on(e, "limits.socket_receive_buffer_max_bytes")
		}
		list = append(list, *one.about(e.side))
	}
	return list
}

// socketLimit is the largest receive buffer that a socket may ask for, 0 if it
// is not known.
func (e *end) socketLimit() int64 {
	if !e.known() {
		return 0
	}
	return or(e.Limits.SocketReceiveMax, 0)
}

func retransmits(v *view) []Finding {
	if !v.tcp() {
		return nil
	}
	var list []Finding
	for i := range v.flows {
		f := &v.flows[i]
		share, one := v.retransmitted(f)
		if one == nil {
			continue
		}
		threshold, advice := retransBeyond, "look for the drop: interface counters at both ends, routers between"
		if e := v.pathOf(f); e != nil && e.onLink() && e.cabled() {
			threshold, advice = retransCable, "cable and connectors, flow control of the switch, drops at the receiver"
			one.on(e, "path.kind", "path.on_link")
		}
		if share <= threshold {
			continue
		}
		one.Sentence = fmt.Sprintf("The %s sent %s %% of its segments again.", f.sender.side, short(share))
		one.Advice = advice
		list = append(list, *one.about(f.sender.side))
	}
	return list
}

// retransmitted is the share of segments sent again, in percent, from the
// sender's record or else from the totals and the segment size; the finding is
// nil if it is not known.
func (v *view) retransmitted(f *flow) (float64, *Finding) {
	if f.sender.known() && f.sender.TCP.RetransmitPercent != nil {
		return *f.sender.TCP.RetransmitPercent, say("", "").on(f.sender, "tcp.retransmitted_percent", "tcp.retransmitted_segments", "tcp.sent_segments")
	}
	sum, ok := v.Result.Sum(f.toServer, true)
	if !ok || sum.Retransmits < 0 || sum.Bytes <= 0 {
		return 0, nil
	}
	mss := int64(v.start.ControlMSS)
	for _, e := range []*end{f.sender, f.receiver} {
		if e.known() && or(e.TCP.MSS, 0) > 0 {
			mss = *e.TCP.MSS
			break
		}
	}
	if mss <= 0 {
		return 0, nil
	}
	segments := float64(sum.Bytes) / float64(mss)
	return 100 * float64(sum.Retransmits) / segments, say("", "").
		figure(f.key("retransmitted_segments"), sum.Retransmits).figure(f.key("sent_bytes"), sum.Bytes).figure("segment_bytes", mss)
}

// pathOf is the end that knows the path of a direction best.
func (v *view) pathOf(f *flow) *end {
	for _, e := range []*end{f.sender, f.receiver} {
		if e.known() && e.Path.Kind != nil {
			return e
		}
	}
	return nil
}
