package measure

import (
	"sync/atomic"
	"time"
)

// batch is the state of one pair's sending side, for tells, asks and operations alike.
type batch struct {
	spec  *Spec
	msgs  *messages
	group *group
	pair  int

	number   int       // of the batch
	began    time.Time // the batch; zero before its first message
	sent     uint64
	done     uint64 // acknowledged or answered
	ending   bool   // the time is over
	lastSent bool
	latency  Histogram

	// Copies of sent and done for progress, which another goroutine calls.
	seenSent, seenDone atomic.Uint64
}

// init makes b the next pair of a group.
func (b *batch) init(g *group) (err error) {
	b.spec = g.spec
	g.add(b)
	if b.spec.Case.Sized() {
		b.msgs, err = newMessages(b.spec.Size, b.spec.id(b.pair))
	}
	return err
}

// next begins one more ask or operation, if one may begin. Its latency counts from begin.
func (b *batch) next() (begin time.Time, ok bool) {
	open := b.sent - b.done
	if b.lastSent || open >= uint64(b.spec.InFlight) {
		return begin, false
	}
	if begin, ok = b.due(); !ok {
		return begin, false
	}
	// The last one begins alone: its end shows that all others have ended.
	if b.ending && open > 0 {
		return begin, false
	}
	if b.ending {
		begin = b.group.now() // it waited for the others by our rule, not by the contender's fault
	}
	b.lastSent = b.ending
	b.sent++
	return begin, true
}

// begin starts the clock at the first message.
func (b *batch) begin() {
	if b.began.IsZero() {
		b.began = b.group.begin(b.number)
	}
}

// due returns when the next message should begin, and whether that time has come. In a closed loop it is always now.
//
// All pairs in turn share one schedule: message n of a pair is due n of the pair's intervals after its first message, whatever has held up
// the messages before it.
func (b *batch) due() (at time.Time, ok bool) {
	b.begin()
	now := b.group.now()
	if b.spec.Rate == 0 {
		return now, true
	}
	b.see() // no answer may come for long
	since := b.spec.due(uint64(len(b.group.lanes))*b.sent + uint64(b.pair))
	passed := now.Sub(b.began)
	if passed < since {
		return time.Time{}, false
	}
	// No other message is due within this batch, or its time is over while messages wait for their turn.
	next := b.spec.due(uint64(len(b.group.lanes))*(b.sent+1) + uint64(b.pair))
	b.ending = b.ending || max(passed, next) >= b.limit()
	return b.began.Add(since), true
}

// limit is how long the batch sends.
func (b *batch) limit() time.Duration {
	if b.number == 0 {
		return b.spec.WarmUp
	}
	return b.spec.Duration
}

// look sets ending once the time of this batch is over.
func (b *batch) look(now time.Time) {
	b.ending = b.ending || now.Sub(b.began) >= b.limit()
	b.see()
}

// see copies what progress shows.
func (b *batch) see() {
	b.seenSent.Store(b.sent)
	b.seenDone.Store(b.done)
}

// end closes the batch if all is done, and reports whether it was the last one.
func (b *batch) end(now time.Time) bool {
	if !b.lastSent || b.done < b.sent {
		return false
	}
	b.group.end(b, now)
	if b.number++; b.number == batches {
		return true
	}
	b.latency = Histogram{}
	b.began, b.sent, b.done, b.ending, b.lastSent = time.Time{}, 0, 0, false, false
	return false
}
