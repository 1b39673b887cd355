//go:build unix

package main

import (
	"net"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"syscall"
	"testing"
	"time"
)

// TestDaemon checks that the caller returns when the port is open, and that
// the daemon lives on its own.
func TestDaemon(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	port := strconv.Itoa(freePort(t))
	cmd := program(t, "-s", "-D", "-1", "-p", port, "-I", "pid", "--logfile", "log")
	cmd.Dir = dir
	if got := finish(t, cmd); got != (finished{}) {
		t.Fatalf("%+v", got)
	}
	text, err := os.ReadFile(filepath.Join(dir, "pid"))
	if err != nil {
		t.Fatal(err)
	}
	pid, err := strconv.Atoi(string(text))
	if err != nil {
		t.Fatalf("pid file %q", text)
	}
	t.Cleanup(func() { syscall.Kill(pid, syscall.SIGKILL) })
	if session, err := getsid(pid); err != nil || session != pid {
		t.Errorf("the daemon is in session %d, %v", session, err)
	}
	if got := measureWith(t, port, "-n", "1M"); got.status != 0 {
		t.Errorf("client: %+v", got)
	}
	awaitGone(t, filepath.Join(dir, "pid"))
	log, err := os.ReadFile(filepath.Join(dir, "log"))
	if err != nil || !strings.Contains(string(log), "Server listening on "+port) || !strings.Contains(string(log), "receiver") {
		t.Errorf("log: %v\n%s", err, log)
	}
}

// getsid returns the session of a process.
func getsid(pid int) (int, error) {
	id, _, errno := syscall.Syscall(syscall.SYS_GETSID, uintptr(pid), 0, 0)
	if errno != 0 {
		return 0, errno
	}
	return int(id), nil
}

func awaitGone(t *testing.T, path string) {
	t.Helper()
	for end := time.Now().Add(patience); time.Now().Before(end); time.Sleep(10 * time.Millisecond) {
		if _, err := os.Stat(path); os.IsNotExist(err) {
			return
		}
	}
	t.Errorf("%s is still there", path)
}

// TestDaemonThatFails checks that the caller learns of it.
func TestDaemonThatFails(t *testing.T) {
	t.Parallel()
	ln, err := net.Listen("tcp", ":0")
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { ln.Close() })
	port := strconv.Itoa(ln.Addr().(*net.TCPAddr).Port)
	want := "iperf3: error - unable to start listener for connections: Address already in use\niperf3: exiting\n"
	if got := finish(t, program(t, "-s", "-D", "-p", port)); got.status != 1 || got.stderr != want {
		t.Errorf("%+v", got)
	}
	log := filepath.Join(t.TempDir(), "log")
	if got := finish(t, program(t, "-s", "-D", "-p", port, "--logfile", log)); got.status != 1 || !strings.Contains(got.stderr, "Address already in use") {
		t.Errorf("with a log file: %+v", got)
	}
	if text, _ := os.ReadFile(log); string(text) != want {
		t.Errorf("log: %q", text)
	}
	if got := finish(t, program(t, "-s", "-D", "-p", port, "-I", "/nonexistent/pid")); got.status != 1 || !strings.Contains(got.stderr, "unable to write PID file") {
		t.Errorf("with a bad pid file: %+v", got)
	}
}

// TestPIDFile checks who may take a pid file over.
func TestPIDFile(t *testing.T) {
	t.Parallel()
	path := filepath.Join(t.TempDir(), "pid")
	for _, tc := range []struct {
		content string
		taken   bool
	}{
		{"", false},
		{"garbage", false},
		{"0", false},
		{strconv.Itoa(deadProcess(t)), false},
		{strconv.Itoa(os.Getpid()), true},
		{strconv.Itoa(os.Getpid()) + "\n", true},
	} {
		if err := os.WriteFile(path, []byte(tc.content), 0o600); err != nil {
			t.Fatal(err)
		}
		got := finish(t, program(t, "-c", "127.0.0.1", "-p", strconv.Itoa(freePort(t)), "-I", path))
		refused := got.stderr == "iperf3: Another instance of iperf3 appears to be running\n"
		if got.status != 1 || refused != tc.taken {
			t.Errorf("%q: %+v", tc.content, got)
		}
		text, err := os.ReadFile(path)
		if tc.taken && string(text) != tc.content {
			t.Errorf("%q: the other's pid file is now %q", tc.content, text)
		}
		if !tc.taken && !os.IsNotExist(err) {
			t.Errorf("%q: the pid file is still there", tc.content)
		}
	}
}

// TestPIDFileIsAFile checks that what is not a regular file is neither
// written, nor waited for, nor removed.
func TestPIDFileIsAFile(t *testing.T) {
	t.Parallel()
	pipe := filepath.Join(t.TempDir(), "pipe")
	if err := syscall.Mkfifo(pipe, 0o600); err != nil {
		t.Fatal(err)
	}
	for _, path := range []string{pipe, t.TempDir()} {
		for _, side := range [][]string{{"-s", "-1"}, {"-c", "127.0.0.1"}} {
			got := finish(t, program(t, append(side, "-p", strconv.Itoa(freePort(t)), "-I", path)...))
			if got.status != 1 || !strings.Contains(got.stderr, "unable to write PID file: the pid file must be a regular file") {
				t.Errorf("%s %s: %+v", side, path, got)
			}
			if _, err := os.Lstat(path); err != nil {
				t.Errorf("%s %s: %v", side, path, err)
			}
		}
	}
}

// deadProcess returns the id of a process that has ended.
func deadProcess(t *testing.T) int {
	t.Helper()
	cmd := program(t, "-v")
	if err := cmd.Run(); err != nil {
		t.Fatal(err)
	}
	return cmd.ProcessState.Pid()
}

// TestLogFile checks that a log file that was moved away is made anew for the
// next test, and what goes into it.
func TestLogFile(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	log, moved := filepath.Join(dir, "log"), filepath.Join(dir, "log.1")
	port := strconv.Itoa(freePort(t))
	server := launch(t, program(t, "-s", "-p", port, "--logfile", log))
	awaitText(t, log, "(test #1)")
	if got := measureWith(t, port, "-n", "256K"); got.status != 0 {
		t.Fatalf("%+v", got)
	}
	awaitText(t, log, "(test #2)")
	if err := os.Rename(log, moved); err != nil {
		t.Fatal(err)
	}
	if got := measureWith(t, port, "-n", "256K"); got.status != 0 {
		t.Fatalf("%+v", got)
	}
	awaitText(t, log, "(test #3)")
	server.Process.Signal(syscall.SIGTERM)
	if status := server.exit(t); status != 0 {
		t.Errorf("status %d", status)
	}
	awaitText(t, log, "iperf3: interrupt - the server has terminated by signal Terminated(15)\n")
	if old, _ := os.ReadFile(moved); strings.Count(string(old), "receiver") != 1 {
		t.Errorf("moved log:\n%s", old)
	}
	if text, _ := os.ReadFile(log); strings.Count(string(text), "receiver") != 1 {
		t.Errorf("log:\n%s", text)
	}
	if server.stdout.String() != "" || server.stderr.String() != "" {
		t.Errorf("beside the log: %s%s", server.stdout, server.stderr)
	}
}

func awaitText(t *testing.T, path, want string) {
	t.Helper()
	var text []byte
	for end := time.Now().Add(patience); time.Now().Before(end); time.Sleep(10 * time.Millisecond) {
		if text, _ = os.ReadFile(path); strings.Contains(string(text), want) {
			return
		}
	}
	t.Fatalf("no %q in %s:\n%s", want, path, text)
}

// TestClientLogFile checks that a client appends, errors included.
func TestClientLogFile(t *testing.T) {
	t.Parallel()
	log := filepath.Join(t.TempDir(), "log")
	_, port := serve(t, "-1")
	if got := measureWith(t, port, "-n", "256K", "--logfile", log); got != (finished{}) {
		t.Errorf("%+v", got)
	}
	if got := measureWith(t, strconv.Itoa(freePort(t)), "--logfile", log); got != (finished{status: 1}) {
		t.Errorf("%+v", got)
	}
	text, err := os.ReadFile(log)
	if err != nil || !strings.Contains(string(text), "\niperf Done.\niperf3: error - unable to connect to server") {
		t.Errorf("%v\n%s", err, text)
	}
}
