package measure

import (
	"fmt"
	"time"

	"github.com/coherer/coherer/messages/app"
)

// Ask is the asking side of a pair in a trial of asks. Its methods are called one at a time.
type Ask struct {
	batch
	base time.Time
}

// NewAsk returns the asking side of a valid spec with one pair.
func NewAsk(spec *Spec) (*Ask, error) { return newAsk(newGroup(spec)) }

func newAsk(g *group) (*Ask, error) {
	a := &Ask{base: g.now()}
	return a, a.init(g)
}

// Next returns a question to ask now, and the time of asking; nil when an answer has to come first, or its time has not come
// ([Trial.Pace]).
func (a *Ask) Next() (m *app.StatusUpdate, at time.Duration) {
	begin, ok := a.next()
	if !ok {
		return nil, 0
	}
	m = a.msgs.plain
	if a.lastSent {
		m = a.msgs.last
	}
	return m, begin.Sub(a.base)
}

// Answered takes the answer to a question that was asked at a time. When it is not over, Next has questions again.
func (a *Ask) Answered(at time.Duration, answer *app.StatusUpdate) (over bool, err error) {
	// First of all: the checks below are no part of the round trip.
	now := a.group.now()
	a.done++
	switch {
	case a.done > a.sent:
		return false, fmt.Errorf("answer %d to %d questions", a.done, a.sent)
	case !a.msgs.fits(answer) || isLast(answer) != a.lastSent:
		return false, fmt.Errorf("answer %d of the batch belongs to another question", a.done)
	}
	a.latency.Record(int64(now.Sub(a.base) - at))
	a.look(now)
	return a.end(now), nil
}
