// Package gossip makes the processes of a cluster know each other: which are there, in which role, and where. It is
// hashicorp/memberlist (SWIM) behind a small interface, for membership only; messages between roles never travel by it.
//
// [Enter] makes a process a member, as every daemon, driver and ApplicationMaster is: its endpoints hear of the others by the endpoint
// Membership, which also finds the gossip of daemons that are known by their addresses alone. [Join] makes a member without endpoints, such
// as a command that looks.
//
// An event is a hint. Members disagree for a moment, and a failed member may be alive behind a slow network. So a Master and a
// ResourceManager that hear of a suspicion ask the node, and one that answers stays: membership.Doubts has the rules.
//
// memberlist reports neither suspicions nor whether a member left or failed. So members of this package say more to each other, by the same
// ways: one whose probe of another fails accuses it, the accused refutes that when it hears of it, and a member that leaves says goodbye to each
// of the others. A command that only looks is no member to the others.
//
// Clusters on one host mostly have the same name, and a daemon of one may get the port of a dead member of another. Each member says the number
// of its cluster, which a Master or ResourceManager makes of its address, and the Masters of a group of all of theirs; members of different
// numbers do not become one ring, whatever they hear of each other and whoever calls. A process takes the number of the ring that it joins. It
// takes another number only from daemons whose addresses its starter gave it.
//
// Each run of a process is a member of its own: its name holds a number of that run, since memberlist refuses a name that it
// knows at another address.
//
// Package swim, below this one, is the model of it for simulations, with the same [Pace].
package gossip
