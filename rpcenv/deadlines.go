package rpcenv

import (
	"container/heap"
	"math"
	"time"
)

// deadlines keeps the asks of an Env by their deadlines. Nearly all asks have one of a few limits, so each limit has a queue: asks enter it
// in the order of their deadlines, and entering and leaving cost the same however many wait. Only the queues are in a heap.
type deadlines struct {
	queues map[time.Duration]*askQueue
	latest *askQueue // the queue that an ask entered last
	byTime askQueues // the queues that are not empty
}

// keptQueues bounds the queues that stay when they are empty: a program may give each ask a limit of its own.
const keptQueues = 16

// askQueue is the asks of one limit, the oldest first.
type askQueue struct {
	limit       time.Duration
	first, last *outgoingAsk
	index       int // in the heap
}

// enter gives p its deadline. From call to call now never goes back.
func (d *deadlines) enter(p *outgoingAsk, now time.Duration) {
	q := d.of(p.limit.d)
	p.queue, p.deadline = q, now+q.limit
	if q.limit > math.MaxInt64-now { // a limit of centuries
		p.deadline = math.MaxInt64
	}
	p.before = q.last
	q.last = p
	if p.before != nil {
		p.before.after = p
		return
	}
	q.first = p
	heap.Push(&d.byTime, q)
}

// of returns the queue of a limit, and makes it if it is missing.
func (d *deadlines) of(limit time.Duration) *askQueue {
	if d.latest != nil && d.latest.limit == limit {
		return d.latest
	}
	q := d.queues[limit]
	if q == nil {
		q = &askQueue{limit: limit}
		if d.queues == nil {
			d.queues = map[time.Duration]*askQueue{}
		}
		d.queues[limit] = q
	}
	d.latest = q
	return q
}

// leave takes p out of its queue; without a queue it does nothing.
func (d *deadlines) leave(p *outgoingAsk) {
	q := p.queue
	if q == nil {
		return
	}
	if p.after != nil {
		p.after.before = p.before
	} else {
		q.last = p.before
	}
	if p.before != nil {
		p.before.after = p.after
	} else {
		q.first = p.after
		d.settle(q)
	}
	p.queue, p.before, p.after = nil, nil, nil // an ask that somebody keeps must not keep others alive
}

// settle moves a queue in the heap after its first ask has left.
func (d *deadlines) settle(q *askQueue) {
	switch {
	case q.first == nil:
		heap.Remove(&d.byTime, q.index)
		if len(d.queues) > keptQueues {
			delete(d.queues, q.limit)
			d.latest = nil
		}
	case len(d.byTime) > 1:
		heap.Fix(&d.byTime, q.index)
	}
}

// earliest returns the ask with the next deadline, or nil.
func (d *deadlines) earliest() *outgoingAsk {
	if len(d.byTime) == 0 {
		return nil
	}
	return d.byTime[0].first
}

// askQueues is a heap of queues that are not empty, by the deadlines of their first asks.
type askQueues []*askQueue

func (h askQueues) Len() int { return len(h) }

func (h askQueues) Less(i, j int) bool { return h[i].first.deadline < h[j].first.deadline }

func (h askQueues) Swap(i, j int) {
	h[i], h[j] = h[j], h[i]
	h[i].index, h[j].index = i, j
}

func (h *askQueues) Push(x any) {
	q := x.(*askQueue)
	q.index = len(*h)
	*h = append(*h, q)
}

func (h *askQueues) Pop() any {
	old := *h
	q := old[len(old)-1]
	old[len(old)-1] = nil
	*h = old[:len(old)-1]
	return q
}
