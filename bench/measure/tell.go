package measure

import (
	"fmt"
	"time"

	"github.com/coherer/coherer/messages/app"
)

// Tell is the sending side of a pair in a trial of tells. Its methods are called one at a time.
type Tell struct {
	batch
	windowed bool
}

// NewTell returns the sending side of a valid spec with one pair.
func NewTell(spec *Spec) (*Tell, error) { return newTell(newGroup(spec)) }

func newTell(g *group) (*Tell, error) {
	t := &Tell{windowed: g.spec.Case.Windowed()}
	return t, t.init(g)
}

// lookEvery is after how many messages of a flood the clock is read.
const lookEvery = 16

// Next returns a message to send now; nil when an acknowledgement has to come first, its time has not come ([Trial.Pace]), or the
// batch's last message is out. A flood ([OneWay]) has no window: there only its last message or the rate stops it, so the contender
// has to wait for room.
func (t *Tell) Next() *app.StatusUpdate {
	if t.lastSent || t.windowed && t.sent-t.done >= uint64(t.spec.InFlight) {
		return nil
	}
	var at time.Time
	if t.spec.Rate > 0 {
		due, ok := t.due()
		if !ok {
			return nil
		}
		at = due
	}
	t.begin()
	if !t.windowed && t.sent%lookEvery == 0 {
		t.look(t.group.now()) // no acknowledgement comes that would
	}
	if at.IsZero() && t.sent%SampleEvery == 0 {
		at = t.group.now()
	}
	t.lastSent = t.ending
	m := t.msgs.tell(t.sent, t.ending, at)
	t.sent++
	return m
}

// Acknowledged takes an acknowledgement. When it is not over, Next has messages again.
func (t *Tell) Acknowledged(ack *app.StatusUpdate) (over bool, err error) {
	n := uint64(ack.GetTaskId())
	switch {
	case PairOf(ack) != t.pair:
		return false, fmt.Errorf("pair %d gets an acknowledgement of pair %d", t.pair, PairOf(ack))
	// Acknowledgements count all messages so far, so each is larger than the one before: else one was lost, repeated or reordered.
	case n <= t.done || n > t.sent:
		return false, fmt.Errorf("%d messages are acknowledged after %d, of %d that were sent", n, t.done, t.sent)
	}
	t.done = n
	now := t.group.now()
	t.look(now)
	return t.end(now), nil
}
