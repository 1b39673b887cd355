package plot

import (
	"fmt"
	"math"
)

// Group is one row of a [Dots] picture: repeated runs of one case.
type Group struct {
	Label  string
	Values []float64 // one dot each
	Median float64
	Lo, Hi float64 // interval of the median; NaN when there is none
}

// Dots shows every run of several cases as a dot on a common scale, with the
// median and its interval marked.
type Dots struct {
	ID     string // unique in the page
	Title  string
	Unit   string // "bit/s" is scaled to k, M, G, T
	Zero   bool   // the scale starts at zero
	Groups []Group
}

const rowHeight = 46.0

// SVG returns the picture. The same input gives the same bytes.
func (d Dots) SVG() []byte {
	var all []float64
	for _, g := range d.Groups {
		all = append(append(all, g.Values...), g.Median, g.Lo, g.Hi)
	}
	factor, unit := scale(d.Unit, largest(all))
	x := newAxis(scaled(all, factor), d.Zero, margin+4, width-margin-4, 6)
	top, bottom := 8.0, 8+rowHeight*float64(len(d.Groups))
	var c canvas
	c.open(d.ID, d.Title, d.describe(factor, unit), bottom+34)
	for _, t := range x.ticks {
		c.line("grid", x.at(t), top, x.at(t), bottom)
		c.text("tick", "middle", x.at(t), bottom+14, fmt.Sprintf("%.4g", t))
	}
	c.text("tick", "middle", width/2, bottom+29, unit)
	for i, g := range d.Groups {
		y := top + rowHeight*float64(i)
		c.text("label", "start", margin, y+13, g.Label)
		y += 30
		for j, v := range g.Values {
			// Neighbouring dots are set off in a fixed pattern so that equal values can be told apart.
			c.dot(x.at(v/factor), y+float64(j%3-1)*5, i, v, fmt.Sprintf("%s: %s %s", g.Label, figure(v, factor), unit))
		}
		if !math.IsNaN(g.Lo) && !math.IsNaN(g.Hi) {
			c.line("range", x.at(g.Lo/factor), y, x.at(g.Hi/factor), y)
		}
		if !math.IsNaN(g.Median) {
			c.line("median", x.at(g.Median/factor), y-9, x.at(g.Median/factor), y+9)
		}
	}
	return c.close()
}

func (d Dots) describe(factor float64, unit string) string {
	s := fmt.Sprintf("Every run as a dot, median and its interval marked, in %s.", unit)
	for _, g := range d.Groups {
		s += fmt.Sprintf(" %s: median %s", g.Label, figure(g.Median, factor))
		if !math.IsNaN(g.Lo) {
			s += fmt.Sprintf(" (%s to %s)", figure(g.Lo, factor), figure(g.Hi, factor))
		}
		if len(g.Values) == 1 {
			s += ", 1 run."
			continue
		}
		s += fmt.Sprintf(", %d runs.", len(g.Values))
	}
	return s
}

func scaled(v []float64, factor float64) []float64 {
	s := make([]float64, len(v))
	for i := range v {
		s[i] = v[i] / factor
	}
	return s
}
