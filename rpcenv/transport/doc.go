// Package transport is the real world beneath an Env: a [Host] with a pool of goroutines, the wall clock and TCP.
//
// # On the wire
//
// A link is a TCP connection with the frames of package wire, of types 3, 4, 5 and 9 ([AppendEnvelope]). The dialler speaks
// first: a listener looks at the type of a connection's first frame, and takes 6 for a download of a file (package bulk) and
// anything else for RPC. Blocks and files never share a connection with RPC.
//
// # What a Link guarantees
//
// Order in each direction. Send never waits; it encodes into a buffer that one goroutine writes. Receive is called one
// at a time, Closed once and last. A stream may end, it never has a hole: what cannot be sent ends the link, after
// everything before it was written.
//
// # Ends
//
// [Host.Close] ends everything that the Host started and waits for it, for a bounded time; it reports what still runs.
// With [Options.Memory] links hand envelopes over within the process, with the same guarantees and the same ends: they live as
// the Host's tasks do, which is why they stand in this package.
package transport
