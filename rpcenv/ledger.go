package rpcenv

import (
	"fmt"
	"sync/atomic"
)

// flow is what goes one way over a connection to one endpoint: messages to the one of that name, or answers to the one of that number.
type flow struct {
	endpoint string
	asker    uint32
}

func (f flow) String() string {
	if f.endpoint == "" {
		return fmt.Sprint("asker ", f.asker)
	}
	return "endpoint " + f.endpoint
}

// askers is how many askers a peer can tell apart. Endpoints beyond share their numbers.
const askers = 1 << 12

// answersTo is the flow of the answer to a request.
func answersTo(request int64) flow { return flow{asker: uint32(request) % askers} }

// ledger counts what came to an endpoint by one connection, and what the endpoint has handled of it.
type ledger struct {
	flow
	came     int64        // bytes, by cost; guarded by conn.receiving
	returned atomic.Int64 // of those: the peer got them back
	handled  atomic.Int64 // bytes that were not given back
	window   int64
	closed   atomic.Bool // what is handled from now on goes back at once: no later message would make it half of the window
	giveBack func(f flow, bytes int64)
}

// takes counts n bytes that arrive, and reports whether the peer was allowed to send them, by the rule of stream.open. This side counts
// bytes as returned before the peer hears of them, so it never refuses what the peer may send.
func (l *ledger) takes(n int) bool {
	out := l.came - l.returned.Load()
	l.came += int64(n)
	return out <= l.window/2 || out+int64(n) <= l.window
}

// add counts bytes that were handled, and gives them back when they are half of the window: fewer would cost more frames, more would let
// the sender stand still.
func (l *ledger) add(bytes int) {
	if l != nil && (l.handled.Add(int64(bytes)) >= l.window/2 || l.closed.Load()) {
		l.flush()
	}
}

// close is for a ledger that gets no more messages. An endpoint that has taken its name from the one that ended may have some of them.
func (l *ledger) close() {
	l.closed.Store(true) // before flush: what it misses, add sees closed
	l.flush()
}

// flush gives back what was handled.
func (l *ledger) flush() {
	if n := l.handled.Swap(0); n > 0 {
		l.returned.Add(n) // first: the peer may use them as soon as it has them
		l.giveBack(l.flow, n)
	}
}
