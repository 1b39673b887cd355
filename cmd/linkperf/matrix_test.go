package main

import (
	"context"
	"errors"
	"fmt"
	"io"
	"net"
	"os"
	"path/filepath"
	"runtime"
	"slices"
	"strings"
	"testing"

	"linkperf/client/matrix"
	"linkperf/client/matrix/system"
	"linkperf/report"
)

// TestUndoneAfterSignal checks that a signal does not hide what was not undone.
func TestUndoneAfterSignal(t *testing.T) {
	signal := &report.SignalError{Name: "Interrupt", Number: 2}
	undo := errors.New("the MTU could not be restored")
	var found *report.SignalError
	if err := unlessUndone(signal, undo); !errors.Is(err, undo) || errors.As(err, &found) {
		t.Errorf("a signal and a failure: %v", err)
	}
	if err := unlessUndone(signal, nil); !errors.As(err, &found) {
		t.Errorf("a signal: %v", err)
	}
	if err := unlessUndone(nil, undo); !errors.Is(err, undo) {
		t.Errorf("a failure: %v", err)
	}
	if err := unlessUndone(nil, nil); err != nil {
		t.Errorf("neither: %v", err)
	}
}

// TestRefusedPlanLeavesNothing checks that a plan whose surroundings cannot be
// had does not leave a directory that looks like a plan that was begun.
func TestRefusedPlanLeavesNothing(t *testing.T) {
	dir := t.TempDir()
	plan, out := filepath.Join(dir, "plan.yaml"), filepath.Join(dir, "out")
	if err := os.WriteFile(plan, []byte("server: 'host:0'\naxes:\n  parallel: [1]\n"), 0o666); err != nil {
		t.Fatal(err)
	}
	got := call(t, "linkperf", "matrix", plan, "-o", out)
	if got.status != 1 || !strings.Contains(got.stderr, `server "host:0"`) {
		t.Errorf("%+v", got)
	}
	if _, err := os.Stat(out); !errors.Is(err, os.ErrNotExist) {
		t.Errorf("the directory is there, or not known to be away: %v", err)
	}
}

// TestAddressAxis checks what an axis of addresses takes: also an address that this
// host does not have, and every interface.
func TestAddressAxis(t *testing.T) {
	interfaces, err := net.Interfaces()
	if err != nil {
		t.Fatal(err)
	}
	all := []string{"loopback", "exposed", "192.0.2.1", "::1", "fe80::1%nosuch0"}
	for _, i := range interfaces {
		all = append(all, i.Name)
	}
	for _, a := range all {
		if err := (clientOptions{}).CheckAddress(a); err != nil {
			t.Error(err)
		}
	}
}

// TestUnreachableServer checks that a plan whose server does not answer ends after
// a few runs, with how to go on.
func TestUnreachableServer(t *testing.T) {
	out := filepath.Join(t.TempDir(), "out")
	got := call(t, "linkperf", "matrix", "-q", "--server", fmt.Sprintf("127.0.0.1:%d", freePort(t)), "--axis", "parallel=1,2", "--pause", "0", "-o", out)
	if got.status != 1 || !strings.Contains(got.stderr, "no connection could be made to the server: 3 runs in a row have failed, the last with: unable to connect") ||
		!strings.HasSuffix(got.stderr, "What is left: linkperf matrix --resume "+out+"\n") {
		t.Errorf("%+v", got)
	}
	if runs, err := os.ReadFile(filepath.Join(out, "runs.jsonl")); err != nil || strings.Count(string(runs), "\n") != 3 {
		t.Errorf("%v\n%s", err, runs)
	}
}

// TestShow prints plans as they are, also what is to be completed, and as options
// have changed them.
func TestShow(t *testing.T) {
	for _, name := range planNames() {
		source, _ := matrix.Ready(name)
		if got := call(t, "linkperf", "matrix", name, "--show"); got.status != 0 || got.stdout != string(source) || got.stderr != "" {
			t.Errorf("%s: %+v", name, got)
		}
	}
	for line, want := range map[string]string{
		"default":            "# loopback against this host's own exposed address",
		"default --repeat 3": "\nrepeat: 3\n",
		"mtu --repeat 3":     "mtu: []\n",
		"--axis parallel=1,4 --pause 0 --server h": "server: h\npause: 0s\naxes:\n  parallel:\n",
	} {
		if got := call(t, append([]string{"linkperf", "matrix", "--show"}, strings.Fields(line)...)...); got.status != 0 || !strings.Contains(got.stdout, want) || strings.Contains(got.stdout, "name: .") {
			t.Errorf("%s: want %q: %+v", line, want, got)
		}
	}
}

// TestServerStartStopped checks that nobody waits for a server that is no
// longer wanted.
func TestServerStartStopped(t *testing.T) {
	t.Setenv(beProgram, "1")
	ctx, cancel := context.WithCancelCause(t.Context())
	interrupted := &report.SignalError{Name: "Interrupt", Number: 2}
	cancel(interrupted)
	if _, err := startServer(ctx, io.Discard); !errors.Is(err, interrupted) {
		t.Errorf("got %v", err)
	}
}

// TestMatrixOptions checks that each bad option is named with what is allowed,
// before anything is run.
func TestMatrixOptions(t *testing.T) {
	for line, want := range map[string]string{
		"--repeat 0":                   `"0" for "--repeat" flag: allowed are 1 to 10000`,
		"--repeat -3":                  `"-3" for "--repeat" flag: allowed are 1 to 10000`,
		"--repeat inf":                 `"inf" for "--repeat" flag: allowed are 1 to 10000`,
		"--warmup 1e999":               `"1e999" for "--warmup" flag: allowed are 0 to 100`,
		"--timeout 0s":                 "--timeout is 0; allowed is 1s to 24h",
		"--duration 0":                 "--duration is 0; allowed is 1s to 24h",
		"--duration nan":               `--duration: "nan" is not a time; allowed are 0 to 24h`,
		"--axis interval=inf":          `option --interval: "inf"; allowed are 0, and 0.1 to 60 seconds`,
		"--axis bitrate=1M,nan":        `case bitrate=nan: option --bitrate: "nan"; allowed are 0 to`,
		"--axis time=1,500ms":          `case time=500ms: option --time: "500ms"; allowed are 0 to 86400 seconds`,
		"--axis time=0.5":              `option --time: "0.5"; allowed are 0 to 86400 seconds`,
		"--axis bytes=10MB":            `option --bytes: "10MB"; allowed are 0 to 8388607T bytes`,
		"--axis time=0":                "this test has no end",
		"--axis paralel=1":             `there is no axis "paralel" (did you mean parallel?); allowed are`,
		"--axis parallel=1,":           `axis "parallel" has an empty value`,
		"--require path.knid=wifi":     `there is no fact "path.knid" (did you mean path.kind`,
		"--require server.path.k=x":    `there is no fact "server.path.k"`,
		"--require interfaces=x":       `there is no fact "interfaces"`,
		"--require path.kind=wfi":      `path.kind is never "wfi"; allowed are loopback, own_address, thunderbolt`,
		"--require server.link.up=yes": `server.link.up is never "yes"; allowed are true and false`,
		"--axis address=exposd":        `address "exposd" (did you mean exposed?); allowed are loopback, exposed, an IP address, and the interfaces of this host: `,
		"--axis address=127.1":         `address "127.1"; allowed are`,
		"--include address=no.such":    `address "no.such"; allowed are`,
		"--exclude parallel=1":         `there is no axis "parallel" in this plan; there are address, zerocopy, direction`,
		"--exclude zerocopy=yes":       `--exclude: axis "zerocopy" has no value "yes"; it has false, true`,
		"--duration 0.5s":              "duration is 500ms; allowed are whole seconds",
		"--duration x":                 "--duration",
		"--omit 700s":                  "omit is 11m40s; allowed are whole seconds from 0 to 600s",
		"--seed 0":                     "--seed is 0; allowed is 1 to 2^64-1",
		"--server a:b:c":               `--server "a:b:c"; allowed are embedded, HOST and HOST:PORT`,
		"--server host:99999":          "--server",
		"--axis parallel":              "--axis",
		"--axis parallel=0":            "min = 1, max = 128",
		"--axis nosuch=1":              "allowed are address, direction, firewall, mtu and the client options interval, udp",
		"--axis csv=x":                 `"csv" cannot be an axis`,
		"--axis port-range=1-2":        `"port-range" cannot be an axis; use "server"`,
		"--axis time=1 --axis time=2":  "--axis time is given twice; all its values belong into one",
		"--include udp=true,udp=false": `--include: "udp=true,udp=false": udp is given twice`,
		"--require path.kind=wifi --require path.kind=other": "--require: path.kind is given twice",
		"--server 192.0.2.1":           "the axis address has loopback, which is this host, and the tests go to 192.0.2.1; leave the axis out",
		"--include foo":                "--include",
		"--resume x --repeat 3":        "--resume and --repeat do not go together: change repeat in " + filepath.Join("x", "plan.yaml") + "\n",
		"--resume x --duration 3s":     "--resume and --duration do not go together: choose one",
		"--resume x default":           "--resume takes no plan",
		"--restore --list":             "do not go together",
		"default loopback":             "one plan at most",
		"--order random":               "allowed are interleaved and as-written",
		"--allow-system-changes=maybe": "--allow-system-changes",
	} {
		t.Run(line, func(t *testing.T) {
			args := append([]string{"linkperf", "matrix", "--dry-run"}, strings.Fields(line)...)
			if strings.HasPrefix(line, "--resume") || strings.HasPrefix(line, "--restore") { // which take no --dry-run
				args = slices.Delete(args, 2, 3)
			}
			if got := call(t, args...); got.status != 1 || got.stdout != "" || !strings.Contains(got.stderr, want) || strings.Count(got.stderr, "\n") != 1 {
				t.Errorf("want %q: %+v", want, got)
			}
		})
	}
	for server, want := range map[string]string{"host": "host 5201", "host:1": "host 1", "[fe80::1%eth0]:2": "fe80::1%eth0 2", "::1": "::1 5201", "[::1]": "::1 5201"} {
		if host, port, err := splitServer(server); err != nil || fmt.Sprint(host, " ", port) != want {
			t.Errorf("%q: %s %d %v", server, host, port, err)
		}
	}
}

// TestDryRunOfOne checks that one run is not spoken of as of many.
func TestDryRunOfOne(t *testing.T) {
	for line, want := range map[string]string{"--axis parallel=1 --repeat 1": "1 case, 1 run, about ", "--axis parallel=1,2 --repeat 2": "2 cases, 4 runs, about "} {
		if got := call(t, append([]string{"linkperf", "matrix", "--dry-run"}, strings.Fields(line)...)...); got.status != 0 || !strings.HasPrefix(got.stdout, want) {
			t.Errorf("%s: %+v", line, got)
		}
	}
}

// TestDryRunOfChanges checks that what a plan would change stands before the
// run that needs it, that the plan's commands are there, and what undoes all.
// The interface does not exist, so that nothing can be touched.
func TestDryRunOfChanges(t *testing.T) {
	plan := filepath.Join(t.TempDir(), "plan.yaml")
	if err := os.WriteFile(plan, []byte("order: as-written\nrepeat: 1\nbefore: [./first]\nafter: [./last]\naxes:\n  mtu: [1500@nosuch0, 9000@nosuch0]\n  parallel: [1, {value: 2, before: [./up], after: [./down]}]\n"), 0o666); err != nil {
		t.Fatal(err)
	}
	journal := filepath.Join(t.TempDir(), "journal")
	got := call(t, "linkperf", "matrix", plan, "--dry-run", "--journal", journal)
	_, text, _ := strings.Cut(got.stdout, "This plan changes the system, if it is allowed to (--allow-system-changes):\n")
	if system.CheckPrivileges() == nil {
		reason, refused := strings.CutPrefix(got.stderr, "linkperf matrix: this plan would be refused: ")
		if got.status != 1 || !refused || runtime.GOOS == "linux" && reason != "there is no interface \"nosuch0\"\n" {
			t.Errorf("%+v", got)
		}
	} else { // who cannot know
		line, rest, _ := strings.Cut(text, "\n")
		if got.status != 0 || got.stderr != "" || !strings.HasPrefix(line, "  not all is known without the rights of root") {
			t.Errorf("%+v", got)
		}
		text = rest
	}
	want := `      run ./first
      change MTU of nosuch0: 1500, if it is not
   1  round 1  mtu=1500@nosuch0 parallel=1  (--parallel=1 --time=1)
      run ./up
   2  round 1  mtu=1500@nosuch0 parallel=2  (--parallel=2 --time=1)
      run ./down
      change MTU of nosuch0: 1500 → 9000
   3  round 1  mtu=9000@nosuch0 parallel=1  (--parallel=1 --time=1)
      run ./up
   4  round 1  mtu=9000@nosuch0 parallel=2  (--parallel=2 --time=1)
      run ./down
      run ./last
      undo MTU of nosuch0: as it was
What was changed is undone at the end, also after Ctrl-C, an error or a kill; after a power cut by linkperf matrix --restore --journal ` + journal + "\n"
	if text != want {
		t.Errorf("got\n%s\nwant\n%s", text, want)
	}
	if _, err := os.Stat(journal); !errors.Is(err, os.ErrNotExist) {
		t.Errorf("a rehearsal wrote a journal: %v", err)
	}
}

// TestPlanFiles checks what is said of files that are no plans, and that an
// option which a script left empty is not taken for one that was not given.
func TestPlanFiles(t *testing.T) {
	dir := t.TempDir()
	big := filepath.Join(dir, "big.yaml")
	if err := os.WriteFile(big, make([]byte, largestPlan+1), 0o666); err != nil {
		t.Fatal(err)
	}
	for _, tc := range []struct {
		args []string
		want string
	}{
		{[]string{dir}, fmt.Sprintf("%q is a directory and no plan; --resume %s goes on", dir, dir)},
		{[]string{big}, "is no plan: it has more than 1 MiB"},
		{[]string{"nosuch.yaml"}, `no plan "nosuch.yaml": neither a file nor one of default, firewall, loopback`},
		{[]string{"loopbak"}, `no plan "loopbak" (did you mean loopback?): neither`},
		{[]string{"--resume", dir}, "no plan is stored in " + dir},
		{[]string{"--resume", ""}, "--resume has an empty value"},
		{[]string{"-o", ""}, "--output has an empty value"},
		{[]string{"--server="}, "--server has an empty value"},
		{[]string{"--journal", ""}, "--journal has an empty value"},
		{[]string{""}, "an argument is empty"},
	} {
		if tc.args[0] != "--resume" {
			tc.args = append([]string{"--dry-run"}, tc.args...) // nothing is to run, even if this fails
		}
		got := call(t, append([]string{"linkperf", "matrix"}, tc.args...)...)
		if got.status != 1 || got.stdout != "" || !strings.HasPrefix(got.stderr, "linkperf matrix: ") || !strings.Contains(got.stderr, tc.want) || strings.Count(got.stderr, "\n") != 1 {
			t.Errorf("%q: want %q: %+v", tc.args, tc.want, got)
		}
	}
}

// TestPageIsNamedOnceWritten checks that a page that could not be written is
// not named as if it were there.
func TestPageIsNamedOnceWritten(t *testing.T) {
	dir := t.TempDir()
	doc := `{"start":{"timestamp":{"timesecs":1},"test_start":{"protocol":"TCP","num_streams":1,"duration":1}},"intervals":[],"end":{},"error":"refused"}`
	if err := os.WriteFile(filepath.Join(dir, "run.json"), []byte(doc), 0o600); err != nil {
		t.Fatal(err)
	}
	page := filepath.Join(dir, "report.html")
	for _, written := range []bool{true, false} {
		if !written {
			if err := errors.Join(os.Remove(page), os.Mkdir(page, 0o700)); err != nil {
				t.Fatal(err)
			}
		}
		var out strings.Builder
		err := writeReport(dir, &out)
		if named := strings.Contains(out.String(), "Page: "); named != written {
			t.Errorf("written: %v, named: %v\n%s", written, named, out.String())
		}
		if failed := err != nil && strings.Contains(err.Error(), page); failed == written {
			t.Errorf("written: %v, error %v", written, err)
		}
	}
}
