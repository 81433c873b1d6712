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
	closed   atomic.Bool // nothing comes any more: what is handled goes back at once, since it may never become half of the window
	shut     atomic.Bool // it takes nothing yet: see orphans.go
	giveBack func(l *ledger, bytes int64)

	// Guarded by orphans.mu.
	orphan bool  // what waits of it is counted there; came does not change any more
	left   int64 // how much of it is counted
	at     int32 // its place in orphans.shut
}

func (l *ledger) place() *int32 { return &l.at }

// takes reports whether the peer was allowed to send n bytes that arrive, by the rule of stream.open, and counts them if it was. This side
// counts bytes as returned before the peer hears of them, so it never refuses what the peer may send.
func (l *ledger) takes(n int) bool {
	out := l.came - l.returned.Load()
	fits := !l.shut.Load() && (out <= l.window/2 || out+int64(n) <= l.window)
	if fits {
		l.came += int64(n)
	}
	return fits
}

// excess is the error of a message that takes refused.
func (l *ledger) excess() error {
	if l.shut.Load() {
		return fmt.Errorf("the peer sent %s a message before a Credit: rpc.Full named it", l.flow)
	}
	return fmt.Errorf("the peer sent %s more than the %d bytes that it takes before they are handled (coherer.rpc.window)", l.flow, l.window)
}

// add counts bytes that were handled, and gives them back when they are half of the window: fewer would cost more frames, more would let
// the sender stand still.
func (l *ledger) add(bytes int) {
	if l != nil && (l.handled.Add(int64(bytes)) >= l.window/2 || l.closed.Load()) {
		l.flush()
	}
}

// close is for a ledger that gets no more messages. Some of them may still wait in an inbox.
func (l *ledger) close() {
	l.closed.Store(true) // before flush: an add that flush misses sees it
	l.flush()
}

// flush gives back what was handled.
func (l *ledger) flush() {
	if n := l.handled.Swap(0); n > 0 {
		l.returned.Add(n) // first: the peer may use them as soon as it has them
		l.giveBack(l, n)
	}
}

// open makes a ledger that was shut take messages.
func (l *ledger) open() {
	l.shut.Store(false) // first, as in flush
	l.giveBack(l, 0)
}
