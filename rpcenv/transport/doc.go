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
// Order in each direction. Send never waits; it encodes into a buffer that one goroutine at a time writes. Receive is called one
// at a time, Closed once and last. A stream may end, it never has a hole: what cannot be sent ends the link, after
// everything before it was written.
//
// # Who handles what comes
//
// The goroutine that reads a link also runs a turn of the inbox for which something came, and writes what the turn sent over this link.
// To wake a goroutine for a message and another one for its answer would cost more than most messages. Turns that take longer than
// 0.5 ms go to the pool, and one that takes 2 to 4 ms is taken over: another goroutine reads on. So a handler that is slow, or waits,
// holds up its own messages alone, but for that moment. What a turn sends goes out at its end, or when it is taken over.
//
// # Ends
//
// [Host.Close] ends everything that the Host started and waits for it, for a bounded time; it reports what still runs.
// With [Options.Memory] links hand envelopes over within the process, with the same guarantees and the same ends: they live as
// the Host's tasks do, which is why they stand in this package.
package transport
