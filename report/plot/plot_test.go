package plot

import (
	"encoding/xml"
	"errors"
	"fmt"
	"io"
	"math"
	"strconv"
	"strings"
	"testing"
)

// read parses a picture as XML and returns its dots' values and all its text.
func read(t *testing.T, svg []byte) (values []float64, text string) {
	t.Helper()
	d := xml.NewDecoder(strings.NewReader(string(svg)))
	for {
		tok, err := d.Token()
		if errors.Is(err, io.EOF) {
			return values, text
		}
		if err != nil {
			t.Fatalf("not XML: %v\n%s", err, svg)
		}
		switch e := tok.(type) {
		case xml.CharData:
			text += string(e) + "\n"
		case xml.StartElement:
			for _, a := range e.Attr {
				if a.Name.Local == "data-value" {
					v, err := strconv.ParseFloat(a.Value, 64)
					if err != nil {
						t.Fatal(err)
					}
					values = append(values, v)
				}
				if strings.Contains(a.Value, "NaN") || strings.Contains(a.Value, "Inf") {
					t.Errorf("%s %s=%q", e.Name.Local, a.Name.Local, a.Value)
				}
			}
		}
	}
}

func TestDots(t *testing.T) {
	d := Dots{ID: "p1", Title: "on & off", Unit: "bit/s", Groups: []Group{
		{Label: "firewall=<on>", Values: []float64{1.1e9, 1.2e9, 1.3e9}, Median: 1.2e9, Lo: math.NaN(), Hi: math.NaN()},
		{Label: "off", Values: []float64{2.5e9}, Median: 2.5e9, Lo: 2.4e9, Hi: 2.6e9},
	}}
	values, text := read(t, d.SVG())
	want := []float64{1.1e9, 1.2e9, 1.3e9, 2.5e9}
	if len(values) != len(want) {
		t.Fatalf("dots %v", values)
	}
	for i := range want {
		if values[i] != want[i] {
			t.Errorf("dot %d is %v, want %v", i, values[i], want[i])
		}
	}
	for _, s := range []string{"on & off", "firewall=<on>", "Gbit/s", "median 2.5 (2.4 to 2.6), 1 run."} {
		if !strings.Contains(text, s) {
			t.Errorf("no %q in:\n%s", s, text)
		}
	}
	if n := strings.Count(string(d.SVG()), `class="range"`); n != 1 {
		t.Errorf("%d intervals drawn, want 1: the first case has none", n)
	}
}

func TestLines(t *testing.T) {
	l := Lines{ID: "p2", Title: "over time", XLabel: "seconds", Unit: "bit/s", Series: []Series{
		{Label: "run 1", X: []float64{1, 2, 3}, Y: []float64{5e6, 6e6, 7e6}},
		{Label: "run 2", X: []float64{1, 2}, Y: []float64{0, 0}},
	}}
	_, text := read(t, l.SVG())
	if !strings.Contains(text, "run 1: 3 values from 5 to 7") || !strings.Contains(text, "Mbit/s") {
		t.Errorf("description:\n%s", text)
	}
	l.Points = true
	if values, _ := read(t, l.SVG()); len(values) != 5 {
		t.Errorf("points %v", values)
	}
}

// A legend has room for its labels, and more series than colours stay apart.
func TestLegend(t *testing.T) {
	x := []float64{1, 2}
	short := Lines{ID: "s", Points: true}
	long := Lines{ID: "l", Points: true}
	for i := range 8 {
		short.Series = append(short.Series, Series{Label: fmt.Sprintf("case %d", i), X: x, Y: x})
		long.Series = append(long.Series, Series{Label: fmt.Sprintf("case %d %s", i, strings.Repeat("x", 50*i)), X: x, Y: x})
	}
	if short.columns() != 2 || long.columns() != 1 {
		t.Errorf("%d and %d columns", short.columns(), long.columns())
	}
	if got := shorten("äbcdef", 4); got != "äbc…" {
		t.Errorf("shortened to %q", got)
	}
	seen := map[string]bool{}
	for i := range short.Series {
		seen[mark(i)] = true
	}
	if len(seen) != 8 {
		t.Errorf("%d marks for 8 series", len(seen))
	}
	read(t, long.SVG())
}

func TestEmptyAndOdd(t *testing.T) {
	read(t, Dots{ID: "e"}.SVG())
	read(t, Lines{ID: "e"}.SVG())
	read(t, Dots{ID: "n", Groups: []Group{{Label: "nothing", Median: math.NaN(), Lo: math.NaN(), Hi: math.NaN()}}}.SVG())
	read(t, Lines{ID: "n", Series: []Series{{Label: "one", X: []float64{3}, Y: []float64{0}}}}.SVG())
}

func TestAxis(t *testing.T) {
	for _, tc := range []struct {
		values []float64
		zero   bool
		lo, hi float64
	}{
		{[]float64{1, 9}, false, 0, 10},
		{[]float64{97, 103}, false, 97, 103},
		{[]float64{97, 103}, true, 0, 120},
		{[]float64{5, 5}, false, 4.7, 5.3},
		{nil, false, 0, 1},
		{[]float64{0, 0}, true, 0, 1},
	} {
		a := newAxis(tc.values, tc.zero, 0, 100, 6)
		for _, v := range tc.values {
			if p := a.at(v); p < -1e-9 || p > 100+1e-9 {
				t.Errorf("%v: value %v at %v lies outside", tc.values, v, p)
			}
		}
		if whole(tc.values) && !tc.zero && a.ticks[1]-a.ticks[0] < 1 {
			t.Errorf("%v: ticks %v", tc.values, a.ticks)
		}
		if a.lo > tc.lo+1e-9 || a.hi < tc.hi-1e-9 {
			t.Errorf("%v: axis %v..%v, want to cover %v..%v", tc.values, a.lo, a.hi, tc.lo, tc.hi)
		}
	}
}
