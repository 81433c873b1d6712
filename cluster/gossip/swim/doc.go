// Package swim is the gossip of simulated clusters: a model of memberlist, which is SWIM, on a World's virtual time.
//
//	ring := swim.New(world, gossip.Pace())
//	m := ring.Join(host, member)       // m is the membership.Discovery of that process
//	m.Meet(address)                    // of any other member
//
// A [Member] does what memberlist does, with memberlist's settings and formulas; the names in its files are those of memberlist's state.go.
// It probes one member after the other, in an order of chance, and asks three others to probe the one that gives no answer; then it suspects.
// A suspicion ends by the suspect's refutation, which has a higher incarnation, or by its time, which each further accuser shortens. News
// travel with packets of limited size to three members of chance at each tick, a logarithmic number of times. Now and then two members
// exchange all that they know. Members call again on addresses where others failed, as package gossip does, and say goodbye when they leave.
//
// Packets go over the World's network and its faults ([sim.Host.Datagram]); a member's timers are its Host's. So a paused process is a member
// that does not answer, and a killed one is gone. Each run of a process is a member with a name of its own. Of all this the trace has only
// what the endpoint Membership hears.
//
// The model differs from memberlist in this:
//   - Whether a probe is answered is decided when it is sent ([sim.Host.Echo]): no packet stands for it, only for the news that it carries.
//   - The exchange of all that two members know is one question and its answer, sent again until memberlist's time-out of streams.
//   - A message has a size by its kind, not by its words.
//   - A goodbye is memberlist's own message of leaving, sent to each other member at once.
//   - There is no encryption, no label and no metadata: a Ring is one cluster.
package swim
