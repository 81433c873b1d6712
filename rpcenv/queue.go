package rpcenv

import "sync"

// queue is a queue of items, or of outgoing messages. Its memory is segments from a pool, each of which goes back as soon as it is empty:
// a queue that grows copies nothing, and a deep one leaves nothing to the collector. Inboxes take queues from a pool too and give them
// back empty: an idle inbox has none, and one that wakes finds its first segment there.
type queue[T any] struct {
	first, last *segment[T]
	head        int // of first: what is before it was taken
	tail        int // of last: from there on it is free
	n           int
}

// segment is a part of a queue. What has been taken from it is zero.
type segment[T any] struct {
	entries [segmentEntries]T
	next    *segment[T]
}

// segmentEntries is how many entries a segment has. An inbox with one item that waits has a whole segment, about 3 KB.
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

// front is the segment of the next entry, which is there. The segment before it goes back to the pool only now: next has given its last
// entry away by its place.
func (p *queues[T]) front(q *queue[T]) *segment[T] {
	if q.head == segmentEntries {
		empty := q.first
		q.first, q.head = empty.next, 0
		empty.next = nil
		p.segments.Put(empty)
	}
	return q.first
}

// peek is the place of the next entry, which stays; nil when the queue is empty.
func (p *queues[T]) peek(q *queue[T]) *T {
	if q.len() == 0 {
		return nil
	}
	return &p.front(q).entries[q.head]
}

// next is the place of the next entry, which counts as taken. It stays good until the next call of another method; until then the caller
// clears it.
func (p *queues[T]) next(q *queue[T]) *T {
	s := p.front(q)
	q.head++
	q.n--
	return &s.entries[q.head-1]
}

// take takes the i-th of those that wait.
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
