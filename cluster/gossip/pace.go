package gossip

import (
	"time"

	"github.com/hashicorp/memberlist"
)

// Upkeep is how often a member calls on addresses where it misses a member, when its Config does not say.
const Upkeep = 5 * time.Second

// MostCalls bounds the addresses of failed members that a member remembers, and those of Meet: a daemon that is started again and again has a
// new one each time.
const MostCalls = 32

// Callers is how many members, on average, call at each upkeep on the address of one that failed; in smaller clusters all do. A call exchanges all
// that both know. If all of 200 members called, members that once gave each other up would do nothing else, and give up the next.
const Callers = 8

// Pace is how quick all members are, in the simulations' model too (package swim): memberlist's settings for a local network, made quicker. A
// crash is seen in a second or two by clusters of tens, for a quarter of a per cent of a core.
func Pace() *memberlist.Config {
	s := memberlist.DefaultLANConfig()
	// memberlist's defaults for a local network probe each second and gossip each 200 ms.
	s.ProbeInterval = 200 * time.Millisecond
	s.ProbeTimeout = 100 * time.Millisecond
	s.SuspicionMult = 3
	// Where nobody confirms a suspicion, since the others are gone too, memberlist would wait 6 times as long.
	s.SuspicionMaxTimeoutMult = 3
	// While there are news each member sends three full packets at each interval. With 50 ms those of 200 members took more than two cores as long as
	// they joined; starved members suspected each other, and these news kept the cores busy for good. With 200 ms many a refutation came too late.
	s.GossipInterval = 150 * time.Millisecond
	// With 4 and 30 s, one news in forty misses a member of a ring of seven, which then believes for half a minute in what is no more. Above 32
	// members the exchanges of whole states come more seldom.
	s.RetransmitMult = 8
	s.PushPullInterval = 5 * time.Second
	// To compress packets, and to take them apart, was a third of what members do.
	s.EnableCompression = false
	// A join cannot be interrupted, so a silent address holds it up for this long.
	s.TCPTimeout = 2 * time.Second
	return s
}
