package report

import (
	"bytes"
	"encoding/csv"
	"encoding/json"
	"encoding/xml"
	"errors"
	"fmt"
	"io"
	"math"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"testing"
	"unicode"

	"linkperf/protocol/measure"
	"linkperf/report/compare"
)

// planDir stores a small plan: two cases, rounds runs each, made from a
// recorded document whose figures are scaled; one run failed, one is a
// warm-up, one was skipped.
func planDir(t *testing.T, rounds int, factor float64) string {
	t.Helper()
	dir := t.TempDir()
	raw, err := os.ReadFile("testdata/json/tcp_3.21_client.json")
	if err != nil {
		t.Fatal(err)
	}
	write := func(name, text string) {
		if err := os.WriteFile(filepath.Join(dir, name), []byte(text), 0o666); err != nil {
			t.Fatal(err)
		}
	}
	write("plan.yaml", "repeat: 6\naxes:\n  firewall: [on, {value: off}]\n")
	var lines bytes.Buffer
	order := 0
	line := func(firewall string, round int, status, reason string, scale float64) {
		var doc map[string]any
		if err := json.Unmarshal(raw, &doc); err != nil {
			t.Fatal(err)
		}
		scaleFigures(doc, scale)
		mtu := 1500
		if firewall == "off" {
			mtu = 9000
		}
		doc["linkperf"] = map[string]any{"schema": 1, "version": "0.1", "data_path": "net",
			"sysinfo": map[string]any{"client": map[string]any{"link": map[string]any{"mtu_bytes": mtu, "driver": "<b>veth</b>"}, "counters": map[string]any{"rx": order}}, "server": nil},
			"findings": []any{map[string]any{"id": "mtu-mismatch", "sentence": "An MTU of 1500 meets one of 9000.\x1b[31m", "advice": "Raise it."}, map[string]any{"id": "mtu-mismatch", "sentence": "Seen from the other end."},
				map[string]any{"id": "path-\x1b[31mmtu", "sentence": fmt.Sprintf("The path carries %d bytes.", mtu)}},
			"run": map[string]any{"case": "firewall=" + firewall, "labels": map[string]string{"firewall": firewall}, "round": round, "order": order,
				"warmup": round < 1, "interleaved": true, "start": "2026-11-30T12:00:00Z", "status": status, "reason": reason}}
		if status == "failed" {
			doc["error"] = reason
			doc["end"] = map[string]any{}
		}
		b, err := json.Marshal(doc)
		if err != nil {
			t.Fatal(err)
		}
		fmt.Fprintf(&lines, "%s\n", b)
		order++
	}
	line("on", 0, "ok", "", 5) // warm-up
	for round := 1; round <= rounds; round++ {
		// Both cases of a round share the round's speed.
		speed := 1 + 0.3*float64(round%3)
		line("on", round, "ok", "", speed)
		line("off", round, "ok", "", speed*factor*(1+0.001*float64(round)))
	}
	line("on", rounds+1, "failed", "=1+1 the server is busy running a test. try again later", 1)
	write("runs.jsonl", lines.String())
	return dir
}

// scaleFigures multiplies every bytes and bits_per_second.
func scaleFigures(v any, by float64) {
	switch v := v.(type) {
	case map[string]any:
		for k, x := range v {
			if f, ok := x.(float64); ok && (k == "bytes" || k == "bits_per_second") {
				v[k] = math.Round(f * by)
			}
			scaleFigures(x, by)
		}
	case []any:
		for _, x := range v {
			scaleFigures(x, by)
		}
	}
}

func TestPlanSet(t *testing.T) {
	s, err := LoadSet(planDir(t, 8, 1.25))
	if err != nil {
		t.Fatal(err)
	}
	if len(s.Runs) != 18 {
		t.Fatalf("%d runs", len(s.Runs))
	}
	a := Analyse(s, compare.Options{})
	if len(a.Axes) != 1 || !slices.Equal(a.Axes[0].Values, []string{"on", "off"}) {
		t.Errorf("axes %+v: the base is the plan's first value", a.Axes)
	}
	var v *compare.Verdict
	for i := range a.Verdicts {
		if a.Verdicts[i].Metric.Name == "bits_per_second" {
			v = &a.Verdicts[i]
		}
	}
	if v == nil || v.Outcome != compare.Better || !v.Shift.Paired || math.Abs(v.Shift.Estimate-0.255) > 0.01 {
		t.Errorf("verdict %+v", v)
	}
	var text, markdown, js bytes.Buffer
	if err := errors.Join(a.WriteText(&text), a.WriteMarkdown(&markdown), a.WriteJSON(&js)); err != nil {
		t.Fatal(err)
	}
	for _, want := range []string{"firewall=off", "off is faster than on by", "mtu-mismatch", "[mtu-mismatch, 16 of 16 runs]", "mtu, 16 of 16 runs; the figures are those of the first]",
		"firewall: client link.mtu_bytes is 9000 with off; 1500 with on", "failed: firewall=on: =1+1 the server is busy"} {
		if !strings.Contains(text.String(), want) {
			t.Errorf("no %q in\n%s", want, text.String())
		}
	}
	if strings.Contains(text.String(), "\x1b") || strings.Contains(text.String(), "counters") {
		t.Errorf("control characters or counters in\n%s", text.String())
	}
	if !strings.Contains(markdown.String(), "|") || !strings.Contains(markdown.String(), "## Cases") {
		t.Errorf("markdown\n%s", markdown.String())
	}
	var back struct {
		Cases []struct {
			Case, Metric string
			N, Failed    int
			Values       []float64
		}
		Verdicts []struct{ Verdict string }
	}
	if err := json.Unmarshal(js.Bytes(), &back); err != nil {
		t.Fatal(err)
	}
	if c := back.Cases[0]; c.N != 8 || len(c.Values) != 8 {
		t.Errorf("%+v", c)
	}
}

func TestHTMLPage(t *testing.T) {
	s, err := LoadSet(planDir(t, 8, 1.25))
	if err != nil {
		t.Fatal(err)
	}
	var b bytes.Buffer
	if err := Analyse(s, compare.Options{}).WriteHTML(&b, "<firewall>"); err != nil {
		t.Fatal(err)
	}
	page := b.String()
	for _, forbidden := range []string{"<script", "http://", "https://", "<firewall>", "<b>veth", "NaN"} {
		rest := strings.ReplaceAll(page, `xmlns="http://www.w3.org/2000/svg"`, "")
		if strings.Contains(rest, forbidden) {
			t.Errorf("the page holds %q", forbidden)
		}
	}
	for _, want := range []string{`<html lang="en">`, "<title>&lt;firewall&gt;</title>", "<h1>", "prefers-color-scheme:dark", `role="img"`, "<mark>9000</mark>", "<mark>1500</mark>"} {
		if !strings.Contains(page, want) {
			t.Errorf("the page lacks %q", want)
		}
	}
	// Every dot of the picture of the cases is a run's figure.
	at := strings.Index(page, `aria-labelledby="cases-0-t`)
	svg := page[at : at+strings.Index(page[at:], "</svg>")]
	var dots []float64
	d := xml.NewDecoder(strings.NewReader(svg[strings.Index(svg, ">")+1:]))
	for {
		tok, err := d.Token()
		if err != nil {
			break
		}
		if e, ok := tok.(xml.StartElement); ok {
			for _, x := range e.Attr {
				if x.Name.Local == "data-value" {
					v, err := strconv.ParseFloat(x.Value, 64)
					if err != nil {
						t.Fatal(err)
					}
					dots = append(dots, v)
				}
			}
		}
	}
	var figures []float64
	for _, r := range s.CompareRuns() {
		figures = append(figures, r.Values["bits_per_second"])
	}
	slices.Sort(dots)
	slices.Sort(figures)
	if !slices.Equal(dots, figures) {
		t.Errorf("dots %v\nruns %v", dots, figures)
	}
}

func TestCSV(t *testing.T) {
	dir := planDir(t, 3, 1)
	udp, err := os.ReadFile("testdata/json/udp-bidir_3.21_client.json")
	if err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(filepath.Join(dir, "u.json"), udp, 0o666); err != nil {
		t.Fatal(err)
	}
	s, err := LoadSet(dir, filepath.Join(dir, "u.json"))
	if err != nil {
		t.Fatal(err)
	}
	var runs, intervals, verdicts bytes.Buffer
	a := Analyse(s, compare.Options{})
	if err := errors.Join(s.WriteRunsCSV(&runs), s.WriteIntervalsCSV(&intervals), WriteCompareCSV(&verdicts, a.Verdicts)); err != nil {
		t.Fatal(err)
	}
	rows := readCSV(t, &runs)
	if len(rows) != 8+2 { // eight of the plan, two for the bidirectional one
		t.Fatalf("%d rows", len(rows))
	}
	failed := 0
	for _, r := range rows {
		if r["status"] == "failed" {
			failed++
			if !strings.HasPrefix(r["reason"], "'=1+1") || r["received_bytes"] != "" || r["label_firewall"] != "on" {
				t.Errorf("failed run %v", r)
			}
		}
		if r["protocol"] == "udp" {
			if r["jitter_ms"] == "" || r["lost_datagrams"] != "0" || r["retransmits"] != "" {
				t.Errorf("UDP row %v", r)
			}
			if _, err := strconv.ParseInt(r["received_bits_per_second"], 10, 64); err != nil {
				t.Error(err)
			}
		}
	}
	if failed != 1 || rows[8]["direction"] != "client_to_server" || rows[9]["direction"] != "server_to_client" {
		t.Errorf("%d failed; directions %s, %s", failed, rows[8]["direction"], rows[9]["direction"])
	}
	var sum float64
	for _, r := range readCSV(t, &intervals) {
		if r["order"] == "1" && r["omitted"] == "false" {
			f, err := strconv.ParseFloat(r["bytes"], 64)
			if err != nil {
				t.Fatal(err)
			}
			sum += f
		}
	}
	if want, _ := strconv.ParseFloat(rows[1]["sent_bytes"], 64); math.Abs(sum-want) > want*0.01 {
		t.Errorf("intervals of run 1 add up to %v, the run sent %v", sum, want)
	}
	if vs := readCSV(t, &verdicts); len(vs) == 0 || vs[0]["verdict"] != "too few runs" || vs[0]["runs_needed"] != "6" || vs[0]["shift_low"] != "" {
		t.Errorf("verdicts %v", vs)
	}
}

func TestAppendRunCSV(t *testing.T) {
	file := filepath.Join(t.TempDir(), "all.csv")
	for _, name := range []string{"tcp", "udp", "tcp-bidir"} {
		f, err := os.Open("testdata/json/" + name + "_3.21_client.json")
		if err != nil {
			t.Fatal(err)
		}
		docs, err := Read(f)
		f.Close()
		if err != nil {
			t.Fatal(err)
		}
		if err := AppendRunCSV(file, docs[0]); err != nil {
			t.Fatal(err)
		}
	}
	f, err := os.Open(file)
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	const foreign = "name,source\n1,2\n"
	other := filepath.Join(t.TempDir(), "other.csv")
	if err := os.WriteFile(other, []byte(foreign), 0o666); err != nil {
		t.Fatal(err)
	}
	if err := AppendRunCSV(other, &Document{Result: &measure.Result{Start: &measure.Start{}}}); err == nil || !strings.Contains(err.Error(), "is no table of runs") {
		t.Errorf("another table: %v", err)
	}
	if text, err := os.ReadFile(other); err != nil || string(text) != foreign {
		t.Errorf("another table has become %q, %v", text, err)
	}
	if rows := readCSV(t, f); len(rows) != 4 || rows[0]["protocol"] != "tcp" || rows[1]["protocol"] != "udp" {
		t.Errorf("%v", rows)
	}
}

func readCSV(t *testing.T, r io.Reader) []map[string]string {
	t.Helper()
	all, err := csv.NewReader(r).ReadAll()
	if err != nil {
		t.Fatal(err)
	}
	var rows []map[string]string
	for _, line := range all[1:] {
		m := map[string]string{}
		for i, name := range all[0] {
			m[name] = line[i]
		}
		rows = append(rows, m)
	}
	return rows
}

func TestCompareSets(t *testing.T) {
	base, err := LoadSet(planDir(t, 8, 1))
	if err != nil {
		t.Fatal(err)
	}
	other, err := LoadSet(planDir(t, 8, 1))
	if err != nil {
		t.Fatal(err)
	}
	c, err := CompareSets(base, other, compare.Options{})
	if err != nil {
		t.Fatal(err)
	}
	if c.Verdicts[0].Outcome != compare.NoDifference || c.Verdicts[0].Shift.Paired || c.Verdicts[0].Shift.Strata != 2 || len(c.Slower(0.01)) != 0 {
		t.Errorf("equal sets: %+v", c.Verdicts[0])
	}
	// Against stock files: matched by parameters.
	dir := t.TempDir()
	raw, err := os.ReadFile("testdata/json/tcp_3.21_client.json")
	if err != nil {
		t.Fatal(err)
	}
	for i := range 8 {
		var doc map[string]any
		if err := json.Unmarshal(raw, &doc); err != nil {
			t.Fatal(err)
		}
		scaleFigures(doc, 0.1*(1+0.01*float64(i)))
		b, _ := json.Marshal(doc)
		if err := os.WriteFile(filepath.Join(dir, fmt.Sprintf("%d.json", i)), b, 0o666); err != nil {
			t.Fatal(err)
		}
	}
	stock, err := LoadSet(dir)
	if err != nil {
		t.Fatal(err)
	}
	if _, err := CompareSets(base, stock, compare.Options{}); !errors.Is(err, ErrNothingToCompare) {
		t.Errorf("both firewalls against files that tell of none: %v", err)
	}
	base.Runs = slices.DeleteFunc(base.Runs, func(r StoredRun) bool { return r.Labels["firewall"] == "off" })
	c, err = CompareSets(base, stock, compare.Options{})
	if err != nil {
		t.Fatal(err)
	}
	var text bytes.Buffer
	if err := c.WriteText(&text); err != nil {
		t.Fatal(err)
	}
	if c.Verdicts[0].Outcome != compare.Worse || len(c.Slower(0.5)) != 1 || len(c.Slower(0.95)) != 0 || !strings.Contains(text.String(), "is slower than") {
		t.Errorf("a tenth of the speed: %+v\n%s", c.Verdicts[0], text.String())
	}
	if _, err := CompareAxis(base, "mtu", compare.Options{}); !errors.Is(err, ErrNothingToCompare) {
		t.Errorf("no such axis: %v", err)
	}
}

func TestLoadSetErrors(t *testing.T) {
	dir := t.TempDir()
	good, err := os.ReadFile("testdata/json/tcp_3.21_client.json")
	if err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(filepath.Join(dir, "a.json"), append(good, "\n{\"a\":1}\n{\"start\": {\"conn"...), 0o666); err != nil {
		t.Fatal(err)
	}
	s, err := LoadSet(filepath.Join(dir, "a.json"), filepath.Join(dir, "missing.json"), t.TempDir())
	if len(s.Runs) != 1 {
		t.Errorf("%d runs kept", len(s.Runs))
	}
	for _, want := range []string{"a.json: line 161", "a.json: line 162", "cut off", "missing.json", "no runs.jsonl"} {
		if err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("no %q in %v", want, err)
		}
	}
}

// A run without figures never counts, and its warning tells why.
func TestRunsWithoutFigures(t *testing.T) {
	for _, c := range []struct{ text, status, warning string }{
		{`{"event":"start","data":{}}`, "failed", "failed: x.json: its events break off before the end of the test"},
		{`{"start":{},"intervals":[{"streams":[]}],"end":{}}`, "failed", "failed: x.json: its document has no final figures"},
		{`{"start":{},"error":"no route"}`, "failed", "failed: x.json: no route"},
		{`{"start":{},"linkperf":{"run":{"labels":{"a":"b"},"status":"ok"}}}`, "failed", "failed: a=b: its document has no final figures"},
		{`{"start":{},"linkperf":{"run":{"labels":{"a":"b"},"status":"skipped","reason":"no firewall"}}}`, "skipped", "skipped: a=b: no firewall"},
	} {
		docs, err := Read(strings.NewReader(c.text))
		if err != nil {
			t.Fatal(err)
		}
		s := &Set{}
		s.Add("x.json", docs...)
		if len(s.Runs) != 1 || s.Runs[0].Status != c.status {
			t.Errorf("%s: %+v", c.text, s.Runs)
		}
		if w := Analyse(s, compare.Options{}).Warnings; len(w) != 2 || w[0] != "no run counts: all failed, were skipped or were warm-ups" || w[1] != c.warning {
			t.Errorf("%s: warnings %q", c.text, w)
		}
	}
}

// What HTML and JSON warn of stands in the text and in Markdown, too.
func TestWarningsEverywhere(t *testing.T) {
	s := &Set{Name: "set"}
	for i, document := range strings.Split(strings.Repeat(recorded(t, "tcp_3.21_client.json")+"\x00", 10), "\x00") {
		if document == "" {
			continue
		}
		var doc map[string]any
		if err := json.Unmarshal([]byte(document), &doc); err != nil {
			t.Fatal(err)
		}
		scaleFigures(doc, 1+float64(i%2))
		doc["linkperf"] = map[string]any{"warnings": []string{"the clock was set"}, "run": map[string]any{"status": "ok", "order": i, "labels": map[string]string{"mtu": strconv.Itoa(1500 * (1 + i/9)), "lonely": strconv.Itoa(i / 9)}}}
		b, err := json.Marshal(doc)
		if err != nil {
			t.Fatal(err)
		}
		docs, err := Read(bytes.NewReader(b))
		if err != nil {
			t.Fatal(err)
		}
		s.Add("in.json", docs...)
	}
	a := Analyse(s, compare.Options{})
	a.Verdicts = []compare.Verdict{{Axis: "mtu", Metric: a.Metrics[0], Outcome: compare.TooFewRuns, Warnings: []string{"left out"}}, {Axis: "mtu", Metric: a.Metrics[0], Warnings: []string{"left out"}}}
	a.Warnings = append(a.Warnings, verdictWarnings(a.Verdicts)...)
	var text, markdown bytes.Buffer
	if err := errors.Join(a.WriteText(&text), a.WriteMarkdown(&markdown)); err != nil {
		t.Fatal(err)
	}
	for _, want := range []string{
		"lonely=0 mtu=1500: throughput: the runs vary widely (coefficient of variation 3",
		"lonely=0 mtu=1500: throughput: the runs fall into two groups, the upper 2 times the lower",
		"too few runs for an interval; 6 of each case are enough",
		"warned: the clock was set (10 runs)",
		"mtu: left out",
	} {
		if strings.Count(text.String(), want) != 1 || strings.Count(markdown.String(), want) != 1 {
			t.Errorf("not once %q in\n%s\n%s", want, text.String(), markdown.String())
		}
	}
}

// Nothing that a document holds reaches the terminal as a control character.
func TestNoControlCharacters(t *testing.T) {
	const evil = "\x1b]0;x\x07\u009b2J\u202e\r\n"
	quoted, _ := json.Marshal(evil)
	text := strings.ReplaceAll(`{"start":{"version":E,"system_info":E,"connecting_to":{"host":E,"port":1},"test_start":{"protocol":E}},
		"end":{"streams":[{"sender":{"bytes":N,"end":1},"receiver":{"bytes":N,"end":1}}],"sender_tcp_congestion":E},
		"linkperf":{"version":E,"data_path":E,"warnings":[E],"findings":[{"id":E,"sentence":E,"advice":E}],
		"sysinfo":{"client":{E:{"name":E},"a":{"b":"V"},"l":[E]}},
		"run":{"labels":{E:"V"},"status":S,"reason":E}}}`, "E", string(quoted))
	base, other := &Set{Name: "a" + evil}, &Set{Name: "b" + evil}
	for i, s := range []*Set{base, base, other} {
		value, _ := json.Marshal(fmt.Sprint(evil, i%2))
		doc := strings.NewReplacer(`"V"`, string(value), "N", fmt.Sprint(1000*(i+1)), "S", `"ok"`, `"reason":`+string(quoted), `"reason":""`).Replace(text)
		failed := strings.NewReplacer(`"V"`, string(value), "N", "0", "S", string(quoted)).Replace(text)
		docs, err := Read(strings.NewReader(doc + failed + `{"error":` + string(quoted) + `}`))
		if err != nil || len(docs) != 3 {
			t.Fatal(len(docs), err)
		}
		s.Add(evil, docs...)
	}
	var out bytes.Buffer
	a := Analyse(base, compare.Options{})
	c, err := CompareSets(base, other, compare.Options{})
	if err != nil {
		t.Fatal(err)
	}
	if len(a.Verdicts) == 0 || len(c.Verdicts) == 0 || len(a.ByAxis) == 0 {
		t.Errorf("%d and %d verdicts, %d differences", len(a.Verdicts), len(c.Verdicts), len(a.ByAxis))
	}
	if err := errors.Join(a.WriteText(&out), a.WriteMarkdown(&out), base.WriteRunsCSV(&out), WriteCompareCSV(&out, a.Verdicts), c.WriteText(&out), c.WriteMarkdown(&out)); err != nil {
		t.Fatal(err)
	}
	for _, r := range strings.NewReplacer("\r\n", "", "\n", "").Replace(out.String()) {
		if !unicode.IsPrint(r) {
			t.Fatalf("%q in\n%q", r, out.String())
		}
	}
}

func recorded(t *testing.T, name string) string {
	t.Helper()
	b, err := os.ReadFile(filepath.Join("testdata/json", name))
	if err != nil {
		t.Fatal(err)
	}
	return string(b)
}

// No figure of a file is a negative zero.
func TestNegativeZero(t *testing.T) {
	if got := number6(-1e-9, true); got != "0" {
		t.Errorf("number6: %s", got)
	}
	if got, err := json.Marshal(finite(math.Copysign(0, -1))); err != nil || string(got) != "0" {
		t.Errorf("JSON: %s %v", got, err)
	}
}

// A table of comparisons tells small probabilities, and what a shift is counted in.
func TestCompareCSV(t *testing.T) {
	share := compare.Metric{Name: "lost_percent", Unit: "%"}
	var out bytes.Buffer
	if err := WriteCompareCSV(&out, []compare.Verdict{
		{Metric: share, P: 1.25e-9, Shift: compare.Shift{Estimate: -1.5}},
		{Metric: share, P: 0.0471234567, Shift: compare.Shift{Estimate: 0.25, Relative: true}},
		{Metric: compare.Metric{Unit: "ms"}, P: 1},
	}); err != nil {
		t.Fatal(err)
	}
	var got []string
	for _, row := range readCSV(t, &out) {
		got = append(got, row["p_value"]+" "+row["shift_unit"])
	}
	if want := []string{"1.25e-09 points", "0.0471235 fraction", "1 ms"}; !slices.Equal(got, want) {
		t.Errorf("%q, want %q", got, want)
	}
}

// A list of a JSON report is a list even if nothing is in it, and sets without a
// common case are told by their cases.
func TestNothingToSay(t *testing.T) {
	load := func(name string) *Set {
		s, err := LoadSet("testdata/json/" + name)
		if err != nil {
			t.Fatal(err)
		}
		return s
	}
	base, same := load("tcp_3.21_client.json"), load("tcp_3.12_client.json")
	base.Runs, same.Runs = append(base.Runs, base.Runs...), append(same.Runs, same.Runs...)
	var out bytes.Buffer
	c, err := CompareSets(base, same, compare.Options{})
	if err := errors.Join(err, Analyse(base, compare.Options{}).WriteJSON(&out), c.WriteJSON(&out)); err != nil {
		t.Fatal(err)
	}
	for _, list := range []string{"verdicts", "findings", "differences", "warnings"} {
		if strings.Contains(out.String(), `"`+list+`": null`) {
			t.Errorf("%s is null", list)
		}
	}
	other, failed := load("udp_3.21_client.json"), load("connection-refused_3.21_client.json")
	udp := other.Runs[0]
	udp.Labels = map[string]string{"direction": "reverse", "udp": "true"}
	other.Runs = append(other.Runs, udp)
	for s, want := range map[*Set]string{other: "client.json has bitrate=20000000 direction=forward, testdata/json/udp", failed: "has no finished run"} {
		if _, err := CompareSets(load("tcp_3.21_client.json"), s, compare.Options{}); !errors.Is(err, ErrNothingToCompare) || !strings.Contains(err.Error(), want) {
			t.Errorf("%v, want %s", err, want)
		}
	}
}

// The order of runs, over which a drift is looked for, is that of their starts
// and not that of their files.
func TestOrder(t *testing.T) {
	dir := t.TempDir()
	for i := range 12 {
		var doc map[string]any
		if err := json.Unmarshal([]byte(recorded(t, "tcp_3.21_client.json")), &doc); err != nil {
			t.Fatal(err)
		}
		scaleFigures(doc, 1-0.05*float64(i))
		doc["start"].(map[string]any)["timestamp"] = map[string]any{"timesecs": 1.7e9 + 60*float64(i)}
		b, err := json.Marshal(doc)
		if err == nil {
			err = os.WriteFile(filepath.Join(dir, fmt.Sprintf("%d.json", i*5%12)), b, 0o666)
		}
		if err != nil {
			t.Fatal(err)
		}
	}
	s, err := LoadSet(dir)
	if err != nil {
		t.Fatal(err)
	}
	warnings := strings.Join(Analyse(s, compare.Options{}).Warnings, "\n")
	if !strings.Contains(warnings, "throughput fell by 7") || !strings.Contains(warnings, "of its median from the first run to the last (P < 0.001)") {
		t.Errorf("%q", warnings)
	}
}

// A file that is named twice is read once.
func TestLoadSetOnce(t *testing.T) {
	dir := t.TempDir()
	file := filepath.Join(dir, "a.json")
	if err := os.WriteFile(file, []byte(recorded(t, "tcp_3.21_client.json")), 0o666); err != nil {
		t.Fatal(err)
	}
	if s, err := LoadSet(dir, file, filepath.Join(dir, ".", "a.json")); err != nil || len(s.Runs) != 1 {
		t.Errorf("%d runs, %v", len(s.Runs), err)
	}
}

// A table that can't be written is complained of once.
func TestUnwrittenCSV(t *testing.T) {
	s, err := LoadSet("testdata/json/tcp_3.21_client.json")
	if err != nil {
		t.Fatal(err)
	}
	for range 100 { // more than a buffer
		s.Runs = append(s.Runs, s.Runs[0])
	}
	if err := s.WriteRunsCSV(fullDisk{}); err == nil || err.Error() != "disk full" {
		t.Errorf("%v", err)
	}
}

type fullDisk struct{}

func (fullDisk) Write([]byte) (int, error) { return 0, errors.New("disk full") }
