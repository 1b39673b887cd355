package explain

import (
	"strings"
	"testing"
	"time"

	"linkperf/protocol/measure"
	"linkperf/sysinfo"
)

// TestMTUAdvice: which end to change, to what, and the command of its system.
func TestMTUAdvice(t *testing.T) {
	for _, c := range []struct {
		name                     string
		kind                     string
		clientOS, serverOS       string
		client, server           int64
		clientLimit, serverLimit int64 // 0: not known
		side, advice             string
	}{
		{"Linux at its default meets Windows", sysinfo.KindThunderbolt, "linux", "windows", 1500, 62000, 65520, 0, "client",
			"at the client: sudo ip link set dev if0 mtu 62000"},
		{"Windows cannot have what Linux has", sysinfo.KindThunderbolt, "windows", "linux", 1500, 65520, 0, 65520, "both",
			`at the client: netsh interface ipv4 set subinterface "if0" mtu=62000 store=persistent (as administrator); at the server: sudo ip link set dev if0 mtu 62000`},
		{"a Mac allows 9000", sysinfo.KindThunderbolt, "linux", "macos", 65520, 1500, 65520, 0, "both",
			"at the server: sudo networksetup -setMTU if0 9000 (until the next start: sudo ifconfig if0 mtu 9000); at the client: sudo ip link set dev if0 mtu 9000"},
		{"the larger one already at the other's most", sysinfo.KindThunderbolt, "macos", "linux", 9000, 65520, 0, 65520, "server",
			"at the server: sudo ip link set dev if0 mtu 9000"},
		{"a limit that is not known", sysinfo.KindEthernet, "linux", "freebsd", 1500, 9000, 0, 9000, "both",
			"at the client: raise the MTU to 9000 if its link allows it; otherwise at the server: sudo ifconfig if0 mtu 1500"},
		{"a peer that tells little", sysinfo.KindEthernet, "linux", "", 1500, 9000, 65535, 0, "client",
			"at the client: sudo ip link set dev if0 mtu 9000 (every switch between must carry such frames)"},
		{"Ethernet has switches", sysinfo.KindEthernet, "linux", "linux", 1500, 9000, 9000, 9000, "client",
			"at the client: sudo ip link set dev if0 mtu 9000 (every switch between must carry such frames)"},
		{"a system that is not told", sysinfo.KindEthernet, "linux", "", 1500, 9000, 1500, 9000, "server",
			"at the server: set the MTU of the interface to 1500"},
	} {
		t.Run(c.name, func(t *testing.T) {
			in := healthy()
			for _, e := range []struct {
				r          *sysinfo.Record
				os         string
				mtu, limit int64
			}{{in.Client, c.clientOS, c.client, c.clientLimit}, {in.Server, c.serverOS, c.server, c.serverLimit}} {
				e.r.Path.Kind, e.r.Link.MTU, e.r.Link.MTUMax, e.r.Path.Interface = &c.kind, &e.mtu, nil, new("if0")
				if e.limit > 0 {
					e.r.Link.MTUMax = &e.limit
				}
				if e.r.Host.OS = nil; e.os != "" {
					e.r.Host.OS = &e.os
				}
			}
			f, ok := with(Explain(*in), "mtu-mismatch")
			if !ok || f.Side != c.side || f.Advice != c.advice {
				t.Errorf("side %q, want %q\nadvice %q\nwant   %q", f.Side, c.side, f.Advice, c.advice)
			}
		})
	}
}

func TestIPv6Command(t *testing.T) {
	e := &end{"client", record("client", "2001:db8::1", "2001:db8::2")}
	e.Host.OS, e.Path.Family, e.Path.Interface = new("windows"), new(int64(6)), new("以太网 3")
	if got := e.setMTU(9000); !strings.HasPrefix(got, `netsh interface ipv6 set subinterface "以太网 3" mtu=9000`) {
		t.Error(got)
	}
}

// TestSystems: each system gets its own commands.
func TestSystems(t *testing.T) {
	for os, want := range map[string][4]string{ // receive buffer, send buffer, socket buffer, offload
		"linux":   {"net.ipv4.tcp_rmem", "net.ipv4.tcp_wmem", "net.core.rmem_max", "ethtool -K eth0 tso on"},
		"macos":   {"autorcvbufmax", "autosndbufmax", "kern.ipc.maxsockbuf", "net.inet.tcp.tso=1"},
		"freebsd": {"recvbuf_max", "sendbuf_max", "kern.ipc.maxsockbuf", ""},
		"windows": {"autotuninglevel=normal", "grow to 1000", "", `Enable-NetAdapterLso -Name "eth0"`},
		"plan9":   {"grow to 1000", "grow to 1000", "", ""},
	} {
		e := &end{"client", record("client", "192.0.2.1", "192.0.2.2")}
		e.Host.OS = &os
		got := [4]string{e.setReceiveBuffer(1000), e.setSendBuffer(1000), e.setSocketBuffer(1000), e.setOffloads([]string{"tso"})}
		for i := range want {
			if !strings.Contains(got[i], want[i]) || want[i] == "" && got[i] != "" {
				t.Errorf("%s: %q, want %q", os, got[i], want[i])
			}
		}
	}
	windows := &end{"server", record("server", "192.0.2.2", "192.0.2.1")}
	windows.Host.OS = new("windows")
	if got := windows.setOffloads([]string{"rsc"}); !strings.Contains(got, "Enable-NetAdapterRsc") {
		t.Error(got)
	}
}

// busyCore lets a core at the server be the limit: what it did, and what the
// program used of a core. softirq is nil where the system counts packets as its own.
func busyCore(in *Input, user, system float64, softirq *float64, process float64) {
	only(in, true, 6e9)
	in.Server.CPU.BusyMax, in.Server.CPU.BusyMaxMean, in.Server.CPU.Busy = new(100.0), new(99.0), []float64{20, 99, 10, 5}
	in.Server.CPU.Split = sysinfo.BusySplit{User: &user, System: &system, SoftIRQ: softirq}
	in.Server.CPU.Process = &process
}

// TestVariants are ways to a finding, or away from it, beside its example.
func TestVariants(t *testing.T) {
	for _, c := range []struct {
		name, id string
		change   func(in *Input)
		want     string // part of the sentence or the advice; "" for no finding
	}{
		{"Ethernet is up beside Wi-Fi", "wifi-instead-of-cable", func(in *Input) {
			in.Client.Path.Kind = new(sysinfo.KindWiFi)
		}, "Ethernet link eth0 in the same network"},
		{"that Ethernet has no carrier", "wifi-instead-of-cable", func(in *Input) {
			in.Client.Path.Kind, in.Client.Interfaces[0].Up = new(sysinfo.KindWiFi), false
		}, ""},
		{"a cable to an unknown computer", "wifi-instead-of-cable", func(in *Input) {
			idleCable(in, sysinfo.KindWiFi)
			in.Server = nil
		}, "perhaps this server"},
		{"the LAN is the faster one", "lan-instead-of-thunderbolt", func(in *Input) {
			idleCable(in, sysinfo.KindEthernet)
			in.Client.Link.SpeedTx = new(int64(100e9))
		}, ""},
		{"a tunnel in the stack", "vpn-in-path", func(in *Input) {
			in.Client.Path.Stack = []string{"br0", "wg0"}
			in.Client.Interfaces = append(in.Client.Interfaces, sysinfo.Interface{Name: "wg0", Kind: sysinfo.KindTunnel})
		}, "through the tunnel wg0"},
		{"the partner is not known", "link-below-class", func(in *Input) {
			in.Client.Link.SpeedTx, in.Client.Link.SpeedRx, in.Client.Link.Partner, in.Client.Link.AttachedBy = new(int64(1e9)), new(int64(1e9)), nil, new("usb")
		}, "eth0 at the client runs at 1 Gbit/s; its port can do 10 Gbit/s, and what the other end of the cable can do is not known."},
		{"a window that was asked for", "buffer-below-bdp", func(in *Input) {
			in.Result.Start.Params.Window = 64 << 10
		}, "(-w) is 65.54 kB"},
		{"a window that does", "buffer-below-bdp", func(in *Input) {
			in.Result.Start.Params.Window = 125001
		}, ""},
		{"the receiver's bound is the smaller one", "buffer-below-bdp", func(in *Input) {
			in.Client.TCP.RTTMin, in.Server.Limits.TCPReceiveMax = new(int64(3000)), new(int64(1<<20))
		}, "the receive buffer at the server can grow to 1.049 MB"},
		{"UDP has no window", "buffer-below-bdp", func(in *Input) {
			overUDP(in, 8972)
			in.Client.TCP.RTTMin = new(int64(20000))
		}, ""},
		{"a short test still has a path", "buffer-below-bdp", func(in *Input) {
			in.Client.TCP.RTTMin = new(int64(20000))
			in.Result.Streams[0].Received.Duration = 10 * time.Millisecond
		}, "25 MB in flight"},
		{"a short test has no throughput", "at-ceiling", func(in *Input) {
			in.Result.Streams[0].Received.Duration = 500 * time.Millisecond
		}, ""},
		{"the receiver did not report", "at-ceiling", func(in *Input) {
			in.Result.Streams[0].Received = nil
		}, "99.5 %"},
		{"a window of a busy receiver", "window-limited", func(in *Input) {
			in.Client.TCP.ReceiveWindowLimited, in.Server.CPU.BusyMax = new(80.0), new(100.0)
		}, "its processor was the limit"},
		{"a window with -w", "window-limited", func(in *Input) {
			in.Client.TCP.ReceiveWindowLimited = new(80.0)
			in.Result.Start.Params.Window = 1 << 20
		}, "leave out -w (1048576 bytes now)"},
		{"a send buffer with -w", "send-buffer-limited", func(in *Input) {
			in.Client.TCP.SendBufferLimited = new(80.0)
			in.Result.Start.Params.Window = 1 << 20
		}, "leave out -w (1048576 bytes now)"},
		{"retransmits of a stock sender", "retransmits", func(in *Input) {
			in.Client = nil
			in.Result.Start.Side = measure.Server
			only(in, true, 9e9)
			in.Result.Streams[0].Sent.Retransmits = 2000
		}, "The client sent 0.1591 % of its segments again."},
		{"UDP drops that the system counted", "udp-buffer-drops", func(in *Input) {
			overUDP(in, 8972)
			in.Result.Streams[0].Received.UDP.Dropped = -1
			in.Server.Counters.UDPReceiveDrops = new(int64(55))
		}, "55 datagrams arrived"},
		{"GRO off, LRO on", "offload-off", func(in *Input) {
			in.Server.Offload.GRO, in.Server.Offload.LRO, in.Server.CPU.BusyMax = new(false), new(true), new(95.0)
		}, ""},
		{"GRO off at the receiver", "offload-off", func(in *Input) {
			in.Server.Offload.GRO, in.Server.CPU.BusyMax = new(false), new(95.0)
		}, "sudo ethtool -K eth0 gro on"},
		{"a core of our own", "cpu-core-saturated", func(in *Input) {
			busyCore(in, 5, 20, new(70.0), 30)
		}, "-P 4, as one stream cannot use two cores"},
		{"a core that others hold", "cpu-core-saturated", func(in *Input) {
			busyCore(in, 76, 22, new(1.0), 25)
		}, "this program 25.0 % of a core. At least 73.0 % of it went to other load. end what else runs on the server's host"},
		{"the packets of a program that does little", "cpu-core-saturated", func(in *Input) {
			busyCore(in, 1, 5, new(93.0), 10)
		}, "-P 4, as one stream cannot use two cores"},
		{"packets that count as the system's", "cpu-core-saturated", func(in *Input) {
			busyCore(in, 5, 94, nil, 30)
		}, "-P 4, as one stream cannot use two cores"},
		{"others where packets count as the system's", "cpu-core-saturated", func(in *Input) {
			busyCore(in, 75, 24, nil, 25)
		}, "At least 50.0 % of it went to other load."},
		{"the other end on the same host", "cpu-core-saturated", func(in *Input) {
			busyCore(in, 10, 85, new(4.0), 40)
			both(in, func(r *sysinfo.Record) { r.Path.Kind = new(sysinfo.KindLoopback) })
			in.Client.CPU.Process = new(60.0)
		}, "-P 4, as one stream cannot use two cores"},
		{"other load beside both ends", "cpu-core-saturated", func(in *Input) {
			busyCore(in, 90, 9, new(0.0), 20)
			both(in, func(r *sysinfo.Record) { r.Path.Kind = new(sysinfo.KindLoopback) })
			in.Client.CPU.Process = new(30.0)
		}, "At least 49.0 % of it went to other load."},
		{"a stock end on the same host", "cpu-core-saturated", func(in *Input) {
			busyCore(in, 10, 85, new(4.0), 40)
			in.Server.Path.Kind, in.Client = new(sysinfo.KindLoopback), nil
		}, "-P 4, as one stream cannot use two cores"},
		{"the governor on Linux", "power-saving", func(in *Input) {
			in.Client.CPU.Governor, in.Client.Power.Mode = new("powersave"), nil
		}, "cpupower frequency-set -g performance"},
		{"the governor with a driver that obeys it", "power-saving", func(in *Input) {
			in.Client.CPU.Governor, in.Client.CPU.FrequencyDriver = new("powersave"), new("acpi-cpufreq")
		}, "The client runs with the CPU governor powersave."},
		{"the governor with one that follows the load", "power-saving", func(in *Input) {
			in.Client.CPU.Governor, in.Client.CPU.FrequencyDriver, in.Client.Power.Mode = new("powersave"), new("intel_pstate"), nil
		}, ""},
		{"macOS' application firewall", "firewall-on", func(in *Input) {
			in.Client.Firewall = sysinfo.Firewall{State: new(sysinfo.On), BlockAll: new(true),
				Layers: []sysinfo.Layer{{Name: "application_firewall", State: new(sysinfo.On), OnPath: true}}}
		}, "Whether it costs throughput was not measured (published for loopback with this one: 10 to 20 %). It blocks all"},
		{"USB4 has less than Thunderbolt 3", "near-ceiling", func(in *Input) {
			thunderbolt(in)
		}, "86.5 % of the estimated goodput ceiling, 18.96 Gbit/s"},
		{"Thunderbolt 3", "near-ceiling", func(in *Input) {
			thunderbolt(in)
			both(in, func(r *sysinfo.Record) { r.Thunderbolt.Generation = new("3") })
		}, "83.9 % of the estimated"},
		{"the lower speed of two", "at-ceiling", func(in *Input) {
			in.Server.Link.SpeedRx = new(int64(1e9))
			only(in, true, 985e6)
		}, "link 1 Gbit/s"},
		{"the lower MTU of two", "at-ceiling", func(in *Input) {
			in.Server.Link.MTU = new(int64(1500))
			only(in, true, 9.4e9)
		}, "goodput ceiling, 9.415 Gbit/s"},
		{"a VLAN", "at-ceiling", func(in *Input) {
			plain(in)
			in.Client.Path.VLANTags = new(int64(1))
			only(in, true, 9.38e9)
		}, "goodput ceiling, 9.39 Gbit/s"},
		{"-M", "near-ceiling", func(in *Input) {
			in.Result.Start.Params.MSS, in.Client.TCP.MSS = 548, new(int64(536))
			only(in, true, 8e9)
		}, "goodput ceiling, 8.562 Gbit/s"},
		{"IPv6", "at-ceiling", func(in *Input) {
			both(in, func(r *sysinfo.Record) { r.Path.Family, r.TCP.MSS = new(int64(6)), new(int64(8928)) })
		}, "goodput ceiling, 9.878 Gbit/s (link 10 Gbit/s, TCP of IPv6, MTU 9000)"},
		{"UDP", "at-ceiling", func(in *Input) { overUDP(in, 8972) }, "goodput ceiling, 9.927 Gbit/s (link 10 Gbit/s, UDP"},
		{"Wi-Fi has no ceiling", "at-ceiling", func(in *Input) {
			both(in, func(r *sysinfo.Record) { r.Path.Kind = new(sysinfo.KindWiFi) })
		}, ""},
		{"nor has a virtual card", "at-ceiling", func(in *Input) { in.Server.Link.AttachedBy = new("virtio") }, ""},
		{"nor multipath TCP", "at-ceiling", func(in *Input) { in.Result.Start.Params.MPTCP = true }, ""},
		{"linkperf that tells nothing", "record-missing", func(in *Input) {
			stock(in)
			in.Result.PeerLinkperf = true
		}, "is linkperf and sent no record"},
		{"many changes", "changed-during-test", func(in *Input) {
			for _, p := range []string{"a", "b", "c", "d", "e", "f", "g"} {
				in.Client.Changed["link."+p] = [2]any{"x", 1.5}
			}
		}, "link.a from x to 1.5, link.b from x to 1.5, link.c from x to 1.5, link.d from x to 1.5, link.e from x to 1.5 and 2 more"},
		{"IPv6 leaves less room for a datagram", "udp-fragmentation", func(in *Input) {
			overUDP(in, 8953)
			both(in, func(r *sysinfo.Record) { r.Path.Family = new(int64(6)) })
		}, "-l 8952"},
	} {
		t.Run(c.name, func(t *testing.T) {
			in := healthy()
			c.change(in)
			list := Explain(*in)
			checkNumbers(t, list)
			f, ok := with(list, c.id)
			if ok != (c.want != "") || !strings.Contains(f.Sentence+" "+f.Advice, c.want) {
				t.Errorf("found %t\n%s\n%s\nwant %q; all: %v", ok, f.Sentence, f.Advice, c.want, ids(list))
			}
		})
	}
}
