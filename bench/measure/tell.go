package measure

import (
	"fmt"
	"time"

	"github.com/coherer/coherer/messages/app"
)

// Tell is the sending side of a trial of tells. Its methods are called one at a time.
type Tell struct{ batch }

// NewTell returns the sending side of a valid spec.
func NewTell(spec *Spec) (*Tell, error) {
	t := new(Tell)
	return t, t.init(spec)
}

// lookEvery is after how many messages of a flood the clock is read.
const lookEvery = 16

// Next is a message to send now; nil when an acknowledgement has to come first, or the batch's last message is out. A
// flood ([OneWay]) has no window: there it is nil only after the last message, so the contender has to wait for room.
func (t *Tell) Next() *app.StatusUpdate {
	if t.lastSent || t.spec.Case.Windowed() && t.sent-t.done >= uint64(t.spec.InFlight) {
		return nil
	}
	t.begin()
	if !t.spec.Case.Windowed() && t.sent%lookEvery == 0 {
		t.look(time.Now()) // no acknowledgement comes that would
	}
	t.lastSent = t.ending
	m := t.msgs.tell(t.sent, t.ending)
	t.sent++
	return m
}

// Acknowledged takes an acknowledgement. When it is not over, Next has messages again.
func (t *Tell) Acknowledged(ack *app.StatusUpdate) (over bool, err error) {
	n := uint64(ack.GetTaskId())
	// Acknowledgements count all messages so far, so each is larger than the one before: else one was lost, repeated or reordered.
	if n <= t.done || n > t.sent {
		return false, fmt.Errorf("%d messages are acknowledged after %d, of %d that were sent", n, t.done, t.sent)
	}
	t.done = n
	now := time.Now()
	t.look(now)
	return t.end(now), nil
}
