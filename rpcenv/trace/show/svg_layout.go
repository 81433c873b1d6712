package show

import (
	"cmp"
	"math"
	"slices"

	"github.com/coherer/coherer/rpcenv/oneline"
	"github.com/coherer/coherer/rpcenv/trace"
)

// Measures of the drawing in pixels.
const (
	gutter     = 76 // left of the first process: the times
	headTop    = 62 // where the legend begins, and below it the boxes of the processes
	barHigh    = 26 // the box of a process
	nameHigh   = fontName * 1.25
	longRows   = 25 // a drawing with more repeats the endpoints' names at its end
	bodyTop    = 4  // between the names and the first row
	rowMessage = 30
	rowSmall   = 25
	bandGap    = 14 // between the bands of two processes
	laneMin    = 56
	lanePad    = 15 // from the outer lane of a process to the edge of its band
	labelPad   = 34 // what an arrow is longer than its label
	margin     = 20
	loopWide   = 24
	loopHigh   = 9
	stateGap   = 5 // between a state and the label below it
)

// lane is the life line of one endpoint.
type lane struct {
	peer, endpoint string
	lines          []string // the endpoint's name in lines
	x              float64
}

// band is one process: its lanes are neighbours.
type band struct {
	peer        string
	label       string // the peer as drawn
	first, last int
	left, right float64
}

// row is one step with its place.
type row struct {
	step
	from, to int // lanes
	y        float64
	height   float64
	text     string // the label with its count, as drawn
}

// layout is a drawing before it is written.
type layout struct {
	lanes         []lane
	bands         []band
	rows          []row
	gaps          []float64 // from each lane to the next
	nameLines     int
	top           float64 // of the boxes of the processes
	headBottom    float64
	bottom        float64 // of the life lines
	footBar       float64 // where the lower boxes begin
	width, height float64
}

// newLayout places steps: one band per process in order of appearance, in it one lane per endpoint, one row per step.
func newLayout(steps []step) *layout {
	l := &layout{nameLines: 1}
	l.findLanes(steps)
	for _, s := range steps {
		r := row{step: s, from: l.lane(s.from), to: l.lane(s.to), height: rowMessage, text: stepText(s)}
		if s.K == trace.KindItem {
			r.height = rowSmall
		}
		l.rows = append(l.rows, r)
	}
	l.placeLanes()
	l.placeRows()
	return l
}

func (l *layout) findLanes(steps []step) {
	endpoints := map[string][]string{}
	var peers []string
	for _, s := range steps {
		for _, p := range []string{s.from, s.to} {
			peer, name := trace.Peer(p), trace.EndpointOf(p)
			if endpoints[peer] == nil {
				peers = append(peers, peer)
				endpoints[peer] = []string{}
			}
			if name != "" && !slices.Contains(endpoints[peer], name) {
				endpoints[peer] = append(endpoints[peer], name)
			}
		}
	}
	for _, peer := range peers {
		names := endpoints[peer]
		if len(names) == 0 {
			names = []string{""}
		}
		first, label := len(l.lanes), cutString(oneline.Text(peer), maxPeer)
		l.bands = append(l.bands, band{peer: peer, label: label, first: first, last: first + len(names) - 1})
		for _, name := range names {
			lines := wrapName(oneline.Text(name))
			l.nameLines = max(l.nameLines, len(lines))
			l.lanes = append(l.lanes, lane{peer: peer, endpoint: name, lines: lines})
		}
	}
}

// lane is where a place is drawn: what has no lane stands at the first of its process.
func (l *layout) lane(p string) int {
	first := -1
	for i := range l.lanes {
		if l.lanes[i].peer != trace.Peer(p) {
			continue
		}
		if l.lanes[i].endpoint == trace.EndpointOf(p) {
			return i
		}
		if first < 0 {
			first = i
		}
	}
	return max(first, 0)
}

// placeLanes makes the gaps between lanes wide enough for the names above them and for every label on its arrow.
func (l *layout) placeLanes() {
	l.gaps = make([]float64, max(len(l.lanes)-1, 0))
	for i := range l.gaps {
		l.gaps[i] = max(laneMin, (l.nameWidth(i)+l.nameWidth(i+1))/2+12)
		if l.lanes[i].peer != l.lanes[i+1].peer {
			l.gaps[i] = max(laneMin, l.half(i)+l.half(i+1)+2*lanePad+bandGap)
		}
	}
	for b := range l.bands { // a band of one lane must hold the name of its process
		l.widenFor(b)
	}
	// Short arrows first: the long ones then run over gaps that are wide already, and need less on top.
	spans := make([]int, len(l.rows))
	for i := range spans {
		spans[i] = i
	}
	span := func(i int) int { return abs(l.rows[i].from - l.rows[i].to) }
	slices.SortStableFunc(spans, func(a, b int) int { return cmp.Compare(span(a), span(b)) })
	for _, i := range spans {
		r := &l.rows[i]
		l.stretch(min(r.from, r.to), max(r.from, r.to), textWidth(r.text, fontLabel)+labelPad)
	}
	x := gutter + lanePad + l.half(0)
	for i := range l.lanes {
		l.lanes[i].x = math.Round(x)
		if i < len(l.gaps) {
			x += l.gaps[i]
		}
	}
	for b := range l.bands {
		bd := &l.bands[b]
		bd.left = l.lanes[bd.first].x - lanePad - l.half(bd.first)
		bd.right = l.lanes[bd.last].x + lanePad + l.half(bd.last)
		l.width = max(l.width, bd.right+margin)
	}
}

// widenFor gives the band room for the name of its process.
func (l *layout) widenFor(b int) {
	bd := l.bands[b]
	need := textWidth(bd.label, fontPeer) + 16
	have := 2.0*lanePad + l.half(bd.first) + l.half(bd.last)
	for i := bd.first; i < bd.last; i++ {
		have += l.gaps[i]
	}
	if need <= have {
		return
	}
	if bd.first < bd.last {
		l.stretch(bd.first, bd.last, need-2*lanePad-l.half(bd.first)-l.half(bd.last))
	}
}

func (l *layout) nameWidth(i int) float64 {
	w := 0.0
	for _, line := range l.lanes[i].lines {
		w = max(w, textWidth(line, fontName))
	}
	return w
}

// half is half of the width of the name above a lane, and of the name of its process where it is the only lane.
func (l *layout) half(i int) float64 {
	if len(l.lanes) == 0 {
		return 0
	}
	w := l.nameWidth(i)
	for _, bd := range l.bands {
		if bd.first == i && bd.last == i {
			w = max(w, textWidth(bd.label, fontPeer)-2*lanePad+16)
		}
	}
	return w / 2
}

// stretch makes the way from lane a to lane b at least want wide, every gap by the same.
func (l *layout) stretch(a, b int, want float64) {
	if a == b {
		return
	}
	have := 0.0
	for _, g := range l.gaps[a:b] {
		have += g
	}
	if want > have {
		for i := a; i < b; i++ {
			l.gaps[i] += (want - have) / float64(b-a)
		}
	}
}

func (l *layout) placeRows() {
	l.top = headTop
	l.headBottom = l.top + 30 + l.namesHigh() + 8
	y := l.headBottom + bodyTop
	for i := range l.rows {
		r := &l.rows[i]
		if i > 0 && l.rows[i-1].K == trace.KindState && r.K != trace.KindState {
			y += stateGap // its label stands above its line, where the box of the state reaches down
		}
		y += r.height
		r.y = y
		if r.from == r.to && r.K != trace.KindItem && r.K != trace.KindState {
			y += loopHigh / 2 // the loop reaches below
		}
		if r.from == r.to {
			l.width = max(l.width, l.lanes[r.from].x+loopWide+14+textWidth(r.text, fontLabel)+margin)
		}
	}
	l.bottom = y + 30
	l.footBar = l.bottom
	if l.long() {
		l.footBar += l.namesHigh() + 12
	}
	l.height = l.footBar + barHigh + 24
}

func (l *layout) namesHigh() float64 { return float64(l.nameLines) * nameHigh }

// long reports whether the endpoints' names are out of sight at the end.
func (l *layout) long() bool { return len(l.rows) > longRows }

// moveDown makes room above everything.
func (l *layout) moveDown(by float64) {
	for _, y := range []*float64{&l.top, &l.headBottom, &l.bottom, &l.footBar, &l.height} {
		*y += by
	}
	for i := range l.rows {
		l.rows[i].y += by
	}
}

func abs(n int) int { return max(n, -n) }
