package measure

import (
	"fmt"
	"sync/atomic"
	"time"

	"github.com/coherer/coherer/messages/app"
)

// Sink is a receiving side of a trial of messages. Take is called for each message, one call at a time. There is one for each
// receiver, and they may be called beside each other.
type Sink struct {
	ask bool
	// every is how many messages one acknowledgement is for; 0: for all.
	every uint64
	// first is the pair of the first intake: a receiver has one, but that of FanIn has all.
	first   int
	intakes []*intake
	counts  *counts
	// stray is a message that belongs to none of the intakes: a fault of all.
	stray string

	operations atomic.Uint64
	total      func() uint64 // of operations
	base       uint64        // total when the batch began
}

// intake is what came of one pair in the batch that runs.
type intake struct {
	msgs   *messages
	number int // of the batch
	began  time.Time

	messages uint64
	latency  Histogram
	fault    string
}

// newSinks returns the receiving side of a valid spec.
func newSinks(spec *Spec) ([]*Sink, error) {
	counts := newCounts(spec)
	sinks := make([]*Sink, spec.Receivers())
	for i := range sinks {
		s := &Sink{ask: spec.Case.Ask(), first: i, counts: counts}
		if spec.Case.Windowed() {
			s.every = uint64(max(spec.InFlight/2, 1))
		}
		sinks[i] = s
		s.total = s.operations.Load
		if !spec.Case.Sized() {
			continue
		}
		for range spec.Pairs / len(sinks) {
			msgs, err := newMessages(spec.Size, spec.id(s.first+len(s.intakes)))
			if err != nil {
				return nil, err
			}
			s.intakes = append(s.intakes, &intake{msgs: msgs})
		}
	}
	return sinks, nil
}

// Take counts m and returns the message to send back: the answer of an ask, else an acknowledgement or nil. PairOf says which
// pair's sender it is for.
func (s *Sink) Take(m *app.StatusUpdate) *app.StatusUpdate {
	in := s.intake(m)
	switch {
	case in == nil:
		return nil
	case in.number == batches:
		s.counts.late(m)
		return nil
	}
	last := isLast(m)
	if in.messages == 0 {
		in.began = s.counts.now()
	}
	switch {
	case !in.msgs.fits(m):
		in.fail("message %d carries %d bytes", in.messages, len(m.GetResult().GetRecords()))
	case !s.ask:
		in.sample(m, s.counts)
	}
	in.messages++
	count := in.messages
	// Before the answer is returned: when the sender has it, the batch is closed here.
	if last {
		s.end(in)
	}
	switch {
	case s.ask:
		return m
	// Half a window each, so that the sender can send the other half while the acknowledgement is under way.
	case last || s.every > 0 && count%s.every == 0:
		return acknowledgement(in.msgs.id, count)
	}
	return nil
}

// intake is that of m's pair; nil, and a fault, when m belongs to another receiver.
func (s *Sink) intake(m *app.StatusUpdate) *intake {
	// Most receivers have one pair: then a comparison is enough.
	if first := s.intakes[0]; m.GetExecutorId() == first.msgs.id {
		return first
	}
	pair := PairOf(m)
	if at := pair - s.first; at >= 0 && at < len(s.intakes) {
		return s.intakes[at]
	}
	if s.stray == "" {
		s.stray = fmt.Sprintf("a message of pair %d came to receiver %d", pair, s.first)
	}
	return nil
}

// sample takes the age of a message that should carry the time. A message without a time in that place, or with one in another,
// came out of order.
func (in *intake) sample(m *app.StatusUpdate, c *counts) {
	at, want := stamp(m), in.messages%SampleEvery == 0
	switch {
	case want != (at != 0):
		in.fail("message %d is another one: messages were lost, repeated or reordered", in.messages)
	case want && c.spec.Host == "": // the age by the clock of another machine would be no age
		age := c.now().UnixNano() - at
		if age < 0 {
			in.fail("message %d came %s before it was sent: the clock was set", in.messages, time.Duration(-age))
		}
		in.latency.Record(age)
	}
}

func (in *intake) fail(format string, args ...any) {
	if in.fault == "" {
		in.fault = fmt.Sprintf(format, args...)
	}
}

// end closes a pair's batch. Its acknowledgement is not out yet, so nothing of the pair is under way.
func (s *Sink) end(in *intake) {
	if in.fault == "" {
		in.fault = s.stray
	}
	s.counts.end(in)
	*in = intake{msgs: in.msgs, number: in.number + 1}
}

// Operation counts one operation that came to this side. It may be called from any goroutine, before the operation's end can be
// known at the driving side.
func (s *Sink) Operation() { s.operations.Add(1) }

// CountBy is for a receiving side with books of its own: total, which another goroutine calls where a batch begins and ends,
// takes the place of Operation. It is called before Serve returns.
func (s *Sink) CountBy(total func() uint64) { s.total = total }

// mark begins or ends a batch of operations.
func (s *Sink) mark(begins bool) {
	if begins {
		s.base = s.total()
		s.counts.begin()
		return
	}
	s.counts.endOperations(s.total() - s.base)
}
