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
