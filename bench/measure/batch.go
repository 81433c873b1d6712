package measure

import (
	"fmt"
	"sync/atomic"
	"time"
)

// batches are those of a trial: the warm-up and the one that is measured.
const batches = 2

// Sent is what the sending side measured in the measured batch.
type Sent struct {
	Messages uint64 `json:"messages"`
	// Elapsed is from the first message to the last acknowledgement or answer.
	Elapsed time.Duration `json:"elapsed_ns"`
	// Used is what the process used meanwhile.
	Used Usage `json:"used"`
	// Latency is that of every ask or operation; empty for tells.
	Latency Histogram `json:"latency"`
}

// batch is what the sending sides of tells, asks and operations have in common.
type batch struct {
	spec *Spec
	msgs *messages

	number   int // of the batch
	began    time.Time
	used     Usage
	sent     uint64
	done     uint64 // acknowledged or answered
	ending   bool   // the time is over
	lastSent bool

	result Sent

	// Copies of sent and done for progress, which another goroutine calls.
	seenSent, seenDone atomic.Uint64
}

func (b *batch) init(spec *Spec) (err error) {
	b.spec = spec
	if spec.Case.Sized() {
		b.msgs, err = newMessages(spec.Size)
	}
	return err
}

// mayAsk reports whether one more ask or operation may begin.
func (b *batch) mayAsk() bool {
	open := b.sent - b.done
	// The last one begins alone, so that its end is the last: it shows that all others have come to theirs.
	return !b.lastSent && open < uint64(b.spec.InFlight) && (!b.ending || open == 0)
}

// begin starts the clock at the first message.
func (b *batch) begin() {
	if b.sent == 0 {
		b.used = used()
		b.began = time.Now()
	}
}

// look sets ending once the time of this batch is over.
func (b *batch) look(now time.Time) {
	limit := b.spec.Duration
	if b.number == 0 {
		limit = b.spec.WarmUp
	}
	b.ending = b.ending || now.Sub(b.began) >= limit
	b.seenSent.Store(b.sent)
	b.seenDone.Store(b.done)
}

// end closes the batch if all is done, and reports whether it was the last one.
func (b *batch) end(now time.Time) bool {
	if !b.lastSent || b.done < b.sent {
		return false
	}
	b.result.Messages, b.result.Elapsed, b.result.Used = b.sent, now.Sub(b.began), used().since(b.used)
	if b.number++; b.number == batches {
		return true
	}
	// The warm-up counts for nothing: its figures go, and begin takes the usage anew.
	b.result = Sent{}
	b.sent, b.done, b.ending, b.lastSent = 0, 0, false, false
	return false
}

// progress is how far the trial has come, for the error of a trial that stands still. It may be called from any goroutine.
func (b *batch) progress() string {
	sent, done := b.seenSent.Load(), b.seenDone.Load()
	return fmt.Sprintf("at its last sign of life %d messages were sent and %d of them came back or were acknowledged", sent, done)
}

// Sent is the result, after the end.
func (b *batch) Sent() *Sent { return &b.result }
