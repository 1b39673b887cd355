//go:build unix

package main

import (
	"encoding/json"
	"fmt"
	"net"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"syscall"
	"testing"
	"time"

	"linkperf/protocol"
)

// TestOneOff checks that -1 serves one client and ends well, whatever became
// of the test.
func TestOneOff(t *testing.T) {
	t.Parallel()
	server, port := serve(t, "-1")
	if got := measureWith(t, port, "-n", "1M"); got.status != 0 || !strings.HasSuffix(got.stdout, "\niperf Done.\n") || got.stderr != "" {
		t.Errorf("client: %+v", got)
	}
	if status := server.exit(t); status != 0 {
		t.Errorf("server: %d", status)
	}
	if strings.Contains(server.stdout.String(), "test #2") {
		t.Errorf("a one-off server expects another test:\n%s", server.stdout)
	}
}

// TestOneOffWithoutClient checks that -1 --idle-timeout gives up, and takes
// its pid file along.
func TestOneOffWithoutClient(t *testing.T) {
	t.Parallel()
	pid := filepath.Join(t.TempDir(), "pid")
	server, _ := serve(t, "-1", "--idle-timeout", "1", "-I", pid)
	if status := server.exit(t); status != 0 || server.stderr.String() != "" {
		t.Errorf("status %d, %s", status, server.stderr)
	}
	if _, err := os.Stat(pid); err == nil {
		t.Error("the pid file is still there")
	}
}

// TestServerGoesOn checks the banner and the numbers of tests.
func TestServerGoesOn(t *testing.T) {
	t.Parallel()
	server, port := serve(t)
	for n := 1; n <= 2; n++ {
		server.stdout.await(t, fmt.Sprintf(`-{59}\nServer listening on %s \(test #%d\)\n-{59}\n$`, port, n))
		if got := measureWith(t, port, "-n", "256K"); got.status != 0 {
			t.Errorf("client: %+v", got)
		}
	}
	server.stdout.await(t, `\(test #3\)`)
	server.Process.Signal(syscall.SIGTERM)
	if status := server.exit(t); status != 0 || server.stderr.String() != "iperf3: interrupt - the server has terminated by signal Terminated(15)\n" {
		t.Errorf("status %d: %s", status, server.stderr)
	}
}

// TestServerSignalWhileIdle checks the three signals and both forms of output.
func TestServerSignalWhileIdle(t *testing.T) {
	for _, tc := range []struct {
		signal syscall.Signal
		name   string
	}{{syscall.SIGINT, "Interrupt(2)"}, {syscall.SIGTERM, "Terminated(15)"}, {syscall.SIGHUP, "Hangup(1)"}} {
		want := "interrupt - the server has terminated by signal " + tc.name
		t.Run(tc.name, func(t *testing.T) {
			t.Parallel()
			server, _ := serve(t)
			server.Process.Signal(tc.signal)
			if status := server.exit(t); status != 0 || server.stderr.String() != "iperf3: "+want+"\n" {
				t.Errorf("status %d: %s", status, server.stderr)
			}
		})
		t.Run(tc.name+"/json", func(t *testing.T) {
			t.Parallel()
			server, _ := serve(t, "-J")
			server.Process.Signal(tc.signal)
			if status := server.exit(t); status != 0 {
				t.Errorf("status %d: %s", status, server.stderr)
			}
			checkDocument(t, server.stdout.String(), want)
		})
	}
}

// checkDocument checks that text is one JSON document with that error, "" for
// none.
func checkDocument(t *testing.T, text, want string) {
	t.Helper()
	var doc struct {
		Start, End map[string]any
		Intervals  []any
		Error      string
	}
	if err := json.Unmarshal([]byte(text), &doc); err != nil {
		t.Errorf("%v in:\n%s", err, text)
	}
	if doc.Error != want || doc.Start == nil || doc.End == nil || doc.Intervals == nil {
		t.Errorf("error %q, want %q, in:\n%s", doc.Error, want, text)
	}
}

// TestSignalDuringTest stops either side while data flows and looks at both.
func TestSignalDuringTest(t *testing.T) {
	for _, direction := range []string{"", "-R", "--bidir"} {
		t.Run("client"+direction, func(t *testing.T) {
			t.Parallel()
			server, port := serve(t, "-i", "0.5")
			c := launch(t, program(t, clientArgs(port, "-b", "10M", "-i", "0.5", direction)...))
			c.stdout.await(t, `sec .*bits/sec`)
			c.Process.Signal(syscall.SIGINT)
			if status := c.exit(t); status != 0 || c.stderr.String() != "iperf3: interrupt - the client has terminated by signal Interrupt(2)\n" {
				t.Errorf("client: %d, %s", status, c.stderr)
			}
			if strings.Contains(c.stdout.String(), "iperf Done.") {
				t.Errorf("an interrupted client is not done:\n%s", c.stdout)
			}
			// The client ends its test in good order, so the server sees nothing
			// unusual.
			server.stdout.await(t, `test #2`)
			if server.stderr.String() != "" {
				t.Errorf("server: %s", server.stderr)
			}
		})
		t.Run("server"+direction, func(t *testing.T) {
			t.Parallel()
			server, port := serve(t, "-i", "0.5")
			c := launch(t, program(t, clientArgs(port, "-b", "10M", "-i", "0.5", direction)...))
			c.stdout.await(t, `sec .*bits/sec`)
			server.Process.Signal(syscall.SIGINT)
			if status := server.exit(t); status != 0 || server.stderr.String() != "iperf3: interrupt - the server has terminated by signal Interrupt(2)\n" {
				t.Errorf("server: %d, %s", status, server.stderr)
			}
			if status := c.exit(t); status != 1 || c.stderr.String() != "iperf3: error - the server has terminated\n" {
				t.Errorf("client: %d, %s", status, c.stderr)
			}
		})
	}
}

func clientArgs(port string, more ...string) []string {
	args := []string{"-c", "127.0.0.1", "-p", port}
	for _, a := range more {
		if a != "" {
			args = append(args, a)
		}
	}
	return args
}

// TestSignalInOmit stops a client in the omit period.
func TestSignalInOmit(t *testing.T) {
	t.Parallel()
	server, port := serve(t)
	c := launch(t, program(t, clientArgs(port, "-O", "60", "-b", "1M", "-i", "0.2")...))
	c.stdout.await(t, `\(omitted\)`)
	c.Process.Signal(syscall.SIGTERM)
	if status := c.exit(t); status != 0 || c.stderr.String() != "iperf3: interrupt - the client has terminated by signal Terminated(15)\n" {
		t.Errorf("client: %d, %s", status, c.stderr)
	}
	server.stdout.await(t, `test #2`)
}

// TestSignalBeforeParameters stops a client whose server has not said a word.
func TestSignalBeforeParameters(t *testing.T) {
	t.Parallel()
	for _, args := range [][]string{nil, {"-J"}} {
		port, accepted := silentServer(t)
		c := launch(t, program(t, clientArgs(port, args...)...))
		conn := <-accepted
		c.Process.Signal(syscall.SIGHUP)
		if status := c.exit(t); status != 0 {
			t.Errorf("%q: status %d, %s", args, status, c.stderr)
		}
		const want = "interrupt - the client has terminated by signal Hangup(1)"
		if args != nil {
			checkDocument(t, c.stdout.String(), want)
		} else if c.stderr.String() != "iperf3: "+want+"\n" {
			t.Errorf("%s", c.stderr)
		}
		conn.SetDeadline(time.Now().Add(patience))
		if s, err := protocol.NewConn(conn).ReadState(); err != nil || s != protocol.ClientTerminate {
			t.Errorf("the server got %v, %v", s, err)
		}
	}
}

// silentServer accepts one control connection, reads the cookie and says
// nothing.
func silentServer(t *testing.T) (port string, accepted <-chan net.Conn) {
	t.Helper()
	ln, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { ln.Close() })
	ready := make(chan net.Conn, 1)
	go func() {
		defer close(ready)
		c, err := ln.Accept()
		if err != nil {
			return
		}
		if _, err := protocol.ReadCookie(c); err == nil {
			ready <- c
		}
	}()
	return strconv.Itoa(ln.Addr().(*net.TCPAddr).Port), ready
}

// TestSignalWhileConnecting stops a client whose connection is not answered.
func TestSignalWhileConnecting(t *testing.T) {
	t.Parallel()
	port := unansweredPort(t)
	c := launch(t, program(t, clientArgs(port)...))
	time.Sleep(300 * time.Millisecond) // nothing shows that it is connecting; too early is also right
	c.Process.Signal(syscall.SIGINT)
	if status := c.exit(t); status != 0 && status != -1 {
		t.Errorf("client: %d, %s", status, c.stderr)
	}
}

// TestConnectTimeout checks --connect-timeout where nobody answers.
func TestConnectTimeout(t *testing.T) {
	t.Parallel()
	got := measureWith(t, unansweredPort(t), "--connect-timeout", "200")
	want := "iperf3: error - unable to connect to server - server may have stopped running or use a different port, firewall issue, etc.: Connection timed out\n"
	if got.status != 1 || got.stderr != want {
		t.Errorf("%+v", got)
	}
}

// unansweredPort returns a port whose listener takes no more connections: its
// queue is full, and Linux then drops what comes.
func unansweredPort(t *testing.T) string {
	t.Helper()
	fd, err := syscall.Socket(syscall.AF_INET, syscall.SOCK_STREAM, 0)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { syscall.Close(fd) })
	if err := syscall.Bind(fd, &syscall.SockaddrInet4{Addr: [4]byte{127, 0, 0, 1}}); err != nil {
		t.Fatal(err)
	}
	if err := syscall.Listen(fd, 0); err != nil {
		t.Fatal(err)
	}
	name, err := syscall.Getsockname(fd)
	if err != nil {
		t.Fatal(err)
	}
	port := strconv.Itoa(name.(*syscall.SockaddrInet4).Port)
	for range 16 {
		c, err := net.DialTimeout("tcp", "127.0.0.1:"+port, 200*time.Millisecond)
		if err != nil {
			return port
		}
		t.Cleanup(func() { c.Close() })
	}
	t.Skip("this system takes connections beyond the backlog")
	return ""
}

// TestClosedOutput checks that nobody reading the output is no failure.
func TestClosedOutput(t *testing.T) {
	t.Parallel()
	for _, args := range [][]string{nil, {"-J"}, {"--json-stream"}} {
		server, port := serve(t, "-1")
		r, w, err := os.Pipe()
		if err != nil {
			t.Fatal(err)
		}
		r.Close()
		cmd := program(t, append(clientArgs(port, "-t", "1", "-i", "0.2", "-b", "10M"), args...)...)
		cmd.Stdout = w
		c := launch(t, cmd)
		w.Close()
		if status := c.exit(t); status != 0 || c.stderr.String() != "" {
			t.Errorf("%q: %d, %s", args, status, c.stderr)
		}
		if status := server.exit(t); status != 0 || server.stderr.String() != "" {
			t.Errorf("server: %d, %s", status, server.stderr)
		}
	}
}

// TestKilledClient checks that the server notices and goes on.
func TestKilledClient(t *testing.T) {
	t.Parallel()
	server, port := serve(t)
	c := launch(t, program(t, clientArgs(port, "-b", "10M", "-i", "0.2")...))
	c.stdout.await(t, `sec .*bits/sec`)
	c.Process.Kill()
	server.stderr.await(t, `^iperf3: the client has unexpectedly closed the connection\n$`)
	if got := measureWith(t, port, "-n", "128K"); got.status != 0 {
		t.Errorf("the next client: %+v", got)
	}
}

// TestKilledServer checks what the client says.
func TestKilledServer(t *testing.T) {
	t.Parallel()
	server, port := serve(t)
	c := launch(t, program(t, clientArgs(port, "-b", "10M", "-i", "0.2")...))
	c.stdout.await(t, `sec .*bits/sec`)
	server.Process.Kill()
	if status := c.exit(t); status != 1 || c.stderr.String() != "iperf3: error - control socket has closed unexpectedly\n" {
		t.Errorf("client: %d, %s", status, c.stderr)
	}
}

// TestReceiveTimeout stops one side without a word.
func TestReceiveTimeout(t *testing.T) {
	t.Run("server", func(t *testing.T) {
		t.Parallel()
		server, port := serve(t, "--rcv-timeout", "500")
		c := launch(t, program(t, clientArgs(port, "-b", "10M", "-i", "0.2")...))
		c.stdout.await(t, `sec .*bits/sec`)
		c.Process.Signal(syscall.SIGSTOP)
		server.stderr.await(t, `^iperf3: error - idle timeout for receiving data\niperf3: no sign of the client for .*\n$`)
		if got := measureWith(t, port, "-n", "128K"); got.status != 0 {
			t.Errorf("the next client: %+v", got)
		}
	})
	t.Run("client", func(t *testing.T) {
		t.Parallel()
		server, port := serve(t)
		c := launch(t, program(t, clientArgs(port, "-R", "-b", "10M", "-i", "0.2", "--rcv-timeout", "500")...))
		c.stdout.await(t, `sec .*bits/sec`)
		server.Process.Signal(syscall.SIGSTOP)
		if status := c.exit(t); status != 1 || c.stderr.String() != "iperf3: error - idle timeout for receiving data\n" {
			t.Errorf("client: %d, %s", status, c.stderr)
		}
	})
}

// TestPortInUse checks the message in each form of output.
func TestPortInUse(t *testing.T) {
	t.Parallel()
	ln, err := net.Listen("tcp", ":0")
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { ln.Close() })
	port := strconv.Itoa(ln.Addr().(*net.TCPAddr).Port)
	const want = "error - unable to start listener for connections: Address already in use"
	if got := finish(t, program(t, "-s", "-p", port)); got != (finished{1, "", "iperf3: " + want + "\niperf3: exiting\n"}) {
		t.Errorf("%+v", got)
	}
	got := finish(t, program(t, "-s", "-p", port, "-J"))
	if got.status != 1 || got.stderr != "" {
		t.Errorf("-J: %+v", got)
	}
	checkDocument(t, got.stdout, want)
}

// TestBusy checks that a second client is turned away, and that --retry-busy
// waits.
func TestBusy(t *testing.T) {
	t.Parallel()
	server, port := serve(t)
	first := launch(t, program(t, clientArgs(port, "-t", "2", "-b", "1M")...))
	server.stdout.await(t, `Accepted connection`)
	if got := measureWith(t, port, "-n", "1K"); got.status != 1 || got.stderr != "iperf3: error - the server is busy running a test. try again later\n" {
		t.Errorf("%+v", got)
	}
	if got := measureWith(t, port, "-n", "1K", "--retry-busy=20"); got.status != 0 {
		t.Errorf("--retry-busy: %+v", got)
	}
	if status := first.exit(t); status != 0 {
		t.Errorf("the first client: %d, %s", status, first.stderr)
	}
}

// TestDebug checks that -d tells more on standard error, and changes nothing
// else.
func TestDebug(t *testing.T) {
	t.Parallel()
	server, port := serve(t, "-d")
	got := measureWith(t, port, "-n", "128K", "-J", "-d")
	if got.status != 0 || !strings.Contains(got.stderr, `debug: parameters {"tcp":true,`) || !strings.Contains(got.stderr, "debug: stream 1,") {
		t.Errorf("%+v", got)
	}
	checkDocument(t, got.stdout, "")
	server.stderr.await(t, `debug: results `)
	if got := measureWith(t, strconv.Itoa(freePort(t)), "-d"); got.status != 1 || !strings.Contains(got.stderr, "debug: failed: *protocol.Error: unable to connect") {
		t.Errorf("%+v", got)
	}
}
