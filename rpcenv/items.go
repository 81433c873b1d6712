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
	itemReply     // the answer to an ask of this endpoint: fn
	itemFailed    // an ask of this endpoint ended without an answer: fn
	itemTick      // a timer
	itemRun       // the result of a Run: fn
	itemOutside   // an event from outside the Env
	itemConnected // connection events: addr, err
	itemDisconnected
	itemNetworkError
	itemPeer // how a peer takes what is sent to it: peer
)

// item is one entry of an inbox.
type item struct {
	kind     itemKind
	id       record.ID
	cause    record.ID
	msg      Message
	name     string       // what the trace calls it, for those that are no messages
	call     *incomingAsk // set for an ask
	fn       func()
	ctx      *Context // of the callback that fn goes on from
	sender   Address
	conn     uint64
	addr     Address
	err      error
	timer    *timer
	received time.Time
	untraced bool      // counted, not recorded
	recorded bool      // even if its endpoint is not: its sender is recorded
	began    time.Time // when its handling began, where that takes time
	peer     *peerEvent
	ledger   *ledger // gets its bytes when it has been handled
	bytes    int
}

// what is the type of its message, or its name.
func (it *item) what() string {
	if it.msg != nil {
		return TypeName(it.msg)
	}
	return it.name
}

// items is a queue of items. Inboxes take them from a pool and give them back empty: an idle inbox has none, and one that
// wakes does not grow its queue anew each time.
type items struct {
	list []item
	head int // of list: what is before it was taken
}

// keepItems is how many items the queues in the pool have room for at most: 55 KB. A burst's larger queue goes to the collector.
const keepItems = 256

var itemsPool = sync.Pool{New: func() any { return &items{list: make([]item, 0, 8)} }}

// push adds it to q, which may be nil, and returns q.
func (q *items) push(it item) *items {
	if q == nil {
		q = itemsPool.Get().(*items)
	}
	q.list = append(q.list, it)
	return q
}

// len is how many items wait; q may be nil.
func (q *items) len() int {
	if q == nil {
		return 0
	}
	return len(q.list) - q.head
}

// peek is the place of the next item, which stays; nil when the queue is empty.
func (q *items) peek() *item {
	if q.len() == 0 {
		return nil
	}
	return &q.list[q.head]
}

// next is the place of the next item, which counts as taken. It stays good until something is pushed.
func (q *items) next() *item {
	q.head++
	return &q.list[q.head-1]
}

// take takes the i-th of those that wait.
func (q *items) take(i int) item {
	at := q.head + i
	it := q.list[at]
	// Those before it move up by one: the others keep their order.
	copy(q.list[q.head+1:at+1], q.list[q.head:at])
	q.list[q.head] = item{}
	if q.head++; q.head == len(q.list) {
		q.list, q.head = q.list[:0], 0
	}
	return it
}

// reset makes q ready to be filled again: all that was in it was taken and cleared.
func (q *items) reset() *items {
	if q != nil {
		q.list, q.head = q.list[:0], 0
	}
	return q
}

// release gives q, which is empty, back.
func (q *items) release() {
	if q != nil && cap(q.list) <= keepItems {
		itemsPool.Put(q.reset())
	}
}
