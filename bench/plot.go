package bench

import (
	"cmp"
	"errors"
	"fmt"
	"html"
	"io"
	"math"
	"slices"
	"strings"

	"github.com/coherer/coherer/bench/internal/figures"
)

// Plot draws throughput against latency as SVG: a panel for each case, size and number of pairs, a line for each contender through its
// loads, p50 solid and p99 dashed. It has text, axes and a legend, and no script. Points without a latency are not drawn.
func (r *Report) Plot(out io.Writer) error {
	panels := r.panels()
	if len(panels) == 0 {
		return errors.New("there is no latency in the report to plot")
	}
	p := &plotter{colours: map[string]int{}}
	for i, panel := range panels {
		p.panel(panel, plotTop+float64(i)*(plotHigh+plotGap))
	}
	high := plotTop + float64(len(panels))*(plotHigh+plotGap)
	var b strings.Builder
	fmt.Fprintf(&b, `<svg xmlns="http://www.w3.org/2000/svg" width="%d" height="%.0f" viewBox="0 0 %d %.0f" role="img">`+"\n", plotWide, high, plotWide, high)
	b.WriteString("<title>Throughput against latency</title>\n<style>" + plotStyle + "</style>\n")
	fmt.Fprintf(&b, `<rect class="bg" width="%d" height="%.0f"/>`+"\n", plotWide, high)
	fmt.Fprintf(&b, `<text class="head" x="24" y="30">Throughput against latency</text>`+"\n")
	fmt.Fprintf(&b, `<text class="sub" x="24" y="50">%s</text>`+"\n", html.EscapeString(r.Environment.String()))
	b.WriteString(p.out.String())
	b.WriteString("</svg>\n")
	_, err := io.WriteString(out, b.String())
	return err
}

// panel is one case, size and number of pairs, with what its loads brought each contender.
type panel struct {
	title string
	unit  string
	lines []plotLine
}

// plotLine is one contender in a panel.
type plotLine struct {
	name   string
	points []plotPoint
}

// plotPoint is one load.
type plotPoint struct {
	load     string
	weight   float64 // orders the loads
	perSec   float64
	p50, p99 float64 // ns
	knee     bool
}

// panels groups the cells that differ by their load alone.
func (r *Report) panels() (all []*panel) {
	at := map[string]*panel{}
	for i, c := range r.Cells {
		without := *c
		without.InFlight, without.Rate = 0, 0
		key := fmt.Sprint(without.title(), c.Rate > 0)
		for _, x := range c.Contenders {
			if x.Latency.Samples == 0 {
				continue
			}
			if at[key] == nil {
				at[key] = &panel{title: without.title(), unit: c.Case.Unit() + "/s"}
				if c.Rate > 0 {
					at[key].title += ", open loop"
				}
				all = append(all, at[key])
			}
			at[key].add(x.Name, r.point(i, c, x))
		}
	}
	for _, p := range all {
		for _, l := range p.lines {
			slices.SortFunc(l.points, func(a, b plotPoint) int { return cmp.Compare(a.weight, b.weight) })
		}
	}
	return all
}

func (r *Report) point(i int, c *Cell, x *Contender) plotPoint {
	p := plotPoint{perSec: x.Median, p50: float64(max(x.Latency.P50, 1)), p99: float64(max(x.Latency.P99, 1))}
	p.load, p.weight = fmt.Sprint(c.InFlight, " in flight"), float64(c.InFlight)
	switch {
	case c.Rate > 0:
		p.load, p.weight = figures.Short(c.Rate)+"/s intended", c.Rate
	case c.InFlight == 0:
		p.load = "flood"
	}
	p.knee = r.Sweep != nil && slices.Contains(r.Sweep.Knees, Knee{x.Name, i})
	return p
}

func (p *panel) add(name string, point plotPoint) {
	for i := range p.lines {
		if p.lines[i].name == name {
			p.lines[i].points = append(p.lines[i].points, point)
			return
		}
	}
	p.lines = append(p.lines, plotLine{name, []plotPoint{point}})
}

// Sizes in pixels.
const (
	plotWide  = 960
	plotTop   = 70.0
	plotHigh  = 380.0
	plotGap   = 40.0
	plotLeft  = 84.0
	plotRight = 210.0 // the legend
	plotBelow = 56.0
)

// plotter writes panels.
type plotter struct {
	out     strings.Builder
	colours map[string]int // a contender has one in all panels
}

func (p *plotter) printf(format string, args ...any) { fmt.Fprintf(&p.out, format+"\n", args...) }

// colour is the class of a contender's lines.
func (p *plotter) colour(name string) string {
	n, seen := p.colours[name]
	if !seen {
		n = len(p.colours)
		p.colours[name] = n
	}
	return fmt.Sprint("c", n%plotColours)
}

func (p *plotter) panel(of *panel, top float64) {
	x, y := of.scales(top)
	p.printf(`<text class="title" x="24" y="%.1f">%s</text>`, top+4, html.EscapeString(of.title))
	p.axes(of, x, y)
	legend := top + 30
	for _, l := range of.lines {
		c := p.colour(l.name)
		p.line(c, l, x, y, "", func(q *plotPoint) float64 { return q.p50 })
		p.line(c, l, x, y, " dashed", func(q *plotPoint) float64 { return q.p99 })
		for i := range l.points {
			p.point(c, l.name, &l.points[i], x, y)
		}
		p.printf(`<line class="%s" x1="%.1f" x2="%.1f" y1="%.1f" y2="%.1f"/>`, c, plotWide-plotRight+16, plotWide-plotRight+44, legend-4, legend-4)
		p.printf(`<text x="%.1f" y="%.1f">%s</text>`, plotWide-plotRight+52, legend, html.EscapeString(l.name))
		legend += 20
	}
	p.printf(`<text class="sub" x="%.1f" y="%.1f">solid p50, dashed p99;</text>`, plotWide-plotRight+16, legend+6)
	p.printf(`<text class="sub" x="%.1f" y="%.1f">numbers: the load</text>`, plotWide-plotRight+16, legend+24)
}

func (p *plotter) axes(of *panel, x, y scale) {
	for _, v := range x.ticks() {
		at := x.at(v)
		p.printf(`<line class="grid" x1="%.1f" x2="%.1f" y1="%.1f" y2="%.1f"/>`, at, at, y.to, y.from)
		p.printf(`<text class="tick mid" x="%.1f" y="%.1f">%s</text>`, at, y.from+18, tickText(v))
	}
	for _, v := range y.ticks() {
		at := y.at(v)
		p.printf(`<line class="grid" x1="%.1f" x2="%.1f" y1="%.1f" y2="%.1f"/>`, x.from, x.to, at, at)
		p.printf(`<text class="tick end" x="%.1f" y="%.1f">%s</text>`, x.from-8, at+4, micro(int64(v)))
	}
	p.printf(`<path class="axis" d="M%.1f %.1fV%.1fH%.1f"/>`, x.from, y.to, y.from, x.to)
	p.printf(`<text class="mid" x="%.1f" y="%.1f">%s</text>`, (x.from+x.to)/2, y.from+38, html.EscapeString(of.unit))
	p.printf(`<text class="mid" transform="translate(22 %.1f) rotate(-90)">latency</text>`, (y.from+y.to)/2)
}

func (p *plotter) line(colour string, l plotLine, x, y scale, style string, of func(*plotPoint) float64) {
	var d strings.Builder
	for i := range l.points {
		fmt.Fprintf(&d, "%s%.1f %.1f", []string{"M", "L"}[min(i, 1)], x.at(l.points[i].perSec), y.at(of(&l.points[i])))
	}
	p.printf(`<path class="%s%s" d="%s"/>`, colour, style, d.String())
}

func (p *plotter) point(colour, name string, q *plotPoint, x, y scale) {
	hover := html.EscapeString(fmt.Sprintf("%s, %s: %s/s, p50 %s, p99 %s", name, q.load, figures.Short(q.perSec), micro(int64(q.p50)), micro(int64(q.p99))))
	for _, v := range []float64{q.p50, q.p99} {
		p.printf(`<circle class="dot %s" cx="%.1f" cy="%.1f" r="3.5"><title>%s</title></circle>`, colour, x.at(q.perSec), y.at(v), hover)
	}
	load, _, _ := strings.Cut(q.load, " ")
	p.printf(`<text class="load" x="%.1f" y="%.1f">%s</text>`, x.at(q.perSec)+6, y.at(q.p99)-6, html.EscapeString(load))
	if q.knee {
		p.printf(`<circle class="knee %s" cx="%.1f" cy="%.1f" r="9"/>`, colour, x.at(q.perSec), y.at(q.p99))
		p.printf(`<text class="load" x="%.1f" y="%.1f">knee</text>`, x.at(q.perSec)+12, y.at(q.p99)+14)
	}
}

// scale maps values to pixels.
type scale struct {
	low, high float64 // values
	from, to  float64 // pixels
	log       bool
}

func (s scale) at(v float64) float64 {
	share := (v - s.low) / (s.high - s.low)
	if s.log {
		share = math.Log(v/s.low) / math.Log(s.high/s.low)
	}
	return s.from + share*(s.to-s.from)
}

// scales are that of throughput, from 0, and that of latency, by decades.
func (p *panel) scales(top float64) (x, y scale) {
	most, low, high := 0.0, math.MaxFloat64, 0.0
	for _, l := range p.lines {
		for _, q := range l.points {
			most, low, high = max(most, q.perSec), min(low, q.p50), max(high, q.p99)
		}
	}
	step := tickStep(most)
	x = scale{low: 0, high: step * math.Ceil(most/step), from: plotLeft, to: plotWide - plotRight}
	y = scale{low: decade(low), high: decade(high) * 10, from: top + plotHigh - plotBelow, to: top + 20, log: true}
	return x, y
}

func decade(v float64) float64 { return math.Pow(10, math.Floor(math.Log10(v))) }

// tickStep is 1, 2 or 5 times a power of ten, so that there are 4 to 10 ticks up to most.
func tickStep(most float64) float64 {
	raw := max(most, 1e-9) / 8
	for unit := decade(raw); ; unit *= 10 {
		for _, n := range []float64{1, 2, 5} {
			if n*unit >= raw {
				return n * unit
			}
		}
	}
}

func (s scale) ticks() (all []float64) {
	if !s.log {
		step := tickStep(s.high)
		for n := 0.0; n*step <= s.high*(1+1e-9); n++ {
			all = append(all, n*step)
		}
		return all
	}
	for v := s.low; v <= s.high*(1+1e-9); v *= 10 {
		all = append(all, v)
		// A few decades leave room for more lines.
		if s.high/s.low <= 1000 && v < s.high {
			all = append(all, 2*v, 5*v)
		}
	}
	return all
}

func tickText(v float64) string {
	if v == 0 {
		return "0"
	}
	return figures.Short(v)
}

// plotColours is how many colours contenders take turns in.
const plotColours = 8

// plotStyle draws light, and dark where the reader's system is.
const plotStyle = `
text{font:12px system-ui,-apple-system,"Segoe UI",Roboto,"Helvetica Neue",Arial,sans-serif;fill:#1f2933}
.head{font-size:17px;font-weight:600}.title{font-size:14px;font-weight:700}
.sub,.tick,.load{fill:#66727f}.load{font-size:10px}
.mid{text-anchor:middle}.end{text-anchor:end}
.bg{fill:#fff}.grid{stroke:#e4e8ec}.axis{fill:none;stroke:#66727f}
.c0{stroke:#2f6fd6}.c1{stroke:#c2571a}.c2{stroke:#2b8a57}.c3{stroke:#8b46c4}.c4{stroke:#b03a66}.c5{stroke:#54708c}.c6{stroke:#8a6100}.c7{stroke:#0b7a75}
path{fill:none;stroke-width:2}line{stroke-width:1}line[class^=c]{stroke-width:3}.axis{stroke-width:1}
.dashed{stroke-dasharray:6 4}.dot{fill:#fff;stroke-width:2}.knee{fill:none;stroke-width:1.5}
@media (prefers-color-scheme:dark){text{fill:#e3e8ee}.bg,.dot{fill:#12171d}.sub,.tick,.load{fill:#93a1b0}.grid{stroke:#2a323b}}
`
