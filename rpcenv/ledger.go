package rpcenv

import "sync/atomic"

// ledger counts what an endpoint has handled of what came to it by one connection.
type ledger struct {
	endpoint string
	handled  atomic.Int64 // bytes that were not given back, by cost
	half     int64        // of the window
	giveBack func(endpoint string, bytes int64)
}

// add counts bytes that were handled, and gives them back when they are half of the window: fewer would cost more frames, more would let
// the sender stand still.
func (l *ledger) add(bytes int) {
	if l != nil && l.handled.Add(int64(bytes)) >= l.half {
		l.flush()
	}
}

// flush gives back what was handled.
func (l *ledger) flush() {
	if n := l.handled.Swap(0); n > 0 {
		l.giveBack(l.endpoint, n)
	}
}
