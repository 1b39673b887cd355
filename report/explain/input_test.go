package explain

import (
	"net/netip"
	"time"

	"linkperf/protocol"
	"linkperf/protocol/measure"
	"linkperf/sysinfo"
)

// healthy is a test between two Linux hosts over 10 Gbit/s Ethernet with an
// MTU of 9000 that reached 99.5 % of the ceiling, forward, over TCP.
func healthy() *Input {
	in := &Input{Client: record("client", "192.0.2.1", "192.0.2.2"), Server: record("server", "192.0.2.2", "192.0.2.1")}
	in.Result = &measure.Result{
		Start: &measure.Start{
			Side: measure.Client, Params: protocol.Params{Transport: protocol.TCP, Time: 10, Parallel: 1, Length: 128 << 10}, ControlMSS: 8948,
		},
		Duration: 10 * time.Second, Exchanged: true, PeerLinkperf: true,
	}
	carry(in, true, 9.85e9)
	return in
}

// carry adds a stream of that rate in one direction.
func carry(in *Input, toServer bool, rate float64) {
	sender := toServer == (in.Result.Start.Side == measure.Client)
	id := len(in.Result.Streams) + 1
	info := &measure.StreamInfo{ID: id, Socket: id, Sender: sender,
		Local: netip.MustParseAddrPort("192.0.2.1:40000"), Remote: netip.MustParseAddrPort("192.0.2.2:5201")}
	total := measure.Totals{Bytes: int64(rate * 10 / 8), Duration: 10 * time.Second, Retransmits: 0, Reorder: -1}
	sent, received := total, total
	received.Retransmits = -1
	if in.Result.Start.Params.Transport == protocol.UDP {
		sent.UDP, received.UDP = &measure.UDPStats{Packets: 1000}, &measure.UDPStats{Packets: 1000}
	}
	in.Result.Start.Streams = append(in.Result.Start.Streams, *info)
	in.Result.Streams = append(in.Result.Streams, measure.StreamResult{Stream: info, Sent: &sent, Received: &received})
}

// only leaves one direction with that rate.
func only(in *Input, toServer bool, rate float64) {
	in.Result.Streams, in.Result.Start.Streams = nil, nil
	in.Result.Start.Params.Reverse = !toServer
	carry(in, toServer, rate)
}

// overUDP makes it a UDP test of one datagram size.
func overUDP(in *Input, length int) {
	in.Result.Start.Params.Transport, in.Result.Start.Params.Length = protocol.UDP, length
	for _, r := range []*sysinfo.Record{in.Client, in.Server} {
		r.TCP = sysinfo.TCP{}
	}
	only(in, true, 9.8e9)
}

// record is what one end of the healthy test knows.
func record(role, local, remote string) *sysinfo.Record {
	r := &sysinfo.Record{
		Schema: sysinfo.Schema, Role: role, CollectedAt: time.Date(2026, 11, 30, 14, 23, 0, 0, time.UTC),
		Unknown: map[string]sysinfo.Unknown{}, Sources: map[string]sysinfo.Origin{}, Changed: map[string][2]any{},
		Tool: sysinfo.Tool{Name: new("linkperf"), Version: new("1.0"), RaceDetector: new(false)},
		Host: sysinfo.Host{OS: new("linux"), OSVersion: new("13"), Arch: new("amd64"), ProgramArch: new("amd64"),
			Emulated: new(false), Virtualization: new("none"), Container: new("none")},
		Path: sysinfo.Path{Kind: new(sysinfo.KindEthernet), LocalAddress: &local, RemoteAddress: &remote, Family: new(int64(4)), OnLink: new(true),
			LinkLocal: new(false), Interface: new("eth0"), AddressInterface: new("eth0"), Stack: []string{"eth0"}, VLANTags: new(int64(0)),
			Confirmed: new(true), MTU: new(int64(9000))},
		Link: sysinfo.Link{Name: new("eth0"), Kind: new(sysinfo.KindEthernet), MTU: new(int64(9000)), MTUMax: new(int64(9000)), Up: new(true),
			SpeedRx: new(int64(10e9)), SpeedTx: new(int64(10e9)), Capability: new(int64(10e9)), Partner: new(int64(10e9)), Duplex: new("full"),
			AutoNeg: new(true), Virtual: new(false), AttachedBy: new("pci"),
			PCIeSpeed: new(8.0), PCIeWidth: new(int64(8)), PCIeSpeedMax: new(8.0), PCIeWidthMax: new(int64(8))},
		TCP: sysinfo.TCP{MSS: new(int64(8948)), MSSAdvertised: new(int64(8948)), Timestamps: new(true), WindowScaling: new(true),
			CongestionControl: new("cubic"), SendBuffer: new(int64(4 << 20)), ReceiveBuffer: new(int64(6 << 20)),
			RTT: new(int64(300)), RTTMin: new(int64(100)), Segments: new(int64(1e6)), Retransmits: new(int64(0)), RetransmitPercent: new(0.0),
			ReceiveWindowLimited: new(1.0), SendBufferLimited: new(0.0), CongestionLimited: new(99.0)},
		Offload: sysinfo.Offload{TSO: new(true), GSO: new(true), GRO: new(true), LRO: new(false), ChecksumRx: new(true), ChecksumTx: new(true)},
		Queue:   sysinfo.Queue{Discipline: new("fq_codel"), RingRx: new(int64(512)), RingRxMax: new(int64(4096)), Backlog: new(int64(1000))},
		Limits: sysinfo.Limits{TCPReceiveMax: new(int64(6 << 20)), TCPSendMax: new(int64(4 << 20)), SocketReceiveMax: new(int64(212992)),
			SocketSendMax: new(int64(212992)), AutoTuning: new("normal")},
		Firewall: sysinfo.Firewall{State: new(sysinfo.Off), Layers: []sysinfo.Layer{{Name: "nftables", State: new(sysinfo.Off), OnPath: true}},
			Hooks: new(int64(0)), Rules: new(int64(0)), Filtering: new(false), Manager: new("none")},
		Security: sysinfo.Security{Filters: []string{}, VPN: []string{}},
		CPU: sysinfo.CPU{Model: new("some CPU"), Logical: new(int64(8)), Governor: new("performance"), Busy: []float64{20, 40, 10, 5},
			BusyMax: new(60.0), BusyMaxMean: new(40.0), BusyMaxCore: new(int64(1)),
			Split:   sysinfo.BusySplit{User: new(5.0), System: new(30.0), SoftIRQ: new(5.0), Steal: new(0.0)},
			SoftIRQ: new(2.0), Steal: new(0.0), Process: new(38.0)},
		Power:   sysinfo.Power{OnBattery: new(false), Mode: new("high_performance")},
		Thermal: sysinfo.Thermal{Temperature: new(55.0), Throttled: new(int64(0))},
		Counters: sysinfo.Counters{RxBytes: new(int64(12e9)), TxBytes: new(int64(12e9)), RxErrors: new(int64(0)), TxErrors: new(int64(0)),
			RxDropped: new(int64(0)), TxDropped: new(int64(0)), UDPReceiveDrops: new(int64(0)), SoftnetDropped: new(int64(0)), QueueDropped: new(int64(0))},
		Peer:       sysinfo.Peer{Tool: new("linkperf"), TTL: new(int64(64)), Hops: new(int64(0))},
		Interfaces: []sysinfo.Interface{{Name: "eth0", Kind: sysinfo.KindEthernet, Up: true, MTU: new(int64(9000)), Addresses: []string{local + "/24"}}},
	}
	return r
}

// both changes the records of both ends.
func both(in *Input, f func(*sysinfo.Record)) {
	f(in.Client)
	f(in.Server)
}

// thunderbolt makes the path a Thunderbolt cable between a Mac, the client, and
// a Windows PC, at 20 Gbit/s each way, which carried 16.4 Gbit/s.
func thunderbolt(in *Input) {
	both(in, func(r *sysinfo.Record) {
		r.Path.Kind, r.Link.Kind, r.Link.AttachedBy = new(sysinfo.KindThunderbolt), new(sysinfo.KindThunderbolt), new("thunderbolt")
		r.Path.LinkLocal = new(true)
		r.Link.SpeedRx, r.Link.SpeedTx = new(int64(20e9)), new(int64(20e9))
		r.Link.Capability, r.Link.Partner, r.Link.MTUMax = new(int64(20e9)), nil, nil
		r.Thunderbolt = sysinfo.Thunderbolt{Generation: new("4/USB4"), LanesRx: new(int64(1)), LanesTx: new(int64(1)),
			LaneSpeedRx: new(int64(20e9)), LaneSpeedTx: new(int64(20e9)), SpeedRx: new(int64(20e9)), SpeedTx: new(int64(20e9)), Peers: new(int64(1))}
	})
	c, s := in.Client, in.Server
	c.Host.OS, c.Host.OSVersion, c.Path.Interface, c.Path.AddressInterface, c.Link.Name = new("macos"), new("26.1"), new("bridge0"), new("bridge0"), new("en2")
	s.Host.OS, s.Host.OSVersion, s.Path.Interface, s.Path.AddressInterface, s.Link.Name =
		new("windows"), new("10.0"), new("Ethernet 3"), new("Ethernet 3"), new("Ethernet 3")
	c.Thunderbolt.DomainID, c.Thunderbolt.PeerDomainID = new("a"), new("b")
	s.Thunderbolt.DomainID, s.Thunderbolt.PeerDomainID = new("b"), new("a")
	only(in, true, 16.4e9)
}

// idleCable puts both ends on another path of that kind and leaves the
// Thunderbolt cable between them up.
func idleCable(in *Input, kind string) {
	thunderbolt(in)
	both(in, func(r *sysinfo.Record) {
		r.Path.Kind, r.Link.Kind, r.Link.AttachedBy, r.Path.LinkLocal = &kind, &kind, new("pci"), new(false)
		r.Interfaces[0].Kind = kind
		r.Link.SpeedRx, r.Link.SpeedTx, r.Link.Capability, r.Link.Partner = new(int64(1e9)), new(int64(1e9)), new(int64(1e9)), new(int64(1e9))
	})
	in.Server.Interfaces = append(in.Server.Interfaces, sysinfo.Interface{
		Name: "Ethernet 3", Kind: sysinfo.KindThunderbolt, Up: true, Addresses: []string{"fe80::1/64", "169.254.7.7/16"}})
	only(in, true, 120e6)
}

// stock makes the server a stock iperf3.
func stock(in *Input) {
	in.Server, in.Result.PeerLinkperf = nil, false
	in.Client.Peer.Tool = new("iperf3")
}
