package transport

import (
	"sync"
	"time"
)

// The goroutine that reads a link also runs the turn of the inbox for which something came: to wake one goroutine for the turn, and another
// to write the answer, costs more than to handle most messages. Nobody reads while a turn runs. So if a turn takes long, the watch makes
// another goroutine read on; and after several long turns the next ones go to the pool.
const (
	// longTurn is from when on a turn is long. The messages behind it on the connection wait as long.
	longTurn = 500 * time.Microsecond
	// A long turn adds the number of times that longTurn went into it, at most longest, to a count; a short turn takes 1 off. When the
	// count is above mostLong, the next apartTurns turns go to the pool.
	longest, mostLong, apartTurns = 8, 16, 1000
	// watchTick is how often the watch looks. It takes over a turn that it sees twice.
	watchTick = 2 * time.Millisecond
)

// enter counts a goroutine that reads, or runs a turn, among those for which run waits; false: run waits no longer.
func (l *tcpLink) enter() bool {
	l.mu.Lock()
	defer l.mu.Unlock()
	select {
	case <-l.left:
		return false
	default:
		l.readers++
		return true
	}
}

// leave is the end of a goroutine that enter has counted.
func (l *tcpLink) leave() {
	l.mu.Lock()
	defer l.mu.Unlock()
	if l.readers--; l.readers == 0 {
		close(l.left)
	}
}

// runHere runs a turn, or gives it to the pool, and writes what was sent meanwhile; false: another goroutine reads now.
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

// ended counts how long a turn took. On a busy machine any turn may take long, so it takes several, nearly in a row, to matter.
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

// takeOver makes another goroutine read on, unless the turn has ended meanwhile.
func (l *tcpLink) takeOver(turn uint64) {
	// Before the turn is marked as taken over: from then on its goroutine may leave, and would be the last one.
	if !l.enter() {
		return
	}
	if !l.inTurn.CompareAndSwap(turn, 0) {
		l.leave()
		return
	}
	l.ended(longest * longTurn)
	l.uncork()
	go l.reads()
}

// watch looks at the links whose reading goroutines run turns. While there are none it has no timer.
type watch struct {
	mu    sync.Mutex
	links []*tcpLink
	timer *time.Timer
}

// begin enters a link in the watch. Its inTurn is set.
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

// tick takes over the turns that the tick before has seen too, and forgets the links that have begun no turn since.
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
