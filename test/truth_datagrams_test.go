package test

import (
	"encoding/binary"
	"strings"
	"sync/atomic"
	"testing"
	"time"
)

// Row 9: what UDP receivers count. The relay stands for a path that
// reorders, duplicates and delays, and for a host with another clock.
var _ = promise(
	truth{row: 9, name: "reordering and duplicates", run: testReordering},
	truth{row: 9, name: "clocks and handshake", run: testOtherClock},
	truth{row: 9, name: "omit", run: testOmittedDatagrams},
	truth{row: 10, name: "repeated hello", run: testRepeatedHello},
)

// scripted runs a trial through a relay whose script for the direction of the
// data is the given one. The datagrams before the data, the handshake, come
// first.
func (r *trial) scripted(t *testing.T, data script) {
	t.Helper()
	dir := directionOf(r.clientArgs)
	r.via = func(port int) int {
		if dir == reverse {
			return startRelay(t, port, nil, data).port
		}
		return startRelay(t, port, data, nil).port
	}
	r.succeed(t)
}

// checkLost asks for 0 <= lost <= sent, and that what was received and what
// was lost is what was sent.
func checkLost(t *testing.T, v view, f flow) {
	t.Helper()
	lost, sent := v.doc.num(t, f.received+".lost_packets"), v.doc.num(t, f.sent+".packets")
	if lost < 0 || lost > sent {
		t.Errorf("%v: lost %.0f of %.0f datagrams", v, lost, sent)
	}
	if percent := v.doc.num(t, f.received+".lost_percent"); percent < 0 || percent > 100 {
		t.Errorf("%v: lost %v %%", v, percent)
	}
}

// testReordering duplicates every tenth datagram and lets every fifteenth
// overtake the one before.
func testReordering(t *testing.T) {
	for _, args := range []string{"-u -k 400 -b 2M -l 1000", "-u -k 400 -b 2M -l 1000 -R"} {
		t.Run(args, func(t *testing.T) {
			eachQuietPair(t, eitherSide, func(t *testing.T, client, server peer) {
				words := strings.Fields(args)
				receiver := server
				if directionOf(words) == reverse {
					receiver = client
				}
				var passed, duplicates, overtaken atomic.Int64
				var held []byte
				mix := func(n int, d arrival, pass func([]byte)) {
					b := d.bytes
					if n > 0 && n%15 == 0 {
						held = b
						return
					}
					pass(b)
					if n == 0 { // the handshake
						return
					}
					passed.Add(1)
					if n%10 == 0 {
						duplicates.Add(1)
						pass(b)
					}
					if held != nil {
						passed.Add(1)
						overtaken.Add(1)
						pass(held)
						held = nil
					}
				}
				r := &trial{client: client, server: server, clientArgs: words}
				r.scripted(t, mix)
				for _, v := range r.judgedViews() {
					f := v.flows(words)[0]
					checkLost(t, v, f)
					if !judged(receiver) {
						continue
					}
					sent := v.doc.num(t, f.sent+".packets")
					// All of it arrived, unless the relay was held up, or a stock
					// sender went on for a datagram.
					lost := v.doc.num(t, f.received+".lost_packets")
					if missing := sent - float64(passed.Load()); lost > max(missing, 0) {
						t.Errorf("%v: lost %.0f of %.0f datagrams, %d passed", v, lost, sent, passed.Load())
					}
					if receiver.name != v.peer.name && !(client.ours && server.ours) {
						continue
					}
					if got := v.doc.num(t, "end.streams.0.udp.out_of_order"); got != float64(overtaken.Load()) {
						t.Errorf("%v: %.0f out of order, want %d", v, got, overtaken.Load())
					}
					if got := v.doc.num(t, "linkperf.udp.0.duplicates"); got != float64(duplicates.Load()) {
						t.Errorf("%v: %.0f duplicates, want %d", v, got, duplicates.Load())
					}
				}
			})
		})
	}
}

// testOtherClock gives the sender a clock that is an hour ahead and a slow
// handshake. The jitter must see neither: an hour would be 225 s of it.
func testOtherClock(t *testing.T) {
	for _, args := range []string{"-u -k 50 -b 1M -l 1000", "-u -k 50 -b 1M -l 1000 -R"} {
		t.Run(args, func(t *testing.T) {
			eachQuietPair(t, eitherSide, func(t *testing.T, client, server peer) {
				words := strings.Fields(args)
				receiver := server
				if directionOf(words) == reverse {
					receiver = client
				}
				ahead := func(n int, d arrival, pass func([]byte)) {
					b := d.bytes
					if n == 0 {
						time.Sleep(300 * time.Millisecond)
					} else {
						binary.BigEndian.PutUint32(b, binary.BigEndian.Uint32(b)+3600)
					}
					pass(b)
				}
				r := &trial{client: client, server: server, clientArgs: words}
				r.scripted(t, ahead)
				if !judged(receiver) {
					return
				}
				for _, v := range r.judgedViews() {
					f := v.flows(words)[0]
					// A busy machine makes some jitter, never as much as an hour does.
					const most = 5000
					if jitter := v.doc.num(t, f.received+".jitter_ms"); jitter > most {
						t.Errorf("%v: jitter of %v ms", v, jitter)
					}
					for i, interval := range v.doc.objects("intervals") {
						if jitter, ok := interval.float(f.interval + ".jitter_ms"); ok && jitter > most {
							t.Errorf("%v: jitter of %v ms in interval %d", v, jitter, i)
						}
					}
				}
			})
		})
	}
}

// testOmittedDatagrams has an omit period: both sides' counts are those of
// what follows it.
func testOmittedDatagrams(t *testing.T) {
	for _, args := range options([]string{"-u -b 2M -l 1000 -O 1 -t 1 --bidir"}, []string{"-u -b 2M -l 1000 -O 1 -t 1", "-u -b 2M -l 1000 -O 1 -t 1 -R"}) {
		t.Run(args, func(t *testing.T) {
			eachQuietPair(t, eitherSide, func(t *testing.T, client, server peer) {
				r := &trial{client: client, server: server, clientArgs: strings.Fields(args)}
				r.succeed(t)
				for _, v := range r.judgedViews() {
					for _, f := range v.flows(r.clientArgs) {
						sender, receiver := server, client
						if f.sends == v.client {
							sender, receiver = client, server
						}
						sent, received := v.doc.num(t, f.sent+".packets"), v.doc.num(t, f.received+".packets")
						if judged(sender) {
							if bytes := v.doc.num(t, f.sent+".bytes"); sent*1000 != bytes {
								t.Errorf("%v, %s: %.0f datagrams of 1000 bytes are not %.0f bytes", v, f.name, sent, bytes)
							}
						}
						// 250 a second for a second, and as many before it that do not count.
						// A sender that was held up may lag behind.
						if seconds := v.doc.num(t, f.sent+".seconds"); judged(sender) && !near(sent, 250*seconds, 0.4) {
							t.Errorf("%v, %s: sent %.0f datagrams in %v s", v, f.name, sent, seconds)
						}
						if !judged(receiver) {
							continue
						}
						if received > sent || received < 0.5*sent {
							t.Errorf("%v, %s: %.0f of %.0f datagrams", v, f.name, received, sent)
						}
						checkLost(t, v, f)
						if lost := v.doc.num(t, f.received+".lost_packets"); lost != 0 {
							t.Errorf("%v, %s: lost %.0f datagrams", v, f.name, lost)
						}
					}
				}
			})
		})
	}
}

// testRepeatedHello loses the server's reply and repeats the hello, as another
// client might.
func testRepeatedHello(t *testing.T) {
	eachQuietPair(t, theServer, func(t *testing.T, client, server peer) {
		var replies atomic.Int64
		again := make(chan func(), 1)
		up := func(n int, d arrival, pass func([]byte)) {
			pass(d.bytes)
			if n == 0 {
				again <- func() { pass(d.bytes) }
			}
		}
		down := func(n int, d arrival, pass func([]byte)) {
			if replies.Add(1) == 1 {
				(<-again)()
				return
			}
			pass(d.bytes)
		}
		r := &trial{client: client, server: server, clientArgs: strings.Fields("-u -k 100 -b 4M -l 1000")}
		r.via = func(port int) int { return startRelay(t, port, up, down).port }
		r.succeed(t)
		if n := replies.Load(); n != 2 {
			t.Errorf("%d replies to a hello that came twice", n)
		}
		if packets, sent := r.sdoc.num(t, "end.sum_received.packets"), r.sdoc.num(t, "end.sum_sent.packets"); packets != sent {
			t.Errorf("received %.0f of %.0f datagrams", packets, sent)
		}
		if lost := r.sdoc.num(t, "end.sum_received.lost_packets"); lost != 0 {
			t.Errorf("lost %.0f datagrams", lost)
		}
		if n := r.sdoc.num(t, "linkperf.udp.0.duplicates"); n != 0 {
			t.Errorf("%v duplicates", n)
		}
	})
}
