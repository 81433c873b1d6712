package show

import (
	"strings"

	"github.com/coherer/coherer/rpcenv/trace"
)

// legend explains the signs that a drawing has.
type legend struct {
	entries []legendEntry
	height  float64
}

type legendEntry struct {
	sign, text string
	x, y       float64
}

// Measures of the legend in pixels.
const (
	legendSign = 34 // an entry's sign
	legendGap  = 18 // to the next entry
	legendRow  = 20
)

// newLegend places the signs of the rows in lines of that width.
func newLegend(rows []row, width float64) legend {
	used := map[string]bool{}
	for i := range rows {
		used[signOf(&rows[i])] = true
	}
	var l legend
	x, y := float64(margin), float64(headTop+6)
	for _, e := range []legendEntry{
		{sign: trace.FormSend, text: "one-way"},
		{sign: trace.FormAsk, text: "ask"},
		{sign: trace.FormReply, text: "answer, in the colour of its ask"},
		{sign: trace.FormFail, text: "failure"},
		{sign: "drop", text: "not delivered"},
		{sign: "state", text: "change of state"},
		{sign: "timer", text: "timer"},
		{sign: "start", text: "begin or end of an endpoint"},
		{sign: "event", text: "event"},
	} {
		if !used[e.sign] {
			continue
		}
		wide := legendSign + textWidth(e.text, fontLabel)
		if x > margin && x+wide > width-margin {
			x, y = margin, y+legendRow
		}
		e.x, e.y = x, y
		l.entries = append(l.entries, e)
		x += wide + legendGap
	}
	if len(l.entries) > 0 {
		l.height = y - headTop + legendRow
	}
	return l
}

// signOf is the kind of sign by which a row is drawn.
func signOf(r *row) string {
	switch {
	case r.K == trace.KindState:
		return "state"
	case r.K != trace.KindItem:
		return style(r)
	case isTick(r.Entry):
		return "timer"
	case strings.HasPrefix(r.Name, "On"):
		return "start"
	}
	return "event"
}

func (w *svgWriter) legend(l legend) {
	for _, e := range l.entries {
		w.printf(`<g class="p0">`)
		r := &row{step: step{Entry: &trace.Entry{K: trace.KindMsg, Form: e.sign}}, y: e.y}
		switch e.sign {
		case "state":
			w.rect("state", e.x, e.y-6, 24, 12, 6)
		case "timer", "start", "event":
			w.itemSign(e.sign, e.x+12, e.y)
		default:
			if e.sign == "drop" {
				r.K = trace.KindDrop
			}
			w.printf(`<path class="line %s" d="M%s %sh24"/>`, e.sign, px(e.x), px(e.y))
			w.head(r, e.x+24, 1)
		}
		w.printf(`<text class="sub" x="%s" y="%s">%s</text></g>`+"\n", px(e.x+legendSign), px(e.y+4), escape(e.text))
	}
}
