package rpcenv

import "sync/atomic"

// flow is what goes one way over a connection to one endpoint: messages to the one of that name, or answers to the one of that number.
type flow struct {
	endpoint string
	asker    uint32
}

// askers is how many askers a peer can tell apart. Endpoints beyond share their numbers.
const askers = 1 << 12

// answersTo is the flow of the answer to a request.
func answersTo(request int64) flow { return flow{asker: uint32(request) % askers} }

// ledger counts what an endpoint has handled of what came to it by one connection.
type ledger struct {
	flow
	handled  atomic.Int64 // bytes that were not given back, by cost
	half     int64        // of the window
	closed   atomic.Bool  // what is handled from now on goes back at once: no later message would make it half of the window
	giveBack func(f flow, bytes int64)
}

// add counts bytes that were handled, and gives them back when they are half of the window: fewer would cost more frames, more would let
// the sender stand still.
func (l *ledger) add(bytes int) {
	if l != nil && (l.handled.Add(int64(bytes)) >= l.half || l.closed.Load()) {
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
		l.giveBack(l.flow, n)
	}
}
