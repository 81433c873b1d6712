package rpcenv

import (
	"sync"
	"time"

	"github.com/coherer/coherer/rpcenv/trace/record"
)

// itemKind is what an inbox hands to its endpoint.
type itemKind uint8

const (
	itemStart itemKind = iota
	itemStop
	itemMessage   // a message from another endpoint or a body; with call: an ask
	itemReply     // the answer to an ask of this endpoint: then
	itemFailed    // an ask of this endpoint ended without an answer: then
	itemTick      // a timer
	itemRun       // the result of a Run: then
	itemOutside   // an event from outside the Env
	itemConnected // connection events: addr, err
	itemDisconnected
	itemNetworkError
	itemPeer // how a peer takes what is sent to it: peer
)

// item is one entry of an inbox. An inbox may have many: what few items need is in rare.
type item struct {
	kind     itemKind
	untraced bool  // counted, not recorded
	recorded bool  // even if its endpoint is not: its sender is recorded
	bounded  bool  // it has room in the inbox's bound until its handling begins
	bytes    int32 // that ledger gets when it has been handled
	id       record.ID
	cause    record.ID
	msg      Message
	name     string       // what the trace calls it, for those that are no messages
	call     *incomingAsk // set for an ask
	then     continuation
	ctx      *Context // of the callback that then goes on from
	sender   Address
	conn     uint64
	timer    *timer
	received time.Time
	ledger   *ledger
	rare     *rare
}

// continuation is what an endpoint does when something ended that it had begun.
type continuation interface{ goOn() }

// goOn is a continuation that is a function.
type goOn func()

func (f goOn) goOn() { f() }

// rare is what few items have. The items of one event share it: it is never changed.
type rare struct {
	addr  Address // of an event of connections or of a peer
	err   error
	peer  *peerEvent
	began time.Time // when the handling began, where that takes time
}

// what is the type of its message, or its name.
func (it *item) what() string {
	if it.msg != nil {
		return TypeName(it.msg)
	}
	return it.name
}

// begin notes when the handling of the item begins.
func (it *item) begin(now time.Time) {
	r := rare{}
	if it.rare != nil {
		r = *it.rare
	}
	r.began = now
	it.rare = &r
}

// began is when the handling began; zero if nobody noted it.
func (it *item) began() time.Time {
	if it.rare == nil {
		return time.Time{}
	}
	return it.rare.began
}

// items is a queue of items. Its memory is segments from a pool, each of which goes back as soon as it is empty: a queue that grows
// copies nothing, and a deep one leaves nothing to the collector. Inboxes take queues from a pool too and give them back empty: an
// idle inbox has none, and one that wakes finds its first segment there.
type items struct {
	first, last *segment
	head        int // of first: what is before it was taken
	tail        int // of last: from there on it is free
	n           int
}

// segment is a part of a queue. What has been taken from it is zero.
type segment struct {
	items [segmentItems]item
	next  *segment
}

// segmentItems is how many items a segment has. An inbox with one item that waits has a whole segment, about 3 KB.
const segmentItems = 16

var (
	segmentPool = sync.Pool{New: func() any { return &segment{} }}
	itemsPool   = sync.Pool{New: func() any {
		s := &segment{}
		return &items{first: s, last: s}
	}}
)

// push adds it to q, which may be nil, and returns q.
func (q *items) push(it item) *items {
	if q == nil {
		q = itemsPool.Get().(*items)
	}
	if q.tail == segmentItems {
		q.last.next = segmentPool.Get().(*segment)
		q.last, q.tail = q.last.next, 0
	}
	q.last.items[q.tail] = it
	q.tail++
	q.n++
	return q
}

// len is how many items wait; q may be nil.
func (q *items) len() int {
	if q == nil {
		return 0
	}
	return q.n
}

// front is the segment of the next item, which is there. The segment before it goes back to the pool only now: next has given its last
// item away by its place.
func (q *items) front() *segment {
	if q.head == segmentItems {
		empty := q.first
		q.first, q.head = empty.next, 0
		empty.next = nil
		segmentPool.Put(empty)
	}
	return q.first
}

// peek is the place of the next item, which stays; nil when the queue is empty.
func (q *items) peek() *item {
	if q.len() == 0 {
		return nil
	}
	return &q.front().items[q.head]
}

// next is the place of the next item, which counts as taken. It stays good until the next call of another method; until then the caller
// clears it.
func (q *items) next() *item {
	s := q.front()
	q.head++
	q.n--
	return &s.items[q.head-1]
}

// take takes the i-th of those that wait.
func (q *items) take(i int) item {
	s, at := q.front(), q.head
	var it item
	// Those before it move up by one: the others keep their order.
	for {
		s.items[at], it = it, s.items[at]
		if i == 0 {
			break
		}
		i--
		if at++; at == segmentItems {
			s, at = s.next, 0
		}
	}
	q.head++
	if q.n--; q.n == 0 {
		q.reset()
	}
	return it
}

// reset makes q ready to be filled again: all that was in it was taken and cleared, so it has one segment.
func (q *items) reset() *items {
	if q != nil {
		q.head, q.tail = 0, 0
	}
	return q
}

// release gives q, which is empty, back.
func (q *items) release() {
	if q != nil {
		itemsPool.Put(q.reset())
	}
}
