package test

import (
	"context"
	"encoding/json"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"strings"
	"sync"
	"testing"
	"time"
)

// The Windows build runs under Wine, whose sockets are the host's: linkperf.exe
// and stock iperf3 can measure each other on loopback.

// windowsModes are the names of the modes that the Windows build is held to.
var windowsModes = []string{
	"tcp", "tcp-R", "tcp-bidir", "tcp-P4", "tcp-b", "tcp-n", "tcp-auth", "tcp-F-received", "tcp-get-server-output-json",
	"udp", "udp-R", "udp-bidir", "udp-64bit",
}

// TestWindows runs the basic modes with linkperf.exe in either role.
func TestWindows(t *testing.T) {
	want(t, "LINKPERF_TEST_WINDOWS", "make test-windows")
	w := startWine(t)
	exe := w.linkperf(t)
	pairs := [][2]peer{{exe, exe}}
	for _, stock := range stockPeers(t) {
		pairs = append(pairs, [2]peer{exe, stock}, [2]peer{stock, exe})
	}
	ran := 0
	for _, m := range modes {
		for _, name := range windowsModes {
			if m.name != name {
				continue
			}
			ran++
			t.Run(m.name, func(t *testing.T) {
				for _, p := range pairs {
					t.Run(p[0].name+"->"+p[1].name, func(t *testing.T) { perform(t, m, p[0], p[1]).verify(t) })
				}
			})
		}
	}
	if ran != len(windowsModes) {
		t.Errorf("%d of the %d modes are in the table", ran, len(windowsModes))
	}
}

// TestWindowsErrors asks the Windows build for its words and exit statuses
// when a test can't be.
func TestWindowsErrors(t *testing.T) {
	want(t, "LINKPERF_TEST_WINDOWS", "make test-windows")
	exe := startWine(t).linkperf(t)
	if o := run(t, exe, "-c", "127.0.0.1", "-p", strconv.Itoa(freePort(t))); o.code != 1 ||
		!strings.Contains(o.stderr, "iperf3: error - unable to connect to server") {
		t.Errorf("a refused port: %v", o)
	}
	if o := run(t, exe, "-c", "127.0.0.1", "-P", "200"); o.code != 1 ||
		!strings.Contains(o.stderr, "iperf3: parameter error - invalid number of parallel streams") {
		t.Errorf("too many streams: %v", o)
	}
}

// windowsPackages are the packages whose own tests run under Wine: those with
// code for Windows that Wine can answer, and those that hand out no files. The
// others make temporary directories, which Go removes by a call that Wine 8
// does not know; what they do is covered by running the whole program.
var windowsPackages = []string{
	"linkperf/protocol", "linkperf/protocol/measure", "linkperf/protocol/protocoltest",
	"linkperf/report/compare", "linkperf/report/explain", "linkperf/report/plot", "linkperf/sysinfo",
}

// TestWindowsPackages runs the tests of packages, compiled for Windows.
func TestWindowsPackages(t *testing.T) {
	want(t, "LINKPERF_TEST_WINDOWS", "make test-windows")
	w := startWine(t)
	ctx, cancel := context.WithTimeout(t.Context(), 10*time.Minute)
	defer cancel()
	args := []string{"test", "-short", "-timeout=8m", "-exec", w.program, "-overlay", w.overlay}
	cmd := exec.CommandContext(ctx, "go", append(args, windowsPackages...)...)
	cmd.Env = append(append(os.Environ(), windowsBuild...), w.env...)
	out, err := cmd.CombinedOutput()
	t.Logf("%s", out)
	if err != nil {
		t.Error(err)
	}
}

// wine is a Wine installation with a configuration directory of its own.
type wine struct {
	program string
	env     []string
	overlay string // see netOverlay
}

// windowsBuild is the environment that makes go build for Windows.
var windowsBuild = []string{"GOOS=windows", "GOARCH=amd64", "CGO_ENABLED=0"}

var wineSetup struct {
	once sync.Once
	wine wine
	err  error
}

// startWine returns a Wine whose system directory has the library that the Go
// runtime asks for. It is set up once, which takes some seconds.
func startWine(t *testing.T) wine {
	t.Helper()
	program, err := exec.LookPath("wine64")
	if err != nil {
		program, err = exec.LookPath("/usr/lib/wine/wine64")
	}
	need(t, err == nil, "no wine64 here: install the package wine64")
	compiler, err := exec.LookPath("x86_64-w64-mingw32-gcc")
	need(t, err == nil, "no compiler for Windows here: install the package gcc-mingw-w64-x86-64")
	wineSetup.once.Do(func() {
		w := wine{program: program, env: []string{
			"WINEPREFIX=" + filepath.Join(scratchDir(t), "wine"),
			"WINEDEBUG=-all",
			"WINEDLLOVERRIDES=mscoree=d;mshtml=d", // asks for downloads otherwise
		}}
		if w.overlay, wineSetup.err = netOverlay(scratchDir(t)); wineSetup.err == nil {
			wineSetup.wine, wineSetup.err = w, w.setUp(compiler)
		}
	})
	if wineSetup.err != nil {
		t.Fatal(wineSetup.err)
	}
	w := wineSetup.wine
	t.Cleanup(func() {
		// Ends what still runs in this configuration; nothing may be left.
		w.run(time.Minute, filepath.Join("/usr/lib/wine", "wineserver"), "-k")
	})
	return w
}

// netOverlay writes an overlay for go build that lets the net package open UDP
// sockets under Wine 8. Since 1.23 Go asks every UDP socket with the control
// code SIO_UDP_NETRESET not to report unreachable networks, and gives the
// socket up when that fails; Wine 8 knows no such code and answers
// WSAEOPNOTSUPP. With the overlay that answer is no error. Nothing else of the
// program under test differs from the real Windows build.
func netOverlay(dir string) (string, error) {
	root, err := exec.Command("go", "env", "GOROOT").Output()
	if err != nil {
		return "", err
	}
	original := filepath.Join(strings.TrimSpace(string(root)), "src", "net", "fd_windows.go")
	source, err := os.ReadFile(original)
	if err != nil {
		return "", err
	}
	const check, tolerant = "if err != nil {", "if err != nil && err != syscall.Errno(10045) {"
	before, after, found := strings.Cut(string(source), "SIO_UDP_NETRESET")
	if found {
		after = strings.Replace(after, check, tolerant, 1)
		before += "SIO_UDP_NETRESET"
	}
	patched := filepath.Join(dir, "fd_windows.go")
	if err := os.WriteFile(patched, []byte(before+after), 0o600); err != nil {
		return "", err
	}
	overlay, err := json.Marshal(map[string]any{"Replace": map[string]string{original: patched}})
	if err != nil {
		return "", err
	}
	path := filepath.Join(dir, "overlay.json")
	return path, os.WriteFile(path, overlay, 0o600)
}

func (w wine) setUp(compiler string) error {
	if err := w.run(3*time.Minute, w.program, "wineboot", "--init"); err != nil {
		return err
	}
	prefix := strings.TrimPrefix(w.env[0], "WINEPREFIX=")
	dll := filepath.Join(prefix, "drive_c", "windows", "system32", "bcryptprimitives.dll")
	return w.run(time.Minute, compiler, "-shared", "-Os", "-o", dll, "windows/bcryptprimitives.c", "-ladvapi32")
}

func (w wine) run(limit time.Duration, argv ...string) error {
	ctx, cancel := context.WithTimeout(context.Background(), limit)
	defer cancel()
	cmd := exec.CommandContext(ctx, argv[0], argv[1:]...)
	cmd.Env = append(os.Environ(), w.env...)
	cmd.WaitDelay = time.Second
	if err := cmd.Run(); err != nil {
		return fmt.Errorf("%v: %w", argv, err)
	}
	return nil
}

// linkperf is the program under test, built for Windows.
func (w wine) linkperf(t *testing.T) peer {
	t.Helper()
	return peer{
		name: "linkperf.exe", path: compile(t, "linkperf.exe", []string{"-overlay", w.overlay}, windowsBuild...),
		release: newest, ours: true, prefix: []string{w.program}, env: w.env,
	}
}
