package sysinfo

import (
	"fmt"
	"strings"
	"testing"
)

func TestNamespaceOneLink(t *testing.T) {
	for _, mtu := range []int{1500, 9000} {
		t.Run(fmt.Sprint("MTU ", mtu), func(t *testing.T) {
			n := newNamespaces(t, "a", "b")
			n.link(mtu, mtu)
			client, server := n.test("a", "b", "10.77.0.2")
			for end, r := range map[string]*Record{"va": client, "vb": server} {
				want(t, r, map[string]any{
					"path.kind": KindVirtual, "path.interface": end, "path.address_interface": end, "path.stack": []string{end}, "path.on_link": true,
					"path.gateway": nil, "path.link_local": false, "path.confirmed": true, "path.mtu_bytes": mtu, "path.vlan_tags": 0,
					"link.mtu_bytes": mtu, "link.up": true, "link.virtual": true, "link.driver": "veth", "link.attached_by": "none",
					// The driver claims 10 Gbit/s that nothing has.
					"link.speed_rx_bits_per_second": nil, "link.duplex": nil,
					"tcp.mss_bytes": mtu - 52, "tcp.timestamps": true, "queue.discipline": "noqueue", "queue.rate_bits_per_second": nil,
					"queue.ring_rx": nil, "firewall.state": Off, "firewall.hooks": 0, "firewall.manager": "none",
					"peer.mtu_inferred_bytes": nil, "counters.rx_dropped": 0,
				})
			}
			want(t, client, map[string]any{"path.local_address": "10.77.0.1", "path.remote_address": "10.77.0.2", "tcp.mss_advertised_bytes": mtu - 52})
			want(t, server, map[string]any{"path.remote_address": "10.77.0.1", "peer.ttl": 64, "peer.hops_estimated": 0})
			if client.Counters.TxBytes == nil || *client.Counters.TxBytes < transferred {
				t.Errorf("the interface sent %v bytes of %d", client.Counters.TxBytes, transferred)
			}
			if u, _ := client.Why("queue.ring_rx"); u.Reason != NotSupported {
				t.Errorf("rings: %+v, want not supported", u)
			}
			if u, _ := client.Why("link.speed_rx_bits_per_second"); u.Reason != NotApplicable {
				t.Errorf("speed: %+v, want not applicable", u)
			}
		})
	}
}

func TestNamespaceOwnExposedAddress(t *testing.T) {
	n := newNamespaces(t, "a", "b")
	n.link(9000, 9000)
	for _, address := range []string{"10.77.0.1", "169.254.10.1", "fd00:77::1"} {
		client, _ := n.test("a", "a", address)
		want(t, client, map[string]any{
			"path.kind": KindOwnAddress, "path.interface": "lo", "path.address_interface": "va", "path.stack": []string{"lo"},
			"path.confirmed": true, "link.kind": KindLoopback, "link.mtu_bytes": 65536, "link.speed_rx_bits_per_second": nil,
			"peer.mtu_inferred_bytes": nil, "path.remote_address": address,
		})
		if client.Path.MTU == nil || *client.Path.MTU < 65535 {
			t.Errorf("path MTU %v", client.Path.MTU)
		}
		if client.Path.Evidence == nil || !strings.Contains(*client.Path.Evidence, "address of this host") {
			t.Errorf("evidence %v", client.Path.Evidence)
		}
	}
	client, _ := n.test("a", "a", "127.0.0.1")
	want(t, client, map[string]any{"path.kind": KindLoopback, "path.address_interface": "lo"})
}

func TestNamespaceMTUMismatch(t *testing.T) {
	n := newNamespaces(t, "a", "b")
	n.link(9000, 1500)
	client, server := n.test("a", "b", "10.77.0.2")
	want(t, client, map[string]any{"link.mtu_bytes": 9000, "path.mtu_bytes": 9000, "tcp.mss_bytes": 1448, "peer.mtu_inferred_bytes": 1500, "path.on_link": true})
	want(t, server, map[string]any{"link.mtu_bytes": 1500, "tcp.mss_bytes": 1448, "peer.mtu_inferred_bytes": nil})
	client, _ = n.test("a", "b", "fd00:77::2")
	want(t, client, map[string]any{"path.family": 6, "tcp.mss_bytes": 1428, "peer.mtu_inferred_bytes": 1500})
}

func TestNamespaceLinkLocal(t *testing.T) {
	n := newNamespaces(t, "a", "b")
	n.link(1500, 1500)
	client, server := n.test("a", "b", "169.254.10.2")
	for _, r := range []*Record{client, server} {
		// Link-local is a property, not a kind.
		want(t, r, map[string]any{"path.link_local": true, "path.kind": KindVirtual, "path.on_link": true})
	}
	n.do("a", "ip addr add fe80::77:1/64 dev va nodad")
	n.do("b", "ip addr add fe80::77:2/64 dev vb nodad")
	const address = "fe80::77:2"
	client, _ = n.test("a", "b", address+"%vb")
	want(t, client, map[string]any{"path.link_local": true, "path.family": 6, "path.interface": "va", "path.remote_address": address + "%va"})
}

func TestNamespaceBridge(t *testing.T) {
	n := newNamespaces(t, "a", "b")
	n.need("a", "ip link add br0 type bridge")
	n.do("a", `ip link add va type veth peer name vb netns @b
		ip link add vc type veth peer name vd
		ip link set va master br0
		ip link set vc master br0
		ip addr add 10.77.0.1/24 dev br0
		ip link set va up
		ip link set vc up
		ip link set vd up
		ip link set br0 up`)
	n.do("b", `ip addr add 10.77.0.2/24 dev vb
		ip link set vb up`)
	client, _ := n.test("a", "b", "10.77.0.2")
	want(t, client, map[string]any{
		"path.interface": "br0", "path.address_interface": "br0", "path.stack": []string{"br0", "va"}, "path.kind": KindVirtual, "path.confirmed": true,
		"link.name": "va", "link.mtu_bytes": 1500, "link.driver": "veth",
	})
}

func TestNamespaceTun(t *testing.T) {
	n := newNamespaces(t, "a")
	n.need("a", "ip tuntap add dev tun0 mode tun")
	n.do("a", `ip link set tun0 mtu 1420
		ip addr add 10.9.0.1/24 dev tun0
		ip link set tun0 up`)
	r := n.finish(n.start("a", "udp 10.9.0.2:9"))
	want(t, r, map[string]any{
		"path.kind": KindTunnel, "path.interface": "tun0", "link.mtu_bytes": 1420, "path.mtu_bytes": 1420, "link.virtual": true,
		"link.speed_rx_bits_per_second": nil, "security.vpn": []string{"tun0"}, "tcp.mss_bytes": nil, "path.transport": "udp",
	})
	found := false
	for _, i := range r.Interfaces {
		found = found || i.Name == "tun0" && i.Kind == KindTunnel && i.SpeedRx == nil && *i.MTU == 1420
	}
	if !found {
		t.Errorf("interfaces %+v", r.Interfaces)
	}
}

func TestNamespaceRouter(t *testing.T) {
	n := newNamespaces(t, "a", "r", "b")
	n.do("a", `ip link add va mtu 9000 type veth peer name ra mtu 9000 netns @r
		ip addr add 10.77.1.1/24 dev va
		ip link set va up
		ip route add default via 10.77.1.254`)
	n.do("b", `ip link add vb mtu 1500 type veth peer name rb mtu 1500 netns @r
		ip addr add 10.77.2.1/24 dev vb
		ip link set vb up
		ip route add default via 10.77.2.254`)
	n.do("r", `ip addr add 10.77.1.254/24 dev ra
		ip addr add 10.77.2.254/24 dev rb
		ip link set ra up
		ip link set rb up
		sysctl -q -w net.ipv4.ip_forward=1`)
	client, server := n.test("a", "b", "10.77.2.1")
	want(t, client, map[string]any{
		"path.on_link": false, "path.gateway": "10.77.1.254", "link.mtu_bytes": 9000, "tcp.mss_bytes": 1448,
		// The router, not the other end, may be the reason for the MSS.
		"peer.mtu_inferred_bytes": nil,
	})
	want(t, server, map[string]any{"path.on_link": false, "peer.ttl": 63, "peer.hops_estimated": 1})
}

func TestNamespaceShaper(t *testing.T) {
	n := newNamespaces(t, "a", "b")
	n.link(1500, 1500)
	n.need("a", "tc qdisc add dev va root tbf rate 800mbit burst 256k latency 50ms")
	client, server := n.test("a", "b", "10.77.0.2")
	want(t, client, map[string]any{"queue.discipline": "tbf", "queue.rate_bits_per_second": 800_000_000})
	want(t, server, map[string]any{"queue.discipline": "noqueue", "queue.rate_bits_per_second": nil})
}

func TestNamespaceOffloads(t *testing.T) {
	n := newNamespaces(t, "a", "b")
	n.link(1500, 1500)
	n.need("a", "ethtool -K va tso off gso off gro off")
	client, server := n.test("a", "b", "10.77.0.2")
	want(t, client, map[string]any{"offload.tso": false, "offload.gso": false, "offload.gro": false, "offload.checksum_tx": true})
	want(t, server, map[string]any{"offload.tso": true, "offload.gso": true})
}
