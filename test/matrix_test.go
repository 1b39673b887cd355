package test

import (
	"bytes"
	"encoding/csv"
	"encoding/json"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strings"
	"testing"
	"time"
)

// storedRun is what the tests read of a line of runs.jsonl.
type storedRun struct {
	Start    map[string]any
	End      map[string]any
	Error    string
	Linkperf struct {
		Sysinfo struct{ Client, Server map[string]any }
		Run     struct {
			Case   string
			Round  int
			Order  int
			Status string
			Reason string
		}
	}
}

func storedRuns(t *testing.T, dir string) []storedRun {
	t.Helper()
	text, err := os.ReadFile(filepath.Join(dir, "runs.jsonl"))
	if err != nil {
		t.Fatal(err)
	}
	var runs []storedRun
	for line := range bytes.Lines(text) {
		var r storedRun
		if err := json.Unmarshal(line, &r); err != nil {
			t.Fatalf("%v: %.200s", err, line)
		}
		runs = append(runs, r)
	}
	return runs
}

// once fails unless every case has every round exactly once.
func once(t *testing.T, runs []storedRun, cases, rounds int) {
	t.Helper()
	seen := map[string]int{}
	for _, r := range runs {
		seen[fmt.Sprintf("%s round %d", r.Linkperf.Run.Case, r.Linkperf.Run.Round)]++
	}
	for run, n := range seen {
		if n != 1 {
			t.Errorf("%s is stored %d times", run, n)
		}
	}
	if len(seen) != cases*rounds {
		t.Errorf("%d runs stored, want %d", len(seen), cases*rounds)
	}
}

func TestMatrix(t *testing.T) {
	dir := filepath.Join(t.TempDir(), "out")
	o := runWithin(t, 60*time.Second, linkperf(t), "matrix", "--axis", "parallel=1,2", "--axis", "direction=forward,reverse", "--repeat", "2", "--pause", "0", "-o", dir)
	if o.code != 0 {
		t.Fatal(o)
	}
	runs := storedRuns(t, dir)
	once(t, runs, 4, 2)
	for _, r := range runs {
		if r.Error != "" || r.Linkperf.Run.Status != "ok" || r.End["sum_received"] == nil {
			t.Errorf("run %+v", r)
		}
		if r.Linkperf.Sysinfo.Client == nil || r.Linkperf.Sysinfo.Server == nil {
			t.Errorf("a record is missing: client %v, server %v", r.Linkperf.Sysinfo.Client != nil, r.Linkperf.Sysinfo.Server != nil)
		}
	}
	for _, want := range []string{"parallel=2 direction=reverse", "Verdicts", "too few runs", "report.html"} {
		if !strings.Contains(o.stdout, want) && !strings.Contains(o.stdout+o.stderr, want) {
			t.Errorf("no %q in %v", want, o)
		}
	}
	for _, file := range []string{"plan.yaml", "report.html", "runs.csv", "intervals.csv", "compare.csv"} {
		if fi, err := os.Stat(filepath.Join(dir, file)); err != nil || fi.Size() == 0 {
			t.Errorf("%s: %v", file, err)
		}
	}
	t.Run("again", func(t *testing.T) {
		o := run(t, linkperf(t), "matrix", "-o", dir)
		if o.code != 1 || !strings.Contains(o.stderr, "--resume") {
			t.Error(o)
		}
	})
	t.Run("report", func(t *testing.T) { reportOf(t, dir) })
	t.Run("compare", func(t *testing.T) { compareOf(t, dir) })
	t.Run("page", func(t *testing.T) { pageOf(t, filepath.Join(dir, "report.html")) })
}

func reportOf(t *testing.T, dir string) {
	o := run(t, linkperf(t), "report", dir, "--csv")
	rows, err := csv.NewReader(strings.NewReader(o.stdout)).ReadAll()
	if err != nil || len(rows) != 9 {
		t.Errorf("%d rows, %v: %v", len(rows), err, o)
	}
	o = run(t, linkperf(t), "report", dir, "--json")
	var a struct {
		Runs  int
		Cases []struct{ Values []float64 }
	}
	if err := json.Unmarshal([]byte(o.stdout), &a); err != nil || a.Runs != 8 {
		t.Errorf("%v: %v", err, o)
	}
	if o := run(t, linkperf(t), "report", dir, "--markdown"); o.code != 0 || !strings.Contains(o.stdout, "## Cases") {
		t.Error(o)
	}
	if o := run(t, linkperf(t), "report", dir, "--markdown", "--json"); o.code != 1 || !strings.Contains(o.stderr, "--markdown and --json") {
		t.Error(o)
	}
	broken := filepath.Join(t.TempDir(), "broken.json")
	if err := os.WriteFile(broken, []byte(`{"start": {`), 0o666); err != nil {
		t.Fatal(err)
	}
	if o := run(t, linkperf(t), "report", dir, broken); o.code != 1 || !strings.Contains(o.stderr, "broken.json") || !strings.Contains(o.stdout, "Cases") {
		t.Errorf("a broken file is named, the rest is shown: %v", o)
	}
}

func compareOf(t *testing.T, dir string) {
	o := run(t, linkperf(t), "compare", dir, "--axis", "parallel")
	if o.code != 0 || !strings.Contains(o.stdout, "throughput") {
		t.Error(o)
	}
	if o := run(t, linkperf(t), "compare", dir, "--axis", "mtu"); o.code != 1 || !strings.Contains(o.stderr, "parallel, direction") {
		t.Error(o)
	}
	// The same set with a tenth of the speed is slower beyond doubt.
	slow := t.TempDir()
	fast := t.TempDir()
	text, err := os.ReadFile(filepath.Join(dir, "runs.jsonl"))
	if err != nil {
		t.Fatal(err)
	}
	for i := range 8 {
		for to, factor := range map[string]float64{fast: 1 + 0.01*float64(i), slow: 0.1 * (1 + 0.01*float64(i))} {
			var lines []byte
			for line := range bytes.Lines(text) {
				var doc map[string]any
				if err := json.Unmarshal(line, &doc); err != nil {
					t.Fatal(err)
				}
				delete(doc, "linkperf")
				slower(doc, factor)
				b, err := json.Marshal(doc)
				if err != nil {
					t.Fatal(err)
				}
				lines = append(append(lines, b...), '\n')
			}
			if err := os.WriteFile(filepath.Join(to, fmt.Sprintf("%d.json", i)), lines, 0o666); err != nil {
				t.Fatal(err)
			}
		}
	}
	if o := run(t, linkperf(t), "compare", fast, slow, "--fail-if-slower", "5%"); o.code != 3 || !strings.Contains(o.stdout, "slower than") {
		t.Error(o)
	}
	if o := run(t, linkperf(t), "compare", slow, fast, "--fail-if-slower", "5%"); o.code != 0 {
		t.Error(o)
	}
}

// slower scales every figure of a document that counts bytes.
func slower(v any, by float64) {
	switch v := v.(type) {
	case map[string]any:
		for k, x := range v {
			if f, ok := x.(float64); ok && (k == "bytes" || k == "bits_per_second") {
				v[k] = float64(int64(f * by))
			}
			slower(x, by)
		}
	case []any:
		for _, x := range v {
			slower(x, by)
		}
	}
}

// pageOf opens the page in a browser that has no network: nothing on its
// console, nothing asked for, and something to see.
func pageOf(t *testing.T, page string) {
	chromium, err := exec.LookPath("chromium")
	if err != nil && !everything() {
		t.Skip("no chromium here: install the package chromium")
	}
	need(t, err == nil, "no chromium here: install the package chromium")
	need(t, os.Getuid() == 0, "needs root to take the network from the browser")
	shot := filepath.Join(t.TempDir(), "page.png")
	if console, asked := browse(t, chromium, page, shot); len(console)+len(asked) > 0 {
		t.Errorf("on the console: %q; asked for: %q", console, asked)
	}
	if fi, err := os.Stat(shot); err != nil || fi.Size() < 10000 {
		t.Errorf("screenshot: %v", err)
	}
	// The same look finds both on a page that has them.
	bad := filepath.Join(t.TempDir(), "bad.html")
	if err := os.WriteFile(bad, []byte(`<img src="http://127.0.0.1:9/x"><script>console.error("seen")</script>`), 0o666); err != nil {
		t.Fatal(err)
	}
	if console, asked := browse(t, chromium, bad, shot); len(console) == 0 || len(asked) == 0 {
		t.Errorf("a bad page passes: console %q, asked for %q", console, asked)
	}
}

// address finds what was asked for in Chromium's log; ownBusiness is what the
// browser asks its maker for, whatever the page.
var (
	address     = regexp.MustCompile(`"url":"(https?://[^"]*)"`)
	ownBusiness = regexp.MustCompile(`^https?://[a-z0-9.]*(google|googleapis|gvt1)\.com/`)
)

func browse(t *testing.T, chromium, page, shot string) (console, asked []string) {
	t.Helper()
	dir := t.TempDir()
	log := filepath.Join(dir, "net.json")
	cmd := exec.Command("unshare", "--net", chromium, "--headless", "--no-sandbox", "--disable-gpu", "--disable-quic", "--no-first-run",
		"--disable-background-networking", "--disable-component-update", "--disable-sync", "--user-data-dir="+filepath.Join(dir, "profile"),
		"--enable-logging=stderr", "--log-net-log="+log, "--window-size=400,2000", "--screenshot="+shot, "file://"+page)
	timer := time.AfterFunc(90*time.Second, func() { cmd.Process.Kill() })
	defer timer.Stop()
	out, err := cmd.CombinedOutput()
	if err != nil {
		t.Fatalf("chromium: %v\n%s", err, out)
	}
	for line := range strings.Lines(string(out)) {
		if strings.Contains(line, "CONSOLE") && !strings.Contains(line, "ERR_") {
			console = append(console, line)
		}
	}
	text, err := os.ReadFile(log)
	if err != nil {
		t.Fatal(err)
	}
	for _, m := range address.FindAllSubmatch(text, -1) {
		if !ownBusiness.Match(m[1]) {
			asked = append(asked, string(m[1]))
		}
	}
	return console, asked
}

// A matrix that is killed at any moment goes on where it was, and neither
// repeats nor loses a run.
func TestMatrixResume(t *testing.T) {
	dir := filepath.Join(t.TempDir(), "out")
	args := []string{"matrix", "--axis", "direction=forward,reverse", "--repeat", "2", "--pause", "0", "-o", dir}
	p := linkperf(t)
	lines := func() int {
		text, _ := os.ReadFile(filepath.Join(dir, "runs.jsonl"))
		return bytes.Count(text, []byte("\n"))
	}
	for stage, stored := range []int{0, 1} {
		proc := begin(t, p.command(t.Context(), args...))
		waitFor(t, 20*time.Second, func() bool {
			return lines() >= stored && len(proc.err.String()) >= 0 && exists(filepath.Join(dir, "runs.jsonl"))
		})
		if stage == 0 {
			proc.cmd.Process.Kill()
			proc.outcome()
		} else {
			proc.cmd.Process.Signal(os.Interrupt)
			if o := proc.within(t, 20*time.Second); o.code != 0 || !strings.Contains(o.stderr, "stopped by signal Interrupt(2)") {
				t.Errorf("Ctrl-C: %v", o)
			}
		}
		args = []string{"matrix", "--resume", dir}
	}
	// A line that a crash has torn is not a run.
	f, err := os.OpenFile(filepath.Join(dir, "runs.jsonl"), os.O_APPEND|os.O_WRONLY, 0)
	if err != nil {
		t.Fatal(err)
	}
	f.WriteString(`{"start":{"conn`)
	f.Close()
	if o := runWithin(t, 60*time.Second, p, args...); o.code != 0 {
		t.Fatal(o)
	}
	once(t, storedRuns(t, dir), 2, 2)
}

func exists(file string) bool {
	_, err := os.Stat(file)
	return err == nil
}

// waitFor polls until the condition holds.
func waitFor(t *testing.T, limit time.Duration, condition func() bool) {
	t.Helper()
	for deadline := time.Now().Add(limit); !condition(); time.Sleep(10 * time.Millisecond) {
		if time.Now().After(deadline) {
			t.Fatalf("not within %v", limit)
		}
	}
}

// With a stock server the runs are the same but for the other end's record;
// a run that fails is kept and does not stop the rest; -J files of stock can
// be read and compared.
func TestMatrixStockServer(t *testing.T) {
	stock := stockPeers(t)[0]
	s := startServer(t, stock)
	dir := filepath.Join(t.TempDir(), "out")
	o := runWithin(t, 60*time.Second, linkperf(t), "matrix", "--server", "127.0.0.1:"+s.portArg(), "--axis", "direction=forward,reverse", "--repeat", "1", "-o", dir)
	if o.code != 0 {
		t.Fatal(o)
	}
	runs := storedRuns(t, dir)
	once(t, runs, 2, 1)
	for _, r := range runs {
		if r.Linkperf.Run.Status != "ok" || r.Linkperf.Sysinfo.Server != nil || r.Linkperf.Sysinfo.Client == nil {
			t.Errorf("run %+v", r.Linkperf.Run)
		}
	}
	file := filepath.Join(t.TempDir(), "stock.json")
	text := s.client(t, stock, "-t", "1", "-J").stdout
	if err := os.WriteFile(file, []byte(text), 0o666); err != nil {
		t.Fatal(err)
	}
	if o := run(t, linkperf(t), "compare", file, dir); o.code != 0 || !strings.Contains(o.stdout, "too few runs") {
		t.Error(o)
	}
	s.stop(t)
	dir = filepath.Join(t.TempDir(), "gone")
	o = runWithin(t, 60*time.Second, linkperf(t), "matrix", "--server", "127.0.0.1:"+s.portArg(), "--axis", "direction=forward,reverse", "--repeat", "1", "-o", dir)
	runs = storedRuns(t, dir)
	once(t, runs, 2, 1)
	for _, r := range runs {
		if r.Linkperf.Run.Status != "failed" || !strings.Contains(r.Linkperf.Run.Reason, "Connection refused") || !strings.Contains(r.Error, "Connection refused") {
			t.Errorf("run %+v, error %q", r.Linkperf.Run, r.Error)
		}
	}
	if o.code != 1 || !strings.Contains(o.stdout, "failed: ") || !strings.Contains(o.stderr, "none of 2 runs gave a result") {
		t.Errorf("the report names what failed, and the status tells: %v", o)
	}
}

func TestMatrixCommandLine(t *testing.T) {
	plan := filepath.Join(t.TempDir(), "p.yaml")
	if err := os.WriteFile(plan, []byte("repeat: 2\naxes:\n  paralel: [1]\n"), 0o666); err != nil {
		t.Fatal(err)
	}
	for _, tc := range []struct {
		args []string
		want string
	}{
		{[]string{plan}, "p.yaml: line 3, column 13: there is no axis \"paralel\""},
		{[]string{"nosuch"}, "no plan \"nosuch\": neither a file nor one of default, firewall"},
		{[]string{"--axis", "parallel"}, "--axis \"parallel\"; allowed is NAME=VALUE,VALUE"},
		{[]string{"--axis", "parallel=200"}, "invalid number of parallel streams"},
		{[]string{"--duration", "soon"}, "--duration: \"soon\" is not a time"},
		{[]string{"--server", "h:99999"}, "server \"h:99999\"; allowed are embedded, HOST and HOST:PORT"},
		{[]string{"--axis", "firewall=on,off"}, "--allow-system-changes"},
		{[]string{"--bogus"}, "unknown flag: --bogus"},
		{[]string{"--resume", filepath.Dir(plan)}, "plan.yaml"},
	} {
		t.Run(strings.Join(tc.args, " "), func(t *testing.T) {
			cmd := linkperf(t).command(t.Context(), append([]string{"matrix"}, tc.args...)...)
			cmd.Dir = t.TempDir()
			if o := begin(t, cmd).within(t, 20*time.Second); o.code != 1 || !strings.Contains(o.stderr, tc.want) {
				t.Errorf("want %q: %v", tc.want, o)
			}
		})
	}
	o := run(t, linkperf(t), "matrix", "--dry-run", "--seed", "1")
	if o.code != 0 || !strings.Contains(o.stdout, "8 cases, 64 runs, about 1m") || strings.Count(o.stdout, "\n") != 65 {
		t.Error(o)
	}
}

func TestReportLive(t *testing.T) {
	s := startServer(t, linkperf(t))
	stream := s.client(t, linkperf(t), "-t", "1", "-i", "0.5", "--json-stream").stdout
	cmd := linkperf(t).command(t.Context(), "report", "-")
	cmd.Stdin = strings.NewReader(stream)
	o := begin(t, cmd).within(t, 20*time.Second)
	if o.code != 0 || strings.Count(o.stdout, "█") == 0 || !strings.Contains(o.stdout, "client to server: ") {
		t.Error(o)
	}
}
