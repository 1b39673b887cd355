package main

import (
	"crypto/rand"
	"crypto/rsa"
	"crypto/x509"
	"encoding/json"
	"encoding/pem"
	"fmt"
	"io"
	"net"
	"net/netip"
	"os"
	"path/filepath"
	"reflect"
	"runtime"
	"slices"
	"strconv"
	"strings"
	"testing"
	"time"

	"linkperf/protocol"
	"linkperf/protocol/sockopt"
	"linkperf/protocol/stream"
)

// vector is a command line with what came of it.
type vector struct {
	Argv    []string
	Outcome string // "accepted": it got as far as connecting or listening
	Status  int    `json:"exit_status"`
	Stderr  []string
	Params  json.RawMessage // what the client sent, null if it sent nothing
	Reason  string          // why linkperf does something else; deviations only
}

func (v *vector) key() string { return fmt.Sprintf("%q", v.Argv) }

// deviations are the vectors in which linkperf differs from iperf3 on purpose,
// and where it lives differently, with the test that shows it.
type deviations struct {
	Options, Parameters []vector
	Life                []struct{ Test, Iperf3, Reason string }
}

func readDeviations(t *testing.T) deviations {
	var d deviations
	readVectors(t, "deviations.json", &d)
	for _, v := range slices.Concat(d.Options, d.Parameters) {
		if v.Reason == "" {
			t.Errorf("%s: a deviation without a reason", v.key())
		}
	}
	for i := range d.Parameters {
		d.Parameters[i].Params = comparable(t, d.Parameters[i].Params)
	}
	return d
}

// compareVectors checks what linkperf did against iperf3's vector, or against the
// deviation that is listed for it.
func compareVectors(t *testing.T, want, got vector, listed []vector) {
	t.Helper()
	same := func(a, b vector) bool {
		return a.Outcome == b.Outcome && a.Status == b.Status && slices.Equal(a.Stderr, b.Stderr) && sameJSON(a.Params, b.Params)
	}
	i := slices.IndexFunc(listed, func(d vector) bool { return slices.Equal(d.Argv, want.Argv) })
	switch {
	case i < 0 && !same(want, got):
		t.Errorf("linkperf: %s\niperf3:   %s", show(got), show(want))
	case i >= 0 && same(want, got):
		t.Errorf("listed as a deviation, but does what iperf3 does: %s", show(got))
	case i >= 0 && !same(listed[i], got):
		t.Errorf("linkperf: %s\nlisted:   %s", show(got), show(listed[i]))
	}
}

func show(v vector) string {
	text, _ := json.Marshal(v)
	return string(text)
}

func sameJSON(a, b json.RawMessage) bool {
	if len(a) == 0 || len(b) == 0 {
		return len(a) == len(b)
	}
	var x, y any
	return json.Unmarshal(a, &x) == nil && json.Unmarshal(b, &y) == nil && reflect.DeepEqual(x, y)
}

// TestDeviationsOfLife checks that each is shown by a test.
func TestDeviationsOfLife(t *testing.T) {
	files, err := filepath.Glob("*_test.go")
	if err != nil {
		t.Fatal(err)
	}
	var source []byte
	for _, f := range files {
		text, err := os.ReadFile(f)
		if err != nil {
			t.Fatal(err)
		}
		source = append(source, text...)
	}
	for _, d := range readDeviations(t).Life {
		if !strings.Contains(string(source), "func "+d.Test+"(") || d.Iperf3 == "" || d.Reason == "" {
			t.Errorf("not shown by a test, or not explained: %+v", d)
		}
	}
}

func checkListed(t *testing.T, vectors, listed []vector) {
	t.Helper()
	for _, d := range listed {
		if !slices.ContainsFunc(vectors, func(v vector) bool { return slices.Equal(v.Argv, d.Argv) }) {
			t.Errorf("%s: a deviation without a vector", d.key())
		}
	}
}

// TestOptionVectors runs every command line that was tried on iperf3 3.21. The
// port of a client's server is one where nobody listens, and a server's is
// taken, so that each program ends at once.
func TestOptionVectors(t *testing.T) {
	if runtime.GOOS != "linux" {
		t.Skip("recorded on Linux")
	}
	var vectors []vector
	readVectors(t, "option-parsing.json", &vectors)
	listed := readDeviations(t).Options
	checkListed(t, vectors, listed)
	dir := vectorFiles(t)
	taken, err := net.Listen("tcp", ":0")
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { taken.Close() })
	takenPort := strconv.Itoa(taken.Addr().(*net.TCPAddr).Port)
	closedPort := strconv.Itoa(freePort(t))

	for _, want := range vectors {
		t.Run(want.key(), func(t *testing.T) {
			t.Parallel()
			if cpu := slices.Index(want.Argv, "64"); cpu > 0 && want.Argv[cpu-1] == "-A" && runtime.NumCPU() > 64 {
				t.Skip("this machine has a CPU 64")
			}
			skipWithoutSCTP(t, want.Argv)
			args := inDirectory(want.Argv, dir)
			for i := range args {
				args[i] = strings.Replace(args[i], "5999", closedPort, 1)
			}
			if slices.Contains(args, "-s") {
				args = append(args, "-p", takenPort)
			}
			want.Stderr = withoutExiting(want.Stderr)
			compareVectors(t, want, asVector(t, finish(t, program(t, args...)), dir), listed)
		})
	}
}

// skipWithoutSCTP skips a client over SCTP where the kernel has none: linkperf
// says so before it connects, iperf3 afterwards.
func skipWithoutSCTP(t *testing.T, argv []string) {
	t.Helper()
	if !slices.Contains(argv, "--sctp") {
		return
	}
	l, err := stream.ListenSCTP(t.Context(), netip.MustParseAddrPort("127.0.0.1:0"), sockopt.Options{}, nil, protocol.Cookie{})
	if err != nil {
		t.Skip("this kernel has no SCTP")
	}
	l.Close()
}

// asVector describes what the program did in the words of the vectors.
func asVector(t *testing.T, got finished, dir string) vector {
	t.Helper()
	v := vector{Outcome: "other", Status: got.status}
	text := strings.ReplaceAll(got.stderr, dir, "/tmp")
	if strings.Contains(text, "Usage:") {
		var ok bool
		if text, ok = strings.CutSuffix(text, "\n\n"+shortUsage("iperf3")); !ok {
			t.Errorf("the short usage text is not what follows an empty line: %q", got.stderr)
		}
		v.Outcome = "parameter error"
		if !strings.Contains(text, "parameter error") {
			v.Outcome = "usage error"
		}
	}
	for line := range strings.Lines(text) {
		line = strings.TrimSuffix(line, "\n")
		if strings.HasPrefix(line, "debug: ") {
			continue // what -d tells is each program's own
		}
		if connecting(line) {
			v.Outcome = "accepted"
			continue
		}
		v.Stderr = append(v.Stderr, line)
	}
	if connecting(got.stdout) {
		v.Outcome = "accepted"
	}
	v.Stderr = withoutExiting(v.Stderr)
	return v
}

// withoutExiting takes out the last line of a server that cannot listen. Some
// vectors have it.
func withoutExiting(lines []string) []string {
	return slices.DeleteFunc(lines, func(l string) bool { return strings.HasSuffix(l, "iperf3: exiting") })
}

// connecting reports whether a program got so far that the network refused.
func connecting(text string) bool {
	return strings.Contains(text, "Connection refused") || strings.Contains(text, "Address already in use")
}

// vectorFiles makes the files that the vectors have in /tmp.
func vectorFiles(t *testing.T) (dir string) {
	t.Helper()
	dir = t.TempDir()
	key, err := rsa.GenerateKey(rand.Reader, 2048)
	if err != nil {
		t.Fatal(err)
	}
	public, err := x509.MarshalPKIXPublicKey(&key.PublicKey)
	if err != nil {
		t.Fatal(err)
	}
	private, err := x509.MarshalPKCS8PrivateKey(key)
	if err != nil {
		t.Fatal(err)
	}
	for name, data := range map[string][]byte{
		"pub.pem":    pem.EncodeToMemory(&pem.Block{Type: "PUBLIC KEY", Bytes: public}),
		"priv.pem":   pem.EncodeToMemory(&pem.Block{Type: "PRIVATE KEY", Bytes: private}),
		"users.csv":  []byte("# nobody\n"),
		"sample.bin": make([]byte, 3000000),
	} {
		if err := os.WriteFile(filepath.Join(dir, name), data, 0o600); err != nil {
			t.Fatal(err)
		}
	}
	return dir
}

func inDirectory(argv []string, dir string) []string {
	args := slices.Clone(argv)
	for i := range args {
		args[i] = strings.Replace(args[i], "/tmp", dir, 1)
	}
	return args
}

// TestParameterVectors compares what our client sends to the server with what
// iperf3 3.21 sends for the same command line.
func TestParameterVectors(t *testing.T) {
	if runtime.GOOS != "linux" {
		t.Skip("recorded on Linux")
	}
	var vectors []vector
	readVectors(t, "parameters.json", &vectors)
	listed := readDeviations(t).Parameters
	checkListed(t, vectors, listed)
	dir := vectorFiles(t)
	for _, want := range vectors {
		t.Run(want.key(), func(t *testing.T) {
			t.Parallel()
			skipWithoutSCTP(t, want.Argv)
			want.Params = comparable(t, want.Params)
			got := vector{Params: sentParameters(t, inDirectory(want.Argv, dir))}
			compareVectors(t, want, got, listed)
		})
	}
}

// sentParameters runs a client against a server that hangs up once it has the
// parameters; nil if it never gets them.
func sentParameters(t *testing.T, args []string) json.RawMessage {
	t.Helper()
	ln, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	defer ln.Close()
	sent := make(chan json.RawMessage, 1)
	go func() {
		defer close(sent)
		nc, err := ln.Accept()
		if err != nil {
			return
		}
		defer nc.Close()
		nc.SetDeadline(time.Now().Add(10 * time.Second))
		c := protocol.NewConn(nc)
		if _, err := c.ReadCookie(); err != nil {
			return
		}
		if err := c.WriteState(protocol.ParamExchange); err != nil {
			return
		}
		if frame, err := c.ReadJSON(protocol.MaxParamsLength); err == nil {
			sent <- frame
		}
	}()
	port := ln.Addr().(*net.TCPAddr).Port
	cmd := program(t, append(args, "-p", strconv.Itoa(port))...)
	cmd.Stdout = io.Discard
	if err := cmd.Run(); err == nil {
		t.Error("the client succeeded without a server")
	}
	ln.Close()
	return comparable(t, <-sent)
}

// comparable takes out what is meant to differ: the client's version and what
// it says under its own key.
func comparable(t *testing.T, params json.RawMessage) json.RawMessage {
	t.Helper()
	if len(params) == 0 || string(params) == "null" {
		return nil
	}
	var object map[string]any
	if err := json.Unmarshal(params, &object); err != nil {
		t.Fatal(err)
	}
	delete(object, "client_version")
	delete(object, "linkperf")
	text, err := json.Marshal(object)
	if err != nil {
		t.Fatal(err)
	}
	return text
}
