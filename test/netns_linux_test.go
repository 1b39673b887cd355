package test

import (
	"fmt"
	"os"
	"os/exec"
	"strconv"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
)

// host is a network namespace with one interface, a machine of its own as far
// as the network goes. Nothing leaves the pair that it is one of.
type host struct {
	namespace string
	device    string
	v4, v6    string
	linkLocal string // without a scope
}

var pairCount atomic.Int32

// newPair makes two hosts joined by a cable with the given MTU. They vanish at
// the end of the test, however it ends.
func newPair(t *testing.T, mtu int) (left, right host) {
	t.Helper()
	_, err := exec.LookPath("ip")
	need(t, err == nil && os.Getuid() == 0, "needs root and the package iproute2 for network namespaces")
	sweepNamespaces()

	number := pairCount.Add(1)
	name := func(side string) string { return fmt.Sprintf("lptest-%d-%d-%s", os.Getpid(), number, side) }
	left = host{namespace: name("l"), device: "eth0", v4: "10.77.0.1", v6: "fd77::1", linkLocal: "fe80::77:1"}
	right = host{namespace: name("r"), device: "eth0", v4: "10.77.0.2", v6: "fd77::2", linkLocal: "fe80::77:2"}
	for _, h := range []host{left, right} {
		if out, err := exec.Command("ip", "netns", "add", h.namespace).CombinedOutput(); err != nil {
			need(t, false, "no network namespaces here: %v: %s", err, out)
		}
		t.Cleanup(func() { exec.Command("ip", "netns", "del", h.namespace).Run() })
		// Addresses can be used at once, without waiting for another owner to protest.
		h.sh(t, "echo 0 > /proc/sys/net/ipv6/conf/default/accept_dad")
	}
	run := func(format string, args ...any) { sh(t, fmt.Sprintf(format, args...)) }
	run("ip -n %s link add %s mtu %d type veth peer name %s mtu %d netns %s",
		left.namespace, left.device, mtu, right.device, mtu, right.namespace)
	for _, h := range []host{left, right} {
		run("ip -n %s link set lo up", h.namespace)
		run("ip -n %s link set %s addrgenmode none", h.namespace, h.device)
		run("ip -n %s address add %s/24 dev %s", h.namespace, h.v4, h.device)
		run("ip -n %s address add %s/64 dev %s nodad", h.namespace, h.v6, h.device)
		run("ip -n %s address add %s/64 dev %s nodad", h.namespace, h.linkLocal, h.device)
		run("ip -n %s link set %s up", h.namespace, h.device)
	}
	return left, right
}

// sh runs a shell command on the host.
func (h host) sh(t *testing.T, command string) string {
	t.Helper()
	out, err := exec.Command("ip", "netns", "exec", h.namespace, "sh", "-c", command).CombinedOutput()
	if err != nil {
		t.Fatalf("%s: %s: %v: %s", h.namespace, command, err, out)
	}
	return string(out)
}

// runs returns the peer as a program of this host.
func (h host) runs(p peer) peer { return p.in("ip", "netns", "exec", h.namespace) }

var swept sync.Once

// sweepNamespaces removes what a test that was killed has left.
func sweepNamespaces() {
	swept.Do(func() {
		out, _ := exec.Command("ip", "netns", "list").Output()
		for line := range strings.Lines(string(out)) {
			name, _, _ := strings.Cut(strings.TrimSpace(line), " ")
			rest, ours := strings.CutPrefix(name, "lptest-")
			pid, _, _ := strings.Cut(rest, "-")
			if _, err := strconv.Atoi(pid); !ours || err != nil {
				continue
			}
			if _, err := os.Stat("/proc/" + pid); os.IsNotExist(err) {
				exec.Command("ip", "netns", "del", name).Run()
			}
		}
	})
}

// across runs a mode with the client on one host and the server on the other,
// with linkperf as client, as server and as both.
func across(t *testing.T, left, right host, m mode, check func(t *testing.T, r *pairing)) {
	t.Helper()
	ours := linkperf(t)
	pairs := [][2]peer{{ours, ours}}
	for _, stock := range stockPeers(t) {
		pairs = append(pairs, [2]peer{ours, stock}, [2]peer{stock, ours})
	}
	for _, p := range pairs {
		t.Run(p[0].name+"->"+p[1].name, func(t *testing.T) {
			r := perform(t, m, left.runs(p[0]), right.runs(p[1]))
			r.verify(t)
			if check != nil && !t.Failed() {
				check(t, r)
			}
		})
	}
}

func TestCable(t *testing.T) {
	left, right := newPair(t, 1500)
	cases := []mode{
		{name: "tcp", short: true, host: right.v4, check: number("start.tcp_mss_default", 1448)},
		{name: "tcp-R", host: right.v4, client: []string{"-R"}, dir: reverse},
		{name: "tcp-ipv6", host: right.v6, check: number("start.tcp_mss_default", 1428)},
		{name: "tcp-bind-dev", host: right.v4, client: []string{"--bind-dev", left.device}, check: localHost(left.v4)},
		{name: "udp", udp: true, host: right.v4, client: []string{"-u", "-b", "20M"}, rate: 20e6, check: blockSize(1448)},
		{name: "udp-ipv6-R", short: true, udp: true, host: right.v6, client: []string{"-u", "-b", "20M", "-R"}, rate: 20e6, dir: reverse, check: blockSize(1428)},
	}
	for _, m := range cases {
		if m.short || everything() {
			t.Run(m.name, func(t *testing.T) { across(t, left, right, m, nil) })
		}
	}
}

// TestJumboFrames has a larger MTU, from which UDP takes its datagrams' size.
func TestJumboFrames(t *testing.T) {
	left, right := newPair(t, 9000)
	m := mode{udp: true, host: right.v4, client: []string{"-u", "-b", "50M"}, rate: 50e6, check: blockSize(8948)}
	across(t, left, right, m, nil)
}

// TestLinkLocal names the server by an address that only has a meaning
// together with an interface.
func TestLinkLocal(t *testing.T) {
	left, right := newPair(t, 1500)
	ours := linkperf(t)
	for _, stock := range append(stockPeers(t), ours) {
		for _, target := range []string{right.linkLocal + "%" + left.device, "[" + right.linkLocal + "%" + left.device + "]"} {
			t.Run(stock.name+"/"+target, func(t *testing.T) {
				for _, m := range []mode{
					{host: target},
					{host: target, udp: true, client: []string{"-u", "-b", "10M", "-l", "1000"}, rate: 10e6},
				} {
					r := perform(t, m, left.runs(ours), right.runs(stock))
					r.verify(t)
					if got := r.cdoc.str("start.connected.0.remote_host"); !strings.HasPrefix(got, right.linkLocal) {
						t.Errorf("remote_host is %q, want %q", got, right.linkLocal)
					}
				}
			})
		}
	}
	t.Run("without a scope", func(t *testing.T) {
		s := startServer(t, right.runs(ours))
		o := run(t, left.runs(ours), "-c", right.linkLocal, "-p", s.portArg(), "-t", "1")
		if o.code != 1 || !strings.Contains(o.stderr, "link-local address") {
			t.Errorf("want an error that shows how to name the interface: %v", o)
		}
	})
}

// TestLoss lets the receiver's firewall drop every tenth datagram of the data
// streams.
func TestLoss(t *testing.T) {
	left, right := newPair(t, 1500)
	for _, program := range []string{"nft", "ethtool"} {
		_, err := exec.LookPath(program)
		need(t, err == nil, "needs %s, from the package nftables or ethtool", program)
	}
	// The filter sees what the sender hands to the cable: that must be single
	// datagrams, not the trains that the kernel cuts up at the very end.
	left.sh(t, "ethtool -K eth0 tx-udp-segmentation off gso off")
	right.sh(t, "ethtool -K eth0 gro off")
	// Small datagrams are left alone: the first of a stream are its handshake.
	right.sh(t, `nft -f - <<-'END'
		table inet loss {
			chain input {
				type filter hook input priority 0;
				udp length > 500 numgen inc mod 10 == 9 drop
			}
		}
	END`)
	m := mode{udp: true, host: right.v4, client: []string{"-u", "-b", "20M", "-l", "1000"}, rate: 20e6}
	across(t, left, right, m, func(t *testing.T, r *pairing) {
		// On a busy machine the receiver's buffer overflows as well.
		if got := r.cdoc.num(t, "end.sum_received.lost_percent"); got < 9.5 || got > 10.5 && !r.mode.busy {
			t.Errorf("lost %v %%, want 10 %%", got)
		}
	})
}

// TestSlowLink limits the cable to 20 Mbit/s: what is sent at the end of a
// test is on its way for long.
func TestSlowLink(t *testing.T) {
	left, right := newPair(t, 1500)
	left.sh(t, "tc qdisc add dev eth0 root tbf rate 20mbit burst 32k latency 100ms")
	ours := linkperf(t)
	for _, stock := range stockPeers(t) {
		for _, pair := range [][2]peer{{ours, stock}, {stock, ours}} {
			t.Run(pair[0].name+"->"+pair[1].name, func(t *testing.T) {
				// The receiver's time is longer than asked for: the rest has to arrive.
				r := newPairing(t, mode{host: right.v4}, left.runs(pair[0]), right.runs(pair[1]))
				r.run(t)
				if got := r.cdoc.num(t, "end.sum_received.bits_per_second"); got > 21e6 {
					t.Errorf("received at %v bit/s over 20 Mbit/s", got)
				}
			})
		}
	}
	t.Run("all of it arrives", func(t *testing.T) {
		m := mode{host: right.v4, client: []string{"-n", "1M"}, amount: &amount{bytes: 1 << 20}}
		r := perform(t, m, left.runs(ours), right.runs(ours))
		r.verify(t)
		if sent, received := r.cdoc.num(t, "end.sum_sent.bytes"), r.cdoc.num(t, "end.sum_received.bytes"); sent != received {
			t.Errorf("received %.0f of %.0f bytes", received, sent)
		}
	})
}
