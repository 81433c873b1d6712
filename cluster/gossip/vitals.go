package gossip

import (
	"context"
	"time"
)

// Vitals are what a member says of itself and learns while it runs.
type Vitals struct {
	// ID is Meta.ID, Load is Meta.Load.
	ID, Load string
}

// vitalsTime bounds the question for a member's vitals; it holds up the upkeep and the end of the member.
const vitalsTime = time.Second

// refresh lets the others hear of this member's vitals, if they have changed. A member that is slow to answer itself is asked again later.
func (m *Member) refresh(vitals func(context.Context) (Vitals, error)) {
	if vitals == nil {
		return
	}
	ctx, cancel := context.WithTimeout(context.Background(), vitalsTime)
	defer cancel()
	v, err := vitals(ctx)
	// Who holds ending may wait for this goroutine, as Close does.
	if err != nil || !m.ending.TryLock() {
		return
	}
	defer m.ending.Unlock()
	if m.isClosed() {
		return
	}
	m.reviseSoon(func(own *Meta) { own.ID, own.Load = v.ID, v.Load })
}
