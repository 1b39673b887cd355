// Package plot turns numbers and labels into SVG pictures for a page that is
// read offline, on paper, on a phone and by screen readers: every picture has
// a title and a description, colours come from the page's style sheet (with
// colour-blind safe defaults in [Style]), and every mark carries its value.
//
// It knows nothing of tests, results or files.
package plot

import (
	"bytes"
	"encoding/xml"
	"fmt"
	"math"
	"strconv"
	"strings"
)

// Style is the style sheet of the pictures, light and dark. The series
// colours are those of Okabe and Ito (Color Universal Design, 2008), which
// stay apart for all common kinds of colour vision; series differ in their
// dash pattern too.
const Style = `
.plot{max-width:100%;height:auto;font:13px system-ui,sans-serif;--ink:#222;--faint:#ccc;--s0:#0072b2;--s1:#d55e00;--s2:#009e73;--s3:#cc79a7;--s4:#b58900;--s5:#56b4e9}
.plot text{fill:var(--ink)}.plot .tick{font-size:11px}.plot .grid{stroke:var(--faint);stroke-width:1}
.plot .dot{fill-opacity:.55}.plot .range{stroke:var(--ink);stroke-width:2}.plot .median{stroke:var(--ink);stroke-width:3}
.plot .line{fill:none;stroke-width:2}
@media (prefers-color-scheme:dark){.plot{--ink:#eee;--faint:#555;--s0:#56b4e9;--s1:#e69f00;--s2:#2fc79a;--s3:#e59cc4;--s4:#f0e442;--s5:#8fb8ff}}
@media print{.plot{--ink:#000;--faint:#bbb}}
`

const (
	width  = 640.0 // of every picture in its own units; the page scales it
	margin = 12.0
)

var dashes = []string{"", "7 4", "2 3", "9 3 2 3", "12 4", "4 2 1 2"}

// canvas writes SVG elements with escaped text.
type canvas struct{ bytes.Buffer }

func escape(s string) string {
	var b strings.Builder
	_ = xml.EscapeText(&b, []byte(s)) // a strings.Builder does not fail
	return b.String()
}

func num(x float64) string { return strconv.FormatFloat(math.Round(x*100)/100, 'f', -1, 64) }

func (c *canvas) open(id, title, desc string, height float64) {
	fmt.Fprintf(c, `<svg class="plot" xmlns="http://www.w3.org/2000/svg" viewBox="0 0 %s %s" role="img" aria-labelledby="%s-t %s-d">`, num(width), num(height), escape(id), escape(id))
	fmt.Fprintf(c, "<title id=\"%s-t\">%s</title><desc id=\"%s-d\">%s</desc>\n", escape(id), escape(title), escape(id), escape(desc))
}

func (c *canvas) close() []byte {
	c.WriteString("</svg>\n")
	return c.Bytes()
}

func (c *canvas) line(class string, x1, y1, x2, y2 float64) {
	fmt.Fprintf(c, `<line class="%s" x1="%s" y1="%s" x2="%s" y2="%s"/>`+"\n", class, num(x1), num(y1), num(x2), num(y2))
}

func (c *canvas) text(class, anchor string, x, y float64, s string) {
	fmt.Fprintf(c, `<text class="%s" text-anchor="%s" x="%s" y="%s">%s</text>`+"\n", class, anchor, num(x), num(y), escape(s))
}

// dot draws one value with its exact figure as attribute and tooltip.
func (c *canvas) dot(x, y float64, series int, value float64, label string) {
	fmt.Fprintf(c, `<circle class="dot" cx="%s" cy="%s" r="4" style="%s" data-value="%s"><title>%s</title></circle>`+"\n",
		num(x), num(y), mark(series), strconv.FormatFloat(value, 'g', -1, 64), escape(label))
}

// mark is how the dots of a series look: there are six colours, and after those
// the dots are hollow.
func mark(series int) string {
	if series/len(dashes)%2 == 1 {
		return fmt.Sprintf("fill:none;stroke:var(--s%d);stroke-width:2", series%len(dashes))
	}
	return fmt.Sprintf("fill:var(--s%d)", series%len(dashes))
}

// axis maps values to positions and knows where its ticks stand.
type axis struct {
	lo, hi   float64 // values at the ends
	from, to float64 // positions of the ends
	ticks    []float64
}

// newAxis covers the values with round ticks. zero makes it start at 0.
func newAxis(values []float64, zero bool, from, to float64, count int) axis {
	lo, hi := math.Inf(1), math.Inf(-1)
	for _, v := range values {
		if !math.IsNaN(v) && !math.IsInf(v, 0) {
			lo, hi = math.Min(lo, v), math.Max(hi, v)
		}
	}
	if lo > hi {
		lo, hi = 0, 1
	}
	if zero {
		lo, hi = math.Min(lo, 0), math.Max(hi, 0)
	}
	if zero && lo == 0 && hi == 0 {
		hi = 1
	}
	if lo == hi {
		pad := math.Max(math.Abs(lo)*0.05, 1e-9)
		lo, hi = lo-pad, hi+pad
	}
	step := niceStep((hi - lo) / float64(count))
	if !zero && whole(values) {
		step = max(step, 1)
	}
	a := axis{lo: math.Floor(lo/step) * step, hi: math.Ceil(hi/step) * step, from: from, to: to}
	for i := 0; i <= int(math.Round((a.hi-a.lo)/step)); i++ {
		a.ticks = append(a.ticks, a.lo+float64(i)*step)
	}
	return a
}

// whole tells that there are no fractions: runs are counted.
func whole(values []float64) bool {
	for _, v := range values {
		if v != math.Trunc(v) {
			return false
		}
	}
	return len(values) > 0
}

func (a axis) at(v float64) float64 {
	return a.from + (v-a.lo)/(a.hi-a.lo)*(a.to-a.from)
}

// niceStep rounds up to 1, 2 or 5 times a power of ten.
func niceStep(x float64) float64 {
	p := math.Pow(10, math.Floor(math.Log10(x)))
	for _, m := range []float64{1, 2, 5} {
		if m*p >= x*(1-1e-9) {
			return m * p
		}
	}
	return 10 * p
}

// scale picks the decimal prefix for numbers of a unit that takes one.
func scale(unit string, largest float64) (factor float64, label string) {
	if unit != "bit/s" {
		return 1, unit
	}
	for _, p := range []struct {
		f float64
		s string
	}{{1e12, "T"}, {1e9, "G"}, {1e6, "M"}, {1e3, "k"}} {
		if math.Abs(largest) >= p.f {
			return p.f, p.s + unit
		}
	}
	return 1, unit
}

func largest(values []float64) float64 {
	m := 0.0
	for _, v := range values {
		if a := math.Abs(v); a > m && !math.IsInf(a, 0) {
			m = a
		}
	}
	return m
}

func figure(v, factor float64) string { return strconv.FormatFloat(v/factor, 'g', 4, 64) }
