// Package top is what `coherer top` does: it reads the counters of the processes of a cluster, again and again, and shows
// which endpoints have most waiting.
//
// It starts at the processes that the user names and goes on to those that are connected to them: a Master leads to its Workers
// and drivers. Executors are in client mode, so their drivers and Workers are asked for them.
package top
