package local

import (
	"slices"
	"sync"

	"github.com/coherer/coherer/actors/membership"
	"github.com/coherer/coherer/rpcenv"
)

// Ring is gossip as a model: the members of a cluster hear of each other at once, and of a suspicion when Suspect is called.
// The zero value is a cluster without members.
type Ring struct {
	mu      sync.Mutex
	members []membership.Member
	seats   []*seat
}

// seat is a member's Discovery.
type seat struct {
	ring   *Ring
	self   membership.Member
	notify func(rpcenv.Message) // nil: it does not watch
	apart  bool                 // it has met nobody yet, and hears of nobody
}

// Join makes a daemon a member: the others hear of it, and by its Discovery it of them.
func (r *Ring) Join(m membership.Member) membership.Discovery {
	r.mu.Lock()
	defer r.mu.Unlock()
	r.news(membership.MemberJoined{Member: m}, m)
	// It is on the list, but gets no news before it watches: Watch gives it the whole list then.
	r.members = append(r.members, m)
	s := &seat{ring: r, self: m}
	r.seats = append(r.seats, s)
	return s
}

// Apart makes a daemon a member that knows nobody until its Meet is called, with any address.
func (r *Ring) Apart(m membership.Member) membership.Discovery {
	return &seat{ring: r, self: m, apart: true}
}

// At is the member's address in the model: nobody listens there.
func (s *seat) At() string { return s.self.RPC.Host + ":7946" }

// Meet joins a member that was apart with all others.
func (s *seat) Meet(string) {
	s.ring.mu.Lock()
	defer s.ring.mu.Unlock()
	if !s.apart {
		return
	}
	s.apart = false
	s.ring.news(membership.MemberJoined{Member: s.self}, s.self)
	s.ring.members = append(s.ring.members, s.self)
	s.ring.seats = append(s.ring.seats, s)
	s.hearAll()
}

// hearAll notifies the member of each other one; it wants ring.mu.
func (s *seat) hearAll() {
	for _, m := range s.ring.members {
		if m != s.self {
			s.notify(membership.MemberJoined{Member: m})
		}
	}
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

// news notifies all members but the one that m is about; it wants r.mu.
func (r *Ring) news(m rpcenv.Message, about membership.Member) {
	for _, s := range r.seats {
		if s.self != about && s.notify != nil {
			s.notify(m)
		}
	}
}

// Watch reports the present members, then changes.
func (s *seat) Watch(notify func(rpcenv.Message)) (stop func()) {
	// Under the lock from the list to the first change, so that no member is missed between them.
	s.ring.mu.Lock()
	defer s.ring.mu.Unlock()
	s.notify = notify
	if !s.apart {
		s.hearAll()
	}
	return func() {
		s.ring.mu.Lock()
		defer s.ring.mu.Unlock()
		s.notify = nil
	}
}
