package invariant_test

import (
	"testing"
	"time"

	"github.com/coherer/coherer/cluster/invariant"
)

// gossip is a cluster of three members, which agree within a minute, after some have heard of others and d has passed.
func (f *forger) gossip(d time.Duration, there ...uint32) {
	f.look(ringOf(there...), d)
}

// runs are the names of the members' runs.
var runs = map[uint32]string{m1: "M1/1", w1: "W1/2", w2: "W2/3"}

func ringOf(there ...uint32) invariant.Snapshot {
	s := invariant.Snapshot{Gossip: invariant.Gossip{Agreement: time.Minute}}
	for _, env := range there {
		s.Gossip.Members = append(s.Gossip.Members, invariant.Member{Name: runs[env], Address: places[env]})
	}
	return s
}

// member is what one Env's Membership says of another's.
func (f *forger) member(by, of uint32, to string) {
	f.state(by, "Membership", "member", runs[of], "", to, "gossip", nil)
}

// meet lets each of three hear of the others.
func (f *forger) meet() {
	for _, by := range []uint32{m1, w1, w2} {
		for _, of := range []uint32{m1, w1, w2} {
			if by != of {
				f.member(by, of, "joined")
			}
		}
	}
}

// Membership must be the same everywhere, and what is.
func TestMembersAgree(t *testing.T) {
	judge(t, []forged{
		{"I14", "all know all", "", func(f *forger) { f.meet(); f.gossip(time.Hour, m1, w1, w2) }},
		{"I14", "soon enough", "", func(f *forger) {
			f.gossip(59*time.Second, m1, w1, w2)
			f.meet()
			f.gossip(time.Hour, m1, w1, w2)
		}},
		{"I14", "nobody else", "", func(f *forger) { f.gossip(time.Hour, m1) }},
		{"I14", "one who was never heard of", "W2/3 does not know that M1/1 is there, after 1m0s", func(f *forger) {
			f.member(m1, w2, "joined")
			f.gossip(time.Hour, m1, w2)
		}},
		{"I14", "one who is there and was given up", "M1/1 does not know that W1/2 is there", func(f *forger) {
			f.meet()
			f.gossip(time.Hour, m1, w1, w2)
			f.member(m1, w1, "failed")
			f.gossip(61*time.Second, m1, w1, w2)
		}},
		{"I14", "one who was suspected", "", func(f *forger) {
			f.meet()
			f.member(m1, w1, "suspected")
			f.gossip(time.Hour, m1, w1, w2)
		}},
		{"I14", "one who came back", "", func(f *forger) {
			f.meet()
			f.member(m1, w1, "failed")
			f.gossip(59*time.Second, m1, w1, w2)
			f.member(m1, w1, "joined")
			f.gossip(time.Hour, m1, w1, w2)
		}},
		{"I14", "one who is gone", "M1/1 takes W1/2 for present, which is gone", func(f *forger) {
			f.meet()
			f.gossip(time.Hour, m1, w1, w2)
			f.member(w2, w1, "failed")
			f.gossip(61*time.Second, m1, w2)
		}},
		{"I14", "one who is gone, and left", "", func(f *forger) {
			f.meet()
			f.member(m1, w1, "left")
			f.member(w2, w1, "failed")
			f.gossip(time.Hour, m1, w2)
		}},
		{"I14", "while faults last", "", func(f *forger) {
			s := ringOf(m1, w1)
			for range 100 {
				f.wait(time.Minute)
				s.Now = f.now
				f.Look(s)
			}
		}},
	})
}
