package show

import (
	"fmt"
	"slices"
	"strings"
	"time"

	"github.com/coherer/coherer/rpcenv/oneline"
	"github.com/coherer/coherer/rpcenv/trace"
)

// Bounds of a drawing that can be read: what is beyond is collapsed as Mermaid does it.
const (
	svgRows  = 160
	svgLanes = 20
)

// SVG draws a trace as one picture that needs no other file: a band per process and in it a life line per endpoint, the
// messages as arrows downwards in order of time. Asks are solid with a filled head, answers dashed, the callee's line is
// thick in between; one-way messages have an open head, drops a cross. Timers, events and changes of state stand at the
// line where they happened. The pointer over anything shows times, size, body and the chain of causes. It follows the
// reader's light or dark theme. The same trace gives the same bytes.
func SVG(t *trace.Trace) string {
	byID := t.ByID()
	steps, note := svgSteps(t, byID)
	w := svgWriter{layout: newLayout(steps), byID: byID}
	w.draw(t, note)
	return w.out.String()
}

// svgSteps takes the first view that stays within the bounds; when no view does, the middle of the last is left out.
func svgSteps(t *trace.Trace, byID map[string]*trace.Entry) (steps []step, note string) {
	wants := svgWants(t.Entries)
	for _, v := range views {
		v.wants = wants
		var left int
		steps, left = v.steps(t.Entries, byID, v.most(svgRows))
		note = v.note(steps, left)
		if len(steps) <= svgRows && countLanes(steps) <= svgLanes {
			return steps, note
		}
	}
	if cut := len(steps) - svgRows; cut > 0 {
		head := svgRows * 2 / 3
		steps = slices.Delete(slices.Clone(steps), head, head+cut)
		note = strings.TrimPrefix(fmt.Sprintf("%s, %d arrows in the middle left out", note, cut), ", ")
	}
	return steps, note
}

func countLanes(steps []step) int {
	l := layout{}
	l.findLanes(steps)
	return len(l.lanes)
}

// svgWants draws messages, drops, states, refused connections, and the items that caused something drawn.
func svgWants(entries []trace.Entry) func(*trace.Entry) bool {
	caused := map[string]bool{}
	for i := range entries {
		if e := &entries[i]; e.K == trace.KindMsg || e.K == trace.KindDrop || e.K == trace.KindState {
			caused[e.Cause] = true
		}
	}
	return func(e *trace.Entry) bool {
		switch e.K {
		case trace.KindItem:
			return caused[e.ID] && !strings.HasPrefix(e.Name, "run")
		case trace.KindConn:
			return e.Name == "refused"
		}
		return e.K == trace.KindMsg || e.K == trace.KindDrop || e.K == trace.KindState
	}
}

type svgWriter struct {
	*layout
	byID  map[string]*trace.Entry
	pairs []pair
	unit  timeUnit
	out   strings.Builder
}

func (w *svgWriter) printf(format string, args ...any) { fmt.Fprintf(&w.out, format, args...) }

func (w *svgWriter) rect(class string, x, y, wide, high, round float64) {
	w.printf(`<rect class="%s" x="%s" y="%s" width="%s" height="%s" rx="%s"/>`, class, px(x), px(y), px(wide), px(high), px(round))
}

func (w *svgWriter) draw(t *trace.Trace, note string) {
	title, sub := headings(t, note)
	width := max(w.width, textWidth(title, fontTitle)+2*margin, textWidth(sub, fontLabel)+2*margin, 420)
	key := newLegend(w.rows, width)
	w.moveDown(key.height)
	w.pairs, w.unit = findPairs(w.rows), unitOf(w.rows)
	w.printf(`<svg xmlns="http://www.w3.org/2000/svg" class="co" width="%s" height="%s" viewBox="0 0 %s %s" role="img">`+"\n",
		px(width), px(w.height), px(width), px(w.height))
	w.printf("<title>%s</title>\n<style>%s%s</style>\n", escape(title), svgStyle, w.causeRules())
	w.printf(`<rect class="bg" width="100%%" height="100%%"/>` + "\n")
	w.printf(`<text class="title" x="%d" y="28">%s</text>`+"\n", margin, escape(title))
	w.printf(`<text class="sub" x="%d" y="48">%s</text>`+"\n", margin, escape(sub))
	w.legend(key)
	// What is written later lies on top: the bands, on them the life lines, on these the arrows and their labels.
	for i, b := range w.bands {
		w.band(i, b)
	}
	for i := range w.lanes {
		w.life(&w.lanes[i])
	}
	w.printf(`<text class="time" x="%d" y="%s">%s</text>`+"\n", gutter-16, px(w.headBottom+14), w.unit.name)
	last := ""
	for i := range w.rows {
		if now := w.unit.of(w.rows[i].Sent); now != last {
			w.printf(`<text class="time" x="%d" y="%s">%s</text>`+"\n", gutter-16, px(w.rows[i].y+4), now)
			last = now
		}
		w.row(i)
	}
	w.printf("</svg>\n")
}

// headings are the two lines at the top.
func headings(t *trace.Trace, note string) (title, sub string) {
	messages, end := 0, int64(0)
	for i := range t.Entries {
		e := &t.Entries[i]
		end = max(end, e.Sent, e.End)
		if e.K == trace.KindMsg {
			messages++
		}
	}
	title = fmt.Sprintf("%d messages in %s", messages, time.Duration(end).Round(time.Millisecond))
	if t.Program != "" {
		title = cutString(oneline.Text(t.Program), maxLabel) + ": " + title
	}
	parts := []string{t.Start.UTC().Format("2006-01-02 15:04:05 UTC")}
	if t.Source == "sim" {
		parts = append(parts, fmt.Sprintf("simulated, seed %d", t.Seed))
	}
	if note != "" {
		parts = append(parts, note)
	}
	return title, oneline.Text(strings.Join(parts, " · ")) + " · point at an arrow to see its fields and what led to it"
}

// life is the line of an endpoint; under the pointer it shows the endpoint's name.
func (w *svgWriter) life(l *lane) {
	w.printf(`<g class="l"><title>%s</title><rect class="lane" x="%s" y="%s" width="12" height="%s"/>`,
		escape(oneline.Text(trace.Place(l.peer, l.endpoint))), px(l.x-6), px(w.headBottom), px(w.bottom-w.headBottom))
	w.printf(`<line class="life" x1="%[1]s" y1="%[2]s" x2="%[1]s" y2="%[3]s"/></g>`+"\n", px(l.x), px(w.headBottom), px(w.bottom))
}

// band is the tinted column of a process, with its name in a box above and below, and the names of its endpoints; below
// only where the upper ones are far away.
func (w *svgWriter) band(i int, b band) {
	colour := i % bandColours
	wide := b.right - b.left
	w.rect(fmt.Sprintf("band b%d", colour), b.left, w.top, wide, w.footBar+barHigh-w.top, 8)
	w.printf("\n")
	for _, y := range []float64{w.top, w.footBar} {
		w.rect(fmt.Sprintf("bar b%d", colour), b.left, y, wide, barHigh, 8)
		w.printf(`<text class="peer on" x="%s" y="%s">%s</text>`+"\n", px((b.left+b.right)/2), px(y+18), escape(b.label))
	}
	for _, l := range w.lanes[b.first : b.last+1] {
		w.names(l, w.top+44)
		if w.long() {
			w.names(l, w.bottom+18)
		}
	}
}

func (w *svgWriter) names(l lane, y float64) {
	for n, line := range l.lines {
		w.printf(`<text class="name" x="%s" y="%s">%s</text>`+"\n", px(l.x), px(y+float64(n)*nameHigh), escape(line))
	}
}

// busy is the thick part of a callee's line, from an ask to its answer. Two rectangles: the life line does not shine through.
func (w *svgWriter) busy(i int) {
	p := w.pairs[i]
	if ask := &w.rows[i]; ask.Form == trace.FormAsk && p.other > i && ask.from != ask.to {
		for _, class := range []string{"bg", fmt.Sprintf("busy p%d", p.colour)} {
			w.rect(class, w.lanes[ask.to].x-3, ask.y, 6, w.rows[p.other].y-ask.y, 2)
		}
	}
}

func (w *svgWriter) row(i int) {
	r := &w.rows[i]
	w.printf(`<g class="s p%d" id="m%d"><title>%s</title>`, w.pairs[i].colour, i, escape(oneline.Lines(hover(r.step, w.byID))))
	w.busy(i)
	from, to := w.lanes[r.from].x, w.lanes[r.to].x
	switch {
	case r.K == trace.KindItem:
		w.item(r, from)
	case r.K == trace.KindState:
		w.state(r, from)
	case r.from == r.to:
		w.loop(r, from)
	default:
		w.arrow(r, from, to)
	}
	w.printf("</g>\n")
}

// hit is where the pointer finds a step.
func (w *svgWriter) hit(left, right, top, bottom float64) {
	w.rect("hit", left, top, right-left, bottom-top, 4)
}

func (w *svgWriter) label(class string, x, y float64, r *row) {
	text, count := r.text, ""
	if i := strings.LastIndex(text, " ×"); r.times > 1 && i >= 0 {
		text, count = text[:i+1], fmt.Sprintf(`<tspan class="n">%s</tspan>`, text[i+1:])
	}
	w.printf(`<text class="label%s" x="%s" y="%s">%s%s</text>`, class, px(x), px(y), escape(text), count)
}

// style is the class of a message's line; with an h before, of its head.
func style(r *row) string {
	if r.K == trace.KindDrop || r.K == trace.KindConn {
		return "drop"
	}
	return r.Form
}

func (w *svgWriter) arrow(r *row, from, to float64) {
	w.hit(min(from, to), max(from, to), r.y-18, r.y+8)
	dir := 1.0
	if to < from {
		dir = -1
	}
	end := to
	if r.Form == trace.FormAsk && r.K == trace.KindMsg {
		end -= 3 * dir // the callee's line is thick here
	}
	start := from
	if r.IsAnswer() {
		start += 3 * dir
	}
	if style(r) == "drop" {
		// The cross stands half way, where the label is centred too. It moves to the far end if it would be within the label.
		end = (from + to) / 2
		if half := textWidth(r.text, fontLabel) / 2; abs64(end-from) < half+20 {
			end = to - 14*dir
		}
	}
	w.printf(`<path class="line %s" d="M%s %sH%s"/>`, style(r), px(start), px(r.y), px(end))
	w.head(r, end, dir)
	w.label(" mid", (from+to)/2, r.y-6, r)
}

func abs64(f float64) float64 { return max(f, -f) }

// head is the tip of an arrow that goes in direction dir.
func (w *svgWriter) head(r *row, x, dir float64) {
	switch style(r) {
	case "drop":
		w.printf(`<path class="head hdrop" d="M%s %sl10 10m0 -10l-10 10"/>`, px(x-5), px(r.y-5))
	case trace.FormAsk:
		w.printf(`<path class="head hask" d="M%s %sl%s -4v8z"/>`, px(x), px(r.y), px(-8*dir))
	default:
		w.printf(`<path class="head h%s" d="M%s %sl%s 4.5l%s 4.5"/>`, style(r), px(x-8*dir), px(r.y-4.5), px(8*dir), px(-8*dir))
	}
}

// loop is a message within one endpoint's line.
func (w *svgWriter) loop(r *row, x float64) {
	w.hit(x, x+loopWide+14+textWidth(r.text, fontLabel), r.y-12, r.y+loopHigh+4)
	w.printf(`<path class="line %s" d="M%s %sh%dq5 0 5 %sq0 %s -5 %sh-%d"/>`, style(r), px(x), px(r.y-loopHigh/2.0), loopWide-5,
		px(loopHigh/2.0), px(loopHigh/2.0), px(loopHigh/2.0), loopWide-6)
	w.headAt(r, x+1, r.y+loopHigh/2.0)
	w.label("", x+loopWide+8, r.y+4, r)
}

// headAt is a head that points to the left at (x, y).
func (w *svgWriter) headAt(r *row, x, y float64) {
	moved := *r
	moved.y = y
	w.head(&moved, x, -1)
}

// item is something that an endpoint handled and that is no message: a dot, a clock for a timer, a diamond for an event
// from outside.
func (w *svgWriter) item(r *row, x float64) {
	w.hit(x-6, x+14+textWidth(r.text, fontLabel), r.y-11, r.y+8)
	w.itemSign(signOf(r), x, r.y)
	w.label(" item", x+11, r.y+4, r)
}

func (w *svgWriter) itemSign(sign string, x, y float64) {
	switch sign {
	case "timer":
		w.printf(`<circle class="dot" cx="%s" cy="%s" r="5"/><path class="line dot" d="M%s %sv3.5h2.5"/>`, px(x), px(y), px(x), px(y-3))
	case "start":
		w.printf(`<circle class="start" cx="%s" cy="%s" r="4"/>`, px(x), px(y))
	default:
		w.printf(`<path class="event" d="M%s %sl5 5l-5 5l-5 -5z"/>`, px(x), px(y-5))
	}
}

// state is a change of state.
func (w *svgWriter) state(r *row, x float64) {
	wide := textWidth(r.text, fontLabel) + 16
	left := max(x-wide/2, gutter-10) // the times stand there
	w.hit(left, left+wide, r.y-11, r.y+9)
	w.rect("state", left, r.y-9, wide, 18, 9)
	w.printf(`<text class="is mid" x="%s" y="%s">%s</text>`, px(left+wide/2), px(r.y+4), escape(r.text))
}
