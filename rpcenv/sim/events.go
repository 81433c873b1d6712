package sim

import "time"

// event is something that happens at a time.
type event struct {
	at   time.Duration // since Start
	seq  uint64
	host *Host
	run  func()
	dead bool
}

// events are what is to come: a heap by (time, sequence).
type events struct {
	heap []*event
	seq  uint64
}

func (e *event) before(o *event) bool {
	return e.at < o.at || e.at == o.at && e.seq < o.seq
}

func (q *events) push(e *event) {
	q.seq++
	e.seq = q.seq
	h := append(q.heap, e)
	i := len(h) - 1
	for i > 0 {
		up := (i - 1) / 2
		if !e.before(h[up]) {
			break
		}
		h[i] = h[up]
		i = up
	}
	h[i] = e
	q.heap = h
}

// pop takes the first event out.
func (q *events) pop() {
	h := q.heap
	n := len(h) - 1
	e := h[n]
	h[n] = nil
	q.heap = h[:n]
	if n == 0 {
		return
	}
	// The last event takes the first one's place and sinks below all that are before it.
	h = h[:n]
	i := 0
	for {
		down := 2*i + 1
		if down >= n {
			break
		}
		if right := down + 1; right < n && h[right].before(h[down]) {
			down = right
		}
		if !h[down].before(e) {
			break
		}
		h[i] = h[down]
		i = down
	}
	h[i] = e
}
