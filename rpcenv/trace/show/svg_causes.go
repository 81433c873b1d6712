package show

import (
	"fmt"
	"strings"

	"github.com/coherer/coherer/rpcenv/trace"
)

// pair is the row of the ask or the answer that belongs to a row, -1 if it has no other half, and the colour of both.
type pair struct{ other, colour int }

// findPairs gives each ask that is answered in the drawing, and its answer, a colour; its neighbours have others.
func findPairs(rows []row) []pair {
	pairs := make([]pair, len(rows))
	asks := map[string]int{}
	next := 0
	for i := range rows {
		r := &rows[i]
		pairs[i] = pair{-1, 0}
		if r.K != trace.KindMsg {
			continue
		}
		if ask, ok := asks[r.Cause]; ok && r.IsAnswer() && r.Cause != "" {
			pairs[i], pairs[ask].other = pair{ask, pairs[ask].colour}, i
			delete(asks, r.Cause)
		}
		if r.Form == trace.FormAsk {
			asks[r.ID] = i
			for _, id := range r.same { // a row may stand for several asks, and its answer be that of any of them
				asks[id] = i
			}
			pairs[i].colour = next % pairColours
			next++
		}
	}
	return pairs
}

// causeRules is the style by which the row under the pointer stands out together with what led to it and with its ask or
// answer: all others fade.
func (w *svgWriter) causeRules() string {
	at := map[string]int{}
	for i := range w.rows {
		if r := &w.rows[i]; r.K != trace.KindConn { // a connection causes nothing
			for _, id := range append([]string{r.ID}, r.same...) {
				if _, known := at[id]; !known && id != "" {
					at[id] = i
				}
			}
		}
	}
	var b strings.Builder
	for i := range w.rows {
		b.WriteString(".co:has(#m" + fmt.Sprint(i) + ":hover) :is(")
		for n, row := range w.chain(i, at) {
			if n > 0 {
				b.WriteByte(',')
			}
			fmt.Fprintf(&b, "#m%d", row)
		}
		b.WriteString("){opacity:1}\n")
	}
	return b.String()
}

// maxChain bounds a chain of causes that is shown.
const maxChain = 40

// chain are the rows that led to row i, itself and its other half, each once. A cause that is not drawn is passed over.
func (w *svgWriter) chain(i int, at map[string]int) []int {
	rows := []int{i}
	seen := map[int]bool{i: true}
	add := func(row int) {
		if !seen[row] {
			seen[row] = true
			rows = append(rows, row)
		}
	}
	if other := w.pairs[i].other; other >= 0 {
		add(other)
	}
	e := w.rows[i].Entry
	for range maxChain { // the bound also ends causes that go round in a hand-made trace
		cause := e.Cause
		if row, ok := at[cause]; ok && cause != "" {
			add(row)
		}
		if e = w.byID[cause]; e == nil {
			break
		}
	}
	return rows
}
