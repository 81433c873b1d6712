package rdd

// heap has the runs that are merged, the one whose next record is first in front. Of equal records that of the earlier run is first.
type heap struct {
	compare func(a, b []byte) int
	runs    []*runReader
	order   []int32 // a binary heap of indexes of runs
}

// push adds a run, the later ones later. One without records is left out.
func (h *heap) push(d *runReader) {
	h.runs = append(h.runs, d)
	if !d.next() {
		return
	}
	h.order = append(h.order, int32(len(h.runs)-1))
	for i := len(h.order) - 1; i > 0; {
		up := (i - 1) / 2
		if !h.less(h.order[i], h.order[up]) {
			break
		}
		h.order[i], h.order[up] = h.order[up], h.order[i]
		i = up
	}
}

func (h *heap) first() *runReader { return h.runs[h.order[0]] }

// advance reads the next record of the first run.
func (h *heap) advance() {
	if !h.first().next() {
		last := len(h.order) - 1
		h.order[0] = h.order[last]
		h.order = h.order[:last]
	}
	for i := 0; ; {
		down := 2*i + 1
		if down >= len(h.order) {
			return
		}
		if down+1 < len(h.order) && h.less(h.order[down+1], h.order[down]) {
			down++
		}
		if !h.less(h.order[down], h.order[i]) {
			return
		}
		h.order[i], h.order[down] = h.order[down], h.order[i]
		i = down
	}
}

func (h *heap) less(a, b int32) bool {
	x, y := h.runs[a], h.runs[b]
	if x.prefix != y.prefix {
		return x.prefix < y.prefix
	}
	if h.compare != nil {
		if c := h.compare(x.body, y.body); c != 0 {
			return c < 0
		}
	}
	return a < b
}
