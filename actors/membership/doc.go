// Package membership is the endpoint Membership of daemons, drivers and ApplicationMasters: what a process hears of the other members of
// its cluster, as messages to its own endpoints. Spark's standalone mode has no such endpoint: there a Master hears of Workers by their
// registration only, and a user names their Masters to Workers.
//
// What it says is a hint (cluster/gossip says why). [Doubts] is what a Master and a ResourceManager make of it: they ask a node that is
// suspected, and give it up before its time-out only if it does not answer and the gossip gives it up too. A Worker looks for other Masters when
// its own has failed, and a NodeManager that was given no ResourceManager goes over to another.
//
// A process that was given no member's gossip asks the daemons that it knows by their addresses for theirs (FindRing), as long as none of
// them is a member: a Worker and a driver their Masters, one of several Masters the others, a NodeManager and an ApplicationMaster their
// ResourceManager. So processes that know each other by their addresses are members of one cluster.
//
// The news comes from a [Discovery], which package cluster supplies: memberlist in daemons, a model in simulations. Each
// endpoint of [Config.Notify] gets them in the order in which Discovery reported them, and a repetition once.
package membership
