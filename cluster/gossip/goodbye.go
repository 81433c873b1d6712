package gossip

import (
	"math"
	"slices"
	"time"
)

// A goodbye is final, since a member says it itself; but any member can send that of another, by mistake or not. A member that hears its own while
// it lives refutes it by the count of its refutations, which goes with what it says of itself. A goodbye does not hold for a later count.

// saidGoodbye reports whether a member has said goodbye, and has not refuted that.
func (b *books) saidGoodbye(i Info) bool {
	if !slices.Contains(b.goodbyes, i.Name) {
		return false
	}
	known := slices.IndexFunc(b.gone, func(s Standing) bool { return s.Name == i.Name })
	return i.Again == 0 || known >= 0 && i.Again <= b.gone[known].Again
}

// refutePause is the least time between two refutations: the copies of one goodbye are refuted together.
const refutePause = time.Second

// refuteGoodbye changes what this member says of itself if others believe that it said goodbye. One that is leaving does not come here, since
// Leave holds ending.
func (m *Member) refuteGoodbye(own *Meta) {
	m.mu.Lock()
	defer m.mu.Unlock()
	b := m.books
	if now := b.clock(); b.hidden && now.Sub(b.refuted) >= refutePause && own.Again < math.MaxUint16 {
		own.Again++
		b.hidden, b.refuted = false, now
	}
}
