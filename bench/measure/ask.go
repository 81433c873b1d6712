package measure

import (
	"fmt"
	"time"

	"github.com/coherer/coherer/messages/app"
)

// Ask is the asking side of a trial of asks. Its methods are called one at a time.
type Ask struct {
	batch
	base time.Time
}

// NewAsk returns the asking side of a valid spec.
func NewAsk(spec *Spec) (*Ask, error) {
	a := &Ask{base: time.Now()}
	return a, a.init(spec)
}

// Next is a question to ask now, and the time of asking; nil when an answer has to come first.
func (a *Ask) Next() (m *app.StatusUpdate, at time.Duration) {
	if !a.mayAsk() {
		return nil, 0
	}
	a.begin()
	a.lastSent = a.ending
	a.sent++
	m = a.msgs.plain
	if a.lastSent {
		m = a.msgs.last
	}
	return m, time.Since(a.base)
}

// Answered takes the answer to a question that was asked at a time. When it is not over, Next has questions again.
func (a *Ask) Answered(at time.Duration, answer *app.StatusUpdate) (over bool, err error) {
	// First of all: the checks below are no part of the round trip.
	now := time.Now()
	a.done++
	switch {
	case a.done > a.sent:
		return false, fmt.Errorf("answer %d to %d questions", a.done, a.sent)
	case !a.msgs.fits(answer) || isLast(answer) != a.lastSent:
		return false, fmt.Errorf("answer %d of the batch belongs to another question", a.done)
	}
	a.result.Latency.Record(int64(now.Sub(a.base) - at))
	a.look(now)
	return a.end(now), nil
}
