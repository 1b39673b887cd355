package explain

import (
	"fmt"
	"net"
	"syscall"
	"time"

	"linkperf/protocol/measure"
	"linkperf/sysinfo"
)

// An example changes the healthy test so that a finding fires, and so that it
// nearly does.
type example struct {
	fires, misses func(in *Input)
}

// examples has every finding that there is.
var examples = map[string]example{
	"local-network-denied": {
		func(in *Input) {
			in.Client.Host.OS, in.Client.Host.OSVersion = new("macos"), new("15.1")
			noRoute(in, "192.0.2.2:5201")
		},
		// The same of an address behind a router.
		func(in *Input) {
			in.Client.Host.OS, in.Client.Host.OSVersion = new("macos"), new("15.1")
			noRoute(in, "198.51.100.2:5201")
		},
	},
	"own-address-is-loopback": {
		func(in *Input) { in.Client.Path.Kind = new(sysinfo.KindOwnAddress) },
		func(in *Input) { in.Client.Path.Kind = new(sysinfo.KindLoopback) },
	},
	"loopback": {
		func(in *Input) { both(in, func(r *sysinfo.Record) { r.Path.Kind = new(sysinfo.KindLoopback) }) },
		func(in *Input) { both(in, func(r *sysinfo.Record) { r.Path.Kind = new(sysinfo.KindOwnAddress) }) },
	},
	"wifi-instead-of-cable": {
		func(in *Input) { idleCable(in, sysinfo.KindWiFi) },
		// The cable goes to a third computer.
		func(in *Input) {
			idleCable(in, sysinfo.KindWiFi)
			in.Client.Thunderbolt.PeerDomainID, in.Server.Thunderbolt.PeerDomainID = new("c"), new("d")
		},
	},
	"lan-instead-of-thunderbolt": {
		func(in *Input) { idleCable(in, sysinfo.KindEthernet) },
		func(in *Input) {
			idleCable(in, sysinfo.KindEthernet)
			both(in, func(r *sysinfo.Record) { r.Thunderbolt.Peers = new(int64(0)) })
		},
	},
	"path-not-confirmed": {
		func(in *Input) { in.Client.Path.Confirmed = new(false) },
		func(in *Input) { in.Client.Path.Confirmed = nil },
	},
	"address-on-other-interface": {
		func(in *Input) { in.Client.Path.AddressInterface = new("eth1") },
		// An address of the host itself is reached through lo as it should be.
		func(in *Input) {
			in.Client.Path.AddressInterface, in.Client.Path.Kind = new("eth1"), new(sysinfo.KindOwnAddress)
		},
	},
	"nat-or-proxy": {
		func(in *Input) { in.Server.Path.RemoteAddress = new("192.0.2.254") },
		// The same address, written as a dual-stack socket does.
		func(in *Input) { in.Server.Path.RemoteAddress = new("::ffff:192.0.2.1") },
	},
	"vpn-in-path": {
		func(in *Input) {
			in.Client.Path.Kind, in.Client.Path.Interface, in.Client.Path.MTU = new(sysinfo.KindTunnel), new("wg0"), new(int64(1420))
		},
		// A tunnel that is up and not used.
		func(in *Input) {
			in.Client.Security.VPN = []string{"wg0"}
			in.Client.Interfaces = append(in.Client.Interfaces, sysinfo.Interface{Name: "wg0", Kind: sysinfo.KindTunnel, Up: true})
		},
	},
	"link-local-addressing": {
		func(in *Input) { in.Client.Path.LinkLocal = new(true) },
		func(in *Input) { in.Client.Path.LinkLocal = new(false) },
	},
	"virtual-path": {
		func(in *Input) { in.Client.Path.Kind = new(sysinfo.KindVirtual) },
		func(in *Input) { in.Client.Path.Kind = new(sysinfo.KindOther) },
	},

	"link-below-class": {
		// Two Thunderbolt 5 computers at 40 Gbit/s.
		func(in *Input) {
			thunderbolt(in)
			both(in, func(r *sysinfo.Record) {
				r.Link.SpeedRx, r.Link.SpeedTx, r.Link.Capability = new(int64(40e9)), new(int64(40e9)), new(int64(80e9))
				r.Thunderbolt.LanesTx = new(int64(2))
			})
		},
		// The switch cannot do more.
		func(in *Input) {
			both(in, func(r *sysinfo.Record) {
				r.Link.SpeedRx, r.Link.SpeedTx, r.Link.Partner = new(int64(1e9)), new(int64(1e9)), new(int64(1e9))
			})
		},
	},
	"half-duplex": {
		func(in *Input) { in.Client.Link.Duplex = new("half") },
		func(in *Input) { in.Client.Link.Duplex = nil },
	},
	"pcie-below-class": {
		func(in *Input) { in.Client.Link.PCIeSpeed, in.Client.Link.PCIeWidth = new(5.0), new(int64(2)) }, // 8 Gbit/s
		func(in *Input) { in.Client.Link.PCIeSpeed, in.Client.Link.PCIeWidth = new(5.0), new(int64(4)) }, // 16 Gbit/s
	},
	"usb-nic-limits": {
		func(in *Input) {
			in.Client.Link.AttachedBy, in.Client.Link.USBSpeed = new("usb"), new(int64(5e9))
			in.Client.Link.SpeedRx, in.Client.Link.SpeedTx = new(int64(5e9)), new(int64(5e9))
		},
		func(in *Input) {
			in.Client.Link.AttachedBy, in.Client.Link.USBSpeed = new("usb"), new(int64(5e9))
			in.Client.Link.SpeedRx, in.Client.Link.SpeedTx = new(int64(2.5e9)), new(int64(2.5e9))
		},
	},
	"link-speed-disagrees": {
		func(in *Input) { thunderbolt(in); in.Server.Link.SpeedRx = new(int64(40e9)) },
		// A switch between has two speeds with good reason.
		func(in *Input) { in.Server.Link.SpeedRx = new(int64(40e9)) },
	},
	"link-asymmetric": {
		func(in *Input) { in.Client.Link.SpeedTx = new(int64(120e9)) },
		func(in *Input) { in.Client.Link.SpeedTx = nil },
	},
	"speed-unknown": {
		func(in *Input) {
			thunderbolt(in)
			in.Client.Link.SpeedRx, in.Client.Link.SpeedTx = nil, nil
			in.Client.Unknown["link.speed_tx_bits_per_second"] = sysinfo.Unknown{Reason: sysinfo.ParseError, Detail: `"Up to 40 Gb/s x1" is what the port can do`}
		},
		func(in *Input) { in.Client.Link.SpeedRx, in.Client.Link.SpeedTx = nil, nil },
	},
	"link-errors": {
		func(in *Input) { in.Client.Counters.RxErrors = new(int64(7)) },
		func(in *Input) { in.Client.Counters.RxErrors = new(int64(0)) },
	},
	"device-below-class": {
		func(in *Input) { in.Client.Devices = []sysinfo.Device{disk(5e9, true)} },
		func(in *Input) { in.Client.Devices = []sysinfo.Device{disk(10e9, false)} },
	},

	"mtu-mismatch": {
		// A Mac at its default meets a Windows PC at its default.
		func(in *Input) {
			thunderbolt(in)
			in.Client.Link.MTU, in.Client.Path.MTU, in.Server.Link.MTU, in.Server.Path.MTU = new(int64(1500)), new(int64(1500)), new(int64(62000)), new(int64(62000))
			in.Client.TCP.MSS, in.Server.TCP.MSS = new(int64(1448)), new(int64(1448))
		},
		// A router between: each side of it may have its own MTU.
		func(in *Input) {
			in.Client.Link.MTU, in.Client.Path.OnLink = new(int64(1500)), new(false)
		},
	},
	"path-mtu-below-link": {
		func(in *Input) { in.Client.Path.MTU, in.Client.Path.OnLink = new(int64(1420)), new(false) },
		func(in *Input) { in.Client.Path.OnLink = new(false) },
	},
	"udp-fragmentation": {
		func(in *Input) { overUDP(in, 8973) },
		func(in *Input) { overUDP(in, 8972) },
	},

	"rate-limited": {
		func(in *Input) { in.Result.Start.Params.Rate = 100e6; only(in, true, 99.9e6) },
		func(in *Input) { in.Result.Start.Params.Rate = 100e6; only(in, true, 90e6) },
	},
	"shaper": {
		func(in *Input) { in.Client.Queue.Discipline, in.Client.Queue.Rate = new("tbf"), new(int64(1e9)) },
		// The receiver's shaper sees acknowledgements only.
		func(in *Input) { in.Server.Queue.Discipline, in.Server.Queue.Rate = new("tbf"), new(int64(1e9)) },
	},
	"window-limited": {
		func(in *Input) { in.Client.TCP.ReceiveWindowLimited = new(45.5) },
		func(in *Input) { in.Client.TCP.ReceiveWindowLimited = new(20.0) },
	},
	"send-buffer-limited": {
		func(in *Input) { in.Client.TCP.SendBufferLimited = new(33.0) },
		func(in *Input) { in.Client.TCP.SendBufferLimited = new(20.0) },
	},
	"buffer-below-bdp": {
		func(in *Input) { in.Client.TCP.RTTMin = new(int64(20000)) }, // 25 MB in flight
		func(in *Input) { in.Client.TCP.RTTMin = new(int64(3000)) },  // 3.75 MB
	},
	"auto-tuning-off": {
		func(in *Input) { in.Server.Host.OS, in.Server.Limits.AutoTuning = new("windows"), new("disabled") },
		// The sender's does not matter.
		func(in *Input) { in.Client.Limits.AutoTuning = new("disabled") },
	},

	"cpu-core-saturated": {
		func(in *Input) {
			only(in, true, 6e9)
			in.Server.CPU.BusyMax, in.Server.CPU.BusyMaxMean, in.Server.CPU.Busy = new(100.0), new(97.5), []float64{20, 97.5, 10, 5}
			in.Server.CPU.Split = sysinfo.BusySplit{User: new(1.5), System: new(26.0), SoftIRQ: new(70.0), Steal: new(0.0)}
		},
		// The link was full all the same.
		func(in *Input) { in.Server.CPU.BusyMax = new(100.0) },
	},
	"cpu-steal": {
		func(in *Input) { in.Client.CPU.Steal = new(12.5) },
		func(in *Input) { in.Client.CPU.Steal = new(5.0) },
	},
	"efficiency-core": {
		func(in *Input) { in.Client.CPU.BusyMaxClass, in.Client.CPU.BusyMax = new("E"), new(95.0) },
		func(in *Input) { in.Client.CPU.BusyMaxClass, in.Client.CPU.BusyMax = new("P"), new(95.0) },
	},
	"emulated-program": {
		func(in *Input) { in.Client.Host.Emulated, in.Client.Host.Arch = new(true), new("arm64") },
		func(in *Input) { in.Client.Host.Emulated = nil },
	},
	"race-detector": {
		func(in *Input) { in.Server.Tool.RaceDetector = new(true) },
		func(in *Input) { in.Server.Tool.RaceDetector = nil },
	},
	"virtual-machine": {
		func(in *Input) { in.Server.Host.Virtualization = new("kvm") },
		func(in *Input) { in.Server.Host.Virtualization = nil },
	},

	"offload-off": {
		func(in *Input) {
			in.Client.Offload.TSO, in.Client.Offload.ChecksumTx, in.Client.CPU.BusyMax = new(false), new(false), new(92.0)
		},
		func(in *Input) { in.Client.Offload.TSO, in.Client.CPU.BusyMax = new(false), new(60.0) },
	},
	"jumbo-available": {
		func(in *Input) { plain(in); only(in, true, 6e9) },
		func(in *Input) { plain(in); only(in, true, 9.2e9) },
	},
	"drops": {
		func(in *Input) { in.Server.Counters.RxDropped = new(int64(4711)) },
		func(in *Input) { in.Server.Counters.RxDropped = new(int64(0)) },
	},
	"udp-buffer-drops": {
		func(in *Input) { overUDP(in, 8972); in.Result.Streams[0].Received.UDP.Dropped = 321 },
		func(in *Input) { overUDP(in, 8972); in.Result.Streams[0].Received.UDP.Dropped = -1 },
	},
	"retransmits": {
		func(in *Input) {
			in.Client.TCP.RetransmitPercent, in.Client.TCP.Retransmits = new(0.25), new(int64(2500))
		},
		// The same share beyond a router.
		func(in *Input) {
			in.Client.TCP.RetransmitPercent, in.Client.TCP.Retransmits = new(0.25), new(int64(2500))
			in.Client.Path.OnLink = new(false)
		},
	},

	"firewall-on": {
		func(in *Input) {
			in.Server.Firewall = sysinfo.Firewall{State: new(sysinfo.On), Hooks: new(int64(3)), Rules: new(int64(41)),
				Layers: []sysinfo.Layer{{Name: "nftables", State: new(sysinfo.On), OnPath: true}}}
		},
		// A layer that does not touch the path.
		func(in *Input) {
			in.Server.Firewall.Layers = append(in.Server.Firewall.Layers, sysinfo.Layer{Name: "pf", State: new(sysinfo.On)})
		},
	},
	"firewall-unknown": {
		func(in *Input) {
			in.Client.Firewall.State = nil
			in.Client.Unknown["firewall.state"] = sysinfo.Unknown{Reason: sysinfo.NoPermission, Detail: "nftables: operation not permitted"}
		},
		func(in *Input) {
			in.Client.Firewall.State = nil
			in.Client.Unknown["firewall.state"] = sysinfo.Unknown{Reason: sysinfo.Withheld}
		},
	},
	"content-filter": {
		func(in *Input) { in.Client.Security.Filters = []string{"com.example.filter"} },
		func(in *Input) { in.Client.Security.Filters = []string{} },
	},
	"public-profile": {
		func(in *Input) { thunderbolt(in); in.Server.Firewall.Profile = new("public") },
		func(in *Input) { thunderbolt(in); in.Server.Firewall.Profile = new("private") },
	},

	"throttled": {
		func(in *Input) { in.Client.Thermal = sysinfo.Thermal{Temperature: new(99.0), Throttled: new(int64(3))} },
		func(in *Input) { in.Client.Thermal = sysinfo.Thermal{Temperature: new(99.0), Throttled: new(int64(0))} },
	},
	"power-saving": {
		func(in *Input) { in.Client.Power.Mode = new("low_power"); in.Client.Power.OnBattery = new(true) },
		// A driver with modes of its own calls its normal governor so.
		func(in *Input) { in.Client.CPU.Governor, in.Client.Power.Mode = new("powersave"), new("balanced") },
	},

	"above-ceiling": {
		func(in *Input) { only(in, true, 10.2e9) }, // 103 %
		func(in *Input) { only(in, true, 10e9) },   // 101 %
	},
	"at-ceiling": {
		func(in *Input) { only(in, true, 9.7e9) }, // 98 %
		func(in *Input) { only(in, true, 9.5e9) }, // 96 %
	},
	"near-ceiling": {
		func(in *Input) { only(in, true, 9.5e9) },
		func(in *Input) { only(in, true, 7.9e9) },
	},
	"below-ceiling": {
		func(in *Input) { only(in, true, 6e9); in.Client.TCP.ReceiveWindowLimited = new(45.5) },
		// More was not asked for.
		func(in *Input) { only(in, true, 6e9); in.Result.Start.Params.Rate = 6e9 },
	},
	"asymmetric-result": {
		func(in *Input) {
			in.Result.Start.Params.Bidirectional = true
			only(in, true, 9.4e9)
			carry(in, false, 5.3e9)
		},
		func(in *Input) {
			in.Result.Start.Params.Bidirectional = true
			only(in, true, 9.4e9)
			carry(in, false, 7.2e9)
		},
	},
	"congestion-control-differs": {
		func(in *Input) { in.Server.TCP.CongestionControl = new("bbr") },
		func(in *Input) { in.Server.TCP.CongestionControl = nil },
	},
	"changed-during-test": {
		func(in *Input) { in.Client.Changed["link.speed_tx_bits_per_second"] = [2]any{int64(10e9), int64(1e9)} },
		func(in *Input) {},
	},
	"record-missing": {
		stock,
		// A test that failed before results were exchanged.
		func(in *Input) { stock(in); in.Result.Exchanged = false },
	},
	"clock-differs": {
		func(in *Input) { in.Server.CollectedAt = in.Client.CollectedAt.Add(-7 * time.Second) },
		func(in *Input) { in.Server.CollectedAt = in.Client.CollectedAt.Add(5 * time.Second) },
	},
}

// noRoute makes the test fail as a connection to nobody does.
func noRoute(in *Input, to string) {
	addr, err := net.ResolveTCPAddr("tcp", to) // an address, not a name: nobody is asked
	if err != nil {
		panic(err)
	}
	in.Result = &measure.Result{}
	in.Server = nil
	in.Err = fmt.Errorf("connect: %w", &net.OpError{Op: "dial", Net: "tcp", Addr: addr, Err: syscall.EHOSTUNREACH})
}

// plain gives both ends an MTU of 1500.
func plain(in *Input) {
	both(in, func(r *sysinfo.Record) {
		r.Link.MTU, r.Path.MTU, r.TCP.MSS = new(int64(1500)), new(int64(1500)), new(int64(1448))
	})
}

func disk(speed int64, below bool) sysinfo.Device {
	return sysinfo.Device{Bus: "usb", Name: "External disk", Class: "storage", Speed: &speed, Capability: new(int64(10e9)), Below: &below}
}
