// Package trace records what happened in a run and shows it.
//
// Identity costs no bytes on the wire. A connection has a random id from its handshake, both ends count the messages of
// each direction, so (connection, direction, ordinal) names a message at its sender and at its receiver alike. What an
// endpoint handles inside its own process is named by (Env, ordinal).
//
// What a handler does is caused by the item that it handles. Each item has one cause: a message or an ask, the item in
// whose handling it was sent; a reply or a failure, the ask; a tick of a timer and the result of a Run, the item that
// armed it; a connection event, an outside event and OnStart, none.
//
// A [Recorder] belongs to a process or to a simulated world. It has two levels. The ring is always on: the latest records in
// slots of 64 bytes, without bodies, in a mapped file that outlives a kill -9 ([ReadRing]) or in memory. Its times are as
// coarse as the timer that brings its clock up to date, 1 ms as a rule, unless the same is recorded, or the world's clock is
// a simulated one. Recording adds exact times and bodies: in memory, or in a file of length-prefixed protobuf records
// ([tracepb]: messages/trace), written at most 100 ms later. It is switched at run time ([rpcenv.Env.Record]) for an Env or
// for one endpoint; messages and endpoints that are untraced are counted, and nothing else. A write that fails ends the
// recording, not the run: the ring goes on, and Close returns the error. Of a record a body is kept up to the Recorder's
// limit, a text up to 16 KiB, in the ring 255 bytes; the ring counts messages to 2^40 and sizes to 2^24.
//
// [Merge] joins the files of several processes into one [Trace], a [Follower] while they are written. A Trace is written as
// JSONL (coherer-trace/1), as a list of messages, as tables of counts and of figures ([Stats]), as a sequence diagram
// (Mermaid or SVG), and as the forest by cause that golden scripts compare. A [Filter] chooses messages, FROM->TO:MESSAGE.
//
// [rpcenv.Env.Record]: github.com/coherer/coherer/rpcenv#Env.Record
// [tracepb]: github.com/coherer/coherer/messages/trace
package trace
