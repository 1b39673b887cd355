package sysinfo

import (
	"reflect"
	"time"
)

// counterUse takes the system's counters before and after a test.
type counterUse struct {
	at           time.Time // of the start
	link         Counters
	stack        stackCounters
	throttled    int64
	linkErr      error
	stackErr     error
	throttledErr error
}

func (u *counterUse) start(p *probe) {
	u.at = time.Now()
	u.link, u.linkErr = linkCounters(p)
	u.stack, u.stackErr = readStack(p)
	u.throttled, u.throttledErr = readThrottled(p)
}

func linkCounters(p *probe) (Counters, error) {
	if p.link() == "" {
		return Counters{}, because(NotApplicable, "the interface is not known")
	}
	return readLink(p, p.link())
}

// report writes the differences since the start.
func (u *counterUse) report(r *Record, p *probe) {
	link, err := linkCounters(p)
	if u.linkErr == nil && err == nil {
		r.Counters = differences(link, u.link)
	} else if u.linkErr != nil {
		err = u.linkErr
	}
	stack, stackErr := readStack(p)
	if u.stackErr != nil {
		stackErr = u.stackErr
	}
	n := &r.Counters
	for _, c := range []struct {
		path        string
		into        **int64
		after, then *int64
	}{
		{"udp_receive_buffer_errors", &n.UDPReceiveDrops, stack.UDPReceiveDrops, u.stack.UDPReceiveDrops},
		{"udp_send_buffer_errors", &n.UDPSendDrops, stack.UDPSendDrops, u.stack.UDPSendDrops},
		{"tcp_retransmitted_segments", &n.TCPRetransmits, stack.TCPRetransmits, u.stack.TCPRetransmits},
		{"softnet_dropped", &n.SoftnetDropped, stack.SoftnetDropped, u.stack.SoftnetDropped},
		{"softnet_squeezed", &n.SoftnetSqueezed, stack.SoftnetSqueezed, u.stack.SoftnetSqueezed},
	} {
		add(c.into, c.after, c.then)
		if *c.into == nil && stackErr != nil {
			r.unknown("counters."+c.path, stackErr)
		}
	}
	if err != nil {
		r.unknown("counters", err)
	}
	u.reportThrottled(r, p)
}

func (u *counterUse) reportThrottled(r *Record, p *probe) {
	now, err := readThrottled(p)
	if u.throttledErr != nil {
		err = u.throttledErr
	}
	if err != nil {
		r.unknown("thermal.throttle_events", err)
		return
	}
	r.Thermal.Throttled = new(max(now-u.throttled, 0))
}

// differences subtracts the counters that both have.
func differences(after, before Counters) Counters {
	var d Counters
	a, b, into := reflect.ValueOf(after), reflect.ValueOf(before), reflect.ValueOf(&d).Elem()
	for i := range into.NumField() {
		add(into.Field(i).Addr().Interface().(**int64), a.Field(i).Interface().(*int64), b.Field(i).Interface().(*int64))
	}
	return d
}
