package measure

import (
	"fmt"
	"sync"
	"time"

	"github.com/coherer/coherer/messages/app"
)

// Received is what the receiving side counted in the measured batch.
type Received struct {
	Messages uint64 `json:"messages"`
	// Bytes are those of the messages' encodings.
	Bytes uint64 `json:"bytes"`
	// Elapsed is from the first message to the last.
	Elapsed time.Duration `json:"elapsed_ns"`
	// Used is what the process used meanwhile.
	Used Usage `json:"used"`
	// Latency is the age of those tells that carried the time; empty for asks.
	Latency Histogram `json:"latency"`
	// Fault is the first thing wrong with the messages received; empty is good.
	Fault string `json:"fault,omitempty"`
}

// Sink is the receiving side of a trial. Take is called for each message, one call at a time.
type Sink struct {
	spec *Spec
	msgs *messages
	// every is how many messages one acknowledgement is for.
	every uint64

	now   Received
	began time.Time // the batch's first message
	used  Usage     // by the process when the batch began

	mu     sync.Mutex
	closed []Received // the batches that are over
}

// NewSink returns the receiving side of a valid spec.
func NewSink(spec *Spec) (*Sink, error) {
	s := &Sink{spec: spec, every: uint64(max(spec.InFlight/2, 1)), used: used()}
	var err error
	if spec.Case.Sized() {
		s.msgs, err = newMessages(spec.Size)
	}
	return s, err
}

// Take counts m and returns the message to send back: the answer of an ask, else an acknowledgement or nil.
func (s *Sink) Take(m *app.StatusUpdate) *app.StatusUpdate {
	last, ask := isLast(m), s.spec.Case.Ask()
	if s.now.Messages == 0 {
		s.began = time.Now()
	}
	switch {
	case !s.msgs.fits(m):
		s.fault("message %d carries %d bytes", s.now.Messages, len(m.GetResult().GetRecords()))
	case !ask:
		s.sample(m)
	}
	s.now.Messages++
	s.now.Bytes += uint64(s.msgs.size)
	count := s.now.Messages
	// Before the answer is returned: when the sender has it, Measured finds the batch closed.
	if last {
		s.end()
	}
	switch {
	case ask:
		return m
	// Half a window each, so that the sender can send the other half while the acknowledgement is under way.
	case last || s.spec.Case.Windowed() && count%s.every == 0:
		return acknowledgement(count)
	}
	return nil
}

// sample takes the age of a message that should carry the time. A message without a time in that place, or with one in another,
// came out of order.
func (s *Sink) sample(m *app.StatusUpdate) {
	at, want := stamp(m), s.now.Messages%SampleEvery == 0
	switch {
	case want != (at != 0):
		s.fault("message %d is another one: messages were lost, repeated or reordered", s.now.Messages)
	case want:
		age := time.Now().UnixNano() - at
		if age < 0 {
			s.fault("message %d came %s before it was sent: the clock was set", s.now.Messages, time.Duration(-age))
		}
		s.now.Latency.Record(age)
	}
}

func (s *Sink) fault(format string, args ...any) {
	if s.now.Fault == "" {
		s.now.Fault = fmt.Sprintf(format, args...)
	}
}

// end closes a batch. Its acknowledgement is not out yet, so nothing is under way.
func (s *Sink) end() {
	s.now.Elapsed = time.Since(s.began)
	after := used()
	s.now.Used = after.since(s.used)
	s.used = after
	s.mu.Lock()
	s.closed = append(s.closed, s.now)
	s.mu.Unlock()
	s.now = Received{}
}

// measured is what all sinks of a trial counted.
func measured(sinks []*Sink) (*Received, error) { return sinks[0].Measured() }

// Measured is what was counted in the measured batch; an error when it is not over. It may be called from any goroutine.
func (s *Sink) Measured() (*Received, error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if len(s.closed) != batches {
		return nil, fmt.Errorf("%d batches have ended, want %d", len(s.closed), batches)
	}
	r := s.closed[batches-1]
	return &r, nil
}
