package session

import (
	"fmt"

	"linkperf/protocol"
)

// doubts says what in the peer's results cannot be, because this side counted
// the other end of the same streams. The figures stay as they were told: which
// side is wrong, only a reader can find out.
func (g *Group) doubts(peer *protocol.Results) (warnings []string) {
	if peer == nil {
		return nil
	}
	doubt := func(format string, args ...any) {
		warnings = append(warnings, "the peer's results cannot be right: "+fmt.Sprintf(format, args...))
	}
	block := int64(g.cfg.Params.Length)
	for _, m := range g.members {
		id, p := m.info.ID, findStream(peer, m.info.ID)
		switch {
		case p == nil:
			doubt("there is nothing about stream %d", id)
		case p.Bytes < 0 || p.Packets < 0:
			doubt("stream %d has %d bytes and %d datagrams", id, p.Bytes, p.Packets)
		case m.info.Sender && g.udp() && p.Packets > m.final.Packets:
			doubt("it received %d datagrams on stream %d, of which only %d were sent", p.Packets, id, m.final.Packets)
		case m.info.Sender && !g.udp() && p.Bytes > m.final.Bytes:
			doubt("it received %d bytes on stream %d, of which only %d were sent", p.Bytes, id, m.final.Bytes)
		case !m.info.Sender && !g.udp() && p.Bytes+block < m.final.Bytes && g.omit == 0:
			// Bytes that are under way when an omit period ends count here only, and
			// iperf3 3.21 does not count the block that it was sending at the end.
			doubt("it sent %d bytes on stream %d, on which %d arrived", p.Bytes, id, m.final.Bytes)
		}
	}
	return warnings
}
