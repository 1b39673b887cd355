package plot

import (
	"fmt"
	"strings"
	"unicode/utf8"
)

// Series is one line or one cloud of points. X and Y have the same length.
type Series struct {
	Label string
	X, Y  []float64
}

// Lines shows series over a common horizontal axis: as lines (throughput over
// time) or, with Points, as dots (runs in their order).
type Lines struct {
	ID           string // unique in the page
	Title        string
	XLabel, Unit string // Unit "bit/s" is scaled to k, M, G, T
	Points       bool
	Series       []Series
}

// SVG returns the picture. The same input gives the same bytes.
func (l Lines) SVG() []byte {
	var xs, ys []float64
	for _, s := range l.Series {
		xs, ys = append(xs, s.X...), append(ys, s.Y...)
	}
	factor, unit := scale(l.Unit, largest(ys))
	const left, top, plotHeight = 56.0, 26.0, 200.0
	bottom := top + plotHeight
	x := newAxis(xs, false, left, width-margin, 8)
	y := newAxis(scaled(ys, factor), true, bottom, top, 5)
	legend, columns := bottom+50, l.columns()
	var c canvas
	c.open(l.ID, l.Title, l.describe(factor, unit), legend+18*float64((len(l.Series)+columns-1)/columns))
	for _, t := range y.ticks {
		c.line("grid", left, y.at(t), width-margin, y.at(t))
		c.text("tick", "end", left-6, y.at(t)+4, fmt.Sprintf("%.4g", t))
	}
	for _, t := range x.ticks {
		c.text("tick", "middle", x.at(t), bottom+16, fmt.Sprintf("%.4g", t))
	}
	c.text("tick", "middle", (left+width-margin)/2, bottom+31, l.XLabel)
	c.text("tick", "start", margin, top-12, unit)
	for i, s := range l.Series {
		var path strings.Builder
		for j := range s.X {
			px, py := x.at(s.X[j]), y.at(s.Y[j]/factor)
			if l.Points {
				c.dot(px, py, i, s.Y[j], fmt.Sprintf("%s, %s %.4g: %s %s", s.Label, l.XLabel, s.X[j], figure(s.Y[j], factor), unit))
				continue
			}
			fmt.Fprintf(&path, "%c%s %s", "ML"[min(j, 1)], num(px), num(py))
		}
		if !l.Points {
			fmt.Fprintf(&c, `<path class="line" d="%s" style="stroke:var(--s%d)" stroke-dasharray="%s"><title>%s</title></path>`+"\n",
				path.String(), i%len(dashes), dashes[i%len(dashes)], escape(s.Label))
		}
		lx, ly := left+float64(i%columns)*(width-left)/2, legend+18*float64(i/columns)
		if l.Points {
			fmt.Fprintf(&c, `<circle cx="%s" cy="%s" r="4" style="%s"/>`+"\n", num(lx+10), num(ly-4), mark(i))
		} else {
			fmt.Fprintf(&c, `<path class="line" d="M%s %sh20" style="stroke:var(--s%d)" stroke-dasharray="%s"/>`+"\n", num(lx), num(ly-4), i%len(dashes), dashes[i%len(dashes)])
		}
		c.text("tick", "start", lx+26, ly, shorten(s.Label, wholeLabel))
	}
	return c.close()
}

// Characters of a label that fit into half of the legend's width and into all of
// it.
const halfLabel, wholeLabel = 40, 88

// columns is how many entries of the legend stand side by side.
func (l Lines) columns() int {
	for _, s := range l.Series {
		if utf8.RuneCountInString(s.Label) > halfLabel {
			return 1
		}
	}
	return 2
}

// shorten leaves out the end of what is longer than most characters.
func shorten(label string, most int) string {
	if r := []rune(label); len(r) > most {
		return string(r[:most-1]) + "…"
	}
	return label
}

func (l Lines) describe(factor float64, unit string) string {
	s := fmt.Sprintf("%s in %s.", l.XLabel, unit)
	for _, sr := range l.Series {
		if len(sr.Y) == 0 {
			continue
		}
		lo, hi := sr.Y[0], sr.Y[0]
		for _, v := range sr.Y {
			lo, hi = min(lo, v), max(hi, v)
		}
		s += fmt.Sprintf(" %s: %d values from %s to %s.", sr.Label, len(sr.Y), figure(lo, factor), figure(hi, factor))
	}
	return s
}
