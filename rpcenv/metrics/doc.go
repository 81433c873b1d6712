// Package metrics counts what the endpoints of an Env get and handle, and what waits.
//
// Counters are always on: two or three atomic additions per message, no lock of their own, nothing allocated once a type of
// messages has been seen. They only grow; an endpoint that is registered again under its name goes on counting. Times cost
// reading the clock, so the histograms of waiting and handling are made at first use after [Set.Time]. A server of metrics calls it,
// and so does the endpoint Metrics when it is asked for times. They stay on.
//
// What is counted is bounded, because types and peers come from outside: an Env has at most [MaxEndpoints] rows of
// endpoints, an endpoint [MaxSeries] of types, a Snapshot [MaxPeers] peers. What is beyond counts as [Other].
//
// A [Snapshot] is a sorted copy. Counters are read one after the other: what happens meanwhile may be in one and not yet in
// the other, but never is more handled than received.
package metrics
