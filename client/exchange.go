package client

import (
	"fmt"
	"time"

	"linkperf/protocol"
	"linkperf/protocol/sockopt"
)

// exchange ends the test and puts both sides' results together.
func (t *test) exchange() error {
	if t.staged() && t.stuck != nil {
		t.stuck.Reset(phaseDeadline)
	}
	t.group.Stop()
	if t.params.GSO && !sockopt.Supported(sockopt.UDPOffload) {
		t.result.Warnings = append(t.result.Warnings,
			"--gsro requested but UDP GSO/GRO not supported on this client; will only be enabled on server if supported")
	}
	if t.cfg.sends() {
		t.settle()
	}
	if err := t.writing(func() error { return t.ctl.WriteState(protocol.TestEnd) }); err != nil {
		return err
	}
	t.group.CloseWrite()
	if err := t.expect(protocol.ExchangeResults); err != nil {
		return err
	}
	t.group.Drain(t.ctx, nil)
	t.result.LocalRecord = t.observation.End()
	own, warning := t.group.Results(nil, t.cfg.Version, t.result.LocalRecord)
	if warning != "" {
		t.result.Warnings = append(t.result.Warnings, warning)
	}
	if err := t.writing(func() error { return t.ctl.WriteResults(own) }); err != nil {
		return err
	}
	peer, err := t.readResults()
	if err != nil {
		return err
	}
	if err := t.expect(protocol.DisplayResults); err != nil {
		return err
	}
	t.finish(&peer)
	t.hangUp(protocol.IperfDone)
	return nil
}

// How long what has been sent may stay under way before the server hears that
// the test is over.
const (
	settleBytes     = 2 * time.Second
	settleDatagrams = 10 * time.Millisecond
	settlePoll      = time.Millisecond
)

// settle lets the server receive what was sent: iperf3's stops counting as soon
// as it hears of the end. An amount has to arrive as a whole; in a test of fixed
// length the bytes under way are those that the server had not received in time.
func (t *test) settle() {
	limit := settleDatagrams
	amount := t.params.Transport != protocol.UDP
	if amount {
		if t.cfg.Time > 0 {
			return
		}
		limit = settleBytes
	} else if raw := t.rawControl(); raw != nil {
		if i, err := sockopt.TCPInfo(raw); err == nil {
			limit += min(time.Duration(i.RTT)*time.Microsecond, time.Second)
		}
	}
	timer := time.NewTimer(limit)
	defer timer.Stop()
	poll := time.NewTicker(settlePoll)
	defer poll.Stop()
	for !amount || t.group.Unsent() > 0 {
		select {
		case <-t.ctx.Done():
			return
		case <-timer.C:
			return
		case <-poll.C:
		}
	}
}

func (t *test) readResults() (peer protocol.Results, err error) {
	t.phase = "reading the server's results"
	err = t.ctl.Reading(t.ctx, func() (err error) {
		var wrong []protocol.Warning
		peer, wrong, err = t.ctl.ReadResults(protocol.MaxServerResults)
		for _, w := range wrong {
			t.result.Warnings = append(t.result.Warnings, "results of the server: "+w.Error())
		}
		return err
	})
	if err != nil {
		return peer, err
	}
	for i := range peer.Streams {
		if !t.knows(peer.Streams[i].ID) {
			return peer, protocol.NewError(protocol.CodeStreamID, nil)
		}
	}
	if n := t.params.Streams(); len(peer.Streams) < n {
		t.result.Warnings = append(t.result.Warnings, fmt.Sprintf(
			"the server reported %d of %d streams; servers before 3.7 know no bidirectional tests", len(peer.Streams), n))
	}
	return peer, nil
}

func (t *test) knows(id int) bool {
	for i := range t.result.Start.Streams {
		if t.result.Start.Streams[i].ID == id {
			return true
		}
	}
	return false
}

// finish takes the last samples and fills the result; peer may be nil.
func (t *test) finish(peer *protocol.Results) {
	t.group.Stop()
	t.result.LocalRecord = t.observation.End()
	t.group.Finish(&t.result, peer)
	for _, err := range t.group.SinkErrors() {
		t.events.failed(err)
	}
}
