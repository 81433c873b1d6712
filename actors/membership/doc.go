// Package membership is the endpoint Membership: what a daemon hears of the other members of its cluster, as messages to
// the daemon's own endpoints. Spark's standalone mode has none: there a Master hears of Workers by their registration
// only, and Workers are told by hand where their Masters are.
//
// What it says is a hint (cluster/gossip says why). MemberSuspected makes a Master ask the Worker whether it is there, and
// a Worker look for other Masters; nobody is removed by it. Who removes, and when, stays as in Spark: a connection that
// ends, or spark.worker.timeout.
//
// The endpoint is told by a [Discovery], which package cluster supplies: memberlist in daemons, a model in simulations.
// To each endpoint of [Config.Notify] the news come in the order in which Discovery told them; a member that was told of
// twice is passed on once.
package membership
