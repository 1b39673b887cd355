package sysinfo

import (
	"errors"
	"reflect"
	"testing"
	"time"
)

// second gives the times of one core after n seconds of which the shares were
// used.
func coreAfter(user, system, softirq, steal, idle float64) coreTimes {
	return coreTimes{user, system, softirq, steal, idle, true}
}

func TestCPUUse(t *testing.T) {
	at := time.Now().Add(-10 * time.Second)
	u := cpuUse{
		began: at, last: at.Add(2 * time.Second),
		first:    []coreTimes{coreAfter(10, 10, 0, 0, 80), coreAfter(0, 0, 0, 0, 0)},
		previous: []coreTimes{coreAfter(10, 10, 0, 0, 82), coreAfter(.5, .5, 0, 0, 1)},
		newest:   []coreTimes{coreAfter(10, 10, 0, 0, 84), coreAfter(.5, 1.5, 1, 1, 0)},
		peak:     []float64{0, 50},
	}
	u.peaks([]coreTimes{coreAfter(10, 10, 0, 0, 84), coreAfter(.5, 1, .5, 0, 1)})
	var r Record
	u.report(&r, []string{"P", "E"})
	if !reflect.DeepEqual(r.CPU.Busy, []float64{0, 100}) {
		t.Errorf("busy %v, want 0 and 100", r.CPU.Busy)
	}
	if *r.CPU.BusyMaxCore != 1 || *r.CPU.BusyMax != 100 || *r.CPU.BusyMaxClass != "E" || *r.CPU.BusyMaxMean != 100 {
		t.Errorf("busiest: core %d at %v, class %s, mean %v", *r.CPU.BusyMaxCore, *r.CPU.BusyMax, *r.CPU.BusyMaxClass, *r.CPU.BusyMaxMean)
	}
	// Core 1 used 4 s: 0.5 user, 1.5 system, 1 softirq, 1 stolen.
	want := BusySplit{new(12.5), new(37.5), new(25.0), new(25.0)}
	if !reflect.DeepEqual(r.CPU.Split, want) {
		t.Errorf("split %v %v %v %v", *r.CPU.Split.User, *r.CPU.Split.System, *r.CPU.Split.SoftIRQ, *r.CPU.Split.Steal)
	}
	// Both cores together: 8 s, of which 1 softirq and 1 stolen.
	if *r.CPU.SoftIRQ != 12.5 || *r.CPU.Steal != 12.5 {
		t.Errorf("softirq %v, steal %v of all cores, want 12.5", *r.CPU.SoftIRQ, *r.CPU.Steal)
	}
}

func TestCPUUseWithoutSplit(t *testing.T) {
	u := cpuUse{
		first: []coreTimes{{}}, previous: []coreTimes{{}}, peak: []float64{0},
		newest: []coreTimes{{User: 1, System: 1, Idle: 2}},
	}
	var r Record
	u.report(&r, nil)
	if r.CPU.Split.SoftIRQ != nil || r.CPU.SoftIRQ != nil || r.CPU.Split.Steal != nil {
		t.Error("a share that the system does not tell apart is told as zero")
	}
	if *r.CPU.Split.User != 25 || *r.CPU.BusyMax != 50 {
		t.Errorf("user %v, busy %v; want 25 and 50", *r.CPU.Split.User, *r.CPU.BusyMax)
	}
	if u := r.Unknown["cpu.busy_max_class"]; u.Reason != NotApplicable {
		t.Errorf("class of the core: %+v", u)
	}
}

func TestCPUUseUnknown(t *testing.T) {
	for name, u := range map[string]cpuUse{
		"not readable":  {err: errors.New("no"), first: []coreTimes{{}}},
		"a core came":   {first: []coreTimes{{}}, newest: []coreTimes{{}, {}}},
		"no tick gone":  {first: []coreTimes{{User: 1}}, newest: []coreTimes{{User: 1}}, previous: []coreTimes{{User: 1}}, peak: []float64{0}},
		"never sampled": {},
	} {
		var r Record
		u.report(&r, nil)
		if r.CPU.Busy != nil || r.CPU.BusyMax != nil {
			t.Errorf("%s: busy %v", name, r.CPU.Busy)
		}
		if _, ok := r.Unknown["cpu"]; !ok {
			t.Errorf("%s: no reason", name)
		}
	}
}

func TestIdleTimeThatGoesBack(t *testing.T) {
	if got := (coreTimes{User: 5, Idle: 9}).since(coreTimes{User: 4, Idle: 10}); got.Idle != 0 || got.User != 1 {
		t.Errorf("got %+v", got)
	}
}

// sockets is a use of connections with samples of one's own.
func stream(first, last socketSample, rtts ...int64) socketStream {
	s := socketStream{first: first, last: last, sampled: true, rate: last.DeliveryRate}
	for _, r := range rtts {
		if s.rtts == 0 || r < s.rttMin {
			s.rttMin = r
		}
		s.rttMax = max(s.rttMax, r)
		s.rttSum += r
		s.rtts++
	}
	return s
}

func counted(segments, retransmits, busy, window, buffer int64) socketSample {
	return socketSample{Segments: &segments, Retransmits: &retransmits, Busy: &busy, WindowLimited: &window, BufferLimited: &buffer,
		DeliveryRate: new(int64(1e9)), SentBytes: new(segments * 1448), ReceivedBytes: new(int64(0)), RTTMin: new(int64(90))}
}

func TestSocketUseOfSenders(t *testing.T) {
	u := socketUse{streams: []socketStream{
		stream(counted(100, 1, 10, 0, 0), counted(1100, 6, 1010, 250, 0), 100, 300),
		stream(counted(0, 0, 0, 0, 0), counted(1000, 0, 1000, 0, 250), 200),
		stream(counted(0, 0, 0, 0, 0), counted(999, 99, 999, 99, 99)), // receives
	}}
	conns := []Conn{{Sender: true, Transport: "tcp"}, {Sender: true, Transport: "tcp"}, {Transport: "tcp"}}
	var r Record
	u.report(&r, conns)
	tcp := r.TCP
	if *tcp.Segments != 2000 || *tcp.Retransmits != 5 || *tcp.RetransmitPercent != .25 {
		t.Errorf("segments %d, retransmitted %d, %v %%", *tcp.Segments, *tcp.Retransmits, *tcp.RetransmitPercent)
	}
	if *tcp.ReceiveWindowLimited != 12.5 || *tcp.SendBufferLimited != 12.5 || *tcp.CongestionLimited != 75 {
		t.Errorf("limited %v, %v, %v; want 12.5, 12.5, 75", *tcp.ReceiveWindowLimited, *tcp.SendBufferLimited, *tcp.CongestionLimited)
	}
	if *tcp.RTTMin != 90 || *tcp.RTTMax != 300 || *tcp.RTTMean != 200 {
		t.Errorf("RTT %d, %d, %d; want 90, 200, 300", *tcp.RTTMin, *tcp.RTTMean, *tcp.RTTMax)
	}
	if *tcp.DeliveryRate != 2e9 {
		t.Errorf("delivery rate %d, want that of both senders", *tcp.DeliveryRate)
	}
	if got := *u.transferred(); got != (1000+1000+999)*1448 {
		t.Errorf("%d bytes moved", got)
	}
}

func TestSocketUseUnknown(t *testing.T) {
	var r Record
	u := socketUse{streams: []socketStream{stream(socketSample{}, socketSample{})}}
	u.report(&r, []Conn{{Transport: "tcp"}})
	if w := r.Unknown["tcp.receive_window_limited_percent"]; w.Reason != NotApplicable || r.TCP.Retransmits != nil {
		t.Errorf("a receiver: %+v, retransmits %v", w, r.TCP.Retransmits)
	}
	r = Record{}
	u.report(&r, []Conn{{Transport: "tcp", Sender: true}})
	if r.TCP.ReceiveWindowLimited != nil || r.TCP.Retransmits != nil || r.TCP.RTTMin != nil {
		t.Error("what an old kernel does not tell is told as zero")
	}
	if u.transferred() != nil {
		t.Error("bytes that the kernel does not count")
	}
	r = Record{}
	u.report(&r, []Conn{{Transport: "udp", Sender: true}})
	if w := r.Unknown["tcp"]; w.Reason != NotApplicable {
		t.Errorf("UDP: %+v", w)
	}
	r = Record{}
	(&socketUse{streams: []socketStream{{err: because(NoPermission, "no")}}}).report(&r, []Conn{{Transport: "tcp"}})
	if w := r.Unknown["tcp"]; w.Reason != NoPermission {
		t.Errorf("refused: %+v", w)
	}
}

func TestPeerMTU(t *testing.T) {
	path := func(kind string, family int64, onLink bool) Path {
		return Path{Kind: &kind, Family: &family, OnLink: &onLink}
	}
	for _, c := range []struct {
		name string
		mss  int64
		ts   bool
		path Path
		mtu  int64 // own
		want int64 // 0 for unknown
	}{
		// Recorded: MSS 1448 while the interface has 9000.
		{"IPv4 with timestamps", 1448, true, path(KindEthernet, 4, true), 9000, 1500},
		{"IPv4 without", 1460, false, path(KindThunderbolt, 4, true), 62000, 1500},
		{"IPv6", 1428, true, path(KindEthernet, 6, true), 9000, 1500},
		{"equal", 8948, true, path(KindEthernet, 4, true), 9000, 0},
		{"the own MTU is the smaller one", 1448, true, path(KindEthernet, 4, true), 1500, 0},
		{"a router between", 1448, true, path(KindEthernet, 4, false), 9000, 0},
		{"own address", 1448, true, path(KindOwnAddress, 4, true), 65536, 0},
	} {
		t.Run(c.name, func(t *testing.T) {
			got, err := peerMTU(TCP{MSS: &c.mss, Timestamps: &c.ts}, c.path, Link{MTU: &c.mtu})
			if got != c.want || (err == nil) != (c.want != 0) {
				t.Errorf("got %d, %v; want %d", got, err, c.want)
			}
		})
	}
	if _, err := peerMTU(TCP{}, path(KindEthernet, 4, true), Link{}); unknownOf(err).Reason != NotSupported {
		t.Errorf("nothing known: %v", err)
	}
}

func TestHops(t *testing.T) {
	for ttl, want := range map[int64]int64{64: 0, 63: 1, 57: 7, 128: 0, 113: 15, 255: 0, 250: 5, 65: 63} {
		if got := hops(ttl); got != want {
			t.Errorf("TTL %d: %d hops, want %d", ttl, got, want)
		}
	}
}

func TestFastestFirst(t *testing.T) {
	list := fastestFirst([]Interface{
		{Name: "lo", Kind: KindLoopback, Up: true, Addresses: []string{"127.0.0.1/8"}},
		{Name: "wlan0", Kind: KindWiFi, Up: true, SpeedRx: new(int64(8e8)), SpeedTx: new(int64(6e8)), Addresses: []string{"192.168.1.7/24"}},
		{Name: "eth0", Kind: KindEthernet, Up: true, SpeedRx: new(int64(1e9)), SpeedTx: new(int64(1e9)), Addresses: []string{"fe80::1/64", "192.168.1.8/24"}},
		{Name: "thunderbolt0", Kind: KindThunderbolt, Up: true, Addresses: []string{"169.254.3.4/16"}},
		{Name: "veth0", Kind: KindVirtual, Up: true, Addresses: []string{"10.0.0.1/24", "not an address"}},
		{Name: "eth1", Kind: KindEthernet, Addresses: []string{"10.9.9.9/24"}},
	})
	var got []string
	for _, a := range list {
		got = append(got, a.Address.String())
	}
	want := []string{"169.254.3.4", "192.168.1.8", "fe80::1%eth0", "192.168.1.7", "10.0.0.1", "127.0.0.1"}
	if !reflect.DeepEqual(got, want) {
		t.Errorf("got %v, want %v", got, want)
	}
	if !list[0].LinkLocal || list[1].LinkLocal || *list[3].Speed != 6e8 || list[0].Speed != nil {
		t.Errorf("got %+v", list)
	}
}
