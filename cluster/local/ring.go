package local

import (
	"slices"
	"sync"

	"github.com/coherer/coherer/actors/membership"
	"github.com/coherer/coherer/rpcenv"
)

// Ring is gossip as a model: the members of a cluster, who hear of each other at once, and of a suspicion when it is told.
// The zero value is a cluster of nobody.
type Ring struct {
	mu      sync.Mutex
	members []membership.Member
	seats   []*seat
}

// seat is a member's Discovery.
type seat struct {
	ring *Ring
	self membership.Member
	tell func(rpcenv.Message) // nil: it does not watch
}

// Join makes a daemon a member: the others hear of it, and by its Discovery it of them.
func (r *Ring) Join(m membership.Member) membership.Discovery {
	r.mu.Lock()
	defer r.mu.Unlock()
	r.news(membership.MemberJoined{Member: m}, m)
	r.members = append(r.members, m)
	s := &seat{ring: r, self: m}
	r.seats = append(r.seats, s)
	return s
}

// Leave lets the others hear that a member said goodbye.
func (r *Ring) Leave(m membership.Member) {
	r.mu.Lock()
	defer r.mu.Unlock()
	r.members = slices.DeleteFunc(r.members, func(x membership.Member) bool { return x == m })
	r.seats = slices.DeleteFunc(r.seats, func(s *seat) bool { return s.self == m })
	r.news(membership.MemberLeft{Member: m}, m)
}

// Suspect lets the others hear that a member does not answer. It stays a member: a real one would be heard of again.
func (r *Ring) Suspect(m membership.Member) {
	r.mu.Lock()
	defer r.mu.Unlock()
	r.news(membership.MemberSuspected{Member: m}, m)
}

// news tells all members but the one that they are about; it wants r.mu.
func (r *Ring) news(m rpcenv.Message, about membership.Member) {
	for _, s := range r.seats {
		if s.self != about && s.tell != nil {
			s.tell(m)
		}
	}
}

// Watch tells of the members that are there, then of changes.
func (s *seat) Watch(tell func(rpcenv.Message)) (stop func()) {
	s.ring.mu.Lock()
	defer s.ring.mu.Unlock()
	for _, m := range s.ring.members {
		if m != s.self {
			tell(membership.MemberJoined{Member: m})
		}
	}
	s.tell = tell
	return func() {
		s.ring.mu.Lock()
		defer s.ring.mu.Unlock()
		s.tell = nil
	}
}
