package transport

import (
	"sync"
	"time"
)

// What a link read is handled by the goroutine that read it, as long as that takes no longer than to hand it to another one is worth: to
// wake a goroutine for a message, and a writer for the answer, costs more than most messages. While a turn runs nobody reads. So a turn
// that takes long is taken over: another goroutine reads on, and the next turns of the link go to the pool.
const (
	// longTurn is what a turn may take. Other messages of the connection wait as long.
	longTurn = 500 * time.Microsecond
	// A long turn counts how many times longTurn it took, at most longest, a short one takes 1 off. Beyond mostLong, apartTurns turns go
	// to the pool.
	longest, mostLong, apartTurns = 8, 16, 1000
	// watchTick is how often the watch looks. A turn that it sees twice is taken over.
	watchTick = 2 * time.Millisecond
)

// runHere runs a turn, or lets the pool run it, and writes what was sent meanwhile; false: another goroutine reads now.
func (l *tcpLink) runHere(turn func()) bool {
	switch {
	case turn == nil:
	case l.apart > 0:
		l.apart--
		l.host.pool.Schedule(turn)
	default:
		n := l.turns.Add(1)
		l.inTurn.Store(n)
		l.host.watch.begin(l)
		began := time.Now()
		turn()
		if !l.inTurn.CompareAndSwap(n, 0) {
			return false
		}
		l.ended(time.Since(began))
	}
	l.flush()
	return true
}

// ended notes how long a turn took. Some take long because the machine is busy: only several in a row, or nearly, count.
func (l *tcpLink) ended(took time.Duration) {
	times := int(min(took/longTurn, longest))
	if times == 0 {
		l.long = max(l.long-1, 0)
		return
	}
	if l.long += times; l.long > mostLong {
		l.long, l.apart = 0, apartTurns
	}
}

// takeOver lets another goroutine read if the reading one runs a turn for too long.
func (l *tcpLink) takeOver(turn uint64) {
	if !l.inTurn.CompareAndSwap(turn, 0) {
		return
	}
	l.readers.Add(1) // the goroutine of the turn still counts: the link does not wait for 0 yet
	l.ended(longest * longTurn)
	l.uncork()
	go l.reads()
}

// watch looks at the links whose reading goroutines run turns. Without such it has no timer.
type watch struct {
	mu    sync.Mutex
	links []*tcpLink
	timer *time.Timer
}

// begin makes the watch look at a link whose inTurn is set.
func (w *watch) begin(l *tcpLink) {
	if l.watched.Load() {
		return
	}
	w.mu.Lock()
	defer w.mu.Unlock()
	l.watched.Store(true)
	if l.listed {
		return
	}
	l.listed = true
	w.links = append(w.links, l)
	switch {
	case len(w.links) > 1:
	case w.timer == nil:
		w.timer = time.AfterFunc(watchTick, w.tick)
	default:
		w.timer.Reset(watchTick)
	}
}

// tick takes over turns that it has seen before, and forgets links that have begun none since.
func (w *watch) tick() {
	w.mu.Lock()
	defer w.mu.Unlock()
	kept := w.links[:0]
	for _, l := range w.links {
		now := [2]uint64{l.turns.Load(), l.inTurn.Load()}
		same := now == l.seen
		l.seen = now
		switch {
		case same && now[1] != 0:
			l.takeOver(now[1])
		case same:
			// In this order: begin sets inTurn and then looks at watched, so one of the two sees the other.
			l.watched.Store(false)
			if l.inTurn.Load() == 0 {
				l.listed = false
				continue
			}
			l.watched.Store(true)
		}
		kept = append(kept, l)
	}
	clear(w.links[len(kept):])
	if w.links = kept; len(kept) > 0 {
		w.timer.Reset(watchTick)
	}
}
