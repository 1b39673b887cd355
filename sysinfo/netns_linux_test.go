package sysinfo

import (
	"bufio"
	"context"
	"encoding/json"
	"fmt"
	"io"
	"net"
	"net/netip"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
)

// The tests of this file make network namespaces and run themselves inside of
// them, as children: an observation uses many threads, and sysfs belongs to
// the namespace in which it was mounted.

// childRole is the environment variable that makes the test binary a child.
const childRole = "SYSINFO_TEST_CHILD"

func TestMain(m *testing.M) {
	role, address, _ := strings.Cut(os.Getenv(childRole), " ")
	if role == "" {
		os.Exit(m.Run())
	}
	r, err := child(role, address)
	if err != nil {
		fmt.Fprintln(os.Stderr, role, err)
		os.Exit(1)
	}
	if _, err := os.Stdout.Write(append(r.Tell(Full), '\n')); err != nil {
		os.Exit(1)
	}
}

// transferred is what a child's test moves.
const transferred = 4 << 20

// child does its part and gives its record.
func child(role, address string) (*Record, error) {
	switch role {
	case "server":
		return childServer(address)
	case "client", "udp":
		network := map[string]string{"client": "tcp", "udp": "udp"}[role]
		c, err := net.Dial(network, address)
		if err != nil {
			return nil, err
		}
		defer c.Close()
		o := Watch(context.Background(), Target{Side: "client"})
		conn, err := describeConn(c, true)
		if err != nil {
			return nil, err
		}
		o.Start([]Conn{conn})
		if role == "client" {
			buffer := make([]byte, 1<<16)
			for sent := 0; sent < transferred; sent += len(buffer) {
				if _, err := c.Write(buffer); err != nil {
					return nil, err
				}
			}
			// The server answers when it has everything.
			if _, err := io.ReadFull(c, buffer[:1]); err != nil {
				return nil, err
			}
		}
		return o.Record(), nil
	case "host":
		return Collect(context.Background(), Options{}), nil
	}
	return nil, fmt.Errorf("no role %q", role)
}

func childServer(address string) (*Record, error) {
	ln, err := net.Listen("tcp", address)
	if err != nil {
		return nil, err
	}
	fmt.Println(ln.Addr())
	c, err := ln.Accept()
	if err != nil {
		return nil, err
	}
	defer c.Close()
	o := Watch(context.Background(), Target{Side: "server"})
	conn, err := describeConn(c, false)
	if err != nil {
		return nil, err
	}
	o.Start([]Conn{conn})
	if _, err := io.CopyN(io.Discard, c, transferred); err != nil {
		return nil, err
	}
	r := o.Record()
	_, err = c.Write([]byte{1})
	return r, err
}

// namespaces are those of one test: the names given, unique on this machine.
type namespaces struct {
	t      *testing.T
	prefix string
}

// newNamespaces makes a namespace for each name and takes them away after the
// test.
func newNamespaces(t *testing.T, names ...string) namespaces {
	t.Helper()
	if os.Geteuid() != 0 {
		t.Skip("making network namespaces needs root")
	}
	if _, err := exec.LookPath("ip"); err != nil {
		t.Skip("no ip command:", err)
	}
	n := namespaces{t, fmt.Sprintf("sysinfo%d", os.Getpid())}
	for _, name := range names {
		if out, err := exec.Command("ip", "netns", "add", n.prefix+name).CombinedOutput(); err != nil {
			t.Skipf("network namespaces cannot be made here: %v: %s", err, out)
		}
		t.Cleanup(func() { exec.Command("ip", "netns", "del", n.prefix+name).Run() })
		n.do(name, "ip link set lo up")
	}
	return n
}

// do runs commands in a namespace, one a line.
func (n namespaces) do(name, commands string) {
	n.t.Helper()
	for line := range strings.Lines(commands) {
		if out, err := n.try(name, strings.TrimSpace(line)); err != nil {
			n.t.Fatalf("%s: %v: %s", line, err, out)
		}
	}
}

func (n namespaces) try(name, command string) ([]byte, error) {
	if command == "" {
		return nil, nil
	}
	command = strings.ReplaceAll(command, "@", n.prefix)
	return exec.Command("ip", append([]string{"netns", "exec", n.prefix + name}, strings.Fields(command)...)...).CombinedOutput()
}

// need runs a command and skips the test if this kernel cannot do it.
func (n namespaces) need(name, command string) {
	n.t.Helper()
	if out, err := n.try(name, command); err != nil {
		n.t.Skipf("this kernel cannot: %s: %s", command, out)
	}
}

// start begins a child in a namespace.
func (n namespaces) start(name, role string) (*exec.Cmd, *bufio.Reader) {
	n.t.Helper()
	self, err := os.Executable()
	if err != nil {
		n.t.Fatal(err)
	}
	cmd := exec.CommandContext(n.t.Context(), "ip", "netns", "exec", n.prefix+name, self)
	cmd.Env = append(os.Environ(), childRole+"="+role)
	cmd.Stderr = os.Stderr
	out, err := cmd.StdoutPipe()
	if err != nil {
		n.t.Fatal(err)
	}
	if err := cmd.Start(); err != nil {
		n.t.Fatal(err)
	}
	return cmd, bufio.NewReader(out)
}

// finish waits for a child and reads its record.
func (n namespaces) finish(cmd *exec.Cmd, out *bufio.Reader) *Record {
	n.t.Helper()
	text, readErr := io.ReadAll(out)
	if err := cmd.Wait(); err != nil {
		n.t.Fatalf("child: %v", err)
	}
	if readErr != nil {
		n.t.Fatal(readErr)
	}
	r, err := ParseRecord(text)
	if err != nil {
		n.t.Fatalf("child's record: %v\n%s", err, text)
	}
	checkReasons(n.t, r)
	return r
}

// test makes one test from a namespace to an address of another one and gives
// the records of both ends.
func (n namespaces) test(client, server, address string) (*Record, *Record) {
	n.t.Helper()
	s, sOut := n.start(server, "server "+net.JoinHostPort(address, "0"))
	at, err := sOut.ReadString('\n')
	if err != nil {
		n.t.Fatalf("the server did not listen: %v", err)
	}
	at = strings.TrimSpace(at)
	if to := netip.MustParseAddrPort(at); to.Addr().Is6() && to.Addr().IsLinkLocalUnicast() {
		// The zone of a link-local address is the client's own.
		at = netip.AddrPortFrom(to.Addr().WithZone("va"), to.Port()).String()
	}
	c, cOut := n.start(client, "client "+at)
	cr := n.finish(c, cOut)
	return cr, n.finish(s, sOut)
}

func (n namespaces) host(name string) *Record {
	n.t.Helper()
	return n.finish(n.start(name, "host"))
}

// link joins two namespaces by a pair of interfaces va and vb.
func (n namespaces) link(mtuA, mtuB int) {
	n.t.Helper()
	n.do("a", fmt.Sprintf(`ip link add va mtu %d type veth peer name vb mtu %d netns @b
		ip addr add 10.77.0.1/24 dev va
		ip addr add 169.254.10.1/16 dev va
		ip addr add fd00:77::1/64 dev va nodad
		ip link set va up`, mtuA, mtuB))
	n.do("b", `ip addr add 10.77.0.2/24 dev vb
		ip addr add 169.254.10.2/16 dev vb
		ip addr add fd00:77::2/64 dev vb nodad
		ip link set vb up`)
}

// want asserts facts by their path; nil is for unknown.
func want(t *testing.T, r *Record, facts map[string]any) {
	t.Helper()
	for path, v := range leaves(r) {
		w, asserted := facts[path]
		if !asserted {
			continue
		}
		delete(facts, path)
		if w == nil {
			if !v.IsNil() {
				t.Errorf("%s of the %s is %v, want unknown", path, r.Role, v.Elem())
			}
			continue
		}
		if v.IsNil() {
			u, _ := r.Why(path)
			t.Errorf("%s of the %s is unknown: %+v, want %v", path, r.Role, u, w)
			continue
		}
		got, _ := json.Marshal(v.Interface())
		if expected, _ := json.Marshal(w); string(got) != string(expected) {
			t.Errorf("%s of the %s is %s, want %s", path, r.Role, got, expected)
		}
	}
	for path := range facts {
		t.Errorf("no field %s", path)
	}
}

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

func TestNamespaceFirewalls(t *testing.T) {
	n := newNamespaces(t, "a")
	n.need("a", "nft list ruleset")
	data, err := filepath.Abs("testdata/linux/nft")
	if err != nil {
		t.Fatal(err)
	}
	for _, c := range []struct {
		file  string // "" for no rules
		facts map[string]any
	}{
		{"", map[string]any{"firewall.state": Off, "firewall.hooks": 0, "firewall.rules": 0, "firewall.filtering": false, "firewall.manager": "none"}},
		{"accept-all.nft", map[string]any{"firewall.state": Off, "firewall.hooks": 2, "firewall.rules": 2, "firewall.filtering": false,
			"firewall.connection_tracking": false, "firewall.manager": "nftables"}},
		{"ufw-like.nft", map[string]any{"firewall.state": On, "firewall.hooks": 2, "firewall.rules": 10, "firewall.filtering": true,
			"firewall.connection_tracking": true, "firewall.manager": "ufw"}},
		{"verdict-map.nft", map[string]any{"firewall.state": On, "firewall.hooks": 1, "firewall.filtering": true}},
		{"nft-list-ruleset.firewalld.txt", map[string]any{"firewall.state": On, "firewall.hooks": 7, "firewall.filtering": true,
			"firewall.connection_tracking": true, "firewall.manager": "firewalld"}},
		{"nft-list-ruleset.docker.txt", map[string]any{"firewall.state": Off, "firewall.hooks": 3, "firewall.filtering": false,
			"firewall.connection_tracking": true, "firewall.manager": "docker"}},
		{"nft-list-ruleset.simple-drop.txt", map[string]any{"firewall.state": On, "firewall.hooks": 2, "firewall.filtering": true}},
	} {
		t.Run(c.file, func(t *testing.T) {
			n := namespaces{t, n.prefix}
			n.do("a", "nft flush ruleset")
			if c.file != "" {
				n.need("a", "nft -f "+filepath.Join(data, c.file))
			}
			want(t, n.host("a"), c.facts)
		})
	}
}

func TestNamespaceKernelAndToolSeeTheSameRules(t *testing.T) {
	n := newNamespaces(t, "a")
	n.need("a", "nft -j list ruleset")
	for _, file := range []string{"ufw-like.nft", "nft-list-ruleset.firewalld.txt", "nft-list-ruleset.docker.txt", "verdict-map.nft"} {
		n.do("a", "nft flush ruleset")
		n.need("a", "nft -f "+filepath.Join("testdata/linux/nft", file))
		out, err := n.try("a", "nft -j list ruleset")
		if err != nil {
			t.Fatal(err)
		}
		s, err := parseNFT(out)
		if err != nil {
			t.Fatal(err)
		}
		f := s.summarize()
		want(t, n.host("a"), map[string]any{"firewall.hooks": f.hooks, "firewall.rules": f.rules, "firewall.filtering": f.drops})
	}
}

// TestNamespaceNotRoot runs as a user without any privilege: firewall rules are
// then unknown, and never "off".
func TestNamespaceNotRoot(t *testing.T) {
	n := newNamespaces(t, "a")
	setpriv, err := exec.LookPath("setpriv")
	if err != nil {
		t.Skip("no setpriv command:", err)
	}
	// The directory of test binaries is the user's alone.
	dir, err := os.MkdirTemp("", "sysinfo")
	if err != nil {
		t.Fatal(err)
	}
	defer os.RemoveAll(dir)
	self, err := os.ReadFile("/proc/self/exe")
	if err != nil {
		t.Fatal(err)
	}
	program := filepath.Join(dir, "program")
	if err := os.WriteFile(program, self, 0o755); err != nil {
		t.Fatal(err)
	}
	if err := os.Chmod(dir, 0o755); err != nil {
		t.Fatal(err)
	}
	cmd := exec.CommandContext(t.Context(), "ip", "netns", "exec", n.prefix+"a", setpriv, "--reuid=65534", "--regid=65534", "--clear-groups", "--bounding-set=-all", program)
	cmd.Env = append(os.Environ(), childRole+"=host")
	cmd.Dir = "/"
	out, err := cmd.Output()
	if err != nil {
		t.Fatalf("%v: %s", err, out)
	}
	r, err := ParseRecord(out)
	if err != nil {
		t.Fatal(err)
	}
	checkReasons(t, r)
	want(t, r, map[string]any{"firewall.state": nil, "firewall.hooks": nil, "firewall.filtering": nil, "host.os": "linux"})
	for _, path := range []string{"firewall.state", "firewall.hooks", "firewall.filtering"} {
		if u, _ := r.Why(path); u.Reason != NoPermission {
			t.Errorf("%s: %+v, want no permission", path, u)
		}
	}
	if len(r.Interfaces) == 0 || r.CPU.Logical == nil || r.Limits.TCPReceiveMax == nil {
		t.Error("what needs no privilege is unknown")
	}
}
