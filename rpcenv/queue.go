package rpcenv

import "sync"

// queue is a queue of items, or of outgoing messages. Its memory is segments from a pool; a segment goes back as soon as it is empty. So
// a queue that grows copies nothing, and a deep one leaves nothing to the collector. The queues of inboxes and backlogs come from a pool
// too, each with its first segment, and go back when they are empty: an idle inbox has none.
type queue[T any] struct {
	first, last *segment[T]
	head        int // in first: the entries before it were taken
	tail        int // in last: the entries from it on are free
	n           int
}

// segment is a part of a queue. Entries that were taken are zero.
type segment[T any] struct {
	entries [segmentEntries]T
	next    *segment[T]
}

// segmentEntries is how many entries a segment has. An inbox with one item that waits has a whole segment, about 2 KB.
const segmentEntries = 16

// queues are the pools of one kind of queue.
type queues[T any] struct{ segments, empty sync.Pool }

func (p *queues[T]) segment() *segment[T] {
	if s, ok := p.segments.Get().(*segment[T]); ok {
		return s
	}
	return &segment[T]{}
}

// push adds v to q, which may be nil, and returns q.
func (p *queues[T]) push(q *queue[T], v T) *queue[T] {
	if q == nil {
		var ok bool
		if q, ok = p.empty.Get().(*queue[T]); !ok {
			s := p.segment()
			q = &queue[T]{first: s, last: s}
		}
	}
	if q.tail == segmentEntries {
		q.last.next = p.segment()
		q.last, q.tail = q.last.next, 0
	}
	q.last.entries[q.tail] = v
	q.tail++
	q.n++
	return q
}

// front returns the segment of the next entry; q is not empty. The segment before it goes back to the pool only now, since next returned
// a pointer to its last entry.
func (p *queues[T]) front(q *queue[T]) *segment[T] {
	if q.head == segmentEntries {
		empty := q.first
		q.first, q.head = empty.next, 0
		empty.next = nil
		p.segments.Put(empty)
	}
	return q.first
}

// peek returns a pointer to the next entry and leaves it in the queue; nil when the queue is empty.
func (p *queues[T]) peek(q *queue[T]) *T {
	if q.len() == 0 {
		return nil
	}
	return &p.front(q).entries[q.head]
}

// next takes the next entry and returns a pointer to it, which is good until another entry is looked at or taken. The caller clears the
// entry before that.
func (p *queues[T]) next(q *queue[T]) *T {
	s := p.front(q)
	q.head++
	q.n--
	return &s.entries[q.head-1]
}

// take takes the i-th waiting entry.
func (p *queues[T]) take(q *queue[T], i int) T {
	s, at := p.front(q), q.head
	var v T
	// Those before it move up by one: the others keep their order.
	for {
		s.entries[at], v = v, s.entries[at]
		if i == 0 {
			break
		}
		i--
		if at++; at == segmentEntries {
			s, at = s.next, 0
		}
	}
	q.head++
	if q.n--; q.n == 0 {
		q.reset()
	}
	return v
}

// release gives q, which is empty, back.
func (p *queues[T]) release(q *queue[T]) {
	if q != nil {
		p.empty.Put(q.reset())
	}
}

// len is how many entries wait; q may be nil.
func (q *queue[T]) len() int {
	if q == nil {
		return 0
	}
	return q.n
}

// reset makes q ready to be filled again: all that was in it was taken and cleared, so it has one segment.
func (q *queue[T]) reset() *queue[T] {
	if q != nil {
		q.head, q.tail = 0, 0
	}
	return q
}
