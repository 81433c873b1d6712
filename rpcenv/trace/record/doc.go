// Package record records what happens in a process, and reads back what a process has recorded.
//
// A [Recorder] belongs to a process or to a simulated world. It has two levels. The ring is always on: the latest records in
// slots of 64 bytes, without bodies, in a mapped file that outlives a kill -9 ([ReadRing]) or in memory. Its times are as
// coarse as the timer that brings its clock up to date, 1 ms as a rule, unless the same is recorded, or the world's clock is
// a simulated one. Recording adds exact times and bodies: in memory, or in a file, written at most 100 ms later; a busy process
// writes past the page cache. An entry of the file (entry.go) is what the ring has of a message or an item, with exact times
// and the body, or a protobuf record ([tracepb]: messages/trace) for whatever is rare or large. Recording is switched at run
// time ([rpcenv.Env.Record]) for an Env or for one endpoint; messages and endpoints that are untraced are counted, and nothing
// else. A write that fails ends the recording, not the run: the ring goes on, and Close returns the error. Of a record a body
// is kept up to the Recorder's limit, a text up to 16 KiB, in the ring 255 bytes; the ring counts messages to 2^40 and sizes to
// 2^24.
//
// [ReadProcess] reads the file and the ring of one process, a [Tail] a file that still grows.
//
// [rpcenv.Env.Record]: github.com/coherer/coherer/rpcenv#Env.Record
// [tracepb]: github.com/coherer/coherer/messages/trace
package record
