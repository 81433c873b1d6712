// Package gossip makes the daemons of a cluster know each other: which are there, in which role, and where. It is
// hashicorp/memberlist (SWIM) behind a small interface, for membership only; messages between roles never travel by it.
//
// An event is a hint. Members disagree for a moment, and a failed member may be alive behind a slow network, so a
// Master that hears of a failure asks the Worker, and removes it only when Spark's own rules say so.
//
// Each run of a daemon is a member of its own: its name holds the Env's incarnation, since memberlist refuses a name it
// knows at another address. memberlist does not report whether a member left or failed; here a member that leaves says goodbye to each
// of the others itself.
package gossip
