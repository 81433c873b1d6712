// Package transport is the real world beneath an Env: a [Host] with a pool of goroutines, the wall clock and TCP.
//
// # On the wire
//
// A connection carries the frames of Spark's network layer: int64 length, which counts itself, a byte of type, a header,
// a body; all integers are big endian. RPC uses the types 3, 4, 5 and 9 ([AppendEnvelope], [DecodeEnvelope]), files the
// types 6 to 8, blocks the types 0 to 2 beside 3 to 5. The dialler speaks first: a listener looks at the type of a
// connection's first frame, and takes 6 for a download of a file ([FileServer]) and anything else for RPC. Blocks
// and files never share a connection with RPC ([ServeBulk], [BulkClient]), so that a big one delays no message.
//
// # What a Link guarantees
//
// Order in each direction. Send never waits; it encodes into a buffer that one goroutine writes. Receive is called one
// at a time, Closed once and last. A stream may end, it never has a hole: what cannot be sent ends the link, after
// everything before it was written.
//
// # What a peer can do
//
// Whatever a peer sends, at worst its own connection ends, with an error that says why: a length is checked before
// anything is allocated, and memory for a frame grows only as its bytes arrive.
//
// # Ends
//
// [Host.Close] ends everything that the Host started and waits for it, for a bounded time; it reports what still runs.
// With [Options.Memory] links hand envelopes over within the process, with the same guarantees.
package transport
